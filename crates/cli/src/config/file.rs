//! The configuration file as a list of known keys.

use std::collections::BTreeMap;
use std::ops::Range;

use review_document::near::nearest;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::fault::FileFault;
use super::key::{KEYS, Key};

/// The values of a file by the names of their keys.
pub(super) type FileValues<'t> = BTreeMap<&'static str, &'t Spanned<DeValue<'t>>>;

/// Reads TOML; what cannot be read is a fault and is left out.
pub(super) fn parse<'t>(text: &'t str, faults: &mut Vec<FileFault>) -> DeTable<'t> {
    let (table, errors) = DeTable::parse_recoverable(text);
    faults.extend(errors.into_iter().map(|error| FileFault {
        span: error.span().unwrap_or(0..0),
        message: error.message().replace('\n', ", "),
        help: None,
    }));
    table.into_inner()
}

/// The values of the keys that exist; every other key is a fault.
pub(super) fn flatten<'t>(table: &'t DeTable<'t>, faults: &mut Vec<FileFault>) -> FileValues<'t> {
    let mut values = FileValues::new();
    collect("", table, &mut values, faults);
    values
}

/// The depth is bounded by that of the known keys.
fn collect<'t>(
    above: &str,
    table: &'t DeTable<'t>,
    values: &mut FileValues<'t>,
    faults: &mut Vec<FileFault>,
) {
    for (key, value) in table {
        let name = format!("{above}{}", key.get_ref());
        let below = format!("{name}.");
        if let Some(known) = KEYS.iter().find(|known| known.name == name) {
            values.insert(known.name, value);
        } else if KEYS.iter().any(|known| known.name.starts_with(&below)) {
            match value.get_ref().as_table() {
                Some(table) => collect(&below, table, values, faults),
                None => faults.push(FileFault {
                    span: value.span(),
                    message: format!("`{name}` must be a table"),
                    help: None,
                }),
            }
        } else {
            faults.push(unknown(above, key.get_ref(), key.span()));
        }
    }
}

fn unknown(above: &str, key: &str, span: Range<usize>) -> FileFault {
    let name = format!("{above}{key}");
    FileFault {
        span,
        help: meant(&name, key).map(|meant| format!("did you mean `{meant}`?")),
        message: format!("unknown key `{name}`"),
    }
}

/// The key or table that was probably meant: one with a name like it, a key of
/// another table, or a table.
fn meant(name: &str, key: &str) -> Option<&'static str> {
    let first = |near: Vec<&str>| near.first().map(|name| (*name).to_owned());
    let names = || KEYS.iter().map(|known| known.name);
    if let Some(near) = first(nearest(name, names(), 1)) {
        return names().find(|known| *known == near);
    }
    if let Some(near) = first(nearest(key, KEYS.iter().map(Key::last), 1)) {
        return KEYS
            .iter()
            .find(|known| known.last() == near)
            .map(|known| known.name);
    }
    let tables = || names().filter_map(|known| Some(known.split_once('.')?.0));
    let near = first(nearest(name, tables(), 1))?;
    tables().find(|known| *known == near)
}
