//! Reads the items of feedback.

use review_types::{Aspect, FeedbackId, FeedbackItem, ItemDetails, Severity, UnknownWord, Verdict};

use super::{Judge, Rejection, holds_dots};
use crate::error::ItemKey;
use crate::parse::{Node, Value};
use crate::spelling::{SeverityWord, is_placeholder};
use crate::{Dialect, Field, RepairCode, SchemaError};

/// The items of an array.
pub(super) struct Items {
    pub(super) kept: Vec<FeedbackItem>,
    /// Whether the verdict is a pass, from which an incomplete item is dropped.
    pub(super) passes: bool,
    read: usize,
    placeholders: usize,
}

impl Items {
    pub(super) fn new(passes: bool) -> Self {
        Self {
            kept: Vec::new(),
            passes,
            read: 0,
            placeholders: 0,
        }
    }
}

impl Judge<'_> {
    /// Returns the items, and the offset for an error in their number.
    pub(super) fn feedback(
        &mut self,
        object: &Node<'_>,
        verdict: Verdict,
    ) -> Result<(Vec<FeedbackItem>, usize), Rejection> {
        let field = Field::at("feedback");
        let Some(node) = self.find(object, &Field::at(""), field.as_str())? else {
            return Ok((Vec::new(), object.span.start));
        };
        let at = node.span.start;
        let error = |message| SchemaError::of(field.clone(), message).at(at);
        let not_a_list = || error("expected array of objects with section, issue and suggestion");
        let mut items = Items::new(verdict == Verdict::Pass);
        match &node.value {
            Value::Null => {}
            Value::List(list) => {
                for item in list {
                    self.item(item, &field, &mut items)?;
                }
            }
            Value::Object(_) => {
                self.notes.add_with(RepairCode::SingleItem, at, not_a_list);
                self.item(node, &field, &mut items)?;
            }
            Value::Bool(_) | Value::Number(_) | Value::Text(_) => return Err(not_a_list().into()),
        }
        let are_forms = items.read > 0 && items.read == items.placeholders;
        if are_forms || holds_dots(node.raw(self.text)) {
            let error = error("contains nothing but placeholders");
            return Err(Rejection::Template(error));
        }
        Ok((items.kept, at))
    }

    fn item(
        &mut self,
        node: &Node<'_>,
        list: &Field,
        items: &mut Items,
    ) -> Result<(), SchemaError> {
        let field = list.index(items.read);
        items.read += 1;
        if node.text().is_some_and(is_placeholder) {
            items.placeholders += 1;
            return Ok(());
        }
        let item = match self.texts(node, &field) {
            Ok(item) => item,
            Err(error) => return self.drop_item(node, items.passes, error),
        };
        let texts = [item.section(), item.issue(), item.suggestion()];
        let is_form = texts.into_iter().all(is_placeholder);
        items.placeholders += usize::from(is_form);
        let severity = match self.severity(node, &field) {
            Err(_) if is_form => None,
            severity => severity?,
        };
        let details = ItemDetails {
            aspect: aspect(node),
            ..ItemDetails::default()
        };
        let item = item.with_severity(severity).with_quote(quote(node));
        let item = item.with_details(details);
        items.kept.push(match self.finding(node) {
            Some(id) => item.with_id(id),
            None => item,
        });
        Ok(())
    }

    /// Returns the finding that an item raises again. A word that is not a known id decides
    /// nothing.
    fn finding(&self, node: &Node<'_>) -> Option<FeedbackId> {
        let named = node.get("finding")?.text()?;
        let mut known = self.options.findings.iter();
        known.find(|id| id.as_str() == named).cloned()
    }

    /// Drops an invalid item from a pass, unless it has a severity.
    pub(super) fn drop_item(
        &mut self,
        node: &Node<'_>,
        passes: bool,
        error: SchemaError,
    ) -> Result<(), SchemaError> {
        if !passes || node.get("severity").is_some_and(|node| !node.is_null()) {
            return Err(error);
        }
        let code = RepairCode::ItemDropped;
        self.notes.add_with(code, node.span.start, || error);
        Ok(())
    }

    /// Returns an item with its three strings.
    pub(super) fn texts(
        &mut self,
        node: &Node<'_>,
        field: &Field,
    ) -> Result<FeedbackItem, SchemaError> {
        let start = node.span.start;
        let keys = ItemKey::ALL.map(|key| key.in_dialect(self.options.dialect));
        if !node.is_object() {
            let [section, issue, suggestion] = keys;
            let message = format!("expected object with {section}, {issue} and {suggestion}");
            return Err(SchemaError::of(field.key(section), message).at(start));
        }
        let mut texts: [String; 3] = Default::default();
        for (key, text) in keys.into_iter().zip(&mut texts) {
            let found = self.find(node, field, key)?;
            let found = found.filter(|found| !found.is_null());
            if let Some(found) = found.and_then(Node::text) {
                found.clone_into(text);
            }
            if text.trim().is_empty() {
                let message = match (self.options.dialect, found) {
                    (_, Some(found)) if found.text().is_none() => {
                        format!("expected string, found {}", self.quoted(found))
                    }
                    (Dialect::Verdict, _) => format!("{key} cannot be empty"),
                    (_, Some(_)) => "cannot be empty".to_owned(),
                    (_, None) => "is missing".to_owned(),
                };
                return Err(SchemaError::of(field.key(key), message).at(start));
            }
        }
        let [section, issue, suggestion] = texts;
        FeedbackItem::new(section, issue, suggestion)
            .map_err(|blank| SchemaError::of(field.clone(), blank.to_string()).at(start))
    }

    /// Returns the severity in an object. An unknown word is an error, since it may be the
    /// most severe.
    pub(super) fn severity(
        &mut self,
        object: &Node<'_>,
        field: &Field,
    ) -> Result<Option<Severity>, SchemaError> {
        let found = self.find(object, field, "severity")?;
        let Some(node) = found.filter(|node| !node.is_null()) else {
            return Ok(None);
        };
        let unknown = UnknownWord {
            known: Severity::WORDS.join(" "),
            got: self.quoted(node),
        };
        let at = node.span.start;
        let error = || SchemaError::of(field.key("severity"), unknown.to_string()).at(at);
        let severity = match node.text().map_or(SeverityWord::Unknown, SeverityWord::of) {
            SeverityWord::Exact(severity) => return Ok(Some(severity)),
            SeverityWord::Form(severity) => Some(severity),
            SeverityWord::Blank => None,
            SeverityWord::Unknown => return Err(error()),
        };
        self.notes.add_with(RepairCode::WordForm, at, error);
        Ok(severity)
    }
}

/// Returns the words that an item quotes. They decide nothing, so that other values than
/// strings are ignored.
pub(super) fn quote(node: &Node<'_>) -> Option<String> {
    node.get("quote")?.text().map(str::to_owned)
}

/// Returns the aspect of an item, of its own or in its details. It decides nothing, so that
/// other words are ignored.
fn aspect(node: &Node<'_>) -> Option<Aspect> {
    let details = || node.get("details")?.get("aspect");
    let word = node.get("aspect").or_else(details)?.text()?;
    word.trim().to_ascii_lowercase().parse().ok()
}
