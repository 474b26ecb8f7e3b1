//! Lessons written by a model or a program, and their validation.

use std::collections::BTreeSet;

use review_text::wording::{Weight, Wording};
use review_types::one_line;
use serde_json::{Map, Value as Json};

use super::Draft;

/// The minimum and the maximum length of a lesson in characters, as for an issue.
const LESSON: (usize, usize) = (20, 500);
/// The minimum and the maximum length of an instruction in characters, as for an
/// action.
const CONSTRAINT: (usize, usize) = (20, 1000);
/// The minimum and the maximum length of an instruction in the words of a user.
const BY_USER: (usize, usize) = (8, 300);

/// Why words are no lesson.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{member}` {problem}")]
pub struct InvalidLesson {
    /// The invalid field.
    pub member: &'static str,
    /// What is wrong with it.
    problem: String,
}

impl InvalidLesson {
    fn new(member: &'static str, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        Self { member, problem }
    }
}

impl Draft {
    /// The fields of the JSON form.
    pub const KEYS: [&str; 3] = ["lesson_text", "constraint_update", "cites"];

    /// Reads the lesson of an author in an object; `known` are the ids of the feedback that
    /// it was written for, and `texts` the content of each of its entries.
    ///
    /// # Errors
    /// [`InvalidLesson`] if a field is invalid, not specific, about one entry alone, or
    /// cites nothing of the feedback.
    pub fn read(
        object: &Map<String, Json>,
        known: &BTreeSet<&str>,
        texts: &[String],
        written_by: String,
    ) -> Result<Self, InvalidLesson> {
        let [lesson, constraint, cites] = Self::KEYS;
        let lesson_text = text(object, lesson, LESSON, Wording::Vague)?;
        let constraint_update = text(object, constraint, CONSTRAINT, Wording::Advisory)?;
        for (member, text) in [(lesson, &lesson_text), (constraint, &constraint_update)] {
            if let Some(word) = of_one_entry(text, texts) {
                let problem = format!(
                    "contains \"{word}\", which only one entry has: say what all have in common"
                );
                return Err(InvalidLesson::new(member, problem));
            }
        }
        let items = object.get(cites).and_then(Json::as_array);
        let items: Option<Vec<&str>> = items
            .map(|items| items.iter().map(Json::as_str).collect())
            .unwrap_or_default();
        let items =
            items.ok_or_else(|| InvalidLesson::new(cites, "must be an array of strings"))?;
        let mut cited: Vec<String> = Vec::new();
        for item in items.into_iter().map(str::trim) {
            if !known.contains(item) {
                let item: String = unbroken(item).chars().take(60).collect();
                let problem = format!("names \"{item}\", which is not an entry of this feedback");
                return Err(InvalidLesson::new(cites, problem));
            }
            if !cited.iter().any(|known| known == item) {
                cited.push(item.to_owned());
            }
        }
        if cited.is_empty() {
            return Err(InvalidLesson::new(cites, "must name at least one entry"));
        }
        Ok(Self {
            lesson_text,
            constraint_update,
            cites: cited,
            written_by: Some(written_by),
        })
    }
}

fn text(
    object: &Map<String, Json>,
    member: &'static str,
    length: (usize, usize),
    wording: Wording,
) -> Result<String, InvalidLesson> {
    let text = object.get(member).and_then(Json::as_str);
    let text = text.ok_or_else(|| InvalidLesson::new(member, "must be a string"))?;
    checked(text, member, length, wording)
}

/// A number, path or name of a string that exactly one of the entries has.
fn of_one_entry<'t>(text: &'t str, entries: &[String]) -> Option<&'t str> {
    let words = text.split_whitespace();
    let mut words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    words.find(|word| {
        let is_name = word.contains(|c: char| c.is_ascii_digit() || matches!(c, '/' | '_' | ':'));
        is_name && entries.iter().filter(|entry| entry.contains(word)).count() == 1
    })
}

/// Returns an instruction in the words of a user, as one line.
///
/// # Errors
/// [`InvalidLesson`] if it is too short, too long, or vague.
pub(super) fn instruction(text: &str) -> Result<String, InvalidLesson> {
    checked(text, "text", BY_USER, Wording::Vague)
}

/// Returns a string as one line, without unprintable characters.
pub(super) fn unbroken(text: &str) -> String {
    let printed = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    one_line(&printed.collect::<String>())
}

