//! Attempts: what is in the prompt of an agent, when it is called again, and when ralph gives up.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::Project;

#[test]
fn agents_and_commands_find_the_ignored_files_that_the_project_includes() {
    let project = Project::new(&["[]"]);
    project.task(1, "[]", "grep -qx KEY=1 .env && test -e 1.txt");
    project.environment.write(".gitignore", ".env\n");
    project.environment.write(".worktreeinclude", "/.env\n");
    project.commit();
    project.environment.write(".env", "KEY=1\n");
    project.agent(1, "cp .env 1.txt; echo KEY=2 > .env");
    project.run(&[]).run().exits(0);
    assert_eq!(project.states(), ["landed"]);
    let root = project.environment.root();
    for file in ["1.txt", ".env"] {
        let text = std::fs::read_to_string(root.join(file)).unwrap();
        assert_eq!(text, "KEY=1\n", "{file}");
    }
}

#[test]
fn ignored_files_that_are_too_large_to_be_included_park_the_task_with_the_reason() {
    let project = Project::new(&["[]"]);
    project.environment.write(".gitignore", "*.bin\n");
    project.environment.write(".worktreeinclude", "*.bin\n");
    project.commit();
    let large = project.environment.write("large.bin", "");
    let large = fs::File::create(large).unwrap();
    large.set_len((1 << 30) + 1).unwrap();
    project.run(&[]).run().exits(1);
    let status = project.environment.ralph(["report", "latest"]).exits(0);
    assert!(
        status.stdout.contains(
            "setup_failed: the commands that prepare its checkout failed: could not be \
                       started: the files that .worktreeinclude names have more than 1 GiB"
        ),
        "{}",
        status.stdout
    );
    assert_eq!(project.calls(), [""; 0]);
}

#[test]
fn what_its_command_has_built_is_there_for_an_agent_before_its_files_are_written() {
    let project = Project::new(&[]);
    project.task(
        1,
        "[]",
        "mkdir -p target; touch target/built; [ -e code.txt ]",
    );
    project.environment.write(".gitignore", "/target\n");
    project.environment.write("code.txt", "text\n");
    project.commit();
    project.agent(
        1,
        "[ -e target/built ] && [ code.txt -nt target/built ] && echo 1 > 1.txt",
    );
    project.run(&[]).run().exits(0);
    assert_eq!(project.states(), ["landed"]);
}

#[test]
fn what_gates_have_built_is_no_part_of_a_change_where_git_does_not_ignore_it() {
    let project = Project::new(&["[]", "[1]"]);
    project.task(1, "[]", "mkdir -p target; touch target/built; [ -e 1.txt ]");
    project.commit();
    project.run(&[]).run().exits(0);
    let files = project.git(&["show", "--name-only", "--format="]);
    assert_eq!(files, "2.txt\ntasks/demo/02-task.md");
}

#[test]
fn links_that_are_not_copied_are_named_once() {
    let project = Project::new(&["[]", "[1]"]);
    project.environment.write(".gitignore", "local/\n");
    project.environment.write(".worktreeinclude", "local/\n");
    project.commit();
    let local = project.environment.write("local/file", "text");
    for name in ["one", "two"] {
        let link = local.with_file_name(name);
        std::os::unix::fs::symlink("/etc/passwd", link).unwrap();
    }
    let ran = project.run(&[]).run().exits(0);
    let warnings: Vec<_> = ran.stderr.matches("not copied to checkouts").collect();
    assert_eq!(warnings.len(), 1, "{}", ran.stderr);
    assert!(
        ran.stderr.contains(": local/one, local/two"),
        "{}",
        ran.stderr
    );
}

