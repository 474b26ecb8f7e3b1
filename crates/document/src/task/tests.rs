use proptest::prelude::*;

use super::*;
use crate::span::{LineIndex, Position};
use crate::yaml::YamlErrorKind;

const PATH: &str = "tasks/x/02-schema.md";

fn task(front_matter: &str) -> TaskFile {
    TaskFile::parse(PATH, format!("---\n{front_matter}---\n# Schema\n"))
}

fn number(number: u32) -> TaskNumber {
    TaskNumber::new(number).expect("not 0")
}

fn kinds(task: &TaskFile) -> Vec<FaultKind> {
    task.faults.iter().map(|fault| fault.kind.clone()).collect()
}

fn commands(task: &TaskFile) -> Vec<&str> {
    task.backpressure
        .iter()
        .map(|step| step.value.as_str())
        .collect()
}

fn dependencies(task: &TaskFile) -> Vec<u32> {
    task.depends_on
        .iter()
        .map(|number| number.value.get())
        .collect()
}

#[test]
fn a_complete_file_is_parsed() {
    let text = "---\ntask: 2\nstatus: in_progress\nbackpressure: \"cargo test schema\"\n\
        depends_on: [1]\ntimeout: 90s\ncovers: [FR-1, FR-2]\npaths: src\n\
        may_change: [tests/a.py, '*.ini']\nhidden: tests/b.py\n---\n\n\
        # Schema\n\n**Parent spec**: `/specs/A.md`\n";
    let task = TaskFile::parse(PATH, text);
    assert_eq!(task.path, PATH);
    assert_eq!(task.file_name(), "02-schema.md");
    assert_eq!(
        task.number.as_ref().map(|number| number.value),
        Some(number(2))
    );
    assert_eq!(task.status, TaskStatus::InProgress);
    assert_eq!(
        task.status_place.and_then(|place| place.span.slice(text)),
        Some("in_progress")
    );
    assert_eq!(commands(&task), ["cargo test schema"]);
    assert_eq!(dependencies(&task), [1]);
    assert_eq!(
        task.depends_on_place
            .and_then(|place| place.span.slice(text)),
        Some("[1]")
    );
    let timeout = task.timeout.map(|timeout| timeout.value);
    assert_eq!(timeout, Some(Duration::from_secs(90)));
    let texts = |list: &[Spanned<String>]| -> Vec<_> {
        list.iter().map(|text| text.value.clone()).collect()
    };
    assert_eq!(texts(&task.covers), ["FR-1", "FR-2"]);
    assert_eq!(texts(&task.paths), ["src"]);
    assert_eq!(texts(&task.may_change), ["tests/a.py", "*.ini"]);
    assert_eq!(texts(&task.hidden), ["tests/b.py"]);
    assert_eq!(
        task.title.map(|title| title.value).as_deref(),
        Some("Schema")
    );
    let parent = task.parent_spec.expect("a parent spec");
    assert_eq!(parent.value, "/specs/A.md");
    assert_eq!(parent.place.position.line, 15);
    assert_eq!(task.faults, []);
}

#[test]
fn unusual_marks_of_the_front_matter_are_accepted() {
    let plain = "---\ntask: 2\nstatus: complete\nbackpressure: go test\n---\n# T\n";
    for text in [
        plain.to_owned(),
        plain.replace('\n', "\r\n"),
        plain.replace('\n', "\r"),
        format!("\u{feff}{plain}"),
        format!("\n \n{plain}"),
        plain.replacen("---", "--- ", 2),
        plain.replace("---\n# T", "...\n# T"),
        plain.replace("---\n# T\n", "---"),
        "# T\n\n```yaml\ntask: 2\nstatus: complete\nbackpressure: go test\n```\n".to_owned(),
    ] {
        let task = TaskFile::parse(PATH, &text);
        assert_eq!(task.faults, [], "{text:?}");
        assert_eq!(
            task.number.map(|number| number.value),
            Some(number(2)),
            "{text:?}"
        );
        assert_eq!(task.status, TaskStatus::Complete, "{text:?}");
    }
}

