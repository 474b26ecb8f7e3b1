//! An item of feedback.

use serde::{Deserialize, Serialize};

use super::FeedbackId;
use crate::{Severity, closed_list};

/// An item of feedback: where, what is wrong, and how to fix it. No field is blank.
///
/// ```
/// use review_types::{FeedbackItem, Severity};
///
/// let item = FeedbackItem::new("Goals", "No goal has a number", "Give each goal a number")?
///     .with_severity(Severity::Major);
/// assert_eq!(item.section(), "Goals");
/// assert!(item.id().is_none());
/// # Ok::<(), review_types::BlankField>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "Wire")]
pub struct FeedbackItem {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<FeedbackId>,
    section: String,
    issue: String,
    suggestion: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<Severity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quote: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Box<ItemDetails>>,
}

/// What a reviewer may say of an item in addition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ItemDetails {
    /// The aspect of quality that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aspect: Option<Aspect>,
    /// Why the change improves the artifact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// An example of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
    /// The order in which to address it, 1 first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
    /// The evidence for the issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}

/// The evidence for an issue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Evidence {
    /// The output of a test.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub test_result: Option<String>,
    /// The value of a metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub metric: Option<String>,
    /// A standard or a practice.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub reference: Option<String>,
}

impl ItemDetails {
    /// Returns the total length in bytes of the strings.
    pub fn size(&self) -> usize {
        let evidence = self.evidence.iter();
        let evidence = evidence.flat_map(|said| [&said.test_result, &said.metric, &said.reference]);
        let texts = [&self.rationale, &self.example].into_iter().chain(evidence);
        texts.flatten().map(String::len).sum()
    }
}

#[derive(Deserialize, schemars::JsonSchema)]
#[schemars(rename = "FeedbackItem")]
struct Wire {
    /// The id for decisions on it, if it has one.
    #[serde(default)]
    id: Option<FeedbackId>,
    section: String,
    issue: String,
    suggestion: String,
    /// The severity, if its reviewer gave one.
    #[serde(default)]
    severity: Option<Severity>,
    /// The words of the artifact that show the issue, as its reviewer quotes them.
    #[serde(default)]
    quote: Option<String>,
    /// What its reviewer said in addition, if anything.
    #[serde(default)]
    details: Option<Box<ItemDetails>>,
}

/// The first blank field of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} cannot be empty")]
pub struct BlankField(pub &'static str);

impl FeedbackItem {
    /// Builds an item without id and severity.
    ///
    /// # Errors
    /// [`BlankField`] is the first field that contains only
    /// white space, in the order section, issue, suggestion.
    pub fn new(
        section: impl Into<String>,
        issue: impl Into<String>,
        suggestion: impl Into<String>,
    ) -> Result<Self, BlankField> {
        let (section, issue, suggestion) = (section.into(), issue.into(), suggestion.into());
        for (name, field) in [
            ("section", &section),
            ("issue", &issue),
            ("suggestion", &suggestion),
        ] {
            if field.trim().is_empty() {
                return Err(BlankField(name));
            }
        }
        Ok(Self {
            id: None,
            section,
            issue,
            suggestion,
            severity: None,
            quote: None,
            details: None,
        })
    }

    /// Sets the id.
    #[must_use]
    pub fn with_id(self, id: FeedbackId) -> Self {
        Self {
            id: Some(id),
            ..self
        }
    }

    /// Sets the severity.
    #[must_use]
    pub fn with_severity(self, severity: impl Into<Option<Severity>>) -> Self {
        let severity = severity.into();
        Self { severity, ..self }
    }

    /// Sets the words of the artifact that show the issue; blank ones are left out.
    #[must_use]
    pub fn with_quote(self, quote: impl Into<Option<String>>) -> Self {
        let quote = quote.into().filter(|quote| !quote.trim().is_empty());
        Self { quote, ..self }
    }

    /// Sets what its reviewer said in addition.
    #[must_use]
    pub fn with_details(self, details: ItemDetails) -> Self {
        let details = (details != ItemDetails::default()).then(|| Box::new(details));
        Self { details, ..self }
    }

    /// Returns what its reviewer said in addition, if anything.
    pub fn details(&self) -> Option<&ItemDetails> {
        self.details.as_deref()
    }

    /// Returns the id for decisions on it, if it has one.
    pub fn id(&self) -> Option<&FeedbackId> {
        self.id.as_ref()
    }

    /// Returns the section of the artifact that has the issue.
    pub fn section(&self) -> &str {
        &self.section
    }

    /// Returns the issue.
    pub fn issue(&self) -> &str {
        &self.issue
    }

    /// Returns the suggested fix.
    pub fn suggestion(&self) -> &str {
        &self.suggestion
    }

    /// Returns the severity, if its reviewer gave one.
    pub fn severity(&self) -> Option<Severity> {
        self.severity
    }

    /// Returns the words of the artifact that show the issue, as its reviewer quotes
    /// them.
    pub fn quote(&self) -> Option<&str> {
        self.quote.as_deref()
    }

    /// Returns whether the other item has the same section, issue and suggestion.
    #[must_use]
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.content() == other.content()
    }

    /// Returns section, issue and suggestion.
    pub(super) fn content(&self) -> [&str; 3] {
        [&self.section, &self.issue, &self.suggestion]
    }
}

impl TryFrom<Wire> for FeedbackItem {
    type Error = BlankField;

    fn try_from(wire: Wire) -> Result<Self, Self::Error> {
        let item = Self::new(wire.section, wire.issue, wire.suggestion)?;
        Ok(Self {
            id: wire.id,
            severity: wire.severity,
            quote: wire.quote.filter(|quote| !quote.trim().is_empty()),
            details: wire.details,
            ..item
        })
    }
}

closed_list!(
    /// The aspect of quality of an item.
    Aspect {
        /// It does what it should.
        Correctness => "correctness",
        /// Nothing is missing.
        Completeness => "completeness",
        /// It can be understood.
        Clarity => "clarity",
        /// It does not contradict itself.
        Consistency => "consistency",
        /// It wastes no resources.
        Efficiency => "efficiency",
        /// It cannot be abused.
        Security => "security",
        /// It follows the style of the rest.
        Style => "style",
        /// It is documented.
        Documentation => "documentation",
        /// It can be tested.
        Testability => "testability",
        /// It can be changed.
        Maintainability => "maintainability",
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_serialized_with_its_severity_if_it_has_one() {
        let item = FeedbackItem::new("Goals", "open", "close").unwrap();
        let grave = item.clone().with_severity(Severity::Critical);
        let json = |item| serde_json::to_value(item).unwrap();
        let texts = serde_json::json!({"section": "Goals", "issue": "open", "suggestion": "close"});
        assert_eq!(json(&item), texts);
        assert_eq!(json(&grave)["severity"], "critical");
        for item in [&item, &grave] {
            let read: FeedbackItem = serde_json::from_value(json(item)).unwrap();
            assert_eq!(read, *item);
        }
        let named = item.clone().with_id(FeedbackId::new("goals-01").unwrap());
        assert_eq!(json(&named)["id"], "goals-01");
        let read: FeedbackItem = serde_json::from_value(json(&named)).unwrap();
        assert_eq!(read.id(), named.id());
        let other = FeedbackItem::new("Goals", "open", "shut").unwrap();
        assert!(item.says_the_same(&grave) && item != grave);
        assert!(!item.says_the_same(&other));
    }
}