#[test]
pub(super) fn an_agent_implements_the_tasks_in_order_and_the_branch_has_a_commit_for_each() {
    let project = Project::committed(&["[]", "[1]"]);
    project.agent(2, "[ -e 1.txt ] && echo 2 > 2.txt");
    project.run(&[]).run().exits(0);
    assert_eq!(project.calls(), ["1.1", "2.1"]);
    assert_eq!(project.log(), ["Task 2", "Task 1", "Start"]);
    assert_eq!(project.environment.read("2.txt"), "2\n");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    assert_eq!(project.states(), ["landed", "landed"]);
    let file = project.environment.read("tasks/demo/01-task.md");
    assert!(file.contains("status: complete"), "{file}");
    let message = project.git(&["log", "-1", "--format=%an <%ae>%n%b"]);
    assert!(
        message.starts_with("Ann <ann@example.org>\nTask: demo/2\nRalph-Run: "),
        "{message}"
    );
}

#[test]
pub(super) fn the_gate_believes_what_landed() {
    let project = Project::committed(&["[]", "[1]"]);
    project.run(&[]).run().exits(0);
    let gate = project
        .environment
        .ralph(["gate", "--offline", "--format", "json"]);
    let gate = gate.exits(3).json();
    let tasks = gate["specs"][0]["tasks"].as_array().unwrap();
    let proved: Vec<_> = tasks
        .iter()
        .map(|task| task["status"].as_str().unwrap())
        .collect();
    assert_eq!(proved, ["recorded", "recorded"], "{gate:#}");
}

#[test]
pub(super) fn a_task_that_is_complete_already_needs_no_agent() {
    let project = Project::new(&["[]", "[1]"]);
    project.environment.write("1.txt", "1\n");
    let path = "tasks/demo/01-task.md";
    let text = project
        .environment
        .read(path)
        .replace("pending", "complete");
    project.environment.write(path, text);
    project.commit();
    project.run(&[]).run().exits(0);
    assert_eq!(project.calls(), ["2.1"]);
    assert_eq!(project.states(), ["passed", "landed"]);
}

#[test]
pub(super) fn a_red_attempt_goes_back_with_the_output_and_the_change() {
    let project = Project::committed(&["[]"]);
    project.task(1, "[]", "echo \"found $(cat 1.txt)\"; grep -qx 1 1.txt");
    project.commit();
    project.agent(
        1,
        "if [ -e 1.txt ]; then echo 1 > 1.txt; else echo wrong > 1.txt; fi",
    );
    project.run(&[]).run().exits(0);
    assert_eq!(project.calls(), ["1.1", "1.2"]);
    assert_eq!(project.rejected(1), ["gate_red"]);
    let prompt = project.prompt(1, 2);
    assert!(prompt.contains("found wrong"), "{prompt}");
    assert_eq!(project.log(), ["Task 1", "Start"]);
}

