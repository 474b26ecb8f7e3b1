//! What users say to a run: lines of two files, one of the run and one of all
//! runs on the same unit. What they say to the agent of a task is in a third file, since
//! no round of a review reads it and none is due because of it.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use review::people::{Comment, Cursor, FindingDecision, Inbox};
use review_store::{Area, FileError, LineFile, RunDir, open_file};
use review_types::{Finding, FindingStatus, TaskNumber, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::settings::ReviewTarget;

/// The most bytes that are read at once; the rest is read with the next round.
const MAX_READ: u64 = 1024 * 1024;

/// A line of a file.
#[derive(Serialize, Deserialize)]
struct Line<T> {
    v: u32,
    at: Timestamp,
    said: T,
}

/// Guidance for the agent of a task.
#[derive(Serialize, Deserialize)]
struct TaskGuidance {
    task: TaskNumber,
    text: String,
}

/// The two files.
#[derive(Clone, Debug)]
pub(crate) struct FileInbox {
    run: PathBuf,
    findings: PathBuf,
}

impl FileInbox {
    /// The files for the run in `dir`.
    pub(crate) fn new(dir: &RunDir, target: &ReviewTarget) -> Self {
        let name = match target {
            ReviewTarget::Unit { id, .. } => id.to_string(),
            ReviewTarget::File { path } | ReviewTarget::Folder { path } => {
                let hash = review_flow::hash_bytes(path.as_bytes());
                format!("path-{}", hash.short())
            }
        };
        let findings = dir.state().area(Area::Findings);
        Self {
            run: dir.path().join("inbox.jsonl"),
            findings: findings.join(format!("{name}.jsonl")),
        }
    }

    /// The end of both files, if they are longer than they were at `heard`.
    pub(crate) fn news(&self, heard: Cursor) -> Option<Cursor> {
        let len = |path: &Path| path.metadata().map_or(0, |found| found.len());
        let now = Cursor {
            run: len(&self.run),
            findings: len(&self.findings),
        };
        (now.run > heard.run || now.findings > heard.findings).then_some(now)
    }

    /// Appends a comment of a user at `at`.
    pub(crate) fn append(&self, said: &Comment, at: Timestamp) -> Result<(), FileError> {
        let path = match said {
            Comment::Approved { .. } | Comment::Guided { .. } => &self.run,
            Comment::Settled(_) => &self.findings,
        };
        append(path, said, at)
    }
}

/// Appends a line to a file.
fn append(path: &Path, said: impl Serialize, at: Timestamp) -> Result<(), FileError> {
    let line = Line {
        v: review::events::FORMAT_VERSION,
        at,
        said,
    };
    #[expect(
        clippy::expect_used,
        reason = "a line is structs of strings and numbers, which always have a JSON form"
    )]
    let json = serde_json::to_vec(&line).expect("a line always has a JSON form");
    let mut lines = LineFile::open(path)?;
    lines.append(&json)?;
    lines.sync()
}

impl Inbox for FileInbox {
    fn read(&self, heard: Cursor) -> io::Result<(Vec<Comment>, Cursor)> {
        let (mut said, run) = lines(&self.run, heard.run)?;
        let (about_findings, findings) = lines(&self.findings, heard.findings)?;
        said.extend(about_findings);
        Ok((said, Cursor { run, findings }))
    }
}

/// The whole lines of a file after `from`, and where they end. A line that
/// cannot be read is reported and left out.
fn lines<T: DeserializeOwned>(path: &Path, from: u64) -> io::Result<(Vec<T>, u64)> {
    let mut file = match open_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((Vec::new(), from)),
        opened => opened?,
    };
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(MAX_READ).read_to_end(&mut bytes)?;
    let end = bytes.iter().rposition(|byte| *byte == b'\n');
    bytes.truncate(end.map_or(0, |end| end + 1));
    let filled = bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty());
    let said = filled.filter_map(|line| match serde_json::from_slice::<Line<T>>(line) {
        Ok(line) => Some(line.said),
        Err(error) => {
            tracing::warn!("{}: a line cannot be read: {error}", path.display());
            None
        }
    });
    let said = said.collect();
    Ok((said, from + bytes.len() as u64))
}

