//! What is refused before anything is made.

use super::{Project, untouched};

#[test]
fn agents_implement_in_a_repository_with_a_commit_and_the_hint_makes_one() {
    let project = Project::new(&["[]"]);
    let refused = |options: &[&str], error: &str| {
        let ran = project.run(options).run().exits(2);
        let stderr = ran.stderr;
        assert!(stderr.starts_with("error: no_target: "), "{stderr}");
        assert!(stderr.contains(error), "{stderr}");
        assert!(project.calls().is_empty());
        let root = project.environment.root();
        assert!(!root.join(".ralph-review/runs").exists());
        let hint = stderr.split_once("run `").unwrap().1;
        hint.split_once('`').unwrap().0.to_owned()
    };
    for options in [&[][..], &["--target", "main"], &["--land", "branch"]] {
        refused(
            options,
            "is not in a git work tree\n  hint: finished work lands",
        );
    }
    let hint = refused(&[], "is not in a git work tree\n");
    assert_eq!(hint, "git init && git add --all && git commit -m Start");
    project.git(&["init", "-q"]);
    let hint = refused(&[], "branch main has no commit\n");
    for command in hint.split(" && ") {
        let arguments: Vec<_> = command.split(' ').skip(1).collect();
        project.git(&arguments);
    }
    project.run(&[]).run().exits(0);
    assert_eq!(project.log(), ["Task 1", "Start"]);
}

/// Whatever is done to a project, its repository and its files are as they were.
#[test]
fn what_keeps_a_run_from_starting_has_a_code_and_makes_nothing() {
    let no_run = |project: &Project, options: &[&str], code: &str, fix: &str| {
        let before = untouched(project);
        let ran = project.run(options).run().exits(2);
        assert!(
            ran.stderr.starts_with(&format!("error: {code}: ")),
            "{code}: {}",
            ran.stderr
        );
        assert!(ran.stderr.contains(fix), "{code}: {}", ran.stderr);
        assert_eq!(untouched(project), before, "{code}");
        let root = project.environment.root();
        assert!(!root.join(".ralph-review/runs").exists(), "{code}");
        let explained = project.environment.ralph(["explain", code]).exits(0);
        assert!(explained.stdout.starts_with(code), "{}", explained.stdout);
    };
    let project = Project::committed(&["[]"]);
    project.git(&["checkout", "-q", "--detach"]);
    no_run(&project, &[], "no_target", "hint: switch to a branch");

    let project = Project::committed(&["[]"]);
    project.environment.write("draft.txt", "draft\n");
    project.git(&["add", "draft.txt"]);
    no_run(&project, &[], "dirty", "hint: commit or stash them");
    let large = project.environment.write("large.bin", "");
    let large = std::fs::File::create(large).unwrap();
    large.set_len((100 << 20) + 1).unwrap();
    let include = ["--dirty", "include"];
    let fix = "large.bin is not committed and has 104857601 bytes";
    no_run(&project, &include, "dirty", fix);

    let project = Project::committed(&["[]"]);
    project.environment.write(".git/MERGE_HEAD", "");
    no_run(&project, &[], "unmerged", "hint: finish or abort it first");

    let project = Project::committed(&["[]"]);
    project.environment.write(".git/rebase-merge/done", "");
    project.git(&["checkout", "-q", "--detach"]);
    no_run(&project, &[], "unmerged", "a rebase is not finished");

    let project = Project::committed(&["[]"]);
    let (hash, module) = (project.git(&["rev-parse", "HEAD"]), "[submodule \"lib\"]\n");
    let module = format!("{module}\tpath = lib\n\turl = ../lib\n");
    project.environment.write(".gitmodules", module);
    let entry = format!("160000,{},lib", hash.trim());
    project.git(&["update-index", "--add", "--cacheinfo", &entry]);
    project.git(&["add", ".gitmodules"]);
    project.git(&["commit", "-qm", "With a submodule"]);
    let fix = "hint: fetch them in each checkout: add `git submodule update --init`";
    no_run(&project, &[], "base_incomplete", fix);

    let project = Project::committed(&["[]"]);
    std::fs::remove_file(project.environment.home().join(".gitconfig")).unwrap();
    project.git(&["config", "user.useConfigOnly", "true"]);
    no_run(&project, &[], "no_identity", "hint: set user.name");

    let project = Project::committed(&["[]"]);
    project
        .environment
        .program("git", "echo git version 2.33.8");
    let ran = project.run(&[]).run().exits(2);
    assert!(
        ran.stderr
            .starts_with("error: no_git: git 2.33.8 is too old"),
        "{}",
        ran.stderr
    );
    project
        .environment
        .program("git", "echo git version 2.34.1");
    let error = "error: no_git: git 2.34.1 is too old to merge the work of several tasks";
    let ran = project.run(&["--jobs", "2"]).run().exits(2);
    assert!(ran.stderr.starts_with(error), "{}", ran.stderr);
    assert!(project.calls().is_empty());

    let resumed = Project::committed(&["[]", "[]"]);
    resumed.run(&["--max-calls", "1"]).run().exits(5);
    resumed
        .environment
        .program("git", "echo git version 2.34.1");
    let more = ["--max-calls", "2", "--set", "task.jobs=2"];
    let resume = [&["resume", "latest"][..], &more].concat();
    let ran = resumed.environment.ralph(resume).exits(2);
    assert!(ran.stderr.starts_with(error), "{}", ran.stderr);
    assert_eq!(resumed.calls(), ["1.1"]);

    let ran = project.run(&[]).env("PATH", "/nowhere").run().exits(2);
    assert!(ran.stderr.starts_with("error: no_git: "), "{}", ran.stderr);
}