#[test]
fn an_agent_that_does_nothing_completes_nothing() {
    let project = Project::committed(&["[]", "[1]", "[]"]);
    project.agent(1, "echo done");
    let ran = project.run(&[]).run().exits(1);
    assert_eq!(project.rejected(1), ["no_change", "no_change", "no_change"]);
    assert_eq!(project.states(), ["parked", "skipped", "landed"]);
    assert_eq!(project.log(), ["Task 3", "Start"]);
    assert!(
        ran.stdout.contains("no_change") || ran.stdout.contains("changed no file"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_result_that_git_ignores_is_named_before_any_agent_works() {
    let project = Project::new(&["[]"]);
    let environment = &project.environment;
    let task = "tasks/demo/01-task.md";
    let text = environment.read(task) + "\n## Deliverables\n\n- `1.txt`\n";
    environment.write(task, &text);
    environment.write(".gitignore", ".ralph-review/\n*.txt\n");
    project.commit();
    project.agent(1, "echo 1 > 1.txt");
    let ran = project.run(&["--attempts", "1"]).run().exits(1);
    let warning = "tasks name results that git ignores, so that no work on them is seen: 1.txt";
    assert!(ran.stderr.contains(warning), "{}", ran.stderr);
    assert_eq!(project.rejected(1), ["no_change"]);
}

#[test]
pub(super) fn already_satisfied_counts_only_where_the_command_passes() {
    let claim = "echo '{\"outcome\": \"already_satisfied\"}'";
    let project = Project::new(&["[]", "[]"]);
    project.environment.write("1.txt", "1\n");
    project.commit();
    project.agent(1, claim);
    project.agent(2, claim);
    project.run(&["--attempts", "1"]).run().exits(1);
    assert_eq!(project.states(), ["landed", "parked"]);
    assert_eq!(project.rejected(2), ["no_change"]);
    assert_eq!(project.log(), ["Task 1", "Start"]);
    let changed = project.git(&["show", "--name-only", "--format="]);
    assert_eq!(changed, "tasks/demo/01-task.md");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    let status = project.environment.ralph(["status", "--format", "json"]);
    let status = status.json();
    assert_eq!(
        status["specs"][0]["tasks"][0]["recorded"], true,
        "{status:#}"
    );
}

#[test]
pub(super) fn a_task_that_passed_without_a_change_is_recorded_where_its_file_is_not_committed() {
    let project = Project::new(&["[]"]);
    project.git(&["init", "-q"]);
    project.git(&["commit", "-q", "--allow-empty", "-m", "Start"]);
    project.task(1, "[]", "true");
    project.agent(1, "echo '{\"outcome\": \"already_satisfied\"}'");
    project.run(&[]).run().exits(0);
    assert_eq!(project.states(), ["passed"]);
    assert_eq!(project.log(), ["Start"]);
    let status = project.environment.ralph(["status", "--format", "json"]);
    let status = status.exits(0).json();
    assert_eq!(status["specs"][0]["tasks"][0]["recorded"], true);
}

#[test]
pub(super) fn a_question_parks_the_task_and_the_others_go_on() {
    let project = Project::committed(&["[]", "[]"]);
    project.agent(
        1,
        "echo '{\"outcome\": \"question\", \"text\": \"Which limit?\"}'",
    );
    let ran = project.run(&[]).run().exits(1);
    assert_eq!(project.calls(), ["1.1", "2.1"]);
    assert_eq!(project.states(), ["parked", "landed"]);
    assert!(ran.stdout.contains("Which limit?"), "{}", ran.stdout);
}

#[test]
pub(super) fn an_agent_that_fails_goes_on_with_its_files_in_the_next_attempt() {
    let project = Project::committed(&["[]"]);
    project.agent(
        1,
        "echo line >> 1.txt; [ $(wc -l < 1.txt) -lt 3 ] && exit 7; echo 1 > 1.txt",
    );
    project.run(&[]).run().exits(0);
    assert_eq!(project.calls(), ["1.1", "1.2", "1.3"]);
    assert_eq!(project.rejected(1), ["agent_failed", "agent_failed"]);
}

#[test]
fn an_agent_that_cannot_be_started_parks_the_task_at_once_and_is_not_called_for_others() {
    let project = Project::committed(&["[]", "[]", "[1]"]);
    let run = [
        "run",
        "--spec",
        "specs/DEMO.md",
        "--tasks-only",
        "--implementer",
        "cmd:nowhere",
    ];
    let ran = project.environment.ralph(run).exits(1);
    assert_eq!(project.rejected(1), ["agent_unavailable"]);
    assert_eq!(project.states(), ["parked", "not_run", "skipped"]);
    assert!(project.rejected(2).is_empty());
    let why = "the agent could not be called for task 1, and is called for no other";
    assert_eq!(project.report()["tasks"][1]["reason"], why);
    assert!(ran.stdout.contains("then `ralph resume"), "{}", ran.stdout);
}

#[test]
fn where_an_agent_cannot_be_asked_the_next_one_of_the_chain_is() {
    let project = Project::committed(&["[]", "[]"]);
    let run = ["run", "--spec", "specs/DEMO.md", "--tasks-only"];
    let chain = ["--implementer", "cmd:nowhere,cmd:agent"];
    let run = project.environment.command(run.iter().chain(&chain));
    run.env("RALPH_LANE_SANDBOX", "{mode='off'}").run().exits(0);
    assert_eq!(project.states(), ["landed", "landed"]);
    assert_eq!(project.calls(), ["1.1", "2.1"]);
    for task in [0, 1] {
        let attempt = &project.report()["tasks"][task]["attempts"][0];
        assert!(attempt["retry_in_ms"].is_u64(), "{attempt}");
        let reason = attempt["reason"].as_str().unwrap();
        assert!(reason.ends_with("; cmd:agent is asked instead"), "{reason}");
    }
}

#[test]
fn the_variables_of_an_agent_name_its_task_and_its_checkout() {
    let project = Project::committed(&["[]"]);
    project.agent(
        1,
        "echo \"$RALPH_ROLE $RALPH_UNIT $RALPH_TASK $RALPH_ATTEMPT\" > 1.txt; \
         if [ \"$PWD\" = \"$RALPH_ROOT\" ] && [ -z \"$GIT_DIR\" ]; then echo 1 >> 1.txt; fi",
    );
    let ran = project.run(&[]).env("GIT_DIR", "/nowhere").run();
    ran.exits(0);
    assert_eq!(
        project.environment.read("1.txt"),
        "implementer demo 1 1\n1\n"
    );
}

#[test]
fn agents_that_work_at_a_time_have_ports_of_their_own() {
    let project = Project::committed(&["[]", "[]"]);
    let home = project.environment.home();
    for pipe in ["from-1", "from-2"] {
        let made = Command::new("mkfifo").arg(home.join(pipe)).status();
        assert!(made.unwrap().success());
    }
    let listen = "perl -MIO::Socket::INET -e '\
        $listener = IO::Socket::INET->new(LocalAddr => \"127.0.0.1\", Listen => 1, \
            LocalPort => $ENV{RALPH_PORT_BASE}) or die; \
        exit(system(\"sh\", \"-c\", shift) != 0)'";
    for (task, meet) in [
        (1, "echo > $HOME/from-1; read line < $HOME/from-2"),
        (2, "read line < $HOME/from-1; echo > $HOME/from-2"),
    ] {
        let script = format!("{listen} '{meet}' && echo {task} > {task}.txt");
        project.agent(task, &script);
    }
    project
        .run(&["--jobs", "2", "--max-time", "1m"])
        .run()
        .exits(0);
    assert_eq!(project.calls().len(), 2);
}

#[test]
fn agents_setup_and_gates_have_a_name_ports_and_a_folder_for_temporary_files() {
    let project = Project::new(&["[]"]);
    let note = |role: &str| {
        format!(
            "echo \"$RALPH_ROLE $RALPH_TASK $RALPH_ATTEMPT $((RALPH_PORT_BASE % 100)) \
             $RALPH_PORT_COUNT\" >> \"$HOME/{role}\"; [ -d \"$TMPDIR\" ] && echo \"$RALPH_NAME $COMPOSE_PROJECT_NAME\" \
             >> \"$HOME/names\""
        )
    };
    let gate = project.environment.home().join("gate.sh");
    fs::write(&gate, format!("{}\ngrep -qx 1 1.txt", note("gate"))).unwrap();
    project.task(1, "[]", &format!("sh {}", gate.display()));
    let setup = project.environment.home().join("setup.sh");
    fs::write(&setup, note("setup")).unwrap();
    let config = format!("[lane]\nsetup = [\"sh {}\"]\n", setup.display());
    project.environment.write("ralph.toml", config);
    project.agent(1, &format!("{}; echo 1 > 1.txt", note("agent")));
    project.commit();
    project.run(&[]).run().exits(0);
    let lines = |name: &str| {
        let text = fs::read_to_string(project.environment.home().join(name)).unwrap();
        let lines: std::collections::BTreeSet<_> = text.lines().map(str::to_owned).collect();
        Vec::from_iter(lines)
    };
    assert_eq!(lines("agent"), ["implementer 1 1 0 100"]);
    assert_eq!(lines("gate"), ["   0 100"]);
    assert_eq!(lines("setup"), ["setup   0 100", "setup 1 1 0 100"]);
    let names = lines("names");
    let [of_checkout, of_task] = &names[..] else {
        panic!("{names:?}");
    };
    assert_eq!(*of_task, format!("{0}-1 {0}-1", &of_checkout[..12]));
    assert_eq!(*of_checkout, format!("{0} {0}", &of_checkout[..12]));
    assert!(of_checkout.starts_with("ralph-"), "{of_checkout}");
}

#[test]
pub(super) fn an_agent_that_removes_its_checkout_has_another_attempt() {
    let project = Project::committed(&["[]"]);
    project.agent(
        1,
        "if [ $RALPH_ATTEMPT = 1 ]; then rm -rf \"$PWD\"; else echo 1 > 1.txt; fi",
    );
    project.run(&[]).run().exits(0);
    assert_eq!(project.rejected(1), ["no_change"]);
}

#[test]
fn other_files_beside_a_nested_repository_are_kept_for_the_next_attempt() {
    let project = Project::committed(&["[]"]);
    project.agent(
        1,
        "if [ $RALPH_ATTEMPT = 1 ]; then mkdir sub; git -C sub init -q; echo 1 > 1.txt; \
         else [ -e 1.txt ] || exit 7; echo more > more.txt; fi",
    );
    project.run(&[]).run().exits(0);
    assert_eq!(project.rejected(1), ["file_refused"]);
    assert_eq!(project.environment.read("1.txt"), "1\n");
}

#[test]
fn a_unit_file_that_is_a_pipe_stops_nothing() {
    let project = Project::committed(&["[]"]);
    project.agent(
        1,
        "rm specs/DEMO.md; mkfifo \"$HOME/pipe\"; ln -s \"$HOME/pipe\" specs/DEMO.md; echo 1 > 1.txt",
    );
    project.run(&[]).run().exits(0);
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}

#[test]
fn clients_side_by_side_have_a_database_each_unless_the_user_names_one() {
    for (client, variable, name) in [
        ("codex", "CODEX_SQLITE_HOME", "codex"),
        ("opencode", "OPENCODE_DB", "opencode.db"),
    ] {
        let project = Project::committed(&["[]", "[]"]);
        let environment = &project.environment;
        let script = format!(
            "[ \"$1\" = debug ] && exit\n\
             [ -d \"$(dirname \"${variable}\")\" ] && echo \"${variable}\" >> \"$HOME/databases\"\n\
             echo $RALPH_TASK > $RALPH_TASK.txt; exit 1"
        );
        environment.program(client, &script);
        let databases = || {
            let file = environment.home().join("databases");
            let text = fs::read_to_string(&file).unwrap();
            fs::remove_file(file).unwrap();
            let mut lines: Vec<_> = text.lines().map(PathBuf::from).collect();
            lines.sort();
            lines
        };
        let run = |named: Option<&str>| {
            let arguments = ["run", "DEMO", "--tasks-only", "--implementer", client];
            let limits = ["--jobs", "2", "--attempts", "1"];
            let run = environment
                .command(arguments.iter().chain(&limits))
                .env("RALPH_LANE_SANDBOX", "{mode='off'}");
            let run = match named {
                Some(path) => run.env(variable, path),
                None => run,
            };
            run.run().exits(1);
        };
        run(None);
        let clients = project.lane().join("clients");
        let of_task = |task: &str| clients.join(task).join(name);
        assert_eq!(databases(), [of_task("1"), of_task("2")], "{client}");
        run(Some("/srv/sessions"));
        assert_eq!(databases(), ["/srv/sessions"; 2].map(PathBuf::from));
    }
}
