//! The path of a value in a document.

use std::fmt;

use review_types::pointer_part;

/// The path of a value, as a link to the path of its parent; formatted as a JSON
/// pointer only when it is reported.
#[derive(Clone, Copy, Debug)]
pub(super) enum Path<'p> {
    Root,
    Key(&'p Self, &'p str),
    Index(&'p Self, usize),
}

impl Path<'_> {
    pub(super) fn key<'p>(&'p self, key: &'p str) -> Path<'p> {
        Path::Key(self, key)
    }

    pub(super) fn index(&self, index: usize) -> Path<'_> {
        Path::Index(self, index)
    }

    /// Returns whether it is that of the field `key` of an object.
    pub(super) fn is_key(&self, key: &str) -> bool {
        matches!(self, Path::Key(_, own) if *own == key)
    }
}

/// Returns the path as a JSON pointer (RFC 6901).
impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Key(above, key) => {
                write!(f, "{above}/{}", pointer_part(key))
            }
            Self::Index(above, index) => write!(f, "{above}/{index}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_escapes_special_characters() {
        let items = Path::Root.key("a/b~c");
        assert_eq!(items.index(3).key("d").to_string(), "/a~1b~0c/3/d");
        assert_eq!(Path::Root.to_string(), "");
    }
}
