//! The lessons with their state, and the status of learning.

use review_learning::lesson::{Lesson, LessonStatus, WaitingGroup};
use review_types::{Timestamp, closed_list, plural};
use serde::Serialize;

use super::analysis::waiting_group;
use super::entry::short;
use crate::next::{NextStep, next_steps};
use crate::style::{ERROR, FAINT, GOOD, RESET, STRONG, WARNING};
use crate::text::{one_line, printable};

closed_list!(
    /// What a lesson waits for, or its outcome.
    LessonState {
        /// It waits for a decision.
        Proposed => "proposed",
        /// Its version was rolled back, and it waits for a decision.
        RolledBack => "rolled_back",
        /// It is put off.
        Deferred => "deferred",
        /// It is approved but not yet in a prompt.
        Approved => "approved",
        /// It is in a prompt.
        Applied => "applied",
        /// It is rejected, for good.
        Rejected => "rejected",
    }
);

impl LessonState {
    /// The state of a lesson at the time `now`.
    #[must_use]
    pub(crate) fn of(lesson: &Lesson, now: Timestamp) -> Self {
        match lesson.status {
            LessonStatus::Proposed if lesson.deferred_until.is_some_and(|until| until > now) => {
                Self::Deferred
            }
            LessonStatus::Proposed if lesson.rolled_back_at.is_some() => Self::RolledBack,
            LessonStatus::Proposed => Self::Proposed,
            LessonStatus::Approved => Self::Approved,
            LessonStatus::Applied => Self::Applied,
            LessonStatus::Rejected => Self::Rejected,
        }
    }
}

/// The lessons of a root.
#[derive(Debug, Serialize)]
pub struct LessonList {
    /// The lessons.
    pub lessons: Vec<ListedLesson>,
    /// The groups of feedback that wait for words.
    pub waiting: Vec<WaitingGroup>,
}

/// A lesson with its state.
#[derive(Debug, Serialize)]
pub struct ListedLesson {
    state: LessonState,
    lesson: Lesson,
}

impl ListedLesson {
    /// A lesson at the time `now`.
    #[must_use]
    pub fn of(lesson: Lesson, now: Timestamp) -> Self {
        let state = LessonState::of(&lesson, now);
        Self { state, lesson }
    }

    /// The ids of the entries that the lesson is based on.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        self.lesson.source_feedback.iter().map(String::as_str)
    }

    fn line(&self) -> String {
        let lesson = &self.lesson;
        let style = match self.state {
            LessonState::Proposed => WARNING,
            LessonState::Approved | LessonState::Applied => GOOD,
            LessonState::Deferred => FAINT,
            LessonState::RolledBack | LessonState::Rejected => ERROR,
        };
        let until = match (self.state, lesson.deferred_until) {
            (LessonState::Deferred, Some(until)) => format!(" until {until}"),
            _ => String::new(),
        };
        let rolled_back = lesson.rolled_back_at;
        let rolled_back =
            rolled_back.map_or_else(String::new, |at| format!(" rolled back on {at}"));
        let confidence = lesson.confidence;
        let confidence =
            confidence.map_or_else(String::new, |value| format!(" {:.0} %", 100.0 * value));
        format!(
            "{STRONG}{}{RESET}  {style}{:<11}{RESET}  {}{FAINT}{confidence}{until}{rolled_back}{RESET}  {}\n",
            short(lesson.id.as_str()),
            self.state.as_str(),
            printable(lesson.agent.as_str()),
            one_line(lesson.constraint()),
        )
    }
}

/// Returns the lessons as users read them.
#[must_use]
pub fn lessons(list: &LessonList) -> String {
    let mut text: String = list.lessons.iter().map(ListedLesson::line).collect();
    text.extend(list.waiting.iter().map(waiting_group));
    text.push_str(&plural(list.lessons.len(), "lesson\n", "lessons\n"));
    text
}

