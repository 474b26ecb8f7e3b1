//! What is in place of a file of the project: a pipe, a device, a folder, a link out of the
//! root, or more than fits.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::scripted::{PASS, SPEC, Scripted};
use crate::signals::signal;
use crate::support::Ran;

const TOKEN: &str = "token-1234567890";

fn pipe(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.unwrap().success());
}

fn link(target: &str, path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink(target, path).unwrap();
}

/// A project with a learning configuration, so that all commands read it.
fn project() -> Scripted {
    let project = Scripted::new(&["test -e done"]);
    project.reviewer(&format!("cat >/dev/null; echo '{PASS}'"));
    project
}

/// Runs a command, which waits for nothing.
fn ralph(project: &Scripted, arguments: &[&str]) -> Ran {
    let started = Instant::now();
    let ran = project
        .environment
        .command(arguments)
        .env("DEPLOY_TOKEN", TOKEN)
        .run();
    let took = started.elapsed();
    assert!(took < Duration::from_secs(60), "{arguments:?}: {took:?}");
    ran
}

/// Runs a command that must refuse a file with these words.
fn refuses(project: &Scripted, arguments: &[&str], words: &str) {
    let ran = ralph(project, arguments).exits(2);
    assert_eq!(ran.stdout, "", "{arguments:?}");
    assert!(ran.stderr.contains(words), "{arguments:?}: {ran:#?}");
}

#[test]
fn a_configuration_that_is_no_file_is_refused_by_every_command() {
    let commands: [&[&str]; 5] = [
        &["status"],
        &["lint"],
        &["gate"],
        &["run", "--no-apply", "--no-tasks"],
        &["config"],
    ];
    for (make, words) in [
        (
            (|path: &Path| pipe(path)) as fn(&Path),
            "it is a named pipe, not a regular file",
        ),
        (
            |path: &Path| fs::create_dir(path).unwrap(),
            "it is a folder, not a regular file",
        ),
        (
            |path: &Path| link("/dev/zero", path),
            "ralph.toml is a symbolic link to /dev/zero, which is outside the root",
        ),
        (
            |path: &Path| link("/proc/self/environ", path),
            "environ, which is outside the root",
        ),
        (
            |path: &Path| {
                let file = fs::File::create(path).unwrap();
                file.set_len(65 * 1024 * 1024).unwrap();
            },
            "it is larger than 64 MiB",
        ),
    ] {
        let project = project();
        make(&project.environment.root().join("ralph.toml"));
        for command in commands {
            refuses(&project, command, words);
        }
        let ran = ralph(&project, &["doctor"]).exits(1);
        assert!(ran.stdout.contains(words), "{ran:#?}");
        for text in [&ran.stdout, &ran.stderr] {
            assert!(!text.contains(TOKEN), "{ran:#?}");
        }
    }
}

#[test]
fn a_link_within_the_root_is_followed() {
    let project = project();
    project.write("etc/ralph.toml", "reviewer = \"builtin\"\n");
    link(
        "etc/ralph.toml",
        &project.environment.root().join("ralph.toml"),
    );
    let ran = ralph(&project, &["config", "--format", "json"]).exits(0);
    assert!(ran.stdout.contains("builtin"), "{ran:#?}");
}

#[test]
fn a_configuration_that_was_named_may_be_anything_but_endless() {
    let project = project();
    let outside = project.outside("named.toml");
    fs::write(&outside, "reviewer = \"builtin\"\n").unwrap();
    let named = outside.to_str().unwrap();
    let ran = ralph(&project, &["--config", named, "config"]).exits(0);
    assert!(ran.stdout.contains("builtin"), "{ran:#?}");
    let ran = project
        .environment
        .command(["--config", "/dev/stdin", "gate", "--offline"])
        .stdin("reviewer = \"builtin\"\n")
        .run();
    assert_ne!(ran.code, 2, "{ran:#?}");
    let arguments = ["--config", "/dev/zero", "status"];
    refuses(&project, &arguments, "it is larger than 64 MiB");
}

#[test]
fn errors_of_the_configuration_are_redacted() {
    let project = project();
    project.write("ralph.toml", format!("[review]\npatience = \"{TOKEN}\"\n"));
    let ran = ralph(&project, &["status"]).exits(2);
    assert!(ran.stderr.contains("patience"), "{ran:#?}");
    assert!(ran.stderr.contains("[redacted]"), "{ran:#?}");
    assert!(!ran.stderr.contains(TOKEN), "{ran:#?}");
}

