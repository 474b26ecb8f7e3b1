//! Feedback for the tests of lessons.

use review_types::Timestamp;

use super::{Detection, Detector, Draft};
use crate::AgentName;
use crate::cluster::ClusterRegistry;
use crate::config::Analysis;
use crate::feedback::{Context, Details, FeedbackEntry, FeedbackType};

/// An entry of the agent `applier` at the Unix epoch, with an id made from a number.
pub(super) fn entry(
    number: u32,
    feedback_type: FeedbackType,
    session: &str,
    issue: &str,
    correction: &str,
) -> FeedbackEntry {
    let said = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    FeedbackEntry {
        id: format!("00000000-0000-7000-8000-{number:012}")
            .parse()
            .unwrap(),
        agent: AgentName::from("applier"),
        timestamp: Timestamp::UNIX_EPOCH,
        feedback_type,
        severity: None,
        context: Context {
            session: said(session),
            ..Context::default()
        },
        details: Details {
            error_message: said(issue),
            correction: said(correction),
            ..Details::default()
        },
        tags: Vec::new(),
    }
}

/// Five entries about a missing timeout, each from a different session, and four about
/// other topics.
pub(super) fn timeouts() -> Vec<FeedbackEntry> {
    let said = [
        (
            "The upload in src/a.rs has no timeout",
            "Set a timeout on the upload",
        ),
        (
            "Upload without timeout at line 4",
            "Set a deadline for uploads",
        ),
        ("Zebras are striped", "Count the stripes"),
        (
            "No timeout is set for the upload",
            "Set a timeout on the upload",
        ),
        ("Walruses are pink", "Paint them"),
        (
            "The upload has no timeout and hangs",
            "perhaps think about it",
        ),
        ("Otters swim", "Dry the otters"),
        ("Uploads lack a timeout", "Set a timeout on each upload"),
        ("Quokkas smile", "Smile back"),
    ];
    let said = (0..).zip(said);
    said.map(|(number, (issue, correction))| {
        let session = format!("s{number}");
        entry(
            number,
            FeedbackType::ReviewRejection,
            &session,
            issue,
            correction,
        )
    })
    .collect()
}

/// The patterns of these entries.
pub(super) fn detected<'e>(
    entries: &'e [FeedbackEntry],
    registry: &mut ClusterRegistry,
) -> Detection<'e> {
    let detector = Detector {
        analysis: &Analysis::default(),
        at: Timestamp::UNIX_EPOCH,
    };
    detector.detect(&entries.iter().collect::<Vec<_>>(), registry)
}

/// The words of an author.
pub(super) fn words() -> Draft {
    Draft {
        lesson_text: "Uploads hang since none of them has a timeout".to_owned(),
        constraint_update: "Set a timeout on every upload.".to_owned(),
        cites: Vec::new(),
        written_by: Some("cmd lesson/v1".to_owned()),
    }
}