/// What would break later is named first.
#[test]
fn what_the_system_does_not_allow_is_named_before_an_agent_is_called() {
    for (limit, jobs) in [(28, "1"), (100, "3")] {
        let project = Project::committed(&["[]"]);
        let run = project.run(&["--jobs", jobs]);
        let ran = run.after(format!("ulimit -n {limit}")).run().exits(2);
        let error = format!("error: a process may have {limit} files open, and a run with --jobs");
        assert!(ran.stderr.starts_with(&error), "{ran:#?}");
        assert!(ran.stderr.contains("hint: raise the limit"), "{ran:#?}");
        assert!(project.calls().is_empty());
        assert!(
            !project
                .environment
                .root()
                .join(".ralph-review/runs")
                .exists()
        );
    }
    let project = Project::committed(&["[]"]);
    let ran = project.run(&[]).env("TMPDIR", "/proc").run().exits(2);
    let error = "error: no folder can be made for temporary files: ";
    assert!(ran.stderr.starts_with(error), "{ran:#?}");
    assert!(project.calls().is_empty());
    project.run(&[]).after("ulimit -n 64").run().exits(0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_root_whose_name_is_not_utf8_is_named_before_an_agent_is_called() {
    use std::os::unix::ffi::OsStrExt as _;
    let project = Project::committed(&["[]"]);
    let root = project.environment.root();
    let odd = root.join(std::ffi::OsStr::from_bytes(b"odd\xff"));
    for folder in ["specs", "tasks/demo"] {
        std::fs::create_dir_all(odd.join(folder)).unwrap();
    }
    for file in [
        "specs/DEMO.md",
        "tasks/demo/IMPLEMENTATION_PLAN.md",
        "tasks/demo/01-task.md",
    ] {
        std::fs::copy(root.join(file), odd.join(file)).unwrap();
    }
    let ran = project.run(&[]).in_folder(&odd).run().exits(2);
    let error = "error: the name of the root is not UTF-8: ";
    assert!(ran.stderr.starts_with(error), "{ran:#?}");
    assert!(
        ran.stderr.ends_with("hint: rename the folder\n"),
        "{ran:#?}"
    );
    assert!(!odd.join(".ralph-review/runs").exists());
}

#[test]
fn a_partial_clone_that_lacks_files_is_refused_before_anything_is_made() {
    let source = Project::new(&["[]"]);
    source.environment.write("data/large.txt", "large\n");
    source.commit();
    source.git(&["config", "uploadpack.allowFilter", "true"]);
    let project = Project::new(&["[]"]);
    let root = project.environment.root();
    std::fs::remove_dir_all(root.join("specs")).unwrap();
    std::fs::remove_dir_all(root.join("tasks")).unwrap();
    let from = format!("file://{}", source.environment.root().display());
    project.git(&[
        "clone",
        "-q",
        "--no-checkout",
        "--filter=blob:none",
        &from,
        ".",
    ]);
    project.git(&["sparse-checkout", "set", "--cone", "specs", "tasks"]);
    project.git(&["checkout", "-q", "main"]);
    project.git(&["remote", "set-url", "origin", "file:///nowhere"]);
    let ran = project.run(&[]).run().exits(2);
    assert_eq!(
        ran.stderr,
        "error: base_incomplete: the repository is a partial clone and lacks objects of branch \
         main\n  hint: run `git fetch --refetch --no-filter`\n"
    );
    assert!(!root.join(".ralph-review/runs").exists());
}

#[test]
fn changes_that_are_not_committed_are_refused_included_or_ignored() {
    let project = Project::committed(&["[]"]);
    project.environment.write("draft.txt", "draft\n");
    project.commit();
    project.environment.write("draft.txt", "changed\n");
    let before = untouched(&project);
    let ran = project.run(&[]).run().exits(2);
    assert!(
        ran.stderr
            .contains("draft.txt\n  hint: commit or stash them"),
        "{}",
        ran.stderr
    );
    assert_eq!(untouched(&project), before);
    project.agent(1, "grep -q changed draft.txt && echo 1 > 1.txt");
    project
        .run(&["--dirty", "ignore", "--attempts", "1"])
        .run()
        .exits(1);
    project.run(&["--dirty", "include"]).run().exits(0);
    assert_eq!(project.log(), ["Task 1", "Start"]);
    assert_eq!(project.git(&["status", "--porcelain"]), " M draft.txt");
}

#[test]
fn files_that_are_not_tracked_refuse_no_run_and_are_not_overwritten() {
    let project = Project::committed(&["[]"]);
    project.environment.write("draft.txt", "draft\n");
    let warned = "agents do not see files that are not tracked, and work that writes them does not \
                  land: draft.txt\n";
    project.agent(
        1,
        "[ -e draft.txt ] || echo 1 > 1.txt; echo mine > draft.txt",
    );
    let ran = project.run(&[]).run().exits(1);
    assert_eq!(ran.stderr.matches(warned).count(), 1, "{}", ran.stderr);
    let report = project.report();
    assert_eq!(report["not_landed"]["code"], "dirty_overlap");
    let reason = report["not_landed"]["reason"].as_str().unwrap();
    assert!(reason.contains("draft.txt"), "{reason}");
    assert_eq!(project.environment.read("draft.txt"), "draft\n");
    project.agent(1, "[ -e draft.txt ] || echo 1 > 1.txt");
    let clean = ["clean", "latest", "--force"];
    project.environment.ralph(clean).exits(0);
    project.run(&[]).run().exits(0);
    assert_eq!(project.log(), ["Task 1", "Start"]);
    assert_eq!(project.git(&["status", "--porcelain"]), "?? draft.txt");
}

#[test]
fn a_warning_says_that_a_changed_task_file_has_its_status_in_the_working_tree_only() {
    let project = Project::committed(&["[]", "[]"]);
    let file = project.environment.read("tasks/demo/01-task.md");
    let changed = format!("{file}<!-- mine -->\n");
    project.environment.write("tasks/demo/01-task.md", changed);
    let ran = project.run(&[]).run().exits(0);
    assert_eq!(project.states(), ["landed", "landed"]);
    let status = |at: &str, task: &str| {
        let file = project.git(&["show", &format!("{at}:tasks/demo/{task}-task.md")]);
        file.contains("status: complete")
    };
    assert!(!status("HEAD", "01") && status("HEAD", "02"));
    let warnings = ran.stderr.matches("in your working tree only").count();
    let named = "tasks/demo/01-task.md is complete in your working tree only";
    assert!(warnings == 1 && ran.stderr.contains(named), "{ran:#?}");
}

#[test]
fn no_warning_says_it_of_a_task_file_without_changes_or_without_a_status() {
    let project = Project::new(&["[]"]);
    project.environment.write("1.txt", "0\n");
    project.commit();
    project.environment.write("1.txt", "1\n");
    project.agent(1, "echo '{\"outcome\": \"already_satisfied\"}'");
    let ran = project.run(&["--dirty", "include"]).run().exits(0);
    assert_eq!(project.states(), ["passed"]);
    assert!(!ran.stderr.contains("working tree only"), "{}", ran.stderr);

    let project = Project::committed(&["[]"]);
    let file = project.environment.root().join("tasks/demo/01-task.md");
    let loses = format!("echo 1 > 1.txt; echo '# Mine' > {}", file.display());
    project.agent(1, &loses);
    let ran = project.run(&[]).run();
    assert_eq!(project.states(), ["landed"]);
    let kept = "tasks/demo/01-task.md keeps its status: ";
    assert!(ran.stderr.contains(kept), "{}", ran.stderr);
    assert!(!ran.stderr.contains("working tree only"), "{}", ran.stderr);
}

#[test]
fn a_unit_that_is_not_committed_is_seen_by_agents_and_stays_uncommitted() {
    let project = Project::new(&["[]"]);
    project.git(&["init", "-q"]);
    project.git(&["commit", "-q", "--allow-empty", "-m", "Start"]);
    project.run(&[]).run().exits(0);
    assert_eq!(project.log(), ["Task 1", "Start"]);
    let changed = project.git(&["show", "--name-only", "--format="]);
    assert_eq!(changed, "1.txt");
    let file = project.environment.read("tasks/demo/01-task.md");
    assert!(file.contains("status: complete"), "{file}");
}
