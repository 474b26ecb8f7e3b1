use std::fs;

use review_store::replace_file;

use crate::support::{Folder, path};

#[test]
fn a_file_is_replaced_and_keeps_its_permissions() {
    let folder = Folder::with(&[("a.sh", "old")]);
    folder.set_mode("a.sh", 0o751);
    replace_file(&folder.join("a.sh"), b"new").expect("written");
    assert_eq!(folder.read("a.sh"), "new");
    assert_eq!(folder.mode("a.sh"), 0o751);
    assert_eq!(folder.names(""), ["a.sh"]);
}

#[test]
fn a_link_stays_a_link() {
    let folder = Folder::with(&[("real/a.md", "old")]);
    folder.link("a.md", "real/a.md");
    replace_file(&folder.join("a.md"), b"new").expect("written");
    assert!(folder.join("a.md").is_symlink());
    assert_eq!(folder.read("real/a.md"), "new");
    assert_eq!(folder.names("real"), ["a.md"]);
}

#[test]
fn an_open_file_keeps_its_old_content() {
    let folder = Folder::with(&[("a.md", "old")]);
    let open = fs::File::open(folder.join("a.md")).expect("a file");
    replace_file(&folder.join("a.md"), b"a longer text").expect("written");
    let text = std::io::read_to_string(open).expect("readable");
    assert_eq!(text, "old");
}

#[test]
fn a_new_file_has_the_permissions_of_the_umask() {
    let folder = Folder::new();
    fs::write(folder.join("reference"), "").expect("a file");
    replace_file(&folder.join("new"), b"x").expect("written");
    assert_eq!(folder.read("new"), "x");
    assert_eq!(folder.mode("new"), folder.mode("reference"));
}

#[test]
fn only_a_regular_file_is_replaced() {
    let folder = Folder::new();
    fs::create_dir(folder.join("folder")).expect("a folder");
    folder.link("dead", "nowhere");
    let error = replace_file(&folder.join("folder"), b"x").expect_err("a folder");
    assert!(
        error
            .to_string()
            .ends_with("folder cannot be written: it is a folder, not a regular file")
    );
    assert!(replace_file(&folder.join("dead"), b"x").is_err());
    assert!(replace_file(&folder.join("missing/x"), b"x").is_err());
    assert_eq!(folder.names(""), ["dead", "folder"]);
}

#[test]
fn creating_a_file_never_replaces_another() {
    let folder = Folder::with(&[("a.md", "mine")]);
    let root = folder.root();
    assert!(!root.create(&path("a.md"), b"x").expect("no error"));
    assert!(root.create(&path("b/c/d.md"), b"x").expect("created"));
    assert_eq!(folder.read("a.md"), "mine");
    assert_eq!(folder.read("b/c/d.md"), "x");
    assert_eq!(folder.names(""), ["a.md", "b"]);
    assert_eq!(folder.names("b/c"), ["d.md"]);
}

#[test]
fn a_file_below_the_root_is_replaced_by_its_path() {
    let folder = Folder::with(&[("b/c.md", "old")]);
    folder
        .root()
        .replace(&path("b/c.md"), b"new")
        .expect("written");
    assert_eq!(folder.read("b/c.md"), "new");
}
