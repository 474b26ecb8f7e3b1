//! Parses the object of scores.

use review_types::{CriterionName, Score, ScoreRange, Scores};

use super::{Judge, Rejection};
use crate::form::ScoreNumber;
use crate::parse::{Answer, KeyForm, Kind, KnownField, Node, Property, Slot};
use crate::{Field, RepairCode, SchemaError};

/// Maximum number of scores of criteria that were not requested.
const MAX_EXTRA_SCORES: usize = 1_000;

impl Judge<'_> {
    pub(super) fn score(&mut self, answer: &Answer<'_>) -> Result<Scores, Rejection> {
        let missing = || SchemaError::new(Field::Score, "score object is required");
        let required = self.options.requires_scores();
        let Some(member) = answer.score else {
            return if required {
                Err(missing().at(answer.span.start).into())
            } else {
                Ok(Scores::default())
            };
        };
        self.known_key(&member, || Field::Score)?;
        let slot = member.slot;
        match slot.kind {
            Kind::Object => {}
            Kind::Null if !required => return Ok(Scores::default()),
            Kind::Null => return Err(missing().at(slot.start).into()),
            _ => {
                let message = format!("expected object of scores, found {}", self.quoted(slot));
                return Err(SchemaError::new(Field::Score, message)
                    .at(slot.start)
                    .into());
            }
        }
        let Some(node) = &answer.scores else {
            return Err(missing().at(slot.start).into());
        };
        let mut scores = Scores::default();
        for name in &self.options.criteria {
            let field = || Field::Criterion(name.clone());
            let form = |key: &str| KeyForm::of(key, name.as_str());
            let Some((member, _)) = KnownField::find(node, self.text, form) else {
                let error = SchemaError::new(field(), "required criterion missing").at(slot.start);
                return Err(if self.holds_dots(slot) {
                    Rejection::Template(error)
                } else {
                    Rejection::Invalid(error)
                });
            };
            self.known_key(&member, field)?;
            let score = self.required_score(field, member.slot)?;
            scores.insert(name.clone(), score);
        }
        self.extra_scores(node, &mut scores);
        Ok(scores)
    }

    fn required_score(
        &mut self,
        field: impl Fn() -> Field,
        slot: Slot,
    ) -> Result<Score, SchemaError> {
        let number = self.number(slot);
        let value = match number {
            ScoreNumber::Plain(value) => value,
            ScoreNumber::Form(value) => value,
            ScoreNumber::TooLarge => {
                let message = range_message(&self.quoted(slot));
                return Err(SchemaError::new(field(), message).at(slot.start));
            }
            ScoreNumber::NotWhole => return Err(self.no_score(field(), slot)),
        };
        let score = Score::new(value).map_err(|ScoreRange(value)| {
            SchemaError::new(field(), range_message(&value.to_string())).at(slot.start)
        })?;
        if matches!(number, ScoreNumber::Form(_)) {
            let error = self.no_score(field(), slot);
            self.repaired(RepairCode::ScoreForm, slot.start, || error);
        }
        Ok(score)
    }

    fn number(&self, slot: Slot) -> ScoreNumber {
        match slot.kind {
            Kind::Number => {
                ScoreNumber::of(self.text.get(slot.start..slot.end).unwrap_or_default())
            }
            Kind::Text => ScoreNumber::of_text(&self.string(slot)),
            _ => ScoreNumber::NotWhole,
        }
    }

    fn no_score(&self, field: Field, slot: Slot) -> SchemaError {
        let message = format!(
            "expected integer from 0 to 100, found {}",
            self.quoted(slot)
        );
        SchemaError::new(field, message).at(slot.start)
    }

    /// Adds the score of another criterion. The last one counts for a duplicate
    /// criterion.
    fn extra_scores(&mut self, node: &Node<'_>, scores: &mut Scores) {
        let criteria = &self.options.criteria;
        let is_extra = |property: &&Property<'_>| {
            let mut forms = criteria
                .iter()
                .map(|name| KeyForm::of(&property.key, name.as_str()));
            forms.all(|form| form.is_none())
        };
        let extra = node.members().iter().filter(is_extra);
        for property in extra.take(MAX_EXTRA_SCORES) {
            let slot = property.node.slot();
            let score = match self.number(slot) {
                ScoreNumber::Plain(value) => Score::new(value).ok(),
                _ => None,
            };
            match CriterionName::new(&*property.key).ok().zip(score) {
                Some((name, score)) => {
                    scores.insert(name, score);
                }
                None => self.notes.add(RepairCode::ExtraScoreDropped, slot.start),
            }
        }
    }
}

fn range_message(got: &str) -> String {
    format!("score must be between 0 and 100 (0-100), got {got}")
}
