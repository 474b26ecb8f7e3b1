//! Phrases by which users correct an agent.

use super::clause::objection;
use crate::corrections::CorrectionType;
use crate::normal::{contains, normal};

/// The maximum length, in characters, of a message in which weak phrases count.
const MAX_WEAK: usize = 150;

/// Openings of requests for new work.
const TASK_OPENERS: &[&str] = &[
    "add",
    "also",
    "and now",
    "build",
    "can we",
    "can you",
    "commit",
    "continue",
    "could you",
    "create",
    "explain",
    "generate",
    "give me",
    "go ahead",
    "i want to add",
    "i'd like to add",
    "implement",
    "let's add",
    "let's also",
    "let's continue",
    "let's start",
    "list",
    "make sure",
    "next",
    "now",
    "please add",
    "please also",
    "please create",
    "please implement",
    "please write",
    "run",
    "set up",
    "show",
    "tell me",
    "then",
    "would you",
    "write",
];

/// Openings of questions and of thinking aloud.
const MUSING_OPENERS: &[&str] = &[
    "are",
    "did you",
    "do we",
    "do you",
    "does",
    "how",
    "i think we could",
    "i was wondering",
    "i wonder",
    "is it",
    "is there",
    "is this",
    "maybe",
    "perhaps",
    "should",
    "what",
    "what if",
    "when",
    "where",
    "which",
    "who",
    "why",
];

/// Phrases that report a program's error, give new information, or correct the user's
/// own words.
const OTHER_MATTERS: &[&str] = &[
    "brainstorm",
    "by the way",
    "error message",
    "for your information",
    "fyi",
    "i made a typo",
    "i mistyped",
    "i get an error",
    "i'm getting",
    "i see an error",
    "my bad",
    "my mistake",
    "oops",
    "sorry i meant",
    "stack trace",
    "stacktrace",
    "the build fails",
    "the test fails",
    "the tests fail",
    "thinking out loud",
    "traceback",
    "typo on my side",
];

/// Phrases of praise, of what others said, and of wishes that concern no work.
const NO_OBJECTION: &[&str] = &[
    "call me",
    "client said",
    "complex to explain",
    "complicated to explain",
    "customer said",
    "customers said",
    "forgot nothing",
    "great work",
    "he said",
    "i like it",
    "i prefer to do it",
    "i prefer to review",
    "i prefer to wait",
    "left out nothing",
    "missed nothing",
    "not too complex",
    "not too complicated",
    "she said",
    "they said",
    "users said",
];

/// Openings of another approach, which the word `instead` completes.
const OTHER_APPROACHES: &[&str] = &["instead", "let's go with", "let's try", "let's use", "use"];

/// A type of correction with its phrases.
struct Family {
    correction_type: CorrectionType,
    /// Phrases that occur only in corrections of this type.
    strong: &'static [&'static str],
    /// Phrases that also occur elsewhere.
    weak: &'static [&'static str],
}

/// The types of correction, the most distinctive phrases first.
const FAMILIES: &[Family] = &[
    Family {
        correction_type: CorrectionType::ExpectationMismatch,
        strong: &[
            "did not ask for",
            "did not ask you",
            "didn't ask for",
            "didn't ask you",
            "don't touch",
            "do not touch",
            "i never asked",
            "i only asked",
            "i only wanted",
            "more than i asked",
            "nobody asked",
            "not what i asked",
            "not what i wanted",
            "put them back",
            "shouldn't have changed",
            "should not have changed",
            "stop adding",
            "stop changing",
            "without asking",
            "you deleted my",
            "you deleted the",
            "you removed my",
            "you removed the",
            "you weren't supposed",
        ],
        weak: &["leave it alone", "out of scope", "unrelated", "put it back"],
    },
    Family {
        correction_type: CorrectionType::CommunicationGap,
        strong: &[
            "as i already said",
            "as i said",
            "i already told you",
            "i already said",
            "i told you",
            "isn't what i meant",
            "is not what i meant",
            "not what i meant",
            "you misread",
            "you misunderstood",
            "you're misunderstanding",
        ],
        weak: &["i meant", "read it again", "once more"],
    },
    Family {
        correction_type: CorrectionType::CodeCompleteness,
        strong: &[
            "you forgot",
            "you left out",
            "you missed",
            "you never handled",
            "you only did",
            "you overlooked",
            "you skipped",
            "you still haven't",
            "you didn't handle",
            "you didn't add",
            "you didn't update",
            "you stopped halfway",
        ],
        weak: &[
            "is missing",
            "are missing",
            "incomplete",
            "not finished",
            "not done",
        ],
    },
    Family {
        correction_type: CorrectionType::ApproachRejection,
        strong: &[
            "a different approach",
            "another approach",
            "get rid of that",
            "keep it simple",
            "let's not do",
            "over engineered",
            "overengineered",
            "overcomplicated",
            "over complicated",
            "revert that",
            "revert this",
            "revert your",
            "roll that back",
            "scrap that",
            "start over",
            "that's not how",
            "that is not how",
            "too complex",
            "too complicated",
            "undo that",
            "undo this",
            "undo your",
            "wrong approach",
            "like the other",
        ],
        weak: &[
            "instead",
            "let's try",
            "rather than",
            "simpler",
            "not like that",
        ],
    },
    Family {
        correction_type: CorrectionType::PreferenceConflict,
        strong: &[
            "from now on",
            "i'd rather",
            "i prefer",
            "i would rather",
            "our convention",
            "our style",
            "we always use",
            "we don't use",
            "we do not use",
            "we never use",
            "we prefer",
            "you should never",
        ],
        weak: &[
            "always use",
            "as everywhere else",
            "never use",
            "don't use",
            "do not use",
            "please use",
        ],
    },
    Family {
        correction_type: CorrectionType::CodeQuality,
        strong: &[
            "it's still wrong",
            "that is incorrect",
            "that is not right",
            "that is wrong",
            "that isn't right",
            "that's a bug you",
            "that's incorrect",
            "that's not correct",
            "that's not right",
            "that's still wrong",
            "that's wrong",
            "this is incorrect",
            "this is wrong",
            "you broke",
            "you introduced",
            "your code is wrong",
        ],
        weak: &[
            "should be",
            "should have been",
            "is wrong",
            "still broken",
            "doesn't work",
        ],
    },
];

