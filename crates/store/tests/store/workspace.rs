use std::ffi::OsStr;

use review_document::workspace::{
    CargoPackage, DocumentRole, NodePackage, RecipeFile, RecipeTool, Workspace,
};
use review_store::{FileArtifact, Lookup, Overlay, Surroundings, paths, workspace};
use review_types::UnitId;

use crate::support::{Folder, path};

fn gather(folder: &Folder, artifact: &FileArtifact, search: Option<&OsStr>) -> Workspace {
    let state = folder.state();
    let lookup = Lookup {
        state: &state,
        path: search,
        tracked: &["ignored/but-tracked.txt".to_owned()],
        overlay: &Overlay::default(),
    };
    workspace(artifact, lookup).expect("a workspace")
}

fn unit(folder: &Folder) -> FileArtifact {
    let id = UnitId::new("web").expect("an id");
    FileArtifact::unit(
        folder.root(),
        id,
        path("tasks/web"),
        Some(path("specs/WEB.md")),
    )
}

fn project() -> Folder {
    Folder::with(&[
        ("specs/WEB.md", "# Web\n"),
        (
            "tasks/web/IMPLEMENTATION_PLAN.md",
            "---\nunit: web\ndepends_on: [git]\n---\n# Plan\n",
        ),
        (
            "tasks/web/01-a.md",
            "---\ntask: 1\nbackpressure: cat gen/a.txt gen/sub && there x && missing\n---\n# A\n",
        ),
        (
            "tasks/web/notes.md",
            "# Notes\n\n[a](../../gen/linked.txt) [b](/gen/folder) [c](none.md) [d](../../../x.md)\n",
        ),
        ("tasks/git/IMPLEMENTATION_PLAN.md", "---\nunit: git\n---\n"),
        ("tasks/git/01-x.md", "---\ntask: 1\n---\n"),
        (".gitignore", "gen/\nignored/\n"),
        ("gen/a.txt", ""),
        ("gen/other.txt", ""),
        ("gen/sub/b.txt", ""),
        ("gen/linked.txt", ""),
        ("gen/folder/one.txt", ""),
        ("gen/folder/two.txt", ""),
        ("ignored/but-tracked.txt", ""),
        ("src/main.rs", ""),
    ])
}

#[test]
fn a_unit_has_its_roles_and_neighbours() {
    let folder = project();
    let seen = gather(&folder, &unit(&folder), None);
    let roles: Vec<_> = seen
        .documents
        .iter()
        .map(|document| (document.path.as_str(), document.role))
        .collect();
    assert_eq!(
        roles,
        [
            ("specs/WEB.md", DocumentRole::Spec),
            ("tasks/web/01-a.md", DocumentRole::Task),
            ("tasks/web/IMPLEMENTATION_PLAN.md", DocumentRole::Plan),
            ("tasks/web/notes.md", DocumentRole::Text),
        ]
    );
    let own = seen.unit.as_ref().expect("a unit");
    assert_eq!(own.id.as_str(), "web");
    assert_eq!(own.spec.as_deref(), Some("specs/WEB.md"));
    assert_eq!(own.tasks.len(), 1);
    let others: Vec<_> = seen.others().map(|other| other.id.as_str()).collect();
    assert_eq!(others, ["git"]);
    assert!(seen.others().all(|other| other.plan.is_some()));
    assert_eq!(seen.unit_faults(), []);
    assert!(seen.programs.is_empty());
}

#[test]
fn paths_are_those_of_git_and_those_that_commands_or_links_name() {
    let folder = project();
    let seen = gather(&folder, &unit(&folder), None);
    let one_of = |path: &&String| path.starts_with("gen/folder/");
    assert_eq!(seen.paths.files().iter().filter(one_of).count(), 1);
    let others: Vec<_> = seen
        .paths
        .files()
        .iter()
        .filter(|path| !one_of(path))
        .collect();
    assert_eq!(
        others,
        [
            ".gitignore",
            "gen/a.txt",
            "gen/linked.txt",
            "gen/sub/b.txt",
            "ignored/but-tracked.txt",
            "specs/WEB.md",
            "src/main.rs",
            "tasks/git/01-x.md",
            "tasks/git/IMPLEMENTATION_PLAN.md",
            "tasks/web/01-a.md",
            "tasks/web/IMPLEMENTATION_PLAN.md",
            "tasks/web/notes.md",
        ]
    );
}

