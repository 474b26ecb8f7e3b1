//! Which documents are checked, under which rules, and what is told of them once.

use std::path::PathBuf;

use review_embedding_test::Workspace;
use review_engine::lint::{Checked, Linting, selections};
use review_lint::RuleChoice;
use review_report::Styling;
use review_report::lint::human;
use review_store::{Overlay, StateDir};
use review_types::Verdict;
use serde_json::{Value as Json, json};

pub(crate) const TASK: &str = "---\ntask: 1\nstatus: pending\nbackpressure: \"true\"\ndepends_on: [1]\n---\n\n# Store\n\n## Deliverables\n\nsrc/store.rs\n";

/// A spec with an open word, and a task that cannot fail and waits for itself.
pub(crate) fn project() -> Workspace {
    let spec = "# Cache\n\n## Limits\n\nThe size is TBD.\n";
    Workspace::new(&[("specs/CACHE.md", spec), ("tasks/cache/01-store.md", TASK)]).unwrap()
}

/// Calls `work` with what checks the files of these paths, by the configuration and an option.
pub(crate) fn linting<T>(
    workspace: &Workspace,
    config: &str,
    choice: &RuleChoice,
    paths: &[&str],
    work: impl FnOnce(&Linting<'_>) -> T,
) -> T {
    let config = workspace.config(config).unwrap();
    let root = workspace.root();
    let paths: Vec<_> = paths.iter().map(PathBuf::from).collect();
    let selected = selections(&paths, &root, None, &[]).unwrap();
    let [selection] = selected.as_slice() else {
        panic!("one root: {selected:?}")
    };
    work(&Linting {
        selection,
        settings: config.lint(std::slice::from_ref(choice)),
        fail_level: config.lint.fail_level,
        state: StateDir::at(root.join(".ralph-review")),
        search_path: std::env::var_os("PATH").map(PathBuf::from),
        only: None,
    })
}

fn checked(workspace: &Workspace, config: &str, paths: &[&str]) -> Checked {
    linting(
        workspace,
        config,
        &RuleChoice::default(),
        paths,
        |linting| linting.check(&Overlay::default()).unwrap(),
    )
}

pub(crate) fn codes(checked: &Checked) -> Vec<&str> {
    checked.findings().map(|one| one.rule.code()).collect()
}

/// The report as JSON, and as users read it.
pub(crate) fn reported(workspace: &Workspace, checked: &Checked) -> (Json, String) {
    let root = workspace.root();
    let report = checked.report(&root);
    let json = serde_json::from_str(&review_report::json(&report)).unwrap();
    (json, human(&report, &root, Styling::Plain))
}

#[test]
fn rules_are_chosen_in_the_configuration() {
    let workspace = project();
    for (config, expected) in [
        ("select = [\"G\", \"undecided-text\"]", &["S2", "G2"][..]),
        ("ignore = [\"B2\"]", &["S2", "G2"]),
        ("select = [\"G\"]\nignore = [\"G2\"]", &[]),
        ("select = [\"G2\"]\nignore = [\"G\"]", &["G2"]),
        ("select = [\"S\", \"+self-dependency\"]", &["S2", "G2"]),
        ("ignore = [\"S\"]\nselect = [\"+S2\"]", &["S2", "B2", "G2"]),
        (
            "select = [\"S\", \"G\"]\nper_file_ignores = { \"specs/**\" = [\"S\"] }",
            &["G2"],
        ),
    ] {
        let checked = checked(&workspace, &format!("[lint]\n{config}\n"), &[]);
        assert_eq!(codes(&checked), expected, "{config}");
    }
}

#[test]
fn an_option_has_the_last_word_on_rules() {
    let workspace = project();
    let config = "[lint]\nselect = [\"S\", \"G\"]\nignore = [\"S2\"]\n";
    let words = |words: &str| -> Vec<String> {
        let words = words.split(',').filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    for (select, ignore, expected) in [
        ("", "", &["G2"][..]),
        ("+B2,+S2", "", &["S2", "B2", "G2"]),
        ("", "G", &[]),
        ("S", "", &["S2"]),
        ("ALL", "B,self-dependency", &["S2"]),
    ] {
        let selected: Vec<_> = words(select).iter().map(|it| it.parse().unwrap()).collect();
        let choice = RuleChoice {
            select: Some(selected).filter(|selected| !selected.is_empty()),
            ignore: words(ignore).iter().map(|it| it.parse().unwrap()).collect(),
        };
        linting(&workspace, config, &choice, &[], |linting| {
            let checked = linting.check(&Overlay::default()).unwrap();
            assert_eq!(codes(&checked), expected, "{select} {ignore}");
        });
    }
}

#[test]
fn paths_choose_documents_and_whole_units() {
    let workspace = project();
    let open = "# Note\n\n```\nopen\n";
    workspace.write("docs/NOTE.md", open).unwrap();
    for skipped in [".hidden/NOTE.md", "target/NOTE.md", "NOTE.txt"] {
        workspace.write(&format!("docs/{skipped}"), open).unwrap();
    }
    for (paths, expected) in [
        (&["specs/CACHE.md"][..], &["S2"][..]),
        (&["tasks/cache/01-store.md"], &["B2", "G2"]),
        (&["tasks"], &["B2", "G2"]),
        (&["docs"], &["S3"]),
        (&["docs/NOTE.md", "specs"], &["S3", "S2"]),
    ] {
        assert_eq!(
            codes(&checked(&workspace, "", paths)),
            expected,
            "{paths:?}"
        );
    }
}

/// A task with this command, of the spec `specs/A.md`.
fn task(title: &str, waits_for: &str) -> String {
    format!(
        "---\ntask: 1\nbackpressure: grep -q x specs/A.md\ndepends_on: {waits_for}\n---\n\n\
         # {title}\n\n**Parent spec**: `/specs/A.md`\n\n## Deliverables\n\nspecs/A.md\n"
    )
}

#[test]
fn several_units_come_to_the_lowest_scores_and_the_worst_verdict() {
    let workspace = Workspace::new(&[("specs/A.md", "# A\n\nText.\n")]).unwrap();
    for (unit, waits_for) in [("first", "[]"), ("second", "[1]"), ("third", "[]")] {
        let text = task("Task", waits_for).replace("**Parent spec**: `/specs/A.md`\n\n", "");
        let path = format!("tasks/{unit}/01-task.md");
        workspace.write(&path, &text).unwrap();
    }
    let checked = checked(&workspace, "", &[]);
    assert_eq!(codes(&checked), ["G2"]);
    let (report, _) = reported(&workspace, &checked);
    assert_eq!(report["scores"]["consistency"], 71);
    assert_eq!(report["scores"]["testability"], 100);
    assert_eq!(report["verdict"], "needs_revision");
}

#[test]
fn what_units_share_is_told_once() {
    let spec = "# A\n\n<!-- ralph-ignore S2, X1: later -->\n\nTBD\n\n## B\n\nThe size is TBD.\n";
    let workspace = Workspace::new(&[
        ("specs/A.md", spec),
        ("tasks/first/01-task.md", &task("First", "[]")),
        ("tasks/second/01-task.md", &task("Second", "[]")),
    ])
    .unwrap();
    let with_comment = checked(&workspace, "", &[]);
    let (report, text) = reported(&workspace, &with_comment);
    let message = "Unknown rule \"X1\".";
    assert_eq!(
        report["invalid_suppressions"],
        json!([{ "path": "specs/A.md", "line": 3, "message": message }])
    );
    assert_eq!(report["suppressed"]["S2"], 2);
    let told = format!("S2 2\nspecs/A.md:3: {message}\n");
    assert!(text.contains(&told), "{text}");
    workspace
        .write("specs/A.md", "# A\n\nThe size is TBD.\n")
        .unwrap();
    assert_eq!(codes(&checked(&workspace, "", &[])), ["S2"]);
}

#[test]
fn suppressed_findings_are_counted_rule_by_rule() {
    let silent = "# A\n\n<!-- ralph-ignore S: a template -->\n\nTBD\n\n## B\n\n## C\n\nTBD\n";
    let later = "# B\n\n## C\n\n<!-- ralph-ignore S2: later -->\n\nTBD\n";
    let workspace = Workspace::new(&[("specs/A.md", silent), ("specs/B.md", later)]).unwrap();
    let checked = checked(&workspace, "", &[]);
    let (report, text) = reported(&workspace, &checked);
    assert_eq!(report["suppressed"], json!({"S1": 1, "S2": 3}));
    let head = "0 findings\n4 findings suppressed by comments: S1 1, S2 3\n";
    assert!(text.starts_with(head), "{text}");
}

#[test]
fn severities_and_required_sections_are_chosen_in_the_configuration() {
    let spec = "# Cache\n\n## Limits\n\n## Size\n\nTBD\n";
    let workspace = Workspace::new(&[("specs/CACHE.md", spec)]).unwrap();
    let config = "[lint.severities]\nS = \"info\"\nempty-section = \"error\"\n";
    let checked_as = |config: &str| {
        let checked = checked(&workspace, config, &[]);
        let seen = checked.findings();
        let seen: Vec<_> = seen
            .map(|one| format!("{} {}", one.rule.code(), one.severity))
            .collect();
        let message = checked.findings().last().map(|one| one.message.clone());
        (seen, message.unwrap_or_default())
    };
    assert_eq!(checked_as(config).0, ["S1 error", "S2 info"]);
    let config = "[lint]\nselect = [\"S4\"]\nrequired_sections = [\"Size\", \"Goal\"]\n";
    let (seen, message) = checked_as(config);
    assert_eq!(seen.len(), 1, "{seen:?}");
    assert!(seen[0].starts_with("S4 "), "{seen:?}");
    assert!(message.contains("Goal"), "{message}");
}

#[test]
fn what_is_off_in_every_file_is_not_passed_unread() {
    let end = "no verdict: no rule has anything to check; the embedded reviewer needs a Markdown \
               file, or a unit with task files, in which rules are enabled\n";
    for (file, text, config) in [
        (
            "specs/A.md",
            "# A\n\nThe size is TBD.\n",
            "[lint.per_file_ignores]\n\"A.md\" = [\"ALL\"]\n",
        ),
        ("notes.txt", "Text.\n", ""),
    ] {
        let workspace = Workspace::new(&[(file, text)]).unwrap();
        let checked = checked(&workspace, config, &[file]);
        assert_eq!(checked.verdict(), None);
        let (report, text) = reported(&workspace, &checked);
        let told = (&report["verdict"], &report["checked"]);
        assert_eq!(told, (&Json::Null, &json!([])));
        assert!(text.ends_with(end), "{text}");
    }
}

#[test]
fn the_points_that_scores_lack_are_accounted_for() {
    let workspace = project();
    let checked = checked(&workspace, "", &[]);
    assert_eq!(checked.verdict(), Some(Verdict::NeedsRevision));
    let (report, text) = reported(&workspace, &checked);
    for line in [
        "\n  architecture 100\n",
        "\n  completeness 71  (-29: S2 specs/CACHE.md:5)\n",
        "\n  consistency 71  (-29: G2 tasks/cache/01-store.md:5)\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let deductions = report["deductions"].as_array().unwrap();
    for (criterion, score) in report["scores"].as_object().unwrap() {
        let of_criterion = deductions.iter();
        let of_criterion = of_criterion.filter(|lost| lost["criterion"] == **criterion);
        let points: u64 = of_criterion
            .map(|lost| lost["points"].as_u64().unwrap())
            .sum();
        assert_eq!(points + score.as_u64().unwrap(), 100, "{criterion}");
    }
    let rule = json!({"code": "G2", "path": "tasks/cache/01-store.md", "line": 5, "findings": 1});
    let expected = json!({"criterion": "consistency", "points": 29, "cause": {"rule": rule}});
    assert!(deductions.contains(&expected), "{deductions:?}");
}
