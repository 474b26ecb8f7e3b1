use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use review_store::{ConfineError, Reader, Root};

use crate::support::{Folder, path};

fn message(error: ConfineError, folder: &Folder) -> String {
    let real = folder.root().path().display().to_string();
    error.to_string().replace(&real, "ROOT")
}

#[test]
fn equal_paths_have_the_same_relative_path() {
    let folder = Folder::with(&[("root/a/b.md", "")]);
    folder.link("short", "root");
    let root = Root::open(&folder.join("short")).expect("a root");
    for given in [
        folder.join("short/a/b.md"),
        folder.join("root/a/b.md"),
        root.path().join("a/b.md"),
        "a/b.md".into(),
        "./a/../a/b.md".into(),
    ] {
        assert_eq!(
            root.relative(&given).ok(),
            Some(path("a/b.md")),
            "{given:?}"
        );
    }
    let other = Root::open(&folder.join("root")).expect("a root");
    let through_link = other.relative(&folder.join("short/a/new/c.md"));
    assert_eq!(through_link.ok(), Some(path("a/new/c.md")));
}

#[test]
fn a_path_outside_the_root_is_rejected() {
    let folder = Folder::with(&[("root/a.md", ""), ("b.md", "")]);
    let root = Root::open(&folder.join("root")).expect("a root");
    for given in ["../b.md", "/etc/passwd", "a/../../b.md"] {
        let error = root.relative(Path::new(given)).expect_err(given);
        let shown = folder.join("root");
        let expected = format!("{given} is outside the root {}", shown.display());
        assert_eq!(error.to_string(), expected);
    }
    let error = root
        .relative(&folder.join("b.md"))
        .expect_err("next to the root");
    assert!(matches!(error, ConfineError::Outside { .. }));
}

#[test]
fn a_link_out_of_the_root_is_rejected() {
    let outside = Folder::with(&[("secret.md", "secret")]);
    let folder = Folder::new();
    folder.link("a.md", outside.join("secret.md"));
    folder.link("tasks", outside.path());
    let root = folder.root();
    let mut reader = Reader::new(&root);
    for (given, target) in [("a.md", "secret.md"), ("tasks/secret.md", "")] {
        let target = outside.root().path().join(target);
        let error = reader.read(given).expect_err(given);
        let expected = match error {
            ConfineError::LinkOut { target, .. } => target,
            error => panic!("{error}"),
        };
        assert_eq!(
            expected,
            target.components().collect::<std::path::PathBuf>()
        );
    }
    let error = root.replace(&path("a.md"), b"x").expect_err("leads out");
    assert!(error.to_string().starts_with("a.md is a symbolic link to "));
    assert!(error.to_string().ends_with(", which is outside the root"));
    assert_eq!(
        io::Error::from(error).kind(),
        io::ErrorKind::PermissionDenied
    );
    assert!(root.create(&path("tasks/new.md"), b"x").is_err());
    assert_eq!(outside.names(""), ["secret.md"]);
    assert_eq!(outside.read("secret.md"), "secret");
}

#[test]
fn a_link_inside_the_root_is_followed() {
    let folder = Folder::with(&[("docs/a.md", "text")]);
    folder.link("specs", "docs");
    folder.link("b.md", "specs/a.md");
    let root = folder.root();
    let mut reader = Reader::new(&root);
    assert_eq!(
        reader.read("specs/a.md").ok().as_deref(),
        Some(&b"text"[..])
    );
    assert_eq!(reader.read("b.md").ok().as_deref(), Some(&b"text"[..]));
}

#[test]
fn a_dangling_link_is_an_error() {
    let folder = Folder::new();
    folder.link("a.md", "nowhere.md");
    let root = folder.root();
    let error = root.resolve(&path("a.md/b")).expect_err("dead");
    assert_eq!(
        message(error, &folder),
        "a.md/b is a dangling symbolic link"
    );
    let missing = root
        .resolve(&path("new/folder/c.md"))
        .expect("nothing there yet");
    assert_eq!(missing, root.path().join("new/folder/c.md"));
}

#[test]
fn a_file_that_is_created_and_deleted_is_not_a_dangling_link() {
    const TIMES: usize = 5_000;
    let folder = Folder::with(&[("specs/a.md", "")]);
    let root = folder.root();
    let file = root.path().join("specs/b.md");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..TIMES {
                std::fs::write(&file, "").expect("a file");
                std::fs::remove_file(&file).expect("the file");
            }
        });
        for _ in 0..TIMES {
            let found = root.resolve(&path("specs/b.md"));
            assert_eq!(found.expect("a place for a file"), file);
        }
    });
}

