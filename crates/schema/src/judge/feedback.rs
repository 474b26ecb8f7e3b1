//! The list of feedback.

use review_types::{ReviewFeedback, Verdict};

use super::{Fault, Judge};
use crate::form::is_placeholder;
use crate::parse::{Again, Answer, Key, KeyForm, Kind, Member, Place, Read, Reader, Slot, Step};
use crate::{Field, ItemKey, RepairCode, SchemaError};

/// The three texts of an item, in the order of [`ItemKey::ALL`].
type Texts = [Option<Member>; 3];

/// What was read of a list.
#[derive(Default)]
struct Items {
    kept: Vec<ReviewFeedback>,
    read: usize,
    placeholders: usize,
}

impl Judge<'_> {
    pub(super) fn feedback(
        &mut self,
        answer: &Answer,
        verdict: Verdict,
    ) -> Result<Vec<ReviewFeedback>, Fault> {
        let Some(member) = answer.feedback else {
            return Ok(Vec::new());
        };
        self.known_key(&member, || Field::Feedback)?;
        let slot = member.slot;
        let not_a_list = || {
            let message = "must be a list of objects with section, issue and suggestion";
            SchemaError::new(Field::Feedback, message).at(slot.start)
        };
        let mut items = Items::default();
        match slot.kind {
            Kind::Null => {}
            Kind::List => self.items(slot, verdict, &mut items)?,
            Kind::Object => {
                self.mended(RepairCode::SingleItem, slot.start, not_a_list);
                self.item(slot, verdict, &mut items)?;
            }
            _ => return Err(not_a_list().into()),
        }
        if items.read > 0 && items.read == items.placeholders || self.holds_dots(slot) {
            let message = "holds nothing but placeholders";
            let error = SchemaError::new(Field::Feedback, message).at(slot.start);
            return Err(Fault::Template(error));
        }
        Ok(items.kept)
    }

    fn items(
        &mut self,
        list: Slot,
        verdict: Verdict,
        items: &mut Items,
    ) -> Result<(), SchemaError> {
        let mut reader = Reader::again(self.text, list, self.guessing);
        let Ok(mut level) = reader.enter(0) else {
            return Ok(());
        };
        while let Ok(Step::Next(())) = reader.next_item(&mut level) {
            let Ok(Read::Whole(slot)) = reader.value(1, Place::Item) else {
                break;
            };
            self.item(slot, verdict, items)?;
        }
        Ok(())
    }

    fn item(&mut self, slot: Slot, verdict: Verdict, items: &mut Items) -> Result<(), SchemaError> {
        let index = items.read;
        items.read += 1;
        if slot.kind == Kind::Text && is_placeholder(&self.string(slot)) {
            items.placeholders += 1;
            return Ok(());
        }
        match self.read_item(slot, index) {
            Ok(item) => {
                let texts = [item.section(), item.issue(), item.suggestion()];
                if texts.into_iter().all(is_placeholder) {
                    items.placeholders += 1;
                }
                items.kept.push(item);
            }
            Err(error) if verdict == Verdict::NeedsRevision => return Err(error),
            Err(_) => self.notes.add(RepairCode::ItemDropped, slot.start),
        }
        Ok(())
    }

    fn read_item(&mut self, slot: Slot, index: usize) -> Result<ReviewFeedback, SchemaError> {
        let field = |key| Field::Item { index, key };
        if slot.kind != Kind::Object {
            let message = "the item must be an object with section, issue and suggestion";
            return Err(SchemaError::new(field(ItemKey::Section), message).at(slot.start));
        }
        let members = self.find_texts(slot);
        let mut texts: [String; 3] = Default::default();
        for ((key, member), text) in ItemKey::ALL.into_iter().zip(members).zip(&mut texts) {
            if let Some(member) = member {
                self.known_key(&member, || field(key))?;
                if member.slot.kind == Kind::Text {
                    *text = self.string(member.slot).into_owned();
                }
            }
            if text.trim().is_empty() {
                let message = format!("{} cannot be empty", key.as_str());
                return Err(SchemaError::new(field(key), message).at(slot.start));
            }
        }
        let [section, issue, suggestion] = texts;
        ReviewFeedback::new(section, issue, suggestion).map_err(|blank| {
            SchemaError::new(field(ItemKey::Section), blank.to_string()).at(slot.start)
        })
    }

    fn find_texts(&self, item: Slot) -> Texts {
        let mut texts = Texts::default();
        let mut reader = Reader::again(self.text, item, self.guessing);
        let Ok(mut level) = reader.enter(0) else {
            return texts;
        };
        while let Ok(Step::Next(key)) = reader.next_key(&mut level) {
            let Ok(read) = reader.value(1, Place::Member) else {
                break;
            };
            if let Some(slot) = read.slot() {
                place_text(&key, slot, &mut texts, self.text);
            }
        }
        texts
    }
}

fn place_text(key: &Key<'_>, slot: Slot, texts: &mut Texts, text: &str) {
    for (known, place) in ItemKey::ALL.into_iter().zip(texts) {
        if let Some(form) = KeyForm::of(&key.name, known.as_str()) {
            let member = Member {
                slot,
                key_at: key.at,
                form,
                again: Again::No,
            };
            member.place(place, text);
        }
    }
}
