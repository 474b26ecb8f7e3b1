//! The short way for an answer that is exactly one valid object.
//!
//! It gives up on whatever is not plain, so that the whole algorithm decides; what
//! it reads is what that would have read.

use std::fmt;

use review_types::actionable::Severity;
use review_types::{CriterionName, Review, ReviewFeedback, Score, Scores, Verdict};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::form::is_placeholder;
use crate::input::Input;
use crate::judge::MAX_EXTRA_SCORES;
use crate::parse::KeyForm;
use crate::{Dialect, ItemKey, Options, Parsed};

/// Reads an answer that is one plain object. `None` says nothing of the answer.
pub(crate) fn read(input: &Input<'_>, options: &Options) -> Option<Parsed> {
    let text = input.plain_text()?;
    if options.review_id.is_some() || options.dialect != Dialect::Verdict {
        return None;
    }
    let review = review(text, options)?;
    let is_blank = |byte: &u8| byte.is_ascii_whitespace();
    let start = text.bytes().take_while(is_blank).count();
    let end = text.trim_ascii_end().len();
    Some(Parsed {
        review,
        response: None,
        document: None,
        repairs: Vec::new(),
        span: start..end,
        candidates: 1,
        discarded: 0,
    })
}

/// The review that a text is as a whole.
pub(crate) fn review(text: &str, options: &Options) -> Option<Review> {
    let mut json = serde_json::Deserializer::from_str(text);
    let review = Root { options }.deserialize(&mut json).ok()?;
    json.end().ok()?;
    Some(review)
}

/// The error that ends the short way; nobody sees it.
fn give_up<E: de::Error>() -> E {
    E::custom("not plain")
}

/// Which of the known keys a key is; an error if it only resembles one.
fn known<E: de::Error>(key: &str, keys: &[&str]) -> Result<Option<usize>, E> {
    let forms = keys.iter().enumerate();
    match forms
        .filter_map(|(at, known)| Some((at, KeyForm::of(key, known)?)))
        .next()
    {
        Some((at, KeyForm::Exact)) => Ok(Some(at)),
        Some(_) => Err(give_up()),
        None => Ok(None),
    }
}

/// The keys of an object, each as its place in a list.
struct Keys<'k>(&'k [&'k str]);

impl<'de> DeserializeSeed<'de> for Keys<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Keys<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<Self::Value, E> {
        known(key, self.0)
    }
}

struct Root<'o> {
    options: &'o Options,
}

impl<'de> DeserializeSeed<'de> for Root<'_> {
    type Value = Review;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Review, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Root<'_> {
    type Value = Review;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a review")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Review, A::Error> {
        let (mut verdict, mut scores, mut feedback) = (None, None, None);
        // The last one is here to give up on: it means `score`.
        while let Some(key) =
            map.next_key_seed(Keys(&["verdict", "score", "feedback", "scores"]))?
        {
            let again = match key {
                Some(0) => verdict.replace(map.next_value_seed(Word)?).is_some(),
                Some(1) => {
                    let seed = ScoreObject {
                        required: &self.options.criteria,
                    };
                    scores.replace(map.next_value_seed(seed)?).is_some()
                }
                Some(2) => feedback.replace(map.next_value_seed(List)?).is_some(),
                Some(_) => true,
                None => {
                    map.next_value_seed(Scalar)?;
                    false
                }
            };
            if again {
                return Err(give_up());
            }
        }
        let (Some(verdict), Some(scores)) = (verdict, scores) else {
            return Err(give_up());
        };
        Review::new(verdict, scores, feedback.unwrap_or_default()).map_err(|_| give_up())
    }
}

/// A verdict in its exact word.
struct Word;

impl<'de> DeserializeSeed<'de> for Word {
    type Value = Verdict;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Verdict, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Word {
    type Value = Verdict;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a verdict")
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<Verdict, E> {
        word.parse().map_err(|_| give_up())
    }
}

struct ScoreObject<'o> {
    required: &'o [CriterionName],
}