/// Openings after which weak phrases count.
const DISSENT: &[&str] = &[
    "actually", "don't", "do not", "no", "nope", "not", "stop", "wait", "wrong",
];

/// Returns the type of correction that a message is; `None` if it corrects nothing.
/// `after_work` says whether the agent wrote a file just before: then a message that forbids
/// or undoes something corrects it.
///
/// ```
/// use review_learning::capture::correction_type;
/// use review_learning::corrections::CorrectionType;
///
/// let found = correction_type("You forgot the error handling in the upload.", false);
/// assert_eq!(found, Some(CorrectionType::CodeCompleteness));
/// assert_eq!(correction_type("Add error handling to the upload.", true), None);
/// assert_eq!(correction_type("Don't rename the parser.", false), None);
/// assert!(correction_type("Don't rename the parser.", true).is_some());
/// ```
#[must_use]
pub fn correction_type(text: &str, after_work: bool) -> Option<CorrectionType> {
    let text = after_question(text);
    let said = normal(text);
    if is_other(text, &said) {
        return None;
    }
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| contains(&said, phrase));
    let strong = FAMILIES.iter().find(|family| has(family.strong));
    if let Some(family) = strong {
        return Some(family.correction_type);
    }
    let is_short = text.trim().chars().count() <= MAX_WEAK;
    if !is_short {
        return None;
    }
    let dissents = starts_with_any(&said, DISSENT);
    let weak = FAMILIES.iter().find(|family| has(family.weak));
    if let Some(family) = weak.filter(|_| dissents) {
        return Some(family.correction_type);
    }
    let is_other_approach = starts_with_any(&said, OTHER_APPROACHES) && contains(&said, "instead");
    match is_other_approach {
        true => Some(CorrectionType::ApproachRejection),
        false => objection(text, after_work),
    }
}

/// What follows a question why the agent did something, if anything does.
fn after_question(text: &str) -> &str {
    let asks_why = starts_with_any(&normal(text), &["why are you", "why did you", "why do you"]);
    let rest = text.rsplit_once('?').map(|(_, rest)| rest.trim());
    rest.filter(|rest| asks_why && !rest.is_empty())
        .unwrap_or(text)
}

/// Whether a message is a question, a task, an error report or something else that is not
/// a correction.
fn is_other(text: &str, said: &str) -> bool {
    text.trim_end().ends_with('?')
        || starts_with_any(said, TASK_OPENERS)
        || starts_with_any(said, MUSING_OPENERS)
        || OTHER_MATTERS.iter().any(|phrase| contains(said, phrase))
        || NO_OBJECTION.iter().any(|phrase| contains(said, phrase))
}

fn starts_with_any(said: &str, openers: &[&str]) -> bool {
    let begins_with = |opener: &&&str| {
        let rest = said[1..].strip_prefix(**opener);
        rest.is_some_and(|rest| rest.starts_with(' '))
    };
    openers.iter().any(|opener| begins_with(&opener))
}
