use proptest::prelude::*;

use super::*;
use crate::unit::Unit;

const PATHS: &[&str] = &[
    "README.md",
    "docs/adr/0001-choice.md",
    "docs/prd/BILLING.md",
    "docs/prd/tasks/billing/01-a.md",
    "specs/API.md",
    "specs/Cafe\u{301}.markdown",
    "specs/GIT.md",
    "specs/README.md",
    "specs/Web_UI.md",
    "specs/completed/API.md",
    "specs/completed/OLD-THING.md",
    "specs/completed/tasks/old-thing/01-a.md",
    "specs/completed/tasks/old-thing/old-thing/01-a.md",
    "specs/completed/tasks/twice/01-a.md",
    "specs/notes.txt",
    "specs/tasks/git/01-a.md",
    "specs/tasks/git/IMPLEMENTATION_PLAN.md",
    "specs/tasks/git/notes.md",
    "specs/tasks/twice/01-a.md",
    "tasks/api/01-a.md",
    "tasks/git/logo.png",
    "tasks/web-ui/01-a.md",
    "units/other/implementation_plan.md",
];

fn catalog() -> Catalog {
    Catalog::new(PATHS.iter().copied())
}

fn unread(_: &str) -> Option<&'static str> {
    None
}

#[test]
fn specs_are_the_markdown_files_in_their_two_folders() {
    let catalog = catalog();
    let specs: Vec<_> = catalog.specs().collect();
    assert_eq!(
        specs,
        [
            "specs/API.md",
            "specs/Cafe\u{301}.markdown",
            "specs/GIT.md",
            "specs/Web_UI.md",
            "specs/completed/API.md",
            "specs/completed/OLD-THING.md",
        ]
    );
    assert!(catalog.contains("specs/notes.txt"));
    assert!(!catalog.contains("specs/none.md"));
}

#[test]
fn units_are_folders_with_a_plan_or_with_tasks_below_tasks() {
    let catalog = catalog();
    let dirs: Vec<_> = catalog
        .units()
        .iter()
        .map(|unit| unit.dir.as_str())
        .collect();
    assert_eq!(
        dirs,
        [
            "docs/prd/tasks/billing",
            "specs/completed/tasks/old-thing",
            "specs/completed/tasks/twice",
            "specs/tasks/git",
            "specs/tasks/twice",
            "tasks/api",
            "tasks/web-ui",
            "units/other",
        ]
    );
    let git = catalog.unit("git").expect("one unit");
    assert_eq!(
        git.plan.as_deref(),
        Some("specs/tasks/git/IMPLEMENTATION_PLAN.md")
    );
    assert_eq!(
        git.files,
        [
            "specs/tasks/git/01-a.md",
            "specs/tasks/git/IMPLEMENTATION_PLAN.md",
            "specs/tasks/git/notes.md"
        ]
    );
}

#[test]
fn tasks_of_a_spec_in_another_folder_than_its_unit_are_strays() {
    let of_web = |path: &str| {
        let is_plan = path.ends_with("PLAN.md");
        let text = "---\ntask: 1\n---\n\n**Parent spec**: /specs/WEB.md\n";
        (!is_plan).then(|| text.to_owned())
    };
    for (paths, expected) in [
        (&["tasks/web/01-a.md"][..], &[][..]),
        (&["tasks/other/01-a.md"], &[]),
        (&["tasks/web/01-a.md", "tasks/02-b.md"], &["tasks"]),
        (
            &["tasks/web/01-a.md", "apps/tasks/02-b.md"],
            &["apps/tasks"],
        ),
        (
            &["tasks/web/01-a.md", "tasks/other/02-b.md"],
            &["tasks/other"],
        ),
        (&["tasks/web/01-a.md", "tasks/x/y/02-b.md"], &["tasks/x/y"]),
        (
            &[
                "tasks/web/01-a.md",
                "tasks/other/02-b.md",
                "tasks/other/IMPLEMENTATION_PLAN.md",
            ],
            &[],
        ),
    ] {
        let catalog = Catalog::new(paths.iter().copied().chain(["specs/WEB.md"]));
        let strays = catalog.stray_units(of_web);
        let dirs: Vec<_> = strays.iter().map(|(dir, _)| dir.as_str()).collect();
        assert_eq!(dirs, expected, "{paths:?}");
        assert!(strays.iter().all(|(_, owner)| owner == "tasks/web"));
    }
}

