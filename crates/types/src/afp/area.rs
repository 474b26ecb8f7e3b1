//! Areas for improvement.

use serde::Serialize;

use super::{FeedbackId, RepeatedId};
use crate::{BlankField, ReviewFeedback};

/// One thing to improve, with the id by which it is decided on. No text is
/// blank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Area {
    id: FeedbackId,
    aspect: String,
    description: String,
    recommendation: String,
}

impl Area {
    /// Builds an area from its texts.
    ///
    /// # Errors
    /// [`BlankField`] names the first text that holds nothing but blanks.
    pub fn new(
        id: FeedbackId,
        aspect: impl Into<String>,
        description: impl Into<String>,
        recommendation: impl Into<String>,
    ) -> Result<Self, BlankField> {
        let area = Self {
            id,
            aspect: aspect.into(),
            description: description.into(),
            recommendation: recommendation.into(),
        };
        for (name, text) in [
            ("aspect", &area.aspect),
            ("description", &area.description),
            ("recommendation", &area.recommendation),
        ] {
            if text.trim().is_empty() {
                return Err(BlankField(name));
            }
        }
        Ok(area)
    }

    /// An area that says what an item of feedback says.
    #[must_use]
    pub fn of(id: FeedbackId, item: &ReviewFeedback) -> Self {
        Self {
            id,
            aspect: item.section().to_owned(),
            description: item.issue().to_owned(),
            recommendation: item.suggestion().to_owned(),
        }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &FeedbackId {
        &self.id
    }

    /// The same as an item of feedback.
    #[must_use]
    #[expect(
        clippy::expect_used,
        reason = "an area is built of texts that are not blank"
    )]
    pub fn item(&self) -> ReviewFeedback {
        ReviewFeedback::new(&*self.aspect, &*self.description, &*self.recommendation)
            .expect("the texts of an area are not blank: its constructors see to it")
    }
}

/// The areas of one response. Each has an id of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Areas(Vec<Area>);

impl Areas {
    /// Checks that no two areas have the same id.
    ///
    /// # Errors
    /// [`RepeatedId`] when two have.
    pub fn new(areas: Vec<Area>) -> Result<Self, RepeatedId> {
        RepeatedId::find(areas.iter().map(Area::id))?;
        Ok(Self(areas))
    }

    /// The areas in their order.
    #[must_use]
    pub fn as_slice(&self) -> &[Area] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> FeedbackId {
        FeedbackId::new(text).unwrap()
    }

    #[test]
    fn an_area_and_an_item_say_the_same() {
        let item = ReviewFeedback::new("Scope", "is open", "close it").unwrap();
        let area = Area::of(id("scope-01"), &item);
        assert_eq!(area.item(), item);
        assert_eq!(
            Ok(area),
            Area::new(id("scope-01"), "Scope", "is open", "close it")
        );
    }

    #[test]
    fn the_first_blank_text_is_named() {
        let blank =
            |texts: [&str; 3]| Area::new(id("a"), texts[0], texts[1], texts[2]).unwrap_err();
        assert_eq!(blank([" ", "", ""]), BlankField("aspect"));
        assert_eq!(blank(["a", "\n", ""]), BlankField("description"));
        assert_eq!(blank(["a", "b", ""]), BlankField("recommendation"));
    }

    #[test]
    fn two_areas_cannot_share_an_id() {
        let area = |name: &str| Area::new(id(name), "a", "b", "c").unwrap();
        let areas = Areas::new(vec![area("x"), area("y")]).unwrap();
        assert_eq!(areas.as_slice(), [area("x"), area("y")]);
        assert_eq!(Areas::new(vec![area("x"), area("x")]).unwrap_err().index, 1);
    }
}