/// Says something to the run in `dir`, which is about `target`; the run
/// receives it at the start of its next round.
///
/// # Errors
/// When the file cannot be written.
pub fn say(
    dir: &RunDir,
    target: &ReviewTarget,
    said: &Comment,
    at: Timestamp,
) -> Result<(), FileError> {
    FileInbox::new(dir, target).append(said, at)
}

/// The file of guidance for the tasks of the run in `dir`.
fn task_guidance_file(dir: &RunDir) -> PathBuf {
    dir.path().join("guidance.jsonl")
}

/// Gives the agent of a task of the run in `dir` guidance: each call for the task that
/// starts after it has it in its prompt.
///
/// # Errors
/// When the file cannot be written.
pub fn guide_task(
    dir: &RunDir,
    task: TaskNumber,
    text: String,
    at: Timestamp,
) -> Result<(), FileError> {
    append(&task_guidance_file(dir), TaskGuidance { task, text }, at)
}

/// Returns the guidance for a task of the run in `dir`, the oldest first.
pub(crate) fn task_guidance(dir: &RunDir, task: TaskNumber) -> io::Result<Vec<String>> {
    let given = all_lines::<TaskGuidance>(&task_guidance_file(dir))?.into_iter();
    let given = given.filter(|given| given.task == task);
    Ok(given.map(|given| given.text).collect())
}

/// The lines of a whole file.
fn all_lines<T: DeserializeOwned>(path: &Path) -> io::Result<Vec<T>> {
    let (mut all, mut from) = (Vec::new(), 0);
    loop {
        let (more, end) = lines(path, from)?;
        if end == from {
            return Ok(all);
        }
        all.extend(more);
        from = end;
    }
}

/// The decisions of users on findings of the run in `dir` that no round of it has
/// taken in; of several on one finding, the last. A waiver of what is graver now takes no
/// effect.
///
/// # Errors
/// When the decisions cannot be read.
pub fn pending_decisions(
    dir: &RunDir,
    target: &ReviewTarget,
    findings: &[Finding],
) -> io::Result<Vec<FindingDecision>> {
    let path = FileInbox::new(dir, target).findings;
    let mut last: Vec<FindingDecision> = Vec::new();
    for said in all_lines(&path)? {
        if let Comment::Settled(decision) = said {
            last.retain(|before| before.finding != decision.finding);
            last.push(decision);
        }
    }
    last.retain(|decision| {
        let mut about = findings.iter();
        let finding = about.find(|finding| finding.id == decision.finding);
        finding.is_some_and(|finding| {
            decision.is_for(finding.severity) && !is_taken_in(decision, finding)
        })
    });
    Ok(last)
}

/// Whether the history of a finding has a decision, or it is waived already.
fn is_taken_in(decision: &FindingDecision, finding: &Finding) -> bool {
    let is_waiver = !decision.counts;
    let mut history = finding.history.iter();
    (is_waiver && finding.status == FindingStatus::Waived)
        || history.any(|change| {
            let is_same = (change.status == FindingStatus::Waived) == is_waiver;
            is_same
                && change.by.as_ref() == Some(&decision.by)
                && change.why.as_ref() == Some(&decision.why)
        })
}

#[cfg(test)]
mod tests {
    use review_store::StateDir;
    use review_types::{FindingEvidence, FindingId, FindingPlace, RunId, Severity};

    use super::*;

    fn guided(text: &str) -> Comment {
        Comment::Guided {
            text: text.to_owned(),
        }
    }

