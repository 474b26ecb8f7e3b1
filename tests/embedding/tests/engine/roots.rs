//! Which folders of a repository are roots of their own.

use review_config::Folders;
use review_embedding_test::Workspace;
use review_engine::location::nested_roots;

fn unit(workspace: &Workspace, root: &str) {
    for path in ["specs/API.md", "tasks/api/01-make.md"] {
        workspace
            .write(&format!("{root}/{path}"), "# API\n")
            .unwrap();
    }
}

/// The roots below a folder of the repository, relative to it.
fn roots(workspace: &Workspace, folder: &str, excluded: &[&str]) -> Vec<String> {
    let top = workspace.root().join(folder);
    let excluded: Folders = serde_json::from_value(excluded.into()).unwrap();
    let found = nested_roots(&top, &excluded).unwrap().into_iter();
    let mut found: Vec<_> = found
        .map(|root| root.strip_prefix(&top).unwrap().display().to_string())
        .collect();
    found.sort();
    found
}

#[test]
fn a_nested_root_is_found_below_another_one_and_not_in_its_own_documents() {
    let workspace = Workspace::new(&[
        (".git/HEAD", ""),
        // No root: other repositories, what is hidden, built or ignored, and mere documents.
        ("cloned/.git/HEAD", ""),
        (".gitignore", "/ignored\n/node_modules\n"),
        ("docs/specs/NOTES.md", "# Notes\n"),
        // One with a configuration alone is one.
        ("tools/ralph.toml", ""),
        ("tools/specs/API.md", "# API\n"),
    ])
    .unwrap();
    for root in [
        ".",
        "services/a",
        "services/b",
        "services/a/parts/deep",
        "tasks/api/example",
        "services/a/specs/example",
        "cloned",
        ".hidden",
        "target",
        "node_modules",
        "ignored",
    ] {
        unit(&workspace, root);
    }
    let outside = Workspace::new(&[]).unwrap();
    unit(&outside, "linked");
    let link = workspace.root().join("services/linked");
    std::os::unix::fs::symlink(outside.root().join("linked"), link).unwrap();
    let deep = "services/a/parts/deep";
    assert_eq!(
        roots(&workspace, "", &[]),
        ["services/a", deep, "services/b", "tools"]
    );
    assert_eq!(roots(&workspace, "services/a", &[]), ["parts/deep"]);
    assert_eq!(
        roots(&workspace, "", &["services/a/parts", "tools"]),
        ["services/a", "services/b"]
    );
}