#[test]
fn an_invalid_front_matter_is_a_precise_fault() {
    for (text, kind, line, column) in [
        ("# T\n", FaultKind::NoFrontMatter, 1, 1),
        ("", FaultKind::NoFrontMatter, 1, 1),
        ("\n---\ntask: 2\n", FaultKind::UnclosedFrontMatter, 2, 1),
        ("---\n- task\n---\n", FaultKind::NotAMapping, 2, 1),
        (
            "---\ntask: 2\ntask: 3\n---\n",
            FaultKind::Yaml {
                kind: YamlErrorKind::DuplicateKey {
                    key: "task".to_owned(),
                    first_line: 2,
                },
                hint: None,
            },
            3,
            1,
        ),
        (
            "---\ntask: 2\nbackpressure: echo a: b\n---\n",
            FaultKind::Yaml {
                kind: YamlErrorKind::Syntax(
                    "mapping values are not allowed in this context".to_owned(),
                ),
                hint: Some("put the value in quotes: backpressure: 'echo a: b'".to_owned()),
            },
            3,
            21,
        ),
    ] {
        let task = TaskFile::parse(PATH, text);
        assert_eq!(kinds(&task), [kind], "{text:?}");
        assert_eq!(
            task.faults[0].place.position,
            Position { line, column },
            "{text:?}"
        );
        assert_eq!(task.faults[0].path, PATH);
        assert!(task.faults[0].stops_tasks(), "{text:?}");
    }
}

#[test]
fn an_empty_block_lacks_a_number_and_a_command() {
    let task = TaskFile::parse(PATH, "\n---\n---\n");
    assert_eq!(
        kinds(&task),
        [FaultKind::MissingNumber, FaultKind::NoCommand]
    );
    assert_eq!(task.faults[0].place.position.line, 2);
    assert_eq!(task.faults[0].place.span, crate::Span::empty(1));
}

#[test]
fn the_number_comes_from_the_id_or_the_file_name() {
    let loose = |got: &str| FaultKind::LooseNumber {
        got: got.to_owned(),
        number: number(2),
    };
    for (value, expected, kind) in [
        ("2", Some(2), None),
        ("02", Some(2), None),
        ("\"2\"", Some(2), Some(loose("2"))),
        ("02-css", Some(2), Some(loose("02-css"))),
        ("css", Some(2), Some(loose("css"))),
        (
            "1.5",
            None,
            Some(FaultKind::BadNumber {
                got: "1.5".to_owned(),
            }),
        ),
        (
            "-3",
            None,
            Some(FaultKind::BadNumber {
                got: "-3".to_owned(),
            }),
        ),
        (
            "0",
            None,
            Some(FaultKind::BadNumber {
                got: "0".to_owned(),
            }),
        ),
        (
            "[2]",
            None,
            Some(FaultKind::BadNumber {
                got: "an array".to_owned(),
            }),
        ),
        ("", None, Some(FaultKind::MissingNumber)),
        ("''", None, Some(FaultKind::MissingNumber)),
    ] {
        let task = task(&format!("task: {value}\nbackpressure: x\n"));
        let read = task.number.as_ref().map(|number| number.value.get());
        assert_eq!(read, expected, "{value}");
        assert_eq!(kinds(&task), Vec::from_iter(kind), "{value}");
    }
}

#[test]
fn a_name_without_digits_in_a_file_without_digits_is_not_a_number() {
    let task = TaskFile::parse("tasks/x/css.md", "---\ntask: css\nbackpressure: x\n---\n");
    assert_eq!(
        kinds(&task),
        [FaultKind::BadNumber {
            got: "css".to_owned()
        }]
    );
}