#[test]
fn surroundings_are_gathered_once_and_extended_for_each_unit() {
    let folder = project();
    let state = folder.state();
    let lookup = Lookup {
        state: &state,
        path: None,
        tracked: &[],
        overlay: &Overlay::default(),
    };
    let around = Surroundings::gather(&folder.root(), lookup);
    folder.write("later.txt", "");
    let id = UnitId::new("git").expect("an id");
    let git = FileArtifact::unit(folder.root(), id, path("tasks/git"), None);
    let git = around.workspace(&git, lookup).expect("a workspace");
    assert_eq!(git.paths, around.paths());
    assert!(!git.paths.is_file("gen/a.txt") && !git.paths.is_file("later.txt"));
    let others =
        |seen: &Workspace| -> Vec<_> { seen.others().map(|other| other.id.to_string()).collect() };
    assert_eq!(others(&git), ["web"]);
    let web = around
        .workspace(&unit(&folder), lookup)
        .expect("a workspace");
    assert!(web.paths.is_file("gen/a.txt") && !web.paths.is_file("later.txt"));
    assert_eq!(others(&web), ["git"]);
    let files = [path("src/main.rs"), path("tasks/git/01-x.md")];
    let seen = around
        .of_files(&folder.root(), &files, lookup)
        .expect("a workspace");
    let roles = seen.documents.iter().map(|document| document.role);
    assert_eq!(
        roles.collect::<Vec<_>>(),
        [DocumentRole::Text, DocumentRole::Task]
    );
    assert_eq!(others(&seen), ["git", "web"]);
    assert!(
        around
            .of_files(&folder.root(), &[path("none.md")], lookup)
            .is_err()
    );
}

#[test]
fn an_overlay_replaces_files_whether_they_exist_or_not() {
    let folder = project();
    let mut overlay = Overlay::default();
    let plan = "---\nunit: git\ndepends_on: [web]\n---\n";
    overlay.insert(path("tasks/git/IMPLEMENTATION_PLAN.md"), plan);
    overlay.insert(path("tasks/web/01-a.md"), "---\ntask: 7\n---\n# A\n");
    overlay.insert(path("tasks/web/02-new.md"), "---\ntask: 8\n---\n# B\n");
    overlay.insert(path("tasks/web/data.csv"), "1,2\n");
    overlay.insert(path("tasks/other/01-x.md"), "---\ntask: 9\n---\n# C\n");
    let state = folder.state();
    let lookup = Lookup {
        state: &state,
        path: None,
        tracked: &[],
        overlay: &overlay,
    };
    let seen = workspace(&unit(&folder), lookup).expect("a workspace");
    let web = seen.unit.as_ref().expect("a unit");
    let numbers: Vec<_> = web
        .tasks
        .iter()
        .map(|task| task.number.as_ref().map(|n| n.value.get()))
        .collect();
    assert_eq!(numbers, [Some(7), Some(8)]);
    assert_eq!(seen.document("tasks/web/data.csv"), None);
    assert!(seen.paths.is_file("tasks/web/data.csv"));
    let named: Vec<_> = seen.others().map(|other| other.id.as_str()).collect();
    assert_eq!(named, ["git", "other"]);
    let after = seen
        .others()
        .next()
        .expect("git")
        .plan
        .as_ref()
        .expect("a plan");
    assert_eq!(after.depends_on[0].value, "web");
}

#[test]
fn programs_are_looked_up_in_the_given_folders() {
    let folder = project();
    folder.write("bin/there", "#!/bin/sh\n");
    folder.set_mode("bin/there", 0o755);
    folder.write("bin/missing", "not executable");
    folder.set_mode("bin/missing", 0o644);
    folder.write("bin2/cat/x", "");
    let seen = gather(
        &folder,
        &unit(&folder),
        Some(OsStr::new("nowhere:bin:bin2")),
    );
    let programs: Vec<_> = seen
        .programs
        .iter()
        .map(|(name, found)| (name.as_str(), *found))
        .collect();
    assert_eq!(
        programs,
        [("cat", false), ("missing", false), ("there", true)]
    );
}

#[test]
fn documents_without_a_unit_have_the_role_of_their_path() {
    let folder = project();
    let role = |artifact: FileArtifact| {
        let seen = gather(&folder, &artifact, None);
        assert_eq!(seen.unit, None);
        assert_eq!(seen.others().count(), 2);
        seen.documents[0].role
    };
    let file = |name| FileArtifact::file(folder.root(), path(name));
    assert_eq!(role(file("specs/WEB.md")), DocumentRole::Spec);
    assert_eq!(role(file("tasks/web/01-a.md")), DocumentRole::Task);
    assert_eq!(
        role(file("tasks/web/IMPLEMENTATION_PLAN.md")),
        DocumentRole::Plan
    );
    assert_eq!(role(file("tasks/web/notes.md")), DocumentRole::Text);
}