#[test]
fn a_folder_below_a_unit_belongs_to_it_unless_it_has_a_plan() {
    let units = |paths: &[&str]| -> Vec<(String, Vec<String>)> {
        let catalog = Catalog::new(paths.iter().copied());
        let units = catalog.units().iter();
        units
            .map(|unit| (unit.dir.clone(), unit.files.clone()))
            .collect()
    };
    let of = |dir: &str, files: &[&str]| {
        let files = files.iter().map(|&file| file.to_owned()).collect();
        (dir.to_owned(), files)
    };
    let below = ["tasks/web/01-a.md", "tasks/web/x/y/02-b.md"];
    assert_eq!(units(&below), [of("tasks/web", &below)]);
    let own = ["tasks/web/01-a.md", "tasks/web/x/IMPLEMENTATION_PLAN.md"];
    let expected = [of("tasks/web", &own[..1]), of("tasks/web/x", &own[1..])];
    assert_eq!(units(&own), expected);
    let all = ["specs/IMPLEMENTATION_PLAN.md", "specs/tasks/web/01-a.md"];
    let expected = [of("specs", &all[..1]), of("specs/tasks/web", &all[1..])];
    assert_eq!(units(&all), expected);
}

#[test]
fn a_spec_is_a_path_or_a_name() {
    let catalog = catalog();
    for (name, path) in [
        ("specs/completed/API.md", "specs/completed/API.md"),
        ("./specs/API.md", "specs/API.md"),
        ("/specs/API.md", "specs/API.md"),
        ("README.md", "README.md"),
        ("api", "specs/API.md"),
        ("API.MD", "specs/API.md"),
        ("web-ui", "specs/Web_UI.md"),
        ("specs/web_ui", "specs/Web_UI.md"),
        ("caf\u{e9}", "specs/Cafe\u{301}.markdown"),
        ("specs/Caf\u{e9}.markdown", "specs/Cafe\u{301}.markdown"),
        ("old_thing", "specs/completed/OLD-THING.md"),
    ] {
        assert_eq!(catalog.spec(name), Ok(path), "{name}");
    }
}

#[test]
fn an_ambiguous_or_unknown_name_lists_candidates() {
    let catalog = Catalog::new([
        "specs/A-B.md",
        "specs/a_b.md",
        "specs/GIT.md",
        "specs/completed/WEB.md",
    ]);
    let error = catalog.spec("a-b").expect_err("two");
    assert_eq!(
        error.to_string(),
        "\"a-b\" names several specs: specs/A-B.md, specs/a_b.md"
    );
    let error = catalog.spec("specs/gti.md").expect_err("none");
    assert_eq!(
        error.to_string(),
        "spec \"specs/gti.md\" not found; did you mean specs/GIT.md?"
    );
    let error = catalog.spec("other/web").expect_err("none");
    assert_eq!(
        error.to_string(),
        "spec \"other/web\" not found; did you mean specs/completed/WEB.md?"
    );
    let error = catalog.spec("banana").expect_err("none");
    assert_eq!(error.to_string(), "spec \"banana\" not found");
}

#[test]
fn folders_are_tried_in_a_fixed_order() {
    let catalog = catalog();
    for (spec, dir) in [
        ("specs/API.md", "tasks/api"),
        ("specs/Web_UI.md", "tasks/web-ui"),
        ("specs/GIT.md", "specs/tasks/git"),
        ("specs/completed/GIT.md", "specs/tasks/git"),
        (
            "specs/completed/OLD-THING.md",
            "specs/completed/tasks/old-thing",
        ),
        ("specs/TWICE.md", "specs/tasks/twice"),
        ("specs/completed/TWICE.md", "specs/completed/tasks/twice"),
        ("docs/prd/BILLING.md", "docs/prd/tasks/billing"),
        ("BILLING.md", "docs/prd/tasks/billing"),
        ("specs/api/spec.md", "tasks/api"),
    ] {
        let unit = catalog.unit_of_spec(spec, unread).expect(spec);
        assert_eq!(unit.dir, dir, "{spec}");
    }
}