/// The state of learning in a root.
#[derive(Debug)]
pub struct LearnStatus {
    /// Whether something is learned there.
    pub is_on: bool,
    /// The number of corrections.
    pub corrections: usize,
    /// The messages just after an edit of an agent that were not taken for corrections.
    pub candidates: Vec<String>,
    /// The number of entries of feedback.
    pub entries: usize,
    /// The number of entries of an agent that an analysis needs.
    pub min_samples: u32,
    /// An agent with as many entries that no lesson is based on.
    pub unread: Option<String>,
    /// The lessons.
    pub lessons: Vec<ListedLesson>,
    /// The groups of feedback that wait for words.
    pub waiting: Vec<WaitingGroup>,
}

/// The number of messages that are quoted.
const QUOTED: usize = 3;

/// The messages that were not taken for corrections, and what becomes of them.
fn unclear(candidates: &[String]) -> String {
    if candidates.is_empty() {
        return String::new();
    }
    let messages = plural(candidates.len(), "message", "messages");
    let mut text = format!("{messages} just after an edit not taken for corrections:\n");
    for message in candidates.iter().rev().take(QUOTED) {
        text += &format!("  \"{}\"\n", one_line(message));
    }
    text + "  `ralph corrections add` adds one; with a reviewer, `ralph learn run` asks about all\n"
}

/// Returns the status of learning, and the next command, as users read them.
#[must_use]
pub fn learn_status(status: &LearnStatus) -> String {
    if !status.is_on {
        let corrections = plural(status.corrections, "correction", "corrections");
        return format!(
            "learning is off here; {corrections} noticed so far\n{}\
             {}",
            unclear(&status.candidates),
            next_steps(
                &[NextStep::by_hand(
                    "add an empty table [learning] to ralph.toml"
                )],
                None
            )
        );
    }
    let of = |state: LessonState| {
        let lessons = status.lessons.iter();
        lessons
            .filter(|lesson| lesson.state == state)
            .collect::<Vec<_>>()
    };
    let mut text = format!(
        "{}, {} of feedback, {}\n",
        plural(status.corrections, "correction", "corrections"),
        plural(status.entries, "entry", "entries"),
        plural(status.lessons.len(), "lesson", "lessons"),
    );
    for lesson in &status.lessons {
        if lesson.state != LessonState::Rejected {
            text.push_str(&format!("  {}", lesson.line()));
        }
    }
    text.extend(status.waiting.iter().map(waiting_group));
    text.push_str(&unclear(&status.candidates));
    let next = match (
        of(LessonState::Proposed).first(),
        status.waiting.first(),
        &status.unread,
    ) {
        (Some(_), _, _) => decide_on_proposed(),
        _ if let Some(one) = of(LessonState::RolledBack).first() => {
            let id = short(one.lesson.id.as_str());
            NextStep::by_hand(format!(
                "decide on the lesson that was rolled back: `ralph learn decide {id} --reject`, or \
                 with --text TEXT"
            ))
        }
        (None, Some(group), _) => word_group(group),
        (None, None, _) if status.corrections + status.entries == 0 => NextStep::by_hand(
            "run `ralph run`, or `ralph init --hooks claude` to notice corrections",
        ),
        (None, None, _) if status.entries < status.corrections => {
            NextStep::by_command("collect the corrections", "ralph learn run")
        }
        (None, None, Some(agent)) => {
            let agent = printable(agent);
            let text = format!("analyze the feedback of {agent} that no lesson is based on");
            NextStep::by_command(text, "ralph learn run")
        }
        (None, None, None) => {
            let entries = plural(status.min_samples as usize, "entry", "entries");
            return text
                + &format!(
                    "lessons are proposed once an agent has {entries}, several of them about the \
                     same\n"
                );
        }
    };
    text + &next_steps(&[next], None)
}

/// The step that decides on proposed lessons.
pub(crate) fn decide_on_proposed() -> NextStep {
    NextStep::by_command("decide on what is proposed", "ralph learn review")
}

/// The step that words what a group of feedback asks for.
pub(super) fn word_group(group: &WaitingGroup) -> NextStep {
    let id = short(group.id.as_str());
    NextStep::by_hand(format!(
        "word what the feedback asks for: `ralph learn decide {id} --text TEXT`"
    ))
}