fn checked(
    text: &str,
    member: &'static str,
    (least, most): (usize, usize),
    wording: Wording,
) -> Result<String, InvalidLesson> {
    let text = unbroken(text);
    let count = text.chars().count();
    if !(least..=most).contains(&count) {
        let problem = format!("must have {least} to {most} characters, found {count}");
        return Err(InvalidLesson::new(member, problem));
    }
    match wording.find(&text) {
        Some(hit) if hit.weight == Weight::Leading => {
            let problem = format!("contains \"{}\", which is not specific", hit.phrase);
            Err(InvalidLesson::new(member, problem))
        }
        Some(_) | None => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_user_words_a_lesson_in_any_language_but_not_vaguely() {
        for (text, expected) in [
            ("Lint before each commit with the project's rules", None),
            ("Schreibe f\u{fc}r jedes Beispiel\ndie Ausgabe auf", None),
            ("No print in services, use the logger", None),
            ("Consider a timeout on each upload.", None),
            (
                "Lint!",
                Some("`text` must have 8 to 300 characters, found 5"),
            ),
            (
                "It could be better",
                Some("`text` contains \"could be better\", which is not specific"),
            ),
        ] {
            let found = instruction(text).map_err(|invalid| invalid.to_string());
            assert_eq!(found.err().as_deref(), expected, "{text}");
        }
        assert!(instruction(&"x".repeat(300)).is_ok());
        assert!(instruction(&"x".repeat(301)).is_err());
    }

    #[test]
    fn a_number_or_a_name_of_one_entry_alone_is_no_lesson_for_all() {
        let texts = [
            "invoice 6 in a/b.rs is wrong",
            "amounts in a/b.rs are wrong",
        ];
        let texts = texts.map(str::to_owned);
        for (text, found) in [
            ("Round amounts of invoice 6 half to even", Some("6")),
            ("Round the amounts in `a/b.rs` half to even.", None),
            ("Round to 2 digits, half to even", None),
        ] {
            assert_eq!(of_one_entry(text, &texts), found, "{text}");
        }
    }

    fn read(lesson: &Json) -> Result<Draft, InvalidLesson> {
        let known = BTreeSet::from(["1", "2"]);
        Draft::read(
            lesson.as_object().unwrap(),
            &known,
            &[],
            "cmd lesson/v1".to_owned(),
        )
    }

    fn whole() -> Json {
        json!({
            "lesson_text": "Uploads hang\nsince they have no timeout.",
            "constraint_update": " Set a timeout on each upload. ",
            "cites": ["2", " 1 ", "2"],
        })
    }

    #[test]
    fn a_written_lesson_is_read_as_single_lines() {
        let expected = Draft {
            lesson_text: "Uploads hang since they have no timeout.".to_owned(),
            constraint_update: "Set a timeout on each upload.".to_owned(),
            cites: vec!["2".to_owned(), "1".to_owned()],
            written_by: Some("cmd lesson/v1".to_owned()),
        };
        assert_eq!(read(&whole()), Ok(expected));
    }

    #[test]
    fn a_lesson_without_valid_citations_or_clear_words_is_rejected() {
        let long = "x".repeat(1001);
        for (member, value, message) in [
            ("cites", json!([]), "`cites` must name at least one entry"),
            (
                "cites",
                json!(["1", "3"]),
                "`cites` names \"3\", which is not an entry of this feedback",
            ),
            ("cites", json!("1"), "`cites` must be an array of strings"),
            ("cites", json!([1]), "`cites` must be an array of strings"),
            ("lesson_text", json!(7), "`lesson_text` must be a string"),
            (
                "lesson_text",
                json!("Nineteen characters"),
                "`lesson_text` must have 20 to 500 characters, found 19",
            ),
            (
                "lesson_text",
                json!(&long[..501]),
                "`lesson_text` must have 20 to 500 characters, found 501",
            ),
            (
                "constraint_update",
                json!(long),
                "`constraint_update` must have 20 to 1000 characters, found 1001",
            ),
            (
                "lesson_text",
                json!("The uploads could be better"),
                "`lesson_text` contains \"could be better\", which is not specific",
            ),
            (
                "constraint_update",
                json!("Consider a timeout on uploads"),
                "`constraint_update` contains \"consider\", which is not specific",
            ),
        ] {
            let mut lesson = whole();
            lesson[member] = value;
            let invalid = read(&lesson).unwrap_err();
            assert_eq!(
                (invalid.to_string(), invalid.member),
                (message.to_owned(), member)
            );
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
