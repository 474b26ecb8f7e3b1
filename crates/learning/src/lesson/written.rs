//! A lesson that somebody wrote, held to what it must be.

use std::collections::BTreeSet;

use review_text::wording::{Weight, Wording};
use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::Draft;
use super::draft::unbroken;

/// The least and the most characters of what was learned, as of an issue.
const LESSON: (usize, usize) = (20, 500);
/// The least and the most characters of an instruction, as of an action.
const CONSTRAINT: (usize, usize) = (20, 1000);

/// What somebody made of feedback.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WrittenLesson {
    lesson_text: String,
    constraint_update: String,
    cites: Vec<String>,
}

/// Why a lesson that somebody wrote is of no use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// A member is not what it must be.
    #[error("its {member} is not {wanted}")]
    Member {
        /// The member.
        member: &'static str,
        /// What it must be.
        wanted: &'static str,
    },
    /// It cites nothing.
    #[error("it cites no entry")]
    NoCites,
    /// It cites what it was not made of.
    #[error("it cites \"{0}\", which is no entry of this feedback")]
    UnknownCite(String),
    /// A text has too few or too many characters.
    #[error("its {member} has {count} characters, and from {least} to {most} are wanted")]
    Length {
        /// The member.
        member: &'static str,
        /// How many it has.
        count: usize,
        /// The least.
        least: usize,
        /// The most.
        most: usize,
    },
    /// A text says nothing definite.
    #[error("its {member} says \"{phrase}\", which is nothing definite")]
    Wording {
        /// The member.
        member: &'static str,
        /// The phrase.
        phrase: &'static str,
    },
}

impl Unusable {
    /// The member that is at fault.
    #[must_use]
    pub const fn member(&self) -> &'static str {
        match self {
            Self::Member { member, .. }
            | Self::Length { member, .. }
            | Self::Wording { member, .. } => member,
            Self::NoCites | Self::UnknownCite(_) => WrittenLesson::KEYS[2],
        }
    }
}

impl WrittenLesson {
    /// The members of its JSON form.
    pub const KEYS: [&str; 3] = ["lesson_text", "constraint_update", "cites"];

    /// Reads the lesson in an object; `known` are the ids of the feedback that it
    /// was made of.
    ///
    /// # Errors
    /// [`Unusable`] when it is not well worded, or does not say what it follows
    /// from.
    pub fn read(object: &Map<String, Json>, known: &BTreeSet<&str>) -> Result<Self, Unusable> {
        let [lesson, constraint, cites] = Self::KEYS;
        let lesson_text = text(object, lesson, LESSON, Wording::Vague)?;
        let constraint_update = text(object, constraint, CONSTRAINT, Wording::Advisory)?;
        let items = object.get(cites).and_then(Json::as_array);
        let items: Option<Vec<&str>> = items
            .map(|items| items.iter().map(Json::as_str).collect())
            .unwrap_or_default();
        let items = items.ok_or(Unusable::Member {
            member: cites,
            wanted: "a list of texts",
        })?;
        let mut cites: Vec<String> = Vec::new();
        for item in items.into_iter().map(str::trim) {
            if !known.contains(item) {
                return Err(Unusable::UnknownCite(
                    unbroken(item).chars().take(60).collect(),
                ));
            }
            if !cites.iter().any(|cited| cited == item) {
                cites.push(item.to_owned());
            }
        }
        if cites.is_empty() {
            return Err(Unusable::NoCites);
        }
        Ok(Self {
            lesson_text,
            constraint_update,
            cites,
        })
    }

    /// The ids of the entries that it follows from.
    #[must_use]
    pub fn cites(&self) -> &[String] {
        &self.cites
    }

    /// The lesson as a draft, which says who wrote it.
    #[must_use]
    pub fn into_draft(self, written_by: String) -> Draft {
        Draft {
            lesson_text: self.lesson_text,
            constraint_update: Some(self.constraint_update),
            cites: self.cites,
            written_by: Some(written_by),
        }
    }
}

