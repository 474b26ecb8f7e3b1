//! Reads the object of scores.

use review_types::{CriterionName, Score, Scores, excerpt};

use super::{Judge, Rejection, holds_dots};
use crate::error::MAX_QUOTED;
use crate::parse::{Node, Value, key_spelling};
use crate::spelling::ScoreNumber;
use crate::{Field, RepairCode, SchemaError};

/// Maximum number of scores of criteria that were not requested.
const MAX_EXTRA_SCORES: usize = 1_000;

impl Judge<'_> {
    pub(super) fn scores(&mut self, object: &Node<'_>, at: &Field) -> Result<Scores, Rejection> {
        let field = at.key("score");
        let found = self.find(object, at, "score")?;
        let Some(node) = found.filter(|node| !node.is_null()) else {
            if self.options.criteria.is_empty() {
                return Ok(Scores::default());
            }
            let error = SchemaError::of(field, "score object is required");
            return Err(error.at(found.unwrap_or(object).span.start).into());
        };
        let start = node.span.start;
        if !node.is_object() {
            let message = format!("expected object of scores, found {}", self.quoted(node));
            return Err(SchemaError::of(field, message).at(start).into());
        }
        let mut scores = Scores::default();
        for name in &self.options.criteria {
            let Some(score) = self.find(node, &field, name.as_str())? else {
                let criterion = field.key(name.as_str());
                let error = SchemaError::of(criterion, "required criterion missing").at(start);
                return Err(Rejection::of(error, holds_dots(node.raw(self.text))));
            };
            scores.insert(name.clone(), self.score(score, &field.key(name.as_str()))?);
        }
        self.extra_scores(node, &field, &mut scores);
        Ok(scores)
    }

    fn score(&mut self, node: &Node<'_>, field: &Field) -> Result<Score, SchemaError> {
        let (start, got) = (node.span.start, self.quoted(node));
        let error = |message| SchemaError::of(field.clone(), message).at(start);
        let not_integer = || error(format!("expected integer from 0 to 100, found {got}"));
        let number = number(node).ok_or_else(not_integer)?;
        let score = score_of(number.value).ok_or_else(|| {
            error(format!(
                "score must be between 0 and 100 (0-100), got {got}"
            ))
        })?;
        if !number.is_plain {
            self.notes
                .add_with(RepairCode::ScoreForm, start, not_integer);
        }
        Ok(score)
    }

    /// Adds the scores of other criteria, of a duplicate one the last.
    fn extra_scores(&mut self, node: &Node<'_>, field: &Field, scores: &mut Scores) {
        let criteria = &self.options.criteria;
        let is_asked = |key: &str| {
            let mut names = criteria.iter();
            names.any(|name| key_spelling(key, name.as_str()).is_some())
        };
        let extra = node.members().iter().filter(|one| !is_asked(&one.key));
        for property in extra.take(MAX_EXTRA_SCORES) {
            let number = number(&property.node).filter(|number| number.is_plain);
            let score = number.and_then(|number| score_of(number.value));
            match CriterionName::new(&*property.key).ok().zip(score) {
                Some((name, score)) => {
                    scores.insert(name, score);
                }
                None => {
                    let (start, got) = (property.node.span.start, self.quoted(&property.node));
                    let code = RepairCode::ExtraScoreDropped;
                    self.notes.add_with(code, start, || {
                        let message = format!("expected integer from 0 to 100, found {got}");
                        SchemaError::of(field.key(&excerpt(&property.key, MAX_QUOTED)), message)
                            .at(start)
                    });
                }
            }
        }
    }
}

fn number(node: &Node<'_>) -> Option<ScoreNumber> {
    match &node.value {
        Value::Number(raw) => ScoreNumber::of(raw),
        Value::Text(text) => ScoreNumber::of_text(text),
        Value::Null | Value::Bool(_) | Value::List(_) | Value::Object(_) => None,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "an integer from 0 to 100 when it is cast"
)]
pub(super) fn score_of(value: f64) -> Option<Score> {
    let in_range = (0.0..=100.0).contains(&value);
    in_range.then(|| Score::new(value as i64).ok()).flatten()
}
