use super::*;

fn number(number: u32) -> TaskNumber {
    TaskNumber::new(number).expect("not 0")
}

fn unit(name: &str) -> UnitId {
    name.parse().expect("a legal name")
}

fn got() -> String {
    "x".to_owned()
}

/// Each kind with whether it stops tasks, its message and its hint.
fn errors() -> Vec<(FaultKind, bool, &'static str, Option<&'static str>)> {
    let yaml = FaultKind::Yaml {
        kind: YamlErrorKind::Alias,
        hint: Some("quote it".to_owned()),
    };
    let known: Arc<[TaskNumber]> = [number(1), number(2)].into();
    vec![
        (
            FaultKind::NotUtf8,
            false,
            "the file is not UTF-8 text",
            Some("save the file as UTF-8"),
        ),
        (
            FaultKind::NoFrontMatter,
            true,
            "the file has no front matter",
            Some("start the file with ---, task: 1, and ---"),
        ),
        (
            FaultKind::UnclosedFrontMatter,
            true,
            "the front matter is never closed",
            Some("close it with a line ---"),
        ),
        (
            yaml,
            true,
            "aliases (*name) are not supported",
            Some("quote it"),
        ),
        (
            FaultKind::NotAMapping,
            true,
            "the front matter is not a mapping of keys to values",
            Some("write lines such as task: 1"),
        ),
        (
            FaultKind::MissingNumber,
            true,
            "the task has no number",
            Some("add task: with an integer from 1"),
        ),
        (
            FaultKind::BadNumber { got: got() },
            true,
            "\"x\" is not a task number",
            Some("write an integer from 1"),
        ),
        (
            FaultKind::BadDependency { got: got() },
            true,
            "\"x\" is not the number of a task",
            Some("write task numbers: depends_on: [1, 2]"),
        ),
        (
            FaultKind::WrongType {
                key: "covers",
                expected: "an array of strings",
            },
            false,
            "\"covers\" must be an array of strings",
            Some("write covers: as an array of strings; quote a string that contains \": \""),
        ),
        (
            FaultKind::UnknownStatus {
                got: got(),
                nearest: None,
            },
            false,
            "\"x\" is not a status",
            Some("write one of pending, in_progress, complete, failed, blocked"),
        ),
        (
            FaultKind::UnknownStatus {
                got: got(),
                nearest: Some(TaskStatus::Failed),
            },
            false,
            "\"x\" is not a status",
            Some("did you mean failed?"),
        ),
        (
            FaultKind::NoCommand,
            false,
            "no backpressure command",
            Some("add backpressure: with a command that fails until the task is done"),
        ),
        (
            FaultKind::BadTimeout { got: got() },
            false,
            "\"x\" is not a duration",
            Some("write 90s, 10m or 2h"),
        ),
        (
            FaultKind::DuplicateNumber {
                number: number(2),
                first: "a.md".to_owned(),
                free: number(5),
            },
            true,
            "task number 2 is used twice, first in a.md",
            Some("5 is free"),
        ),
        (
            FaultKind::SelfDependency { number: number(2) },
            true,
            "task 2 depends on itself",
            Some("remove the number from depends_on"),
        ),
        (
            FaultKind::UnknownDependency {
                number: number(2),
                missing: number(9),
                known,
            },
            true,
            "task 2 depends on task 9, which does not exist",
            Some("there are tasks 1, 2"),
        ),
        (
            FaultKind::Cycle {
                path: [1, 2, 1].map(number).to_vec(),
            },
            true,
            "tasks depend on one another: 1 -> 2 -> 1",
            Some("remove one of these dependencies"),
        ),
        (
            FaultKind::UnknownUnit {
                unit: unit("web"),
                missing: got(),
                nearest: vec![],
            },
            false,
            "unit web depends on unit \"x\", which does not exist",
            None,
        ),
        (
            FaultKind::UnitCycle {
                path: ["a", "b", "a"].map(unit).to_vec(),
            },
            false,
            "units depend on one another: a -> b -> a",
            Some("remove one of these dependencies"),
        ),
    ]
}

