//! Versions of prompts, and lessons.

use std::fs;
use std::num::NonZeroU32;

use review_learning::AgentName;
use review_learning::config::PromptEvolutionConfig;
use review_learning::lesson::Lesson;
use review_learning::object::LearningObject as _;
use review_learning::prompt::{ActiveVersion, PromptVersion};
use review_store::{LessonFiles, PromptFiles, Root};
use review_types::Timestamp;
use serde_json::json;

use crate::support::{applier, reviewer};

fn number(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).expect("from 1")
}

fn version(of: u32) -> PromptVersion {
    PromptVersion {
        agent: reviewer(),
        version: number(of),
        parent: None,
        content: "Judge.\r\n".to_owned(),
        created_at: Timestamp::UNIX_EPOCH,
        applied_lessons: Vec::new(),
        changes: Vec::new(),
        approved_by: None,
        performance: None,
    }
}

fn project() -> (tempfile::TempDir, Root, PromptEvolutionConfig) {
    let folder = tempfile::tempdir().expect("a folder");
    let root = Root::open(folder.path()).expect("a root");
    (folder, root, PromptEvolutionConfig::default())
}

#[test]
fn versions_are_files_and_one_file_has_the_active_version() {
    let (folder, root, config) = project();
    let files = PromptFiles::new(&root, &config).expect("a folder");
    assert_eq!(files.active(&reviewer()).expect("nothing"), None);
    assert!(files.versions(&reviewer()).expect("nothing").is_empty());
    let lock = files.lock(&reviewer()).expect("locked");
    for of in [2, 10] {
        files.make(&lock, &version(of)).expect("written");
    }
    let active = ActiveVersion {
        v: Default::default(),
        version: number(2),
        since: Timestamp::UNIX_EPOCH,
        previous: None,
        changes: Vec::new(),
    };
    files
        .activate(&lock, &reviewer(), &active)
        .expect("written");
    let kept = files.versions(&reviewer()).expect("listed");
    assert_eq!(kept.into_iter().collect::<Vec<_>>(), [2, 10].map(number));
    assert_eq!(files.active(&reviewer()).expect("read"), Some(active));
    let read = files.version(&reviewer(), number(10)).expect("read");
    assert_eq!(read, Some(version(10)));
    assert!(
        folder
            .path()
            .join(".aiwg/.prompts/reviewer/v10.md")
            .is_file()
    );
    let other = PromptVersion {
        agent: AgentName::from("a b"),
        ..version(1)
    };
    files.make(&lock, &other).expect("written");
    assert_eq!(
        files.agents().expect("read"),
        [AgentName::from("a b"), reviewer()]
    );
    files
        .remove(&lock, &reviewer(), number(10))
        .expect("removed");
    assert_eq!(files.version(&reviewer(), number(10)).expect("read"), None);
}

#[test]
fn a_version_is_never_overwritten() {
    let (_folder, root, config) = project();
    let files = PromptFiles::new(&root, &config).expect("a folder");
    let lock = files.lock(&reviewer()).expect("locked");
    files.make(&lock, &version(1)).expect("written");
    let again = PromptVersion {
        content: "Other.".to_owned(),
        ..version(1)
    };
    let error = files.make(&lock, &again).expect_err("it exists");
    let expected = ".aiwg/.prompts/reviewer/v1.md was created by another process; try again";
    assert_eq!(error.to_string(), expected);
    let kept = files.version(&reviewer(), number(1)).expect("read");
    assert_eq!(kept, Some(version(1)));
}

#[test]
fn an_invalid_version_is_reported_with_its_file() {
    let (folder, root, config) = project();
    let files = PromptFiles::new(&root, &config).expect("a folder");
    let prompts = folder.path().join(".aiwg/.prompts/reviewer");
    fs::create_dir_all(&prompts).expect("a folder");
    let other = PromptVersion {
        agent: applier(),
        ..version(3)
    };
    fs::write(prompts.join("v1.md"), "Judge.\n").expect("written");
    fs::write(prompts.join("v2.md"), version(4).to_file()).expect("written");
    fs::write(prompts.join("v3.md"), other.to_file()).expect("written");
    fs::write(prompts.join("active.json"), "{}").expect("written");
    for (of, expected) in [
        (1, ".aiwg/.prompts/reviewer/v1.md: line 1: expected `---`"),
        (
            2,
            ".aiwg/.prompts/reviewer/v2.md contains version 4 of reviewer",
        ),
        (
            3,
            ".aiwg/.prompts/reviewer/v3.md contains version 3 of applier",
        ),
    ] {
        let error = files
            .version(&reviewer(), number(of))
            .expect_err("not a version");
        assert!(error.to_string().starts_with(expected), "{error}");
    }
    let error = files.active(&reviewer()).expect_err("not a version");
    let expected = ".aiwg/.prompts/reviewer/active.json is not valid; write ";
    assert!(error.to_string().starts_with(expected), "{error}");
}

