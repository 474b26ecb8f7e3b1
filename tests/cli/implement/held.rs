//! Tasks that are held are released by a user.

use super::Project;
use super::cheating::inline_tests;

/// A project with a held task, and one that depends on it.
fn held() -> Project {
    let project = inline_tests();
    project.task(2, "[1]", "grep -q 2 2.txt");
    project.commit();
    project.agent(1, "sed -i /subtracts/d code.txt; echo done >> code.txt");
    project
}

/// The command that the last report says to accept a held task with.
fn printed_command(project: &Project) -> Vec<String> {
    let report = project.report();
    let steps = report["next"].as_array().unwrap().iter();
    let texts = steps.map(|step| step["text"].as_str().unwrap().to_owned());
    let commands = texts.flat_map(|text| {
        let quoted = text.split('`').skip(1).step_by(2).map(str::to_owned);
        quoted.collect::<Vec<_>>()
    });
    let mut approve = commands.filter(|command| command.starts_with("ralph approve "));
    let command = approve.next().expect("the report names the command");
    command.split(' ').skip(1).map(str::to_owned).collect()
}

#[test]
pub(super) fn the_printed_command_lands_a_held_task_without_another_attempt() {
    let project = held();
    project.run(&[]).run().exits(6);
    assert_eq!(project.states(), ["held", "skipped"]);
    let approve = printed_command(&project);
    let ran = project.environment.ralph(&approve).exits(0);
    let said = "\ntask 1 approved by NAME: TEXT\n";
    assert!(ran.stdout.contains(said), "{}", ran.stdout);
    assert_eq!(project.states(), ["landed", "landed"]);
    let trailers = "--format=%(trailers:key=Approved-by,valueonly,separator=)";
    let approved = project.git(&["log", trailers]);
    assert_eq!(approved.lines().collect::<Vec<_>>(), ["", "NAME"]);
    assert_eq!(project.calls(), ["1.1", "2.1"]);
    assert_eq!(project.log(), ["Task 2", "Task 1", "Start"]);
    assert_eq!(project.environment.read("code.txt"), "ok 1 - adds\ndone\n");
    let change = &project.report()["tasks"][0]["change"];
    assert_eq!(change["approved"]["by"], "NAME");
    assert_eq!(change["approved"]["why"], "TEXT");
    assert_eq!(change["flags"][0]["code"], "tests_changed");
    let records = project.environment.files(".ralph-review/records");
    let record = records.iter().find(|path| path.contains("/1"));
    let record = record.unwrap_or_else(|| panic!("{records:?}"));
    let record = project.environment.read(record);
    assert!(record.contains("\"approved\""), "{record}");
}

#[test]
fn an_approval_of_one_task_leaves_the_others_as_they_are() {
    let project = inline_tests();
    project.environment.write("two.txt", "ok 1 - multiplies\n");
    project.environment.write(
        "two.sh",
        "cat two.txt; echo 1..$(wc -l < two.txt); grep -q 2 2.txt\n",
    );
    project.task(2, "[]", "sh two.sh");
    project.commit();
    project.agent(1, "sed -i /subtracts/d code.txt; echo done >> code.txt");
    project.agent(2, "echo 2 > 2.txt; echo 'ok 1 - other' > two.txt");
    project.run(&[]).run().exits(6);
    assert_eq!(project.states(), ["held", "held"]);
    let approve = |task| {
        let words = ["approve", "latest", "--task", task, "--by", "ann"];
        let why = ["--why", "it was wrong"];
        project.environment.ralph(words.into_iter().chain(why))
    };
    approve("2").exits(6);
    assert_eq!(project.states(), ["held", "landed"]);
    let error = approve("2").exits(1).stderr;
    assert!(error.contains("task 2 of run"), "{error}");
    assert!(error.contains("is not held: landed"), "{error}");
    approve("1").exits(0);
    assert_eq!(project.calls(), ["1.1", "2.1"]);
}

#[test]
fn without_an_approval_the_agent_tries_again_and_keeps_the_test() {
    let project = held();
    project.run(&[]).run().exits(6);
    project.agent(1, "git checkout -q HEAD -- code.txt; echo done >> code.txt");
    project.environment.ralph(["resume", "latest"]).exits(0);
    assert!(project.prompt(1, 2).contains("gone: subtracts"));
    assert_eq!(
        project.environment.read("code.txt"),
        "ok 1 - adds\nok 2 - subtracts\ndone\n"
    );
}

#[test]
fn an_approval_names_a_task_and_a_reason() {
    let project = held();
    project.run(&[]).run().exits(6);
    for options in [
        &["--task", "1"][..],
        &["--why", "x"],
        &["--task", "0", "--why", "x"],
        &["--task", "1", "--why", " "],
    ] {
        let words = ["approve", "latest", "--by", "ann"];
        project
            .environment
            .ralph(words.iter().chain(options))
            .exits(2);
    }
    let unknown = [
        "approve", "latest", "--task", "9", "--by", "a", "--why", "x",
    ];
    let error = project.environment.ralph(unknown).exits(1).stderr;
    assert!(error.contains("task 9 of run"), "{error}");
}
