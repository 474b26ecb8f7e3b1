//! How runs end that something outside of them cuts off: a kill, a signal, a terminal that
//! is closed, a folder that is removed.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;

use super::Project;

/// The git of the system.
fn real_git(project: &Project) -> String {
    let found = Command::new("sh")
        .args(["-c", "command -v git"])
        .env("PATH", project.environment.search_path())
        .output()
        .unwrap();
    String::from_utf8(found.stdout).unwrap().trim().to_owned()
}

/// Puts a program in the place of git that runs a script where it is called for a
/// subcommand.
fn git_with(project: &Project, subcommand: &str, script: &str) {
    let git = real_git(project);
    let script = format!(
        "git={git}\ncase \" $* \" in *' {subcommand} '*) {script};; esac\nexec $git \"$@\""
    );
    project.environment.program("git", &script);
}

#[test]
fn a_resume_waits_for_the_git_of_the_killed_run() {
    for subcommand in ["read-tree", "write-tree", "commit-tree"] {
        let project = Project::committed(&["[]"]);
        let log = project.environment.home().join("log");
        git_with(
            &project,
            subcommand,
            "if [ -e \"$HOME/killed\" ]; then echo again >> \"$HOME/log\"\n\
             else : > \"$HOME/killed\"; kill -9 $PPID; sleep 0.3; $git \"$@\"; code=$?\n\
             echo finished >> \"$HOME/log\"; exit $code; fi",
        );
        let killed = project.run(&[]).into_std().status().unwrap();
        assert_eq!(killed.signal(), Some(9), "{subcommand}");
        project.environment.ralph(["resume", "latest"]).exits(0);
        let log = fs::read_to_string(log).unwrap();
        assert!(log.starts_with("finished\n"), "{subcommand}: {log}");
        assert_eq!(log.matches("finished").count(), 1, "{subcommand}: {log}");
        assert_eq!(project.log(), ["Task 1", "Start"], "{subcommand}");
    }
}

