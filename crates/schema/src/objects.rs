//! The objects of a text that are in no other.

use std::ops::Range;

use memchr::memchr;

use crate::parse::{Failure, Fault, Node, Reader};

/// How often an attempt may go over the whole text.
const MAX_PASSES: usize = 16;

/// What begins with a brace.
pub(crate) enum Braced<'t> {
    /// An object, with all that is in it.
    Object(Node<'t>),
    /// Something that cannot be read further than to the end of this range.
    Broken(Range<usize>, Failure),
}

/// Passes over what begins with a brace, from left to right and in linear work;
/// false when the text has too many broken objects to be read to its end.
///
/// # Errors
/// The first one of `take`.
pub(crate) fn for_each_object<'t, E>(
    text: &'t str,
    mut take: impl FnMut(Braced<'t>) -> Result<(), E>,
) -> Result<bool, E> {
    let mut fuel = MAX_PASSES * text.len();
    let mut pos = 0;
    while let Some(offset) = memchr(b'{', text.as_bytes().get(pos..).unwrap_or_default()) {
        let start = pos + offset;
        let mut reader = Reader::new(text, start, false);
        let read = reader.node();
        let Some(left) = fuel.checked_sub(reader.pos() - start) else {
            return Ok(false);
        };
        fuel = left;
        pos = match read {
            Ok(Some(object)) => {
                take(Braced::Object(object))?;
                reader.pos()
            }
            Ok(None) => {
                let (at, fault) = (reader.pos(), Fault::End);
                take(Braced::Broken(start..at, Failure { at, fault }))?;
                start + 1
            }
            Err(failure) => {
                take(Braced::Broken(start..reader.pos(), failure))?;
                start + 1
            }
        };
    }
    Ok(true)
}