#[test]
fn several_units_that_belong_to_a_spec_alike_are_refused() {
    let error = catalog()
        .unit_of_spec("other/TWICE.md", unread)
        .expect_err("two");
    assert_eq!(
        error,
        UnitError::Several {
            name: "other/TWICE.md".to_owned(),
            dirs: vec![
                "specs/completed/tasks/twice".to_owned(),
                "specs/tasks/twice".to_owned()
            ],
        }
    );
    assert_eq!(
        error.to_string(),
        "several units belong to \"other/TWICE.md\": specs/completed/tasks/twice, specs/tasks/twice"
    );
}

fn units_of(texts: &[(&str, &str)], spec: &str) -> Result<String, UnitError> {
    let paths = texts.iter().map(|(path, _)| *path).chain([spec]);
    let catalog = Catalog::new(paths);
    let read = |path: &str| {
        texts
            .iter()
            .find(|(known, _)| *known == path)
            .map(|(_, text)| *text)
    };
    catalog
        .unit_of_spec(spec, read)
        .map(|unit| unit.dir.clone())
}

#[test]
fn a_plan_names_its_spec() {
    for plan in [
        "---\nunit: CODE_REVIEW\n---\n",
        "---\nunit: wiring\nspec: docs/prd/CODE-REVIEW.md\n---\n",
        "---\nunit: wiring\n---\n- Design spec: `/home/x/CODE-REVIEW.md`\n",
    ] {
        let found = units_of(
            &[("u/wiring/IMPLEMENTATION_PLAN.md", plan)],
            "docs/prd/CODE-REVIEW.md",
        );
        assert_eq!(found.as_deref(), Ok("u/wiring"), "{plan}");
    }
}

#[test]
fn a_task_names_its_spec_in_another_form_of_the_same_characters() {
    let task = "---\ntask: 1\n---\n# T\n\n**Parent spec**: `/specs/\u{dc}BUNG.md`\n";
    let found = units_of(&[("tasks/demo/01-a.md", task)], "specs/U\u{308}BUNG.md");
    assert_eq!(found.as_deref(), Ok("tasks/demo"));
}

#[test]
fn a_plan_that_names_another_existing_file_is_not_used() {
    let texts = [
        (
            "u/wiring/IMPLEMENTATION_PLAN.md",
            "---\nspec: specs/A.md\n---\n",
        ),
        ("specs/A.md", ""),
    ];
    assert_eq!(
        units_of(&texts, "docs/A.md"),
        Err(UnitError::Unknown {
            name: "docs/A.md".to_owned(),
            nearest: vec![]
        })
    );
}

#[test]
fn the_parent_spec_of_a_task_is_used_after_the_plans() {
    let task =
        "---\ntask: 1\nbackpressure: x\n---\n# T\n\n**Parent spec**: `/old/CODE_REVIEW.md`\n";
    let by_task = ("tasks/wiring/01-a.md", task);
    let spec = "specs/CODE-REVIEW.md";
    assert_eq!(units_of(&[by_task], spec).as_deref(), Ok("tasks/wiring"));
    let by_plan = (
        "u/x/IMPLEMENTATION_PLAN.md",
        "---\nunit: code-review\n---\n",
    );
    assert_eq!(units_of(&[by_task, by_plan], spec).as_deref(), Ok("u/x"));
}

#[test]
fn a_spec_without_a_unit_has_near_names() {
    let error = catalog()
        .unit_of_spec("specs/GITT.md", unread)
        .expect_err("none");
    assert_eq!(
        error.to_string(),
        "no unit belongs to \"specs/GITT.md\"; did you mean git?"
    );
}