#[test]
fn dependencies_are_normalised() {
    let loose = |got: &str, n| FaultKind::LooseDependency {
        got: got.to_owned(),
        number: number(n),
    };
    let bad = |got: &str| FaultKind::BadDependency {
        got: got.to_owned(),
    };
    let repeated = |n| FaultKind::RepeatedDependency { number: number(n) };
    for (value, expected, faults) in [
        ("[1, 3]", vec![1, 3], vec![]),
        ("[]", vec![], vec![]),
        ("", vec![], vec![]),
        ("[~]", vec![], vec![]),
        ("\n  - 1\n  - 03", vec![1, 3], vec![]),
        ("[\"1\"]", vec![1], vec![loose("1", 1)]),
        ("[\"#1\"]", vec![1], vec![loose("#1", 1)]),
        ("[01-types]", vec![1], vec![loose("01-types", 1)]),
        ("1", vec![1], vec![loose("1", 1)]),
        ("'#1, #4'", vec![1, 4], vec![loose("#1", 1), loose("#4", 4)]),
        ("None", vec![], vec![]),
        ("'-'", vec![], vec![]),
        ("[2, 2]", vec![2], vec![repeated(2)]),
        ("[1.0]", vec![1], vec![loose("1.0", 1)]),
        ("[1.5]", vec![], vec![bad("1.5")]),
        ("[0, 1]", vec![1], vec![bad("0")]),
        ("[-1]", vec![], vec![bad("-1")]),
        ("[types]", vec![], vec![bad("types")]),
        ("[true]", vec![], vec![bad("true")]),
        ("[[1]]", vec![], vec![bad("an array or mapping")]),
        ("{a: 1}", vec![], vec![bad("an array or mapping")]),
    ] {
        let task = task(&format!("task: 2\nbackpressure: x\ndepends_on: {value}\n"));
        assert_eq!(dependencies(&task), expected, "{value}");
        assert_eq!(kinds(&task), faults, "{value}");
    }
}

#[test]
fn a_status_in_another_spelling_gives_a_warning() {
    let task = task("task: 2\nstatus: Done\nbackpressure: x\n");
    assert_eq!(task.status, TaskStatus::Complete);
    assert_eq!(
        kinds(&task),
        [FaultKind::LooseStatus {
            got: "Done".to_owned(),
            status: TaskStatus::Complete
        }]
    );
    assert_eq!(
        task.faults[0].to_string(),
        "the status \"Done\" is read as complete"
    );
}

#[test]
fn a_task_without_a_valid_status_is_pending() {
    for (value, kind) in [
        ("", None),
        ("''", None),
        (
            "completd",
            Some(FaultKind::UnknownStatus {
                got: "completd".to_owned(),
                nearest: Some(TaskStatus::Complete),
            }),
        ),
        (
            "[complete]",
            Some(FaultKind::WrongType {
                key: "status",
                expected: "one word",
            }),
        ),
    ] {
        let task = task(&format!("task: 2\nstatus: {value}\nbackpressure: x\n"));
        assert_eq!(task.status, TaskStatus::Pending, "{value}");
        assert_eq!(kinds(&task), Vec::from_iter(kind), "{value}");
        assert!(
            task.faults.iter().all(|fault| !fault.stops_tasks()),
            "{value}"
        );
    }
}

#[test]
fn commands_are_a_string_a_block_or_an_array_of_steps() {
    for (value, expected) in [
        ("go test ./...", vec!["go test ./..."]),
        ("'it''s'", vec!["it's"]),
        ("\"a \\\\- b\"", vec!["a \\- b"]),
        ("true", vec!["true"]),
        ("|\n  go vet\n  go test", vec!["go vet\ngo test"]),
        (">-\n  go\n  test", vec!["go test"]),
        ("[go vet, go test]", vec!["go vet", "go test"]),
        ("\n  - go vet\n  -\n  - go test", vec!["go vet", "go test"]),
        ("a#b", vec!["a#b"]),
    ] {
        let task = task(&format!("task: 2\nbackpressure: {value}\n"));
        assert_eq!(commands(&task), expected, "{value}");
        assert_eq!(task.faults, [], "{value}");
    }
}

#[test]
fn a_task_without_a_command_has_a_fault() {
    for value in ["", "''", "' '", "~", "'-'", "None", "[]", "['']"] {
        let task = task(&format!("task: 2\nbackpressure: {value}\n"));
        assert_eq!(kinds(&task), [FaultKind::NoCommand], "{value}");
        assert_eq!(task.faults[0].place.position.line, 3, "{value}");
        assert!(!task.faults[0].stops_tasks());
    }
    assert_eq!(kinds(&task("task: 2\n")), [FaultKind::NoCommand]);
}

#[test]
fn a_step_that_is_not_a_string_leaves_no_command() {
    let wrong = FaultKind::WrongType {
        key: "backpressure",
        expected: "a command or an array of commands",
    };
    for value in ["{run: x}", "\n  - go vet\n  - echo a: b", "[x, [y]]"] {
        let task = task(&format!("task: 2\nbackpressure: {value}\n"));
        assert_eq!(commands(&task), [""; 0], "{value}");
        assert_eq!(kinds(&task), std::slice::from_ref(&wrong), "{value}");
    }
}