fn text(
    object: &Map<String, Json>,
    member: &'static str,
    (least, most): (usize, usize),
    wording: Wording,
) -> Result<String, Unusable> {
    let text = object.get(member).and_then(Json::as_str);
    let text = unbroken(text.ok_or(Unusable::Member {
        member,
        wanted: "a text",
    })?);
    let count = text.chars().count();
    if !(least..=most).contains(&count) {
        return Err(Unusable::Length {
            member,
            count,
            least,
            most,
        });
    }
    match wording.find(&text) {
        Some(hit) if hit.weight == Weight::Leading => Err(Unusable::Wording {
            member,
            phrase: hit.phrase,
        }),
        Some(_) | None => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(lesson: &Json) -> Result<WrittenLesson, String> {
        let known = BTreeSet::from(["1", "2"]);
        let object = lesson.as_object().unwrap();
        WrittenLesson::read(object, &known).map_err(|unusable| unusable.to_string())
    }

    /// The member that is at fault.
    fn fault(lesson: &Json) -> Option<&'static str> {
        let object = lesson.as_object().unwrap();
        let read = WrittenLesson::read(object, &BTreeSet::from(["1", "2"]));
        read.err().map(|unusable| unusable.member())
    }

    fn whole() -> Json {
        json!({
            "lesson_text": "Uploads hang\nsince they have no timeout.",
            "constraint_update": " Set a timeout on each upload. ",
            "cites": ["2", " 1 ", "2"],
        })
    }

    #[test]
    fn a_lesson_is_what_was_written_on_one_line_each() {
        let draft = read(&whole())
            .unwrap()
            .into_draft("cmd lesson/v1".to_owned());
        let expected = Draft {
            lesson_text: "Uploads hang since they have no timeout.".to_owned(),
            constraint_update: Some("Set a timeout on each upload.".to_owned()),
            cites: vec!["2".to_owned(), "1".to_owned()],
            written_by: Some("cmd lesson/v1".to_owned()),
        };
        assert_eq!(draft, expected);
        let lesson = read(&whole()).unwrap();
        assert_eq!(lesson.cites(), ["2", "1"]);
        let again = json!(lesson);
        assert_eq!(again["cites"], json!(["2", "1"]));
        assert_eq!(read(&again), Ok(lesson));
    }

    #[test]
    fn a_lesson_without_valid_citations_or_clear_words_is_of_no_use() {
        let long = "x".repeat(1001);
        for (member, value, message) in [
            ("cites", json!([]), "it cites no entry"),
            (
                "cites",
                json!(["1", "3"]),
                "it cites \"3\", which is no entry of this feedback",
            ),
            ("cites", json!("1"), "its cites is not a list of texts"),
            ("cites", json!([1]), "its cites is not a list of texts"),
            ("lesson_text", json!(7), "its lesson_text is not a text"),
            (
                "lesson_text",
                json!("Nineteen characters"),
                "its lesson_text has 19 characters, and from 20 to 500 are wanted",
            ),
            (
                "lesson_text",
                json!(&long[..501]),
                "its lesson_text has 501 characters, and from 20 to 500 are wanted",
            ),
            (
                "constraint_update",
                json!(long),
                "its constraint_update has 1001 characters, and from 20 to 1000 are wanted",
            ),
            (
                "lesson_text",
                json!("The uploads could be better"),
                "its lesson_text says \"could be better\", which is nothing definite",
            ),
            (
                "constraint_update",
                json!("Consider a timeout on uploads"),
                "its constraint_update says \"consider\", which is nothing definite",
            ),
        ] {
            let mut lesson = whole();
            lesson[member] = value;
            assert_eq!(read(&lesson), Err(message.to_owned()));
            assert_eq!(fault(&lesson), Some(member));
        }
        for (member, value) in [
            ("lesson_text", json!(&long[..500])),
            ("lesson_text", json!("Exactly twenty chars")),
            ("constraint_update", json!(&long[..1000])),
            (
                "constraint_update",
                json!("Set limits that readers do not consider"),
            ),
        ] {
            let mut lesson = whole();
            lesson[member] = value;
            assert!(read(&lesson).is_ok(), "{lesson}");
        }
    }
}