#[test]
fn a_signal_while_a_run_starts_is_its_exit_code() {
    for (name, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let project = Project::committed(&["[]"]);
        crate::signals::hear_hangups();
        git_with(
            &project,
            "rev-parse",
            &format!("kill -s {name} $PPID; exec tail -f /dev/null"),
        );
        let ran = project.run(&[]).run().exits(code);
        assert!(project.calls().is_empty(), "{ran:#?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_whose_terminal_is_closed_ends_as_hung_up_and_goes_on_later() {
    crate::signals::hear_hangups();
    let project = Project::committed(&["[]"]);
    let pipe = project.environment.home().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let wait = "if [ ! -e \"$HOME/closed\" ]; then : > \"$HOME/closed\"; echo works > $HOME/pipe\n\
                tail -f /dev/null; fi; echo 1 > 1.txt";
    project.agent(1, wait);
    let terminal = crate::apart::on_terminal(project.run(&[]));
    assert_eq!(fs::read_to_string(&pipe).unwrap(), "works\n");
    assert_eq!(terminal.hang_up().code(), Some(129));
    project.environment.ralph(["resume", "latest"]).exits(0);
    assert_eq!(project.log(), ["Task 1", "Start"]);
}

#[test]
fn a_run_whose_state_folder_is_removed_says_how_its_work_is_saved() {
    let project = Project::committed(&["[]", "[1]"]);
    let root = project.environment.root();
    let state = root.join(".ralph-review");
    project.agent(1, &format!("echo 1 > 1.txt; rm -rf {}", state.display()));
    let ran = project.run(&[]).run().exits(2);
    assert!(!ran.stdout.contains("ralph resume"), "{ran:#?}");
    assert!(!ran.stderr.contains("ralph resume"), "{ran:#?}");
    assert!(
        ran.stderr.contains("hint: its folder was removed; "),
        "{ran:#?}"
    );
    let git = project.lane().join("lane.git");
    let shown = project.environment.normalized(git.to_str().unwrap());
    assert!(git.is_dir());
    assert!(ran.stderr.contains(&shown), "{ran:#?}");
}

#[test]
fn a_run_that_lands_after_its_state_folder_was_removed_says_so_and_passes() {
    let project = Project::committed(&["[]", "[1]"]);
    let state = project.environment.root().join(".ralph-review");
    project.agent(2, &format!("echo 2 > 2.txt; rm -rf {}", state.display()));
    let ran = project.run(&[]).run().exits(0);
    assert_eq!(project.log(), ["Task 2", "Task 1", "Start"]);
    let warning = "warning: the folder of the run was removed while it was at work: nothing of it \
                   is recorded\n";
    assert!(ran.stderr.contains(warning), "{ran:#?}");
    assert!(ran.stdout.contains("\npassed"), "{ran:#?}");
}

#[test]
fn an_unfinished_rebase_is_named_at_the_start_and_at_landing() {
    let project = Project::committed(&["[]"]);
    project.git(&["commit", "-q", "--allow-empty", "-m", "Second"]);
    let rebase = [
        "-c",
        "sequence.editor=sed -i 1s/^pick/edit/",
        "rebase",
        "-i",
    ];
    let options = ["--keep-empty", "HEAD~1"];
    project.git(&[&rebase[..], &options].concat());
    let ran = project.run(&[]).run().exits(2);
    assert!(
        ran.stderr
            .starts_with("error: unmerged: a rebase is not finished\n"),
        "{ran:#?}"
    );
    project.git(&["rebase", "--abort"]);
    let root = project.environment.root();
    project.agent(
        1,
        &format!(
            "echo 1 > 1.txt; git -C {} -c sequence.editor='sed -i 1s/^pick/edit/' rebase -i \
             --keep-empty HEAD~1 >&2",
            root.display()
        ),
    );
    project.run(&[]).run().exits(1);
    let lane = project.report()["not_landed"].clone();
    assert_eq!(lane["code"], "target_busy");
    assert_eq!(lane["reason"], "a rebase is not finished in [ROOT]");
    project.git(&["rebase", "--abort"]);
    project.environment.ralph(["land", "latest"]).exits(0);
    assert_eq!(project.log(), ["Task 1", "Second", "Start"]);
}

#[test]
fn an_agent_that_prints_more_than_is_kept_has_done_its_work() {
    let print = "head -c 20000000 /dev/zero | tr '\\0' x; echo";
    let project = Project::committed(&["[]"]);
    project.agent(1, &format!("echo 1 > 1.txt; {print}"));
    project.run(&[]).run().exits(0);
    assert_eq!(project.calls(), ["1.1"]);
    let project = Project::committed(&["[]"]);
    let question = r#"{"outcome": "question", "text": "Which limit?"}"#;
    project.agent(1, &format!("{print}; echo '{question}'"));
    project.run(&[]).run().exits(1);
    assert_eq!(project.rejected(1), ["question"]);
    let project = Project::committed(&["[]"]);
    project.agent(1, &format!("{print}; exit 7"));
    project.run(&["--attempts", "1"]).run().exits(1);
    assert_eq!(project.rejected(1), ["agent_failed"]);
}

#[test]
fn a_removal_that_was_killed_is_finished_by_the_next() {
    for (lost, arguments) in [
        (&[][..], &["clean"][..]),
        (&["tasks", "lane.git"], &["clean", "RUN"]),
        (&["tasks", "lane.git", "lane.json"], &["clean", "RUN"]),
    ] {
        let project = Project::committed(&["[]"]);
        project.run(&[]).run().exits(0);
        let lane = project.lane();
        let state = project.environment.root().join(".ralph-review");
        let run = fs::read_dir(state.join("runs"))
            .unwrap()
            .next()
            .unwrap()
            .unwrap();
        let id = run.file_name().into_string().unwrap();
        fs::create_dir_all(state.join("trash")).unwrap();
        fs::rename(run.path(), state.join("trash").join(&id)).unwrap();
        for name in lost {
            let path = lane.join(name);
            let removed = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
            assert!(removed.is_ok() || !path.exists(), "{name}: {removed:?}");
        }
        let words = arguments.iter().map(|word| word.replace("RUN", &id));
        let ran = project.environment.ralph(words).exits(0);
        assert!(!lane.exists(), "{lost:?} {ran:#?}");
        assert_eq!(fs::read_dir(state.join("trash")).unwrap().count(), 0);
        project.environment.ralph(["clean"]).exits(0);
    }
}

#[test]
fn no_line_of_a_task_without_counts_ends_with_blanks() {
    let project = Project::committed(&["[]"]);
    project.agent(1, "exit 3");
    let ran = project.run(&["--attempts", "1"]).run().exits(1);
    assert!(ran.stdout.contains("  parked  Task 1\n"), "{ran:#?}");
    let blank = ran.stdout.lines().filter(|line| line.ends_with(' '));
    assert_eq!(blank.collect::<Vec<_>>(), [""; 0]);
}