impl<'de> DeserializeSeed<'de> for ScoreObject<'_> {
    type Value = Scores;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Scores, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ScoreObject<'_> {
    type Value = Scores;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("scores")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scores, A::Error> {
        let mut scores = Scores::default();
        while let Some(name) = map.next_key::<String>()? {
            let forms = self
                .required
                .iter()
                .map(|known| KeyForm::of(&name, known.as_str()));
            if forms.flatten().any(|form| form != KeyForm::Exact) {
                return Err(give_up());
            }
            let name = CriterionName::new(name).map_err(|_| give_up())?;
            let score = map.next_value_seed(WholeNumber)?;
            if scores.insert(name, score).is_some() || scores.len() > MAX_EXTRA_SCORES {
                return Err(give_up());
            }
        }
        if self
            .required
            .iter()
            .any(|name| scores.get(name.as_str()).is_none())
        {
            return Err(give_up());
        }
        Ok(scores)
    }
}

/// A score in plain digits.
struct WholeNumber;

impl<'de> DeserializeSeed<'de> for WholeNumber {
    type Value = Score;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Score, D::Error> {
        deserializer.deserialize_u64(self)
    }
}

impl Visitor<'_> for WholeNumber {
    type Value = Score;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a score")
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Score, E> {
        let value = i64::try_from(value).map_err(|_| give_up())?;
        Score::new(value).map_err(|_| give_up())
    }
}

/// The list of feedback.
struct List;

impl<'de> DeserializeSeed<'de> for List {
    type Value = Vec<ReviewFeedback>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List {
    type Value = Vec<ReviewFeedback>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of feedback")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(Item)? {
            items.push(item);
        }
        let is_form = |item: &ReviewFeedback| {
            [item.section(), item.issue(), item.suggestion()]
                .into_iter()
                .all(is_placeholder)
        };
        if !items.is_empty() && items.iter().all(is_form) {
            return Err(give_up());
        }
        Ok(items)
    }
}

struct Item;

impl<'de> DeserializeSeed<'de> for Item {
    type Value = ReviewFeedback;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Item {
    type Value = ReviewFeedback;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an item of feedback")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let keys = ItemKey::ALL.map(ItemKey::as_str);
        let mut texts: [Option<String>; 3] = Default::default();
        let mut severity: Option<Option<Severity>> = None;
        while let Some(key) = map.next_key_seed(Keys(&keys))? {
            let again = match key {
                Some(at) => match texts.get_mut(at) {
                    Some(text) => text.replace(map.next_value()?).is_some(),
                    None => severity.replace(map.next_value()?).is_some(),
                },
                None => {
                    map.next_value_seed(Scalar)?;
                    false
                }
            };
            if again {
                return Err(give_up());
            }
        }
        let [Some(section), Some(issue), Some(suggestion)] = texts else {
            return Err(give_up());
        };
        let item = ReviewFeedback::new(section, issue, suggestion).map_err(|_| give_up())?;
        Ok(match severity.flatten() {
            Some(severity) => item.with_severity(severity),
            None => item,
        })
    }
}

/// A value that is passed over; objects and lists are not.
struct Scalar;

impl<'de> DeserializeSeed<'de> for Scalar {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Scalar {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, a number or a literal")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mode;

    const SCORE: &str = r#""score": {"completeness": 90, "consistency": 85, "testability": 80, "architecture": 95, "extra": 7}"#;

    fn read_short(answer: &str, options: &Options) -> Option<Parsed> {
        read(
            &Input::decode(answer.as_bytes(), Mode::Tolerant).unwrap(),
            options,
        )
    }