fn warnings() -> Vec<(FaultKind, &'static str, Option<&'static str>)> {
    vec![
        (
            FaultKind::UnknownKey {
                key: "taks".to_owned(),
                nearest: Some("task"),
            },
            "unknown key \"taks\"",
            Some("did you mean task?"),
        ),
        (
            FaultKind::UnknownKey {
                key: got(),
                nearest: None,
            },
            "unknown key \"x\"",
            None,
        ),
        (
            FaultKind::LooseNumber {
                got: got(),
                number: number(2),
            },
            "\"x\" is read as task 2",
            Some("write task: 2"),
        ),
        (
            FaultKind::LooseDependency {
                got: got(),
                number: number(2),
            },
            "the dependency \"x\" is read as task 2",
            Some("write depends_on: [2]"),
        ),
        (
            FaultKind::RepeatedDependency { number: number(2) },
            "the dependency on task 2 is listed twice",
            Some("remove one of the two"),
        ),
        (
            FaultKind::LooseStatus {
                got: got(),
                status: TaskStatus::Complete,
            },
            "the status \"x\" is read as complete",
            Some("write status: complete"),
        ),
        (
            FaultKind::CutCommand {
                cut: "#b".to_owned(),
            },
            "the command ends before \"#b\", which is a YAML comment",
            Some("put the whole command in quotes"),
        ),
        (
            FaultKind::OtherUnitName {
                unit: got(),
                folder: unit("web"),
            },
            "the plan names unit \"x\", its folder is web",
            Some("write unit: web"),
        ),
    ]
}

fn fault(kind: FaultKind) -> Fault {
    Fault {
        path: "tasks/web/01-a.md".to_owned(),
        place: Place::default(),
        kind,
    }
}

#[test]
fn every_error_has_a_hint_and_may_stop_tasks() {
    for (kind, stops, message, hint) in errors() {
        let fault = fault(kind);
        assert_eq!(fault.severity(), Severity::Error, "{message}");
        assert_eq!(fault.stops_tasks(), stops, "{message}");
        assert_eq!(fault.to_string(), message);
        assert_eq!(fault.kind.hint().as_deref(), hint, "{message}");
    }
}

#[test]
fn a_warning_has_the_interpretation_and_stops_nothing() {
    for (kind, message, hint) in warnings() {
        let fault = fault(kind);
        assert_eq!(fault.severity(), Severity::Warning, "{message}");
        assert!(!fault.stops_tasks(), "{message}");
        assert_eq!(fault.to_string(), message);
        assert_eq!(fault.kind.hint().as_deref(), hint, "{message}");
    }
}

#[test]
fn the_known_numbers_in_a_hint_are_shortened() {
    let hint = |count: u32| {
        let known = (1..=count).map(number).collect();
        FaultKind::UnknownDependency {
            number: number(1),
            missing: number(99),
            known,
        }
        .hint()
    };
    assert_eq!(hint(0).as_deref(), Some("no task of the unit has a number"));
    assert!(hint(20).is_some_and(|hint| hint.ends_with("18, 19, 20")));
    assert_eq!(hint(21).as_deref(), Some("there are 21 tasks, 1 to 21"));
}

#[test]
fn near_units_are_in_the_hint() {
    let nearest = vec![unit("git"), unit("gitops")];
    let kind = FaultKind::UnknownUnit {
        unit: unit("web"),
        missing: got(),
        nearest,
    };
    assert_eq!(kind.hint().as_deref(), Some("did you mean git, gitops?"));
}

#[test]
fn a_long_cycle_is_shortened_in_the_middle() {
    let told = |tasks: u32| {
        let path = (1..=tasks).chain([1]).map(number).collect();
        FaultKind::Cycle { path }.to_string()
    };
    let whole =
        "1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> 8 -> 9 -> 10 -> 11 -> 12 -> 13 -> 14 -> 15 -> 16 -> 1";
    assert_eq!(told(16), format!("tasks depend on one another: {whole}"));
    for (tasks, expected) in [
        (
            17,
            "1 -> 2 -> 3 -> 4 -> 5 -> ... 8 more ... -> 14 -> 15 -> 16 -> 17 -> 1",
        ),
        (
            9000,
            "1 -> 2 -> 3 -> 4 -> 5 -> ... 8991 more ... -> 8997 -> 8998 -> 8999 -> 9000 -> 1",
        ),
    ] {
        assert_eq!(
            told(tasks),
            format!("tasks depend on one another: {expected}")
        );
    }
}
