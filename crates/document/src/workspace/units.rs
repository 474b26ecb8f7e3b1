//! The units of a project, by name.

use std::collections::HashMap;
use std::sync::Arc;

use review_types::UnitId;

use crate::Plan;
use review_text::near::fold;

/// Units with their plans, archived ones included.
///
/// A clone shares its list with the original.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Units(Arc<UnitList>);

#[derive(Debug, Default, PartialEq, Eq)]
struct UnitList {
    all: Vec<ListedUnit>,
    /// Their positions by their folded names.
    by_name: HashMap<String, Vec<usize>>,
}

/// A unit as other units see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedUnit {
    /// Its folder, relative to the root.
    pub dir: String,
    /// Its id.
    pub id: UnitId,
    /// Its plan.
    pub plan: Option<Plan>,
}

impl Units {
    /// Returns all of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &ListedUnit> + Clone {
        self.0.all.iter()
    }

    /// Returns those of this name, in order, ignoring case and with `_` equal to `-`.
    pub fn named(&self, name: &str) -> impl Iterator<Item = &ListedUnit> {
        let places = self.0.by_name.get(&fold(name));
        let places = places.map_or(&[][..], Vec::as_slice).iter();
        places.map(|&at| &self.0.all[at])
    }
}

impl FromIterator<ListedUnit> for Units {
    fn from_iter<I: IntoIterator<Item = ListedUnit>>(units: I) -> Self {
        let all: Vec<_> = units.into_iter().collect();
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, unit) in all.iter().enumerate() {
            by_name.entry(fold(unit.id.as_str())).or_default().push(at);
        }
        Self(Arc::new(UnitList { all, by_name }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_found_by_their_names() {
        let unit = |(dir, name): (&str, &str)| ListedUnit {
            dir: dir.to_owned(),
            id: name.parse().expect("a legal name"),
            plan: None,
        };
        let list = [("a", "Event_Bus"), ("b", "web"), ("old/a", "event-bus")];
        let units: Units = list.map(unit).into_iter().collect();
        let dirs = |name| -> Vec<_> { units.named(name).map(|unit| unit.dir.as_str()).collect() };
        assert_eq!(dirs("EVENT-bus"), ["a", "old/a"]);
        assert_eq!(dirs("web"), ["b"]);
        assert_eq!(dirs("we"), [""; 0]);
        assert_eq!(units.iter().count(), 3);
        assert_eq!(units, units.clone());
        assert_ne!(units, Units::default());
    }
}