    #[test]
    fn one_plain_object_is_read_the_short_way() {
        for members in [
            r#""verdict": "pass""#,
            r#""verdict": "pass", "feedback": []"#,
            r#""verdict": "pass", "a": null, "b": -1, "c": 1.5, "d": true, "e": "\n", "f": 7"#,
            r#""verdict": "needs_revision", "feedback": [{"section": "a", "issue": "b", "suggestion": "c", "line": 7}]"#,
            r#""verdict": "needs_revision", "feedback": [{"section": "a", "issue": "b", "suggestion": "c", "severity": "minor"}]"#,
            r#""verdict": "needs_revision", "feedback": [{"section": "a", "issue": "b", "suggestion": "c", "severity": null}]"#,
            r#""verdict": "needs_revision", "feedback": [{"section": "a", "issue": "b", "suggestion": "c"}, {"section": "...", "issue": "...", "suggestion": "..."}]"#,
        ] {
            let answer = format!(" \n{{{members}, {SCORE}}}\t ");
            let parsed = read_short(&answer, &Options::default()).unwrap();
            assert_eq!(parsed.span, 2..answer.len() - 2, "{members}");
            assert_eq!(parsed.review.score().len(), 5, "{members}");
        }
    }

    #[test]
    fn whatever_is_not_plain_is_left_to_the_whole_algorithm() {
        let pass = format!(r#"{{"verdict": "pass", {SCORE}}}"#);
        for answer in [
            format!("{pass}x"),
            format!("{pass}{pass}"),
            format!("x{pass}"),
            pass.replace("\"pass\"", "\"PASS\""),
            pass.replace("\"pass\"", "\"needs_revision\""),
            pass.replace("verdict", "Verdict"),
            pass.replace("score", "scores"),
            pass.replace("90", "90.0"),
            pass.replace("90", "101"),
            pass.replace("\"testability\": 80, ", ""),
            pass.replace("extra", "testability"),
            pass.replace("extra", "Testability"),
            pass.replace('{', r#"{"verdict": "pass", "#),
            pass.replacen('{', r#"{"other": {}, "#, 1),
            pass.replacen('{', r#"{"other": [], "#, 1),
            pass.replacen('{', r#"{"feedback": null, "#, 1),
            pass.replacen('{', r#"{"feedback": [{"section": "a"}], "#, 1),
            pass.replacen('{', r#"{"feedback": [{"section": "...", "issue": "...", "suggestion": "<c>"}], "#, 1),
            pass.replacen('{', r#"{"feedback": [{"section": "a", "section": "a", "issue": "b", "suggestion": "c"}], "#, 1),
            pass.replacen('{', r#"{"feedback": [{"section": "a", "issue": "b", "suggestion": "c", "severity": "High"}], "#, 1),
            pass.replacen('{', r#"{"feedback": [{"section": "a", "issue": "b", "suggestion": "c", "severity": "minor", "severity": "minor"}], "#, 1),
        ] {
            assert_eq!(read_short(&answer, &Options::default()), None, "{answer}");
        }
    }

    #[test]
    fn scores_are_read_the_short_way_up_to_a_limit() {
        let answer = |extra: usize| {
            let extra: Vec<_> = (0..extra).map(|i| format!(r#", "extra-{i}": 1"#)).collect();
            let score = SCORE.replace(r#", "extra": 7"#, &extra.concat());
            format!(r#"{{"verdict": "pass", {score}}}"#)
        };
        let read = |extra| read_short(&answer(extra), &Options::default());
        let known = Options::default().criteria.len();
        assert!(read(MAX_EXTRA_SCORES - known).is_some());
        assert_eq!(read(MAX_EXTRA_SCORES - known + 1), None);
    }

    #[test]
    fn an_answer_that_must_carry_an_id_is_not_read_the_short_way() {
        let options = Options {
            review_id: Some("5e2c".to_owned()),
            ..Options::default()
        };
        let answer = format!(r#"{{"review_id": "5e2c", "verdict": "pass", {SCORE}}}"#);
        assert_eq!(read_short(&answer, &options), None);
        assert!(read_short(&answer, &Options::default()).is_some());
    }
}