#[test]
fn a_unit_is_a_folder_or_a_name() {
    let catalog = catalog();
    for (name, dir) in [
        ("GIT", Ok("specs/tasks/git")),
        ("web_ui", Ok("tasks/web-ui")),
        ("specs/tasks/twice/", Ok("specs/tasks/twice")),
        ("./tasks/api", Ok("tasks/api")),
        (
            "twice",
            Err(
                "several units belong to \"twice\": specs/completed/tasks/twice, specs/tasks/twice",
            ),
        ),
        ("apo", Err("no unit belongs to \"apo\"; did you mean api?")),
    ] {
        let found = catalog
            .unit(name)
            .map(|unit| unit.dir.as_str())
            .map_err(|error| error.to_string());
        assert_eq!(found, dir.map_err(str::to_owned), "{name}");
    }
}

#[test]
fn a_unit_has_a_spec() {
    let catalog = catalog();
    let unit = |id: &str, plan: &str, parent: &str| {
        let task = format!("---\ntask: 1\n---\n# T\nParent spec: {parent}\n");
        let files = [("t/IMPLEMENTATION_PLAN.md", plan), ("t/01-a.md", &task)];
        Unit::load(id.parse().expect("legal"), "t", files)
    };
    for (id, plan, parent, spec) in [
        (
            "git",
            "---\nspec: ../specs/API.md\n---\n",
            "",
            Some("specs/API.md"),
        ),
        (
            "git",
            "Design spec: specs/API.md\n",
            "",
            Some("specs/GIT.md"),
        ),
        (
            "x",
            "Design spec: specs/API.md\n",
            "x/GIT.md",
            Some("specs/API.md"),
        ),
        ("x", "", "/x/GIT.md", Some("specs/GIT.md")),
        ("x", "", "/x/API.md", None),
        ("x", "", "", None),
    ] {
        assert_eq!(
            catalog.spec_of_unit(&unit(id, plan, parent)),
            spec,
            "{id} {plan} {parent}"
        );
    }
}

#[test]
fn a_reference_is_found_as_written_or_by_its_name() {
    let catalog = catalog();
    for (dir, reference, path) in [
        ("tasks/api", "/specs/GIT.md", Some("specs/GIT.md")),
        ("tasks/api", "specs/GIT.md#goals", Some("specs/GIT.md")),
        ("specs/tasks/git", "../../GIT.md", Some("specs/GIT.md")),
        (
            "specs/tasks/git",
            "notes.md",
            Some("specs/tasks/git/notes.md"),
        ),
        ("", "/old/git.md", Some("specs/GIT.md")),
        ("", "../GIT.md", Some("specs/GIT.md")),
        ("", "/API.md", None),
        ("", "/specs/GTI.md", None),
        ("", "", None),
    ] {
        assert_eq!(catalog.locate(dir, reference), path, "{reference}");
    }
}

#[test]
fn a_tilde_is_part_of_a_name() {
    let catalog = Catalog::new(["specs/~a.md"]);
    for (dir, reference) in [("specs", "~a.md"), ("", "/specs/~a.md")] {
        assert_eq!(catalog.locate(dir, reference), Some("specs/~a.md"));
    }
    let catalog = Catalog::new(["~a.md"]);
    assert_eq!(catalog.locate("", "~a.md"), Some("~a.md"));
}

proptest! {
    #[test]
    fn any_paths_and_names_give_an_answer(
        paths in prop::collection::vec("((specs|tasks|completed|\\.\\.|a)/){0,3}(01-a|A|IMPLEMENTATION_PLAN|\u{130})(\\.md)?", 0..12),
        name in "(specs/|\\./|/|\\.\\./){0,2}(A|a|\u{130}|01-a)?(\\.md|#x)?",
    ) {
        let catalog = Catalog::new(paths.iter().cloned());
        let text = "---\ntask: 1\nunit: a\n---\nParent spec: A.md\n";
        if let Ok(spec) = catalog.spec(&name) {
            prop_assert!(catalog.contains(spec));
        }
        if let Ok(unit) = catalog.unit_of_spec(&name, |_| Some(text)) {
            prop_assert!(unit.files.iter().all(|file| catalog.contains(file)));
        }
        if let Some(path) = catalog.locate("specs", &name) {
            prop_assert!(catalog.contains(path));
        }
    }
}
