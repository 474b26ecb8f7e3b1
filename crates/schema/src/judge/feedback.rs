//! Parses the array of feedback.

use review_types::{FeedbackItem, Severity, UnknownWord, Verdict};

use super::{Judge, Rejection};
use crate::form::{SeverityWord, is_placeholder};
use crate::parse::{Answer, KeyForm, Kind, KnownField, Node, Slot, Value};
use crate::{Field, ItemKey, RepairCode, SchemaError};

/// The known fields of an item, in the order of [`ItemKey::ALL`].
type ItemFields<'n, 't> = [Option<(KnownField, &'n Node<'t>)>; 4];

/// The key of the words that an item quotes.
const QUOTE: &str = "quote";

/// The items of a parsed array.
#[derive(Default)]
struct ParsedItems {
    kept: Vec<FeedbackItem>,
    read: usize,
    placeholders: usize,
}

impl Judge<'_> {
    pub(super) fn feedback(
        &mut self,
        answer: &Answer<'_>,
        verdict: Verdict,
    ) -> Result<Vec<FeedbackItem>, Rejection> {
        let Some(member) = answer.feedback else {
            return Ok(Vec::new());
        };
        self.known_key(&member, || Field::Feedback)?;
        let slot = member.slot;
        let not_a_list = || {
            let message = "expected array of objects with section, issue and suggestion";
            SchemaError::new(Field::Feedback, message).at(slot.start)
        };
        let mut items = ParsedItems::default();
        match slot.kind {
            Kind::Null => {}
            Kind::List | Kind::Object => {
                let node = answer.items.as_ref().ok_or_else(not_a_list)?;
                if let Value::List(list) = &node.value {
                    for item in list {
                        self.item(item, verdict, &mut items)?;
                    }
                } else {
                    self.repaired(RepairCode::SingleItem, slot.start, not_a_list);
                    self.item(node, verdict, &mut items)?;
                }
            }
            _ => return Err(not_a_list().into()),
        }
        if items.read > 0 && items.read == items.placeholders || self.holds_dots(slot) {
            let message = "contains nothing but placeholders";
            let error = SchemaError::new(Field::Feedback, message).at(slot.start);
            return Err(Rejection::Template(error));
        }
        Ok(items.kept)
    }

    fn item(
        &mut self,
        node: &Node<'_>,
        verdict: Verdict,
        items: &mut ParsedItems,
    ) -> Result<(), SchemaError> {
        let slot = node.slot();
        let index = items.read;
        items.read += 1;
        if node.text().is_some_and(is_placeholder) {
            items.placeholders += 1;
            return Ok(());
        }
        if slot.kind != Kind::Object {
            let message = "expected object with section, issue and suggestion";
            let key = ItemKey::Section;
            let error = SchemaError::new(Field::Item { index, key }, message);
            return self.drop_item(slot, verdict, error.at(slot.start));
        }
        let members = ItemKey::ALL.map(|key| {
            let form = |name: &str| KeyForm::of(name, key.as_str());
            KnownField::find(node, self.text, form)
        });
        let [.., severity] = members;
        let item = match self.read_item(slot, index, members) {
            Ok(item) => item,
            // An item with a severity is not dropped from a pass.
            Err(error) if severity.is_some_and(|(member, _)| member.slot.kind != Kind::Null) => {
                return Err(error);
            }
            Err(error) => return self.drop_item(slot, verdict, error),
        };
        let texts = [item.section(), item.issue(), item.suggestion()];
        let is_form = texts.into_iter().all(is_placeholder);
        items.placeholders += usize::from(is_form);
        let severity = match severity.map(|(member, _)| self.severity(&member, index)) {
            Some(Err(_)) if is_form => None,
            Some(read) => read?,
            None => None,
        };
        let item = item.with_severity(severity).with_quote(self.quote(node));
        items.kept.push(item);
        Ok(())
    }

    /// Returns the quote of an item. It decides nothing, so that one that is no string is
    /// none.
    fn quote(&self, node: &Node<'_>) -> Option<String> {
        let form = |name: &str| KeyForm::of(name, QUOTE);
        let (_, value) = KnownField::find(node, self.text, form)?;
        value.text().map(str::to_owned)
    }

    /// Drops an invalid item from a pass.
    fn drop_item(
        &mut self,
        slot: Slot,
        verdict: Verdict,
        error: SchemaError,
    ) -> Result<(), SchemaError> {
        match verdict {
            Verdict::NeedsRevision => Err(error),
            Verdict::Pass => {
                self.notes.add(RepairCode::ItemDropped, slot.start);
                Ok(())
            }
        }
    }

    /// Returns the severity of an item. An unknown word is an error, since it
    /// may be the most severe.
    fn severity(
        &mut self,
        member: &KnownField,
        index: usize,
    ) -> Result<Option<Severity>, SchemaError> {
        let key = ItemKey::Severity;
        let field = || Field::Item { index, key };
        self.known_key(member, field)?;
        let slot = member.slot;
        let error = || {
            let unknown = UnknownWord {
                known: Severity::WORDS.join(" "),
                got: self.quoted(slot),
            };
            SchemaError::new(field(), unknown.to_string()).at(slot.start)
        };
        let word = match slot.kind {
            Kind::Null => return Ok(None),
            Kind::Text => SeverityWord::of(&self.string(slot)),
            _ => SeverityWord::Unknown,
        };
        let (severity, objection) = match word {
            SeverityWord::Exact(severity) => return Ok(Some(severity)),
            SeverityWord::Form(severity) => (Some(severity), error()),
            SeverityWord::Blank => (None, error()),
            SeverityWord::Unknown => return Err(error()),
        };
        self.repaired(RepairCode::WordForm, slot.start, || objection);
        Ok(severity)
    }

    fn read_item(
        &mut self,
        slot: Slot,
        index: usize,
        members: ItemFields<'_, '_>,
    ) -> Result<FeedbackItem, SchemaError> {
        let field = |key| Field::Item { index, key };
        let mut texts: [String; 3] = Default::default();
        for ((key, member), text) in ItemKey::TEXTS.into_iter().zip(members).zip(&mut texts) {
            if let Some((member, value)) = member {
                self.known_key(&member, || field(key))?;
                *text = value.text().unwrap_or_default().to_owned();
            }
            if text.trim().is_empty() {
                let message = format!("{} cannot be empty", key.as_str());
                return Err(SchemaError::new(field(key), message).at(slot.start));
            }
        }
        let [section, issue, suggestion] = texts;
        FeedbackItem::new(section, issue, suggestion).map_err(|blank| {
            SchemaError::new(field(ItemKey::Section), blank.to_string()).at(slot.start)
        })
    }
}
