//! Places in a JSON document.

use std::fmt;

/// One step on the way to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Segment {
    /// Into a member of an object.
    Key(&'static str),
    /// Into an item of a list, counted from 0.
    Index(usize),
}

/// The way from the root of a document to a value, such as
/// `applied_feedback.items[2].status`. The root itself is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct JsonPath(Vec<Segment>);

impl JsonPath {
    /// The steps from the root on.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// The same place, seen from one step further up.
    pub(super) fn under(mut self, segment: Segment) -> Self {
        self.0.insert(0, segment);
        self
    }
}

impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Key(key) if at == 0 => f.write_str(key)?,
                Segment::Key(key) => write!(f, ".{key}")?,
                Segment::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}