#[test]
fn only_regular_files_are_read() {
    let folder = Folder::with(&[("folder/a.md", "")]);
    let pipe = folder.join("pipe.md");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    let root = folder.root();
    let mut reader = Reader::new(&root);
    for (given, expected) in [
        (
            "folder",
            "ROOT/folder cannot be read: it is a folder, not a regular file",
        ),
        (
            "pipe.md",
            "ROOT/pipe.md cannot be read: it is a named pipe, not a regular file",
        ),
        ("no.md", "ROOT/no.md cannot be read: no such file"),
        ("../x", "../x is outside the root"),
    ] {
        let error = reader.read(given).expect_err(given);
        assert_eq!(message(error, &folder), expected);
    }
}

#[test]
fn a_file_above_the_size_limit_is_not_read() {
    let folder = Folder::new();
    let big = std::fs::File::create(folder.join("big.md")).expect("a file");
    big.set_len(64 * 1024 * 1024 + 1).expect("a hole");
    let error = Reader::new(&folder.root())
        .read("big.md")
        .expect_err("large");
    assert_eq!(
        message(error, &folder),
        "ROOT/big.md cannot be read: it is larger than 64 MiB"
    );
}

#[test]
fn a_root_is_an_existing_folder() {
    let folder = Folder::with(&[("file", "")]);
    let error = Root::open(&folder.join("file")).expect_err("a file");
    assert_eq!(error.source.kind(), io::ErrorKind::NotADirectory);
    let error = Root::open(&folder.join("missing")).expect_err("missing");
    assert_eq!(error.source.kind(), io::ErrorKind::NotFound);
}

#[test]
fn files_are_created_all_or_none() {
    let folder = Folder::with(&[("new/b.md", "old")]);
    folder.write("file", "");
    let files = |paths: &[&str]| -> BTreeMap<_, _> {
        paths.iter().map(|name| (path(name), "text")).collect()
    };
    let there = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
    let root = folder.root();
    let stopped = root.create_all(&files(&["new/a.md", "new/b.md", "new/c.md"]));
    assert_eq!(stopped.expect("writable"), Some(path("new/b.md")));
    root.create_all(&files(&["file/x.md", "a.md"]))
        .expect_err("a file is not a folder");
    for name in ["new/a.md", "new/c.md", "a.md"] {
        assert_eq!(there(name), None, "{name}");
    }
    assert_eq!(there("new/b.md").as_deref(), Some("old"));
    let all = root.create_all(&files(&["deep/new/a.md", "new/c.md"]));
    assert_eq!(all.expect("writable"), None);
    assert_eq!(there("deep/new/a.md").as_deref(), Some("text"));
    assert_eq!(there("new/c.md").as_deref(), Some("text"));
}

#[test]
fn files_of_a_new_folder_appear_together() {
    let folder = Folder::with(&[("tasks/web/01-a.md", "old")]);
    let files: BTreeMap<_, _> = ["tasks/new/1.md", "tasks/new/2.md"]
        .map(|name| (path(name), "text"))
        .into();
    assert_eq!(folder.root().create_all(&files).expect("writable"), None);
    assert_eq!(folder.names("tasks"), ["new", "web"]);
    assert_eq!(folder.names("tasks/new"), ["1.md", "2.md"]);
    assert_eq!(folder.read("tasks/new/2.md"), "text");
    assert_eq!(folder.mode("tasks/new"), folder.mode("tasks/web"));
    assert_eq!(
        folder.mode("tasks/new/1.md"),
        folder.mode("tasks/web/01-a.md")
    );
    let stopped = folder.root().create_all(&files).expect("writable");
    assert_eq!(stopped, Some(path("tasks/new/1.md")));
}

#[test]
fn a_deleted_root_is_reported() {
    let folder = Folder::with(&[("root/a.md", "")]);
    let root = Root::open(&folder.join("root")).expect("a root");
    std::fs::rename(root.path(), folder.join("gone")).expect("renamed");
    for below in [".", "a.md", "b/c.md"] {
        let error = root.resolve(&path(below)).expect_err("gone");
        assert_eq!(
            message(error, &folder),
            "ROOT/root cannot be read: No such file or directory (os error 2)",
            "{below}"
        );
    }
}