#[test]
fn prompts_are_not_written_through_a_link_out_of_the_root() {
    let (folder, root, config) = project();
    let outside = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join(".aiwg")).expect("a folder");
    std::os::unix::fs::symlink(outside.path(), folder.path().join(".aiwg/.prompts"))
        .expect("a link");
    let files = PromptFiles::new(&root, &config).expect("a folder");
    assert!(files.lock(&reviewer()).is_err());
    assert!(files.active(&reviewer()).is_err());
    assert_eq!(fs::read_dir(outside.path()).expect("listed").count(), 0);
}

fn lesson(agent: &str, last: u8) -> Lesson {
    let lesson = json!({
        "id": format!("0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2{last:02x}"),
        "agent": agent, "lesson_text": "Name units.", "source_feedback": ["a"],
    });
    Lesson::read(&lesson).into_result().expect("a lesson")
}

fn put(files: &LessonFiles, lesson: &Lesson) {
    let lock = files.lock(&lesson.agent).expect("not locked");
    files.put(&lock, lesson).expect("written");
}

#[test]
fn changes_of_the_lessons_of_an_agent_wait_for_each_other() {
    let (_folder, root, _) = project();
    let files = LessonFiles::new(&root).expect("a folder");
    let path = root.path().join(".aiwg/.lessons/b");
    let lock = files.lock(&AgentName::from("b")).expect("not locked");
    let is_free = || fs::File::open(&path).expect("made").try_lock().is_ok();
    assert!(!is_free());
    files.lock(&AgentName::from("c")).expect("not locked");
    drop(lock);
    assert!(is_free());
}

#[test]
fn lessons_are_stored_by_agent_and_id() {
    let (folder, root, _) = project();
    let files = LessonFiles::new(&root).expect("a folder");
    assert!(files.all().expect("nothing").lessons.is_empty());
    let (first, second, other) = (lesson("b", 1), lesson("b", 2), lesson("../a", 3));
    for lesson in [&second, &first, &other] {
        put(&files, lesson);
    }
    let noted = Lesson {
        note: Some("seen".to_owned()),
        ..second
    };
    put(&files, &noted);
    assert_eq!(
        files.of(&AgentName::from("b")).expect("read").lessons,
        [first.clone(), noted.clone()]
    );
    assert_eq!(
        files.of(&AgentName::from("../a")).expect("read").lessons,
        [other]
    );
    assert_eq!(files.all().expect("read").lessons.len(), 3);
    let path = format!(".aiwg/.lessons/b/{}.json", first.id);
    assert!(folder.path().join(path).is_file());
}

#[test]
fn an_invalid_file_hides_no_other_lesson() {
    let (folder, root, _) = project();
    let files = LessonFiles::new(&root).expect("a folder");
    put(&files, &lesson("b", 1));
    let of_b = folder.path().join(".aiwg/.lessons/b");
    fs::write(of_b.join("notes.json"), "{}").expect("written");
    let bad = lesson("b", 2).id;
    fs::write(of_b.join(format!("{bad}.json")), r#"{"id": 1}"#).expect("written");
    let found = files.of(&AgentName::from("b")).expect("read");
    assert_eq!(found.lessons, [lesson("b", 1)]);
    let path = format!(".aiwg/.lessons/b/{bad}.json");
    assert_eq!(found.bad.len(), 1);
    assert_eq!(found.bad[0].path.as_str(), path);
    assert!(
        found.bad[0].message.starts_with("/agent: "),
        "{:?}",
        found.bad
    );
}
