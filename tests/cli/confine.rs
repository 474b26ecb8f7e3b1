//! Nothing outside the root is read or written.

use std::fs;
use std::os::unix::fs::symlink;

use crate::scripted::{PASS, SPEC, Scripted};

#[test]
fn a_path_that_leads_out_of_the_root_is_refused() {
    let project = Scripted::new(&[]);
    let secret = project.outside("SECRET.md");
    fs::write(&secret, "# Secret\n").unwrap();
    symlink(&secret, project.environment.root().join("specs/LINK.md")).unwrap();
    fs::create_dir(project.environment.root().join("docs")).unwrap();
    symlink(
        project.outside(""),
        project.environment.root().join("docs/folder"),
    )
    .unwrap();
    for path in [
        "../home/SECRET.md",
        "specs/../../home/SECRET.md",
        secret.to_str().unwrap(),
        "specs/LINK.md",
        "docs/folder",
        "docs/folder/SECRET.md",
    ] {
        let review = ["--root", ".", "review", path, "--no-apply"];
        let ran = project.environment.ralph(review).exits(2);
        assert_eq!(ran.stdout, "", "{path}");
        assert!(ran.stderr.starts_with("error: "), "{path}: {ran:#?}");
        let run = ["--root", ".", "run", "--spec", path, "--no-apply"];
        let ran = project.environment.ralph(run).exits(2);
        assert_eq!(ran.stdout, "", "{path}");
    }
    let review = ["--root", ".", "review", "../home/SECRET.md"];
    let told = project.environment.ralph(review).exits(2).stderr;
    let hint = "\n  hint: name a root that holds it with --root\n";
    assert!(told.ends_with(hint), "{told}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf8_is_to_be_changed_and_no_other_root_named() {
    use std::os::unix::ffi::OsStrExt as _;
    let project = Scripted::new(&[]);
    project.write("docs/A.md", SPEC);
    let name = std::ffi::OsStr::from_bytes(b"docs/\xff.md");
    fs::write(project.environment.root().join(name), SPEC).unwrap();
    let ran = project.environment.ralph(["review", "docs", "--no-apply"]);
    let told = ran.exits(2).stderr;
    assert_eq!(
        told,
        "error: the name docs/\u{fffd}.md is not UTF-8; rename the file\n"
    );
}

/// Left out in silence, it would be unchecked work.
#[cfg(target_os = "linux")]
#[test]
fn no_command_leaves_out_a_file_whose_name_is_not_utf8() {
    use std::os::unix::ffi::OsStrExt as _;
    let project = Scripted::new(&["true"]);
    let name = std::ffi::OsStr::from_bytes(b"specs/\xff.md");
    fs::write(project.environment.root().join(name), SPEC).unwrap();
    for arguments in [
        &["lint"][..],
        &["lint", "specs"],
        &["gate"],
        &["status"],
        &["status", "demo", "--format", "mermaid"],
        &["run", "--spec", "demo", "--no-apply"],
    ] {
        let ran = project.environment.ralph(arguments).exits(2);
        assert_eq!(ran.stdout, "", "{arguments:?}");
        assert_eq!(
            ran.stderr, "error: the name specs/\u{fffd}.md is not UTF-8; rename the file\n",
            "{arguments:?}"
        );
    }
}

#[test]
fn a_linked_file_of_a_unit_is_never_shown_to_a_reviewer_nor_written() {
    let project = Scripted::new(&["true"]);
    let secret = project.outside("SECRET.md");
    let text = "---\ntask: 2\nstatus: pending\nbackpressure: \"true\"\n---\n\n# Hidden words\n";
    fs::write(&secret, text).unwrap();
    let link = project.environment.root().join("tasks/demo/02-link.md");
    symlink(&secret, link).unwrap();
    project.reviewer(&format!("cat > \"$HOME/prompt\"; echo '{PASS}'"));
    let ran = project.run(&[]).run();
    let prompt = fs::read_to_string(project.outside("prompt")).unwrap_or_default();
    assert!(!prompt.contains("Hidden words"), "{ran:#?}");
    assert!(!ran.stdout.contains("Hidden words"), "{ran:#?}");
    assert_eq!(fs::read_to_string(&secret).unwrap(), text);
}

#[test]
fn an_unknown_key_of_the_configuration_is_told_with_the_nearest_one() {
    let project = Scripted::new(&[]);
    project.write("ralph.toml", "[review]\nmax_iteration = 2\n");
    let ran = project.run(&[]).run().exits(2);
    assert!(ran.stderr.contains("ralph.toml:2"), "{ran:#?}");
    assert!(ran.stderr.contains("max_iterations"), "{ran:#?}");
    assert_eq!(ran.stdout, "");
}

#[test]
fn a_state_folder_that_cannot_be_written_is_told() {
    let project = Scripted::new(&[]);
    let before = project.artifact();
    project.write(".ralph-review", "a file in its place\n");
    project.reviewer(&format!("echo '{PASS}'"));
    let ran = project.run(&[]).run().exits(2);
    assert_eq!(
        ran.stderr,
        "error: cannot use the state folder: [ROOT]/.ralph-review cannot be created: \
         it is not a folder; select another one with --state-dir\n"
    );
    assert_eq!(project.calls(), [""; 0]);
    assert_eq!(project.artifact(), before);
    let ran = project.run(&["--no-apply", "--no-tasks"]).run().exits(0);
    assert!(
        ran.stderr.contains("this run is remembered nowhere"),
        "{ran:#?}"
    );
    assert_eq!(
        project.environment.read(".ralph-review"),
        "a file in its place\n"
    );
    project.reviewer("echo nothing");
    let ran = project.run(&["--no-apply", "--no-tasks"]).run().exits(3);
    assert_eq!(
        ran.next_command(),
        Some("run --reviewer cmd:judge --applier cmd:fix --no-apply --no-tasks"),
        "nothing is left to resume"
    );
    project.write("specs/OTHER.md", SPEC);
    let gate = project.environment.ralph(["gate"]).exits(0);
    assert!(gate.stdout.contains("in 2 specs"), "{gate:#?}");
    let warned = gate
        .stderr
        .matches("this run is remembered nowhere")
        .count();
    assert_eq!(warned, 1, "{gate:#?}");
}
