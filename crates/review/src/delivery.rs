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
    /// A program of the user, which may read the artifact by itself.
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
    /// `answered` is what the answer says of that mark.
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

/// Returns whether what an answer names is a mark, but not the expected one. Words and
/// signs around it do not matter, and a placeholder is no mark.
fn is_another(named: &str, expected: &str) -> bool {
    let letters = named.chars().filter(char::is_ascii_alphanumeric);
    let letters: String = letters.map(|c| c.to_ascii_lowercase()).collect();
    let is_mark = letters.len() == expected.len() && letters.bytes().all(|c| c.is_ascii_hexdigit());
    is_mark && !letters.eq_ignore_ascii_case(expected)
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
            (Program, whole, named("e7d1"), None),
            (Program, whole, named(" E7D1 "), None),
            (Program, whole, named("end_id: \"E7d1\"."), None),
            (Program, whole, None, None),
            (Program, Some(0), None, None),
            (Program, half, named("e7d1"), None),
            (Program, whole, named("e7d2"), wrong),
            (Program, whole, named("\"e7d2\""), wrong),
            (Program, half, named("e7d2"), wrong),
            (Program, whole, named("..."), None),
            (Program, whole, named(""), None),
            (Program, whole, named("none"), None),
            (Program, whole, named("the mark at the end"), None),
            (Program, Some(0), Some(EndMark::Missing), missing),
            (Client, whole, None, None),
            (Client, half, named("e7d1"), unread(250)),
            (Client, Some(0), None, unread(0)),
            (Client, None, named("e7d1"), None),
            (Service, None, None, None),
            (Service, None, named("e7d2"), wrong),
            (Service, None, Some(EndMark::Missing), missing),
        ] {
            let sent = PromptSent {
                receiver,
                read: read.map(|read| PromptRead { bytes: 500, read }),
            };
            let came = Undelivered::of(sent, mark.as_ref(), "e7d1");
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