#[test]
fn cargo_packages_are_found_with_their_tests() {
    let folder = Folder::with(&[
        ("x.md", ""),
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"crates/*\"]\nexclude = [\"fuzz/\"]\n",
        ),
        ("fuzz/Cargo.toml", "[package]\nname = \"fuzz\"\n"),
        (
            "fuzzy/Cargo.toml",
            "[package]\nname = \"fuzzy\"\nautotests = false\n",
        ),
        ("fuzzy/tests/none.rs", ""),
        (
            "crates/a/Cargo.toml",
            "[package]\nname = \"a\"\n[[test]]\nname = \"named\"\npath = \"x.rs\"\n[[test]]\n",
        ),
        ("crates/a/tests/one.rs", ""),
        ("crates/a/tests/two/main.rs", ""),
        ("crates/a/tests/two/part.rs", ""),
        ("crates/a/tests/readme.txt", ""),
        ("crates/bad/Cargo.toml", "[package\n"),
    ]);
    let seen = gather(
        &folder,
        &FileArtifact::file(folder.root(), path("x.md")),
        None,
    );
    let package = |name: &str, at: &str, tests: &[&str]| CargoPackage {
        name: name.to_owned(),
        folder: at.to_owned(),
        tests: tests.iter().map(ToString::to_string).collect(),
    };
    assert_eq!(
        seen.cargo,
        [
            package("a", "crates/a", &["named", "one", "two"]),
            package("fuzzy", "fuzzy", &[]),
        ]
    );
}

#[test]
fn a_single_package_and_npm_scripts_are_found() {
    let folder = Folder::with(&[
        ("x.md", ""),
        ("Cargo.toml", "[package]\nname = \"top\"\n"),
        ("tests/all.rs", ""),
        (
            "package.json",
            "{\"scripts\": {\"test\": \"jest\", \"build\": \"tsc\"}}",
        ),
        ("web/package.json", "{}"),
        ("bad/package.json", "{"),
    ]);
    let seen = gather(
        &folder,
        &FileArtifact::file(folder.root(), path("x.md")),
        None,
    );
    assert_eq!(
        (seen.cargo[0].folder.as_str(), &seen.cargo[0].tests),
        ("", &vec!["all".to_owned()])
    );
    let package = |at: &str, scripts: &[&str]| NodePackage {
        folder: at.to_owned(),
        scripts: scripts.iter().map(ToString::to_string).collect(),
    };
    assert_eq!(
        seen.node,
        [package("", &["build", "test"]), package("web", &[])]
    );
}

#[test]
fn recipes_are_those_of_the_file_that_the_tool_reads() {
    let folder = Folder::with(&[
        ("x.md", ""),
        ("Justfile", "other:\n"),
        ("justfile", "ci: test\ntest:\n"),
        ("web/.justfile", "import 'x'\n"),
        ("Makefile", "build:\n"),
        ("web/Makefile", "page: x\n"),
        ("bin/Makefile/x", ""),
    ]);
    folder.write("bad/justfile", [0xff]);
    let artifact = FileArtifact::file(folder.root(), path("x.md"));
    let seen = gather(&folder, &artifact, None);
    let file = |tool, at: &str, names: &[&str], is_whole| RecipeFile {
        tool,
        folder: at.to_owned(),
        names: names.iter().map(ToString::to_string).collect(),
        is_whole,
    };
    assert_eq!(
        seen.recipes,
        [
            file(RecipeTool::Just, "", &["ci", "test"], true),
            file(RecipeTool::Just, "web", &[], false),
            file(RecipeTool::Make, "", &["build"], true),
            file(RecipeTool::Make, "web", &["page"], true),
        ]
    );
}

#[test]
fn a_missing_and_an_unreadable_artifact_are_different_errors() {
    let folder = project();
    let missing = FileArtifact::file(folder.root(), path("none.md"));
    let seen = gather(&folder, &missing, None);
    assert_eq!(seen.documents, []);
    let state = folder.state();
    let lookup = Lookup {
        state: &state,
        path: None,
        tracked: &[],
        overlay: &Overlay::default(),
    };
    let broken = FileArtifact::file(folder.root(), path("src"));
    assert!(workspace(&broken, lookup).is_err());
}

#[test]
fn the_resolver_lists_specs_and_tasks_that_git_ignores() {
    let folder = Folder::with(&[
        (".gitignore", "tasks\n"),
        ("README.md", ""),
        ("specs/A.md", ""),
        ("specs/completed/tasks/a/01-x.md", ""),
        ("tasks/b/01-x.md", ""),
        ("tasks/.hidden/x.md", ""),
        ("docs/prd/C.md", ""),
        ("docs/other.md", ""),
        ("src/main.rs", ""),
    ]);
    folder.link("specs/L.md", "A.md");
    folder.link("specs/loop", "../specs");
    assert_eq!(
        paths(&folder.root()).expect("UTF-8 names"),
        [
            ".gitignore",
            "README.md",
            "docs/prd/C.md",
            "specs/A.md",
            "specs/L.md",
            "specs/completed/tasks/a/01-x.md",
            "tasks/b/01-x.md",
        ]
    );
}