    #[test]
    fn a_waiver_of_what_is_graver_now_is_not_pending() {
        let state = StateDir::temporary().unwrap();
        let dir = state.create_run(&RunId::new("r1").unwrap()).unwrap();
        let target = ReviewTarget::File {
            path: "a.md".to_owned(),
        };
        let finding = |severity| Finding {
            id: FindingId::new("f-0123456789ab").unwrap(),
            similar_to: None,
            status: FindingStatus::Open,
            out_of_scope: false,
            below_fail_level: false,
            evidence: FindingEvidence::default(),
            quote: None,
            changed_at_place: None,
            section: "Goal".to_owned(),
            place: FindingPlace::default(),
            issue: "no goal".to_owned(),
            suggestion: "set one".to_owned(),
            severity,
            raised: vec![1],
            repeats: 0,
            feedback: Vec::new(),
            history: Vec::new(),
        };
        let waiver = FindingDecision {
            finding: finding(Severity::Major).id,
            counts: false,
            by: "ann".to_owned(),
            why: "so".to_owned(),
            text: None,
            severity: Some(Severity::Major),
        };
        let settled = Comment::Settled(waiver.clone());
        say(&dir, &target, &settled, Timestamp::UNIX_EPOCH).unwrap();
        for (severity, expected) in [
            (Severity::Critical, &[][..]),
            (Severity::Major, std::slice::from_ref(&waiver)),
            (Severity::Minor, std::slice::from_ref(&waiver)),
        ] {
            let pending = pending_decisions(&dir, &target, &[finding(severity)]);
            assert_eq!(pending.unwrap(), expected, "{severity}");
        }
    }

    #[test]
    fn guidance_for_a_task_is_kept_in_order_and_is_no_comment_for_a_round() {
        let state = StateDir::temporary().unwrap();
        let dir = state.create_run(&RunId::new("r1").unwrap()).unwrap();
        let task = |number| TaskNumber::new(number).unwrap();
        assert_eq!(task_guidance(&dir, task(1)).unwrap(), [""; 0]);
        for (number, text) in [(1, "one"), (2, "other"), (1, "two")] {
            guide_task(&dir, task(number), text.to_owned(), Timestamp::UNIX_EPOCH).unwrap();
        }
        assert_eq!(task_guidance(&dir, task(1)).unwrap(), ["one", "two"]);
        assert_eq!(task_guidance(&dir, task(2)).unwrap(), ["other"]);
        let target = ReviewTarget::File {
            path: "a.md".to_owned(),
        };
        let inbox = FileInbox::new(&dir, &target);
        assert_eq!(inbox.news(Cursor::default()), None);
    }

    #[test]
    fn each_line_is_read_once_and_a_torn_one_later() {
        let state = StateDir::temporary().unwrap();
        let dir = state.create_run(&RunId::new("r1").unwrap()).unwrap();
        let target = ReviewTarget::File {
            path: "a.md".to_owned(),
        };
        let inbox = FileInbox::new(&dir, &target);
        let at = Timestamp::UNIX_EPOCH;
        let none = Cursor::default();
        assert_eq!(inbox.read(none).unwrap(), (Vec::new(), none));
        assert_eq!(inbox.news(none), None);
        say(&dir, &target, &guided("one"), at).unwrap();
        let settled = Comment::Settled(FindingDecision {
            finding: review_types::FindingId::new("f-0123456789ab").unwrap(),
            counts: false,
            by: "ann".to_owned(),
            why: "so".to_owned(),
            text: None,
            severity: None,
        });
        say(&dir, &target, &settled, at).unwrap();
        let (said, heard) = inbox.read(none).unwrap();
        assert_eq!(said, [guided("one"), settled]);
        assert_eq!(inbox.news(none), Some(heard));
        assert_eq!(inbox.news(heard), None);
        let path = dir.path().join("inbox.jsonl");
        let whole = std::fs::read_to_string(&path).unwrap();
        let torn = format!("{whole}no JSON\n{{\"v\":1,");
        review_store::replace_file(&path, torn.as_bytes()).unwrap();
        let (said, torn) = inbox.read(heard).unwrap();
        assert_eq!(said, []);
        assert_eq!(torn.run, whole.len() as u64 + 8);
        say(&dir, &target, &guided("two"), at).unwrap();
        assert_eq!(inbox.read(torn).unwrap().0, [guided("two")]);
    }
}
