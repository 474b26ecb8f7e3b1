use std::fs;
use std::io::{self, BufRead, Write};

use review_store::{LineFile, rewrite_lines};

use crate::support::Folder;

/// Rewrites every line in capitals and counts the changed ones.
fn shout(input: &mut dyn BufRead, output: &mut dyn Write) -> io::Result<u64> {
    let mut changes = 0;
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let loud = line.to_ascii_uppercase();
        changes += u64::from(loud != line);
        output.write_all(&loud)?;
        line.clear();
    }
    Ok(changes)
}

#[test]
fn lines_are_appended_to_a_file_that_is_created_with_its_folders() {
    let folder = Folder::new();
    let mut lines = LineFile::open(&folder.join("a/b/c.jsonl")).expect("made");
    lines.append(b"one").expect("appended");
    lines.append(b"two").expect("appended");
    lines.sync().expect("synced");
    assert_eq!(folder.read("a/b/c.jsonl"), "one\ntwo\n");
}

#[test]
fn a_torn_line_is_terminated_and_kept() {
    let folder = Folder::with(&[("a", "one\ntw")]);
    let mut lines = LineFile::open(&folder.join("a")).expect("opened");
    lines.append(b"three").expect("appended");
    assert_eq!(folder.read("a"), "one\ntw\nthree\n");
}

#[test]
fn links_are_followed_by_appends_and_rewrites() {
    let folder = Folder::with(&[("real/a", "one\n")]);
    folder.link("a", "real/a");
    let mut lines = LineFile::open(&folder.join("a")).expect("opened");
    lines.append(b"two").expect("appended");
    assert_eq!(rewrite_lines(&folder.join("a"), shout).expect("written"), 2);
    assert!(folder.join("a").is_symlink());
    assert_eq!(folder.read("real/a"), "ONE\nTWO\n");
}

#[test]
fn an_append_detects_that_the_file_was_replaced() {
    let folder = Folder::with(&[("a", "one\n")]);
    let mut lines = LineFile::open(&folder.join("a")).expect("opened");
    assert_eq!(rewrite_lines(&folder.join("a"), shout).expect("written"), 1);
    lines.append(b"two").expect("appended");
    assert_eq!(folder.read("a"), "ONE\ntwo\n");
    fs::remove_file(folder.join("a")).expect("deleted");
    lines.append(b"three").expect("appended");
    assert_eq!(folder.read("a"), "three\n");
}

#[test]
fn a_rewritten_file_keeps_its_permissions() {
    let folder = Folder::with(&[("a", "one\n")]);
    folder.set_mode("a", 0o640);
    rewrite_lines(&folder.join("a"), shout).expect("written");
    assert_eq!(folder.mode("a"), 0o640);
    assert_eq!(folder.names(""), ["a"]);
}

#[test]
fn a_file_without_changes_is_not_replaced() {
    use std::os::unix::fs::MetadataExt;

    let folder = Folder::with(&[("a", "ONE\n")]);
    let inode = || folder.join("a").metadata().expect("a file").ino();
    let before = inode();
    assert_eq!(rewrite_lines(&folder.join("a"), shout).expect("read"), 0);
    assert_eq!(inode(), before);
    assert_eq!(folder.names(""), ["a"]);
}

#[test]
fn lines_appended_without_a_lock_during_a_rewrite_are_kept() {
    let folder = Folder::with(&[("a", "one\n")]);
    let mut calls = 0;
    let changes = rewrite_lines(&folder.join("a"), |input, output| {
        let changes = shout(input, output)?;
        calls += 1;
        if calls == 1 {
            let file = fs::OpenOptions::new().append(true).open(folder.join("a"));
            file?.write_all(b"late\n")?;
        }
        Ok(changes)
    });
    assert_eq!((changes.expect("written"), calls), (2, 2));
    assert_eq!(folder.read("a"), "ONE\nLATE\n");
}

#[test]
fn a_failed_rewrite_leaves_the_file_unchanged() {
    let folder = Folder::with(&[("a", "one\n")]);
    let failed = rewrite_lines(&folder.join("a"), |_, output| {
        output.write_all(b"half")?;
        Err(io::Error::other("no more"))
    });
    let message = failed.expect_err("failed").to_string();
    assert!(
        message.ends_with("a cannot be written: no more"),
        "{message}"
    );
    assert_eq!(folder.read("a"), "one\n");
    assert_eq!(folder.names(""), ["a"]);
    assert!(rewrite_lines(&folder.join("missing"), shout).is_err());
    assert_eq!(folder.names(""), ["a"]);
}

#[test]
fn concurrent_appends_and_rewrites_lose_nothing() {
    let folder = Folder::with(&[("a", "")]);
    let path = folder.join("a");
    std::thread::scope(|scope| {
        for name in ["x", "y"] {
            let path = &path;
            scope.spawn(move || {
                let mut lines = LineFile::open(path).expect("opened");
                for at in 0..500 {
                    let line = format!("{name}{at}");
                    lines.append(line.as_bytes()).expect("appended");
                }
            });
        }
        scope.spawn(|| {
            for _ in 0..20 {
                rewrite_lines(&path, shout).expect("written");
            }
        });
    });
    let text = folder.read("a").to_lowercase();
    let mut found: Vec<_> = text.lines().collect();
    found.sort_unstable();
    let mut expected: Vec<_> = ["x", "y"]
        .iter()
        .flat_map(|name| (0..500).map(move |at| format!("{name}{at}")))
        .collect();
    expected.sort_unstable();
    assert_eq!(found, expected);
}
