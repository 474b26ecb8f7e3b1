//! The object of scores.

use review_types::{CriterionName, Score, ScoreRange, Scores};

use super::{Fault, Judge};
use crate::form::ScoreNumber;
use crate::parse::{Again, Answer, Key, KeyForm, Kind, Member, Place, Reader, Slot, Step};
use crate::{Field, RepairCode, SchemaError};

/// The most scores of criteria that nobody asked for that are kept.
const MAX_EXTRA_SCORES: usize = 1_000;

impl Judge<'_> {
    pub(super) fn score(&mut self, answer: &Answer) -> Result<Scores, Fault> {
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
                let message = format!("must be an object of scores, got: {}", self.quoted(slot));
                return Err(SchemaError::new(Field::Score, message)
                    .at(slot.start)
                    .into());
            }
        }
        let found = self.find_scores(slot);
        let mut scores = Scores::default();
        for (name, member) in self.options.criteria.iter().zip(&found.required) {
            let field = || Field::Criterion(name.clone());
            let Some(member) = member else {
                let error = SchemaError::new(field(), "required criterion missing").at(slot.start);
                return Err(if self.holds_dots(slot) {
                    Fault::Template(error)
                } else {
                    Fault::Invalid(error)
                });
            };
            self.known_key(member, field)?;
            let score = self.required_score(field, member.slot)?;
            scores.insert(name.clone(), score);
        }
        self.extra_scores(found.extra, &mut scores);
        Ok(scores)
    }

    fn find_scores(&self, slot: Slot) -> Found {
        let mut found = Found {
            required: vec![None; self.options.criteria.len()],
            extra: Vec::new(),
        };
        let mut reader = Reader::again(self.text, slot, self.guessing);
        let Ok(mut level) = reader.enter(0) else {
            return found;
        };
        while let Ok(Step::Next(key)) = reader.next_key(&mut level) {
            let Ok(read) = reader.value(1, Place::Member) else {
                break;
            };
            if let Some(slot) = read.slot() {
                self.sort_score(key, slot, &mut found);
            }
        }
        found
    }

    fn sort_score(&self, key: Key<'_>, slot: Slot, found: &mut Found) {
        let forms = self.options.criteria.iter().map(CriterionName::as_str);
        let forms = forms.map(|name| KeyForm::of(&key.name, name));
        let wanted = forms
            .zip(&mut found.required)
            .find_map(|(form, place)| Some((form?, place)));
        let member = |form| Member {
            slot,
            key_at: key.at,
            form,
            again: Again::No,
        };
        if let Some((form, place)) = wanted {
            member(form).place(place, self.text);
        } else if found.extra.len() < MAX_EXTRA_SCORES {
            found.extra.push((key.name.into_owned(), slot));
        }
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
            self.mended(RepairCode::ScoreForm, slot.start, || error);
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
            "must be a whole number from 0 to 100, got {}",
            self.quoted(slot)
        );
        SchemaError::new(field, message).at(slot.start)
    }

    /// Keeps what is a score. The last one counts where a criterion stands twice.
    fn extra_scores(&mut self, extra: Vec<(String, Slot)>, scores: &mut Scores) {
        for (name, slot) in extra {
            let score = match self.number(slot) {
                ScoreNumber::Plain(value) => Score::new(value).ok(),
                _ => None,
            };
            match CriterionName::new(name).ok().zip(score) {
                Some((name, score)) => {
                    scores.insert(name, score);
                }
                None => self.notes.add(RepairCode::ExtraScoreDropped, slot.start),
            }
        }
    }
}

/// The members of an object of scores.
struct Found {
    /// In the order of the required criteria.
    required: Vec<Option<Member>>,
    extra: Vec<(String, Slot)>,
}

fn range_message(got: &str) -> String {
    format!("score must be between 0 and 100 (0-100), got {got}")
}
