use review::events::{ListedTest, MustPass, TestResult};
use review_store::{RecordLookup, SpecRecord, TaskRecord, TreeHash};
use review_types::{Hash, ModelId, TaskNumber, Timestamp, UnitId, Verdict};

use crate::support::{Folder, path, run};

fn hash(content: u8) -> Hash {
    Hash::from_bytes([content; 32])
}

fn tree(content: u8) -> TreeHash {
    serde_json::from_value(hash(content).to_string().into()).expect("a hash")
}

fn task_record() -> TaskRecord {
    TaskRecord {
        command: vec!["cargo test".to_owned()],
        exit: 0,
        tests_run: Some(7),
        must_pass: None,
        task: hash(1),
        tree: Some(tree(2)),
        run: run("r1"),
        took_ms: 1500,
        at: Timestamp::UNIX_EPOCH,
        approved: None,
    }
}

fn spec_record() -> SpecRecord {
    SpecRecord {
        artifact: hash(3),
        reviewer: ModelId {
            backend: "builtin".to_owned(),
            model: None,
            prompt: None,
        },
        verdict: Verdict::Pass,
        approved_by: None,
        run: run("r1"),
        at: Timestamp::UNIX_EPOCH,
    }
}

fn web() -> UnitId {
    UnitId::new("web").expect("an id")
}

fn number(number: u32) -> TaskNumber {
    TaskNumber::new(number).expect("not zero")
}

#[test]
fn a_record_round_trips() {
    let folder = Folder::new();
    let records = folder.state().records();
    assert_eq!(records.task(&web(), number(1)), RecordLookup::Nothing);
    records
        .put_task(&web(), number(1), &task_record())
        .expect("written");
    assert_eq!(
        records.task(&web(), number(1)),
        RecordLookup::Record(task_record())
    );
    assert_eq!(records.task(&web(), number(2)), RecordLookup::Nothing);
    let text = folder.read(".ralph-review/records/web/1.json");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&json["v"], &json["tests_run"]), (&1.into(), &7.into()));
    assert_eq!(folder.mode(".ralph-review/records/web/1.json"), 0o600);
    assert_eq!(folder.mode(".ralph-review/records/web"), 0o700);
    let newer = TaskRecord {
        tests_run: None,
        ..task_record()
    };
    records
        .put_task(&web(), number(1), &newer)
        .expect("written");
    assert_eq!(records.task(&web(), number(1)).record(), Some(newer));
}

#[test]
fn specs_of_one_name_have_separate_records() {
    let folder = Folder::new();
    let records = folder.state().records();
    let other = SpecRecord {
        artifact: hash(4),
        ..spec_record()
    };
    let long = path(&format!("specs/{}.md", "long".repeat(60)));
    records
        .put_spec(&path("specs/A.md"), &spec_record())
        .expect("written");
    records
        .put_spec(&path("specs%2FA.md"), &other)
        .expect("written");
    records.put_spec(&long, &other).expect("written");
    assert_eq!(
        records.spec(&path("specs/A.md")).record(),
        Some(spec_record())
    );
    assert_eq!(
        records.spec(&path("specs%2FA.md")).record(),
        Some(other.clone())
    );
    assert_eq!(records.spec(&long).record(), Some(other));
    assert_eq!(records.spec(&path("specs/B.md")), RecordLookup::Nothing);
    assert!(
        folder
            .names(".ralph-review/records")
            .contains(&"specs%2FA.md.json".to_owned())
    );
}