#[test]
fn a_comment_that_cuts_a_command_is_a_warning() {
    let cut = FaultKind::CutCommand {
        cut: "#b c".to_owned(),
    };
    for (value, expected, faults) in [
        ("echo a #b c", "echo a", vec![cut.clone()]),
        ("[echo a #b c\n  ]", "echo a", vec![cut.clone()]),
        ("\n  - echo a #b c", "echo a", vec![cut]),
        ("'echo a' #b c", "echo a", vec![]),
        ("echo a\n# b c", "echo a", vec![]),
    ] {
        let task = task(&format!("task: 2 # first\nbackpressure: {value}\n"));
        assert_eq!(commands(&task), [expected], "{value}");
        assert_eq!(kinds(&task), faults, "{value}");
    }
}

#[test]
fn an_unknown_key_is_kept_and_reported() {
    let task = task("task: 2\nbackpresure: x\nunit: y\n");
    assert_eq!(
        kinds(&task),
        [
            FaultKind::NoCommand,
            FaultKind::UnknownKey {
                key: "backpresure".to_owned(),
                nearest: Some("backpressure")
            },
            FaultKind::UnknownKey {
                key: "unit".to_owned(),
                nearest: None
            },
        ]
    );
    let keys: Vec<_> = task
        .unknown_keys
        .iter()
        .map(|key| key.value.as_str())
        .collect();
    assert_eq!(keys, ["backpresure", "unit"]);
}

#[test]
fn an_invalid_timeout_is_a_fault() {
    for (value, got) in [("10", "10"), ("soon", "soon"), ("[1s]", "")] {
        let task = task(&format!("task: 2\nbackpressure: x\ntimeout: {value}\n"));
        assert_eq!(task.timeout, None);
        assert_eq!(
            kinds(&task),
            [FaultKind::BadTimeout {
                got: got.to_owned()
            }],
            "{value}"
        );
    }
    assert_eq!(task("task: 2\nbackpressure: x\ntimeout:\n").faults, []);
}

#[test]
fn arrays_of_strings_must_contain_strings() {
    let task = task("task: 2\nbackpressure: x\ncovers: [A, [B], ~]\n");
    assert_eq!(
        kinds(&task),
        [FaultKind::WrongType {
            key: "covers",
            expected: "an array of strings"
        }]
    );
    assert_eq!(task.covers.len(), 1);
}

#[test]
fn a_byte_that_is_not_utf8_does_not_affect_the_front_matter() {
    let mut bytes = b"---\ntask: 2\nbackpressure: x\n---\n# T\n".to_vec();
    bytes.extend([b'a', 0xE9, b'\n']);
    let task = TaskFile::parse(PATH, &bytes);
    assert_eq!(kinds(&task), [FaultKind::NotUtf8]);
    assert_eq!(
        task.faults[0].place.position,
        Position { line: 6, column: 2 }
    );
    assert!(task.number.is_some());
    let early = TaskFile::parse(PATH, b"---\ntask: \xFF\n---\n");
    assert!(early.faults.iter().any(Fault::stops_tasks));
}

proptest! {
    #[test]
    fn any_bytes_give_a_task_with_places_inside_them(
        text in r#"(---\n|task: |status: |backpressure: |depends_on: |timeout: |covers: |1|done|\[|\]|"|'|#|: |, |\n|\r\n|\u{feff}|\u{e9}|- |\|){0,40}"#,
        cut in 0usize..200,
    ) {
        let bytes = &text.as_bytes()[..cut.min(text.len())];
        let task = TaskFile::parse(PATH, bytes);
        if let Ok(text) = std::str::from_utf8(bytes) {
            let index = LineIndex::new(text);
            for fault in &task.faults {
                prop_assert!(fault.place.span.slice(text).is_some(), "{:?}", fault);
                prop_assert_eq!(index.place(fault.place.span).position.line, fault.place.position.line, "{:?}", fault);
            }
        }
        prop_assert!(!bytes.is_empty() || task.faults.len() == 1);
    }
}
