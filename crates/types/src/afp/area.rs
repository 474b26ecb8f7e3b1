//! Areas for improvement.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use super::{FeedbackId, RepeatedId};
use crate::actionable::Severity;
use crate::{BlankField, ReviewFeedback};

/// One thing to improve, with the id by which it is decided on. No text is
/// blank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Wire")]
pub struct Area {
    id: FeedbackId,
    aspect: String,
    description: String,
    recommendation: String,
    /// It is written in the extension of the response.
    #[serde(skip)]
    severity: Option<Severity>,
}

#[derive(Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Area")
)]
struct Wire {
    id: FeedbackId,
    aspect: String,
    description: String,
    recommendation: String,
}

impl TryFrom<Wire> for Area {
    type Error = BlankField;

    fn try_from(wire: Wire) -> Result<Self, BlankField> {
        Self::new(wire.id, wire.aspect, wire.description, wire.recommendation)
    }
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
            severity: None,
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
            severity: item.severity(),
        }
    }

    /// The same area with how much it matters.
    #[must_use]
    pub fn with_severity(self, severity: Severity) -> Self {
        Self {
            severity: Some(severity),
            ..self
        }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &FeedbackId {
        &self.id
    }

    /// What it is about, such as a section.
    #[must_use]
    pub fn aspect(&self) -> &str {
        &self.aspect
    }

    /// What is wrong.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// What to do about it.
    #[must_use]
    pub fn recommendation(&self) -> &str {
        &self.recommendation
    }

    /// How much it matters, where its provider says so.
    #[must_use]
    pub fn severity(&self) -> Option<Severity> {
        self.severity
    }

    /// The same as an item of feedback.
    #[must_use]
    #[expect(
        clippy::expect_used,
        reason = "an area is built of texts that are not blank"
    )]
    pub fn item(&self) -> ReviewFeedback {
        let item = ReviewFeedback::new(&*self.aspect, &*self.description, &*self.recommendation)
            .expect("the texts of an area are not blank: its constructors see to it");
        match self.severity {
            Some(severity) => item.with_severity(severity),
            None => item,
        }
    }
}

/// The areas of one response. Each has an id of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Vec<Area>", into = "Vec<Area>")]
pub struct Areas(Vec<Area>);

/// The three texts of an item.
type Texts<'a> = (&'a str, &'a str, &'a str);

impl TryFrom<Vec<Area>> for Areas {
    type Error = RepeatedId;

    fn try_from(areas: Vec<Area>) -> Result<Self, RepeatedId> {
        Self::new(areas)
    }
}

impl From<Areas> for Vec<Area> {
    fn from(areas: Areas) -> Self {
        areas.0
    }
}

impl Areas {
    /// Checks that no two areas have the same id.
    ///
    /// # Errors
    /// [`RepeatedId`] when two have.
    pub fn new(areas: Vec<Area>) -> Result<Self, RepeatedId> {
        RepeatedId::find(areas.iter().map(Area::id))?;
        Ok(Self(areas))
    }

    /// Items of feedback as areas, in order. An item that says what one of
    /// `given` says has its id; each other gets one that is made of its section
    /// and its number.
    #[must_use]
    pub fn of(items: &[ReviewFeedback], given: &Self) -> Self {
        let mut known: BTreeMap<Texts<'_>, VecDeque<&FeedbackId>> = BTreeMap::new();
        for area in &given.0 {
            let texts = (&*area.aspect, &*area.description, &*area.recommendation);
            known.entry(texts).or_default().push_back(&area.id);
        }
        let mut taken: BTreeSet<FeedbackId> = given.0.iter().map(|area| area.id.clone()).collect();
        // Counts up over all items, so that the ids of the first items do not
        // depend on those that follow.
        let mut free = 0;
        let areas = items.iter().enumerate().map(|(index, item)| {
            let texts = (item.section(), item.issue(), item.suggestion());
            let own = known.get_mut(&texts).and_then(VecDeque::pop_front);
            let id = own.cloned().unwrap_or_else(|| {
                let mut id = FeedbackId::numbered(item.section(), index + 1);
                while !taken.insert(id.clone()) {
                    free += 1;
                    id = FeedbackId::numbered(item.section(), free);
                }
                id
            });
            Area::of(id, item)
        });
        Self(areas.collect())
    }

    /// The areas that are to be kept.
    #[must_use]
    pub fn retained(mut self, is_kept: impl FnMut(&Area) -> bool) -> Self {
        self.0.retain(is_kept);
        self
    }

    /// What the areas say, as items of feedback.
    #[must_use]
    pub fn items(&self) -> Vec<ReviewFeedback> {
        self.0.iter().map(Area::item).collect()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
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
        let grave = item.with_severity(Severity::Critical);
        let area = Area::of(id("scope-01"), &grave);
        assert_eq!(area.item(), grave);
        assert_eq!(serde_json::to_value(area).unwrap().get("severity"), None);
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

    #[test]
    fn items_keep_the_ids_that_they_were_given_and_get_others() {
        let item = |text: &str| ReviewFeedback::new("Goals", text, "do it").unwrap();
        let area = |name: &str, text: &str| Area::of(id(name), &item(text));
        let given = vec![
            area("goals-03", "a"),
            area("x", "b"),
            area("y", "b"),
            area("z", "gone"),
        ];
        let given = Areas::new(given).unwrap();
        let items = ["new", "a", "newer", "b", "b", "b"].map(item);
        let areas = Areas::of(&items, &given);
        let ids = areas.as_slice().iter().map(|area| area.id().as_str());
        let ids: Vec<_> = ids.collect();
        assert_eq!(
            ids,
            ["goals-01", "goals-03", "goals-02", "x", "y", "goals-06"]
        );
        assert_eq!(areas.items(), items);
        let fewer = Areas::of(&items[..3], &given);
        assert_eq!(fewer.as_slice(), &areas.as_slice()[..3]);
        let others = areas.retained(|area| area.description() != "b");
        assert_eq!(others, fewer);
    }
}