#[test]
fn a_damaged_record_is_ignored_with_its_reason() {
    let folder = Folder::new();
    let records = folder.state().records();
    records
        .put_task(&web(), number(1), &task_record())
        .expect("written");
    let file = ".ralph-review/records/web/1.json";
    let whole = folder.read(file);
    for (text, expected) in [
        ("", "EOF while parsing a value at line 1 column 0"),
        ("[]", "missing format version"),
        (
            "{\"v\":2}",
            "unsupported format version: expected 1, found 2",
        ),
        ("{\"v\":1}", "missing field `command`"),
        (
            &whole[..whole.len() - 4],
            "EOF while parsing a value at line 13",
        ),
        (
            &whole.replace("\"exit\": 0", "\"exit\": \"0\""),
            "invalid type: string \"0\", expected i32",
        ),
    ] {
        folder.write(file, text);
        let RecordLookup::Unreadable(bad) = records.task(&web(), number(1)) else {
            panic!("{text}");
        };
        assert!(
            bad.message.starts_with(expected),
            "{} for {text}",
            bad.message
        );
        let shown = format!("web/1.json: {}", bad.message);
        assert!(bad.to_string().ends_with(&shown));
        assert_eq!(RecordLookup::<TaskRecord>::Unreadable(bad).record(), None);
    }
    records
        .put_task(&web(), number(1), &task_record())
        .expect("written");
    assert_eq!(
        records.task(&web(), number(1)).record(),
        Some(task_record())
    );
}

#[test]
fn a_record_with_unknown_fields_is_read() {
    let folder = Folder::new();
    let records = folder.state().records();
    records
        .put_spec(&path("A.md"), &spec_record())
        .expect("written");
    let file = ".ralph-review/records/A.md.json";
    let more = folder.read(file).replacen('{', "{\"new\": [1],", 1);
    folder.write(file, more);
    assert_eq!(records.spec(&path("A.md")).record(), Some(spec_record()));
}

#[test]
fn a_file_in_place_of_a_folder_is_an_error() {
    let folder = Folder::with(&[(".ralph-review/records/web", "")]);
    let records = folder.state().records();
    assert!(records.put_task(&web(), number(1), &task_record()).is_err());
    assert!(matches!(
        records.task(&web(), number(1)),
        RecordLookup::Unreadable(_)
    ));
}

#[test]
fn a_task_is_proven_by_a_passing_run_with_the_same_inputs() {
    let command = task_record().command;
    let record = task_record();
    assert!(record.proves(&command, &[], hash(1), tree(2)));
    assert!(!record.proves(&["cargo build".to_owned()], &[], hash(1), tree(2)));
    assert!(!record.proves(&command, &[], hash(9), tree(2)));
    assert!(!record.proves(&command, &[], hash(1), tree(9)));
    for other in [
        TaskRecord {
            exit: 1,
            ..task_record()
        },
        TaskRecord {
            tree: None,
            ..task_record()
        },
    ] {
        assert!(!other.proves(&command, &[], hash(1), tree(2)), "{other:?}");
    }
}

#[test]
fn a_task_is_proven_by_a_record_of_its_listed_tests() {
    let listing = |result| TaskRecord {
        must_pass: Some(MustPass {
            tests: vec![ListedTest {
                name: "keeps".to_owned(),
                result,
            }],
            unknown_because: None,
        }),
        ..task_record()
    };
    let keeps = ["keeps".to_owned()];
    let proves = |record: &TaskRecord, listed: &[String]| {
        record.proves(&task_record().command, listed, hash(1), tree(2))
    };
    assert!(proves(&listing(TestResult::Passed), &keeps));
    assert!(proves(&listing(TestResult::Unknown), &keeps));
    assert!(!proves(&listing(TestResult::Skipped), &keeps));
    assert!(!proves(&listing(TestResult::Passed), &["other".to_owned()]));
    assert!(!proves(&listing(TestResult::Passed), &[]));
    assert!(!proves(&task_record(), &keeps));
}

#[test]
fn a_spec_is_proven_by_a_pass_of_the_same_artifact() {
    assert!(spec_record().proves(hash(3)));
    assert!(!spec_record().proves(hash(4)));
    let refused = SpecRecord {
        verdict: Verdict::NeedsRevision,
        approved_by: Some("ann".to_owned()),
        ..spec_record()
    };
    assert!(!refused.proves(hash(3)));
    assert_eq!(refused.approver(hash(3)), Some("ann"));
    assert_eq!(refused.approver(hash(4)), None);
    assert_eq!(spec_record().approver(hash(3)), None);
}
