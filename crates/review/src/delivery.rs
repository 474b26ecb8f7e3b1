//! Whether a prompt arrived at its reviewer with both its ends.

use review_schema::EndMark;
use review_types::PromptRead;
use serde::{Deserialize, Serialize};

/// How a prompt was sent to a reviewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptSent {
    /// Who received it.
    pub receiver: Receiver,
    /// How much of it was read, if that is known.
    pub read: Option<PromptRead>,
}

impl PromptSent {
    /// Returns how much was read, where a part was left unread.
    pub(crate) fn left_unread(self) -> Option<PromptRead> {
        self.read.filter(|read| !read.is_whole())
    }
}

/// What receives a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    /// A program of the user, which may read the artifact on its own.
    Program,
    /// A client of a language model.
    Client,
    /// A service, over HTTP.
    Service,
}

/// What shows that a prompt did not arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Undelivered {
    /// A client left a part of it unread.
    LeftUnread(PromptRead),
    /// The answer says that the prompt has no mark at its end.
    EndMissing,
    /// The answer names another mark than that at the end of the prompt.
    EndWrong,
}

impl Undelivered {
    /// Returns what shows that a prompt with the mark `end_id` at its end did not arrive;
    /// `answered` is the mark that the answer names.
    pub(crate) fn of(sent: PromptSent, answered: Option<&EndMark>, end_id: &str) -> Option<Self> {
        match (sent.left_unread(), sent.receiver) {
            (Some(read), Receiver::Client | Receiver::Service) => {
                return Some(Self::LeftUnread(read));
            }
            (Some(_), Receiver::Program) | (None, _) => {}
        }
        match answered? {
            EndMark::Missing => Some(Self::EndMissing),
            EndMark::Named(named) => is_another(named, end_id).then_some(Self::EndWrong),
        }
    }

    /// Returns it in words.
    pub(crate) fn message(self, reviewer: &str) -> String {
        match self {
            Self::LeftUnread(PromptRead { bytes, read }) => {
                format!("{reviewer} read {read} of {bytes} bytes of its prompt")
            }
            Self::EndMissing => {
                format!("{reviewer} answered that its prompt has no end_id: the end was cut off")
            }
            Self::EndWrong => format!(
                "{reviewer} answered another end_id than that of its prompt: the end was cut off"
            ),
        }
    }
}

/// The letters of a mark: without vowels, so that no word is one.
const MARK_LETTERS: &[u8; 16] = b"bcdfghjklmnpqrst";

/// The number of letters of a mark.
const MARK_LENGTH: usize = 4;

/// Returns the mark at the end of a prompt, from an id of hexadecimal digits.
pub(crate) fn end_mark(id: &str) -> String {
    let digits = id.chars().filter_map(|c| c.to_digit(16));
    let letters = digits.filter_map(|digit| MARK_LETTERS.get(digit as usize));
    letters
        .take(MARK_LENGTH)
        .map(|letter| char::from(*letter))
        .collect()
}

/// Returns whether what an answer names is this mark. Case, and the blanks and signs around
/// it, do not matter.
pub(crate) fn is_mark(named: &str, mark: &str) -> bool {
    letters(named).eq_ignore_ascii_case(mark)
}

/// Returns whether what an answer names is another mark than the expected one; a
/// placeholder is not a mark.
fn is_another(named: &str, expected: &str) -> bool {
    let letters = letters(named).to_ascii_lowercase();
    let is_mark = letters.len() == MARK_LENGTH
        && letters.bytes().all(|letter| MARK_LETTERS.contains(&letter));
    is_mark && letters != expected
}

fn letters(named: &str) -> &str {
    named.trim_matches(|c: char| !c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_did_not_arrive_if_a_client_left_a_part_or_the_answer_misses_its_end() {
        use Receiver::{Client, Program, Service};
        let named = |mark: &str| Some(EndMark::Named(mark.to_owned()));
        let (whole, half) = (Some(500), Some(250));
        let unread = |read| {
            let bytes = 500;
            Some(Undelivered::LeftUnread(PromptRead { bytes, read }))
        };
        let (missing, wrong) = (Some(Undelivered::EndMissing), Some(Undelivered::EndWrong));
        for (receiver, read, mark, expected) in [
            (Program, whole, named("bdfg"), None),
            (Program, whole, named(" BDFG "), None),
            (Program, whole, named("\"Bdfg\"."), None),
            (Program, whole, None, None),
            (Program, Some(0), None, None),
            (Program, half, named("bdfg"), None),
            (Program, whole, named("bdfh"), wrong),
            (Program, whole, named("\"bdfh\""), wrong),
            (Program, half, named("bdfh"), wrong),
            (Program, whole, named("..."), None),
            (Program, whole, named(""), None),
            (Program, whole, named("none"), None),
            (Program, whole, named("the mark at the end"), None),
            (Program, Some(0), Some(EndMark::Missing), missing),
            (Client, whole, None, None),
            (Client, half, named("bdfg"), unread(250)),
            (Client, Some(0), None, unread(0)),
            (Client, None, named("bdfg"), None),
            (Service, None, None, None),
            (Service, None, named("bdfh"), wrong),
            (Service, None, Some(EndMark::Missing), missing),
        ] {
            let sent = PromptSent {
                receiver,
                read: read.map(|read| PromptRead { bytes: 500, read }),
            };
            let came = Undelivered::of(sent, mark.as_ref(), "bdfg");
            assert_eq!(came, expected, "{receiver:?} {read:?} {mark:?}");
        }
    }

    #[test]
    fn the_message_says_what_shows_it() {
        let read = PromptRead {
            bytes: 5_000,
            read: 100,
        };
        let message = Undelivered::LeftUnread(read).message("claude");
        assert_eq!(message, "claude read 100 of 5000 bytes of its prompt");
    }
}