#[test]
fn an_ignore_file_that_is_no_file_is_refused() {
    for folder in ["", "sub/deeper/"] {
        for (target, words) in [
            (None, "it is a named pipe, not a regular file"),
            (
                Some("/dev/zero"),
                ".gitignore is a symbolic link to /dev/zero, which is outside the root",
            ),
        ] {
            let project = project();
            let path = format!("{folder}.gitignore");
            let path = project.environment.root().join(path);
            match target {
                Some(target) => link(target, &path),
                None => pipe(&path),
            }
            for command in [&["status"][..], &["lint"], &["doctor"]] {
                refuses(&project, command, words);
            }
        }
    }
}

#[test]
fn files_of_learning_that_are_no_files_are_refused() {
    for (file, command) in [
        (".aiwg/agent-learning.yaml", &["learn", "show"][..]),
        (".claude/user-corrections.jsonl", &["corrections", "list"]),
        (
            ".claude/user-corrections.jsonl",
            &["corrections", "validate"],
        ),
    ] {
        for (target, words) in [
            (None, "it is a named pipe, not a regular file"),
            (Some("/dev/zero"), "/dev/zero, which is outside the root"),
        ] {
            let project = project();
            let path = project.environment.root().join(file);
            match target {
                Some(target) => link(target, &path),
                None => pipe(&path),
            }
            refuses(&project, command, words);
        }
    }
}

#[test]
fn what_is_in_place_of_a_spec_a_task_or_a_plan_is_named() {
    for path in [
        "specs/OTHER.md",
        "tasks/demo/02-more.md",
        "tasks/demo/IMPLEMENTATION_PLAN.md",
        "tasks/other/IMPLEMENTATION_PLAN.md",
    ] {
        for (make, words) in [
            (
                (|path: &Path| pipe(path)) as fn(&Path),
                "is a named pipe, not a file",
            ),
            (
                |path: &Path| fs::create_dir_all(path).unwrap(),
                "is a folder, not a file",
            ),
            (
                |path: &Path| link("/dev/zero", path),
                "is a symbolic link to /dev/zero, which is outside the root",
            ),
        ] {
            let project = project();
            let file = project.environment.root().join(path);
            if file.exists() {
                fs::remove_file(&file).unwrap();
            }
            make(&file);
            let words = format!("{path} {words}");
            for command in [&["status"][..], &["lint"], &["gate"]] {
                refuses(&project, command, &words);
            }
            let ran = ralph(&project, &["doctor"]).exits(1);
            assert!(ran.stdout.contains(&words), "{ran:#?}");
        }
    }
}

#[test]
fn a_pipe_as_the_only_spec_is_not_no_spec() {
    let project = Scripted::new(&[]);
    let spec = project.environment.root().join("specs/DEMO.md");
    fs::remove_file(&spec).unwrap();
    pipe(&spec);
    let words = "specs/DEMO.md is a named pipe, not a file";
    for command in [&["status"][..], &["lint"], &["gate"], &["run"]] {
        refuses(&project, command, words);
    }
}

#[test]
fn waiting_for_a_named_pipe_ends_with_a_signal() {
    let project = Scripted::new(&[]);
    project.write("docs/A.md", SPEC);
    let fifo = project.outside("named");
    pipe(&fifo);
    let fifo = fifo.to_str().unwrap();
    for arguments in [
        &["--config", fifo, "gate"][..],
        &["--config", fifo, "status"],
        &["verdict", fifo],
        &["corrections", "validate", fifo],
    ] {
        for (name, code) in [("TERM", 143), ("INT", 130)] {
            let child = project.environment.command(arguments).into_std().spawn();
            let child = child.unwrap();
            // The other end can be opened as soon as the call waits for it.
            let other = fs::OpenOptions::new().write(true).open(fifo).unwrap();
            signal(name, &child);
            let ran = Ran::new(&project.environment, child.wait_with_output().unwrap());
            drop(other);
            assert_eq!(ran.code, code, "{arguments:?} {ran:#?}");
        }
    }
}
