//! The way from the root to a value, written only when it is told.

use std::fmt;

/// A value's place below that of the value around it.
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
}

/// As a JSON pointer (RFC 6901).
impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Key(above, key) => {
                let key = key.replace('~', "~0").replace('/', "~1");
                write!(f, "{above}/{key}")
            }
            Self::Index(above, index) => write!(f, "{above}/{index}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_escapes_what_has_a_meaning_in_it() {
        let items = Path::Root.key("a/b~c");
        assert_eq!(items.index(3).key("d").to_string(), "/a~1b~0c/3/d");
        assert_eq!(Path::Root.to_string(), "");
    }
}
