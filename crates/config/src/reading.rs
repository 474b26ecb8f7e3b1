//! How a configuration file is read: the values of known keys, and faults.

use std::collections::BTreeMap;

use review_document::near::nearest;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::fault::{FileFault, step};
use crate::file::ConfigFile;
use crate::key::{KEYS, Key};
use crate::sources::{GoneKey, Sources};

impl ConfigFile {
    /// Reads TOML; what cannot be read is a fault and is left out.
    pub(crate) fn parse(&self, faults: &mut Vec<FileFault>) -> DeTable<'_> {
        let (table, errors) = DeTable::parse_recoverable(self.text());
        faults.extend(errors.into_iter().map(|error| {
            let span = error.span().unwrap_or(0..0);
            FileFault::new(self, "", span, error.message().replace('\n', ", "))
        }));
        table.into_inner()
    }
}

impl Sources<'_> {
    /// The values of the keys that exist in the file, which `table` is; every other key
    /// is a fault.
    pub(crate) fn values<'t>(
        &self,
        table: &'t DeTable<'t>,
        faults: &mut Vec<FileFault>,
    ) -> FileValues<'t> {
        let mut search = Search {
            file: self.file,
            gone: self.gone,
            faults,
            values: FileValues::new(),
        };
        search.collect("", "", table);
        search.values
    }
}

/// The values of a file by the names of their keys.
pub(crate) type FileValues<'t> = BTreeMap<&'static str, &'t Spanned<DeValue<'t>>>;

/// The search for known keys in a file.
struct Search<'s, 't> {
    file: &'s ConfigFile,
    gone: &'s [GoneKey],
    faults: &'s mut Vec<FileFault>,
    values: FileValues<'t>,
}

impl<'t> Search<'_, 't> {
    /// The depth is bounded by that of the known keys.
    fn collect(&mut self, above: &str, pointer: &str, table: &'t DeTable<'t>) {
        for (key, value) in table {
            let name = format!("{above}{}", key.get_ref());
            let at = format!("{pointer}{}", step(key.get_ref()));
            let below = format!("{name}.");
            if let Some(known) = KEYS.iter().find(|known| known.name == name) {
                self.values.insert(&known.name, value);
            } else if let Some(gone) = self.gone.iter().find(|gone| gone.name == name) {
                if !self.file.is_earlier() {
                    let fault = FileFault::new(self.file, &at, key.span(), gone.message());
                    self.faults.push(fault);
                }
            } else if self.has_table(&below) {
                match value.get_ref().as_table() {
                    Some(table) => self.collect(&below, &at, table),
                    None => {
                        let message = format!("`{name}` must be a table");
                        let fault = FileFault::new(self.file, &at, value.span(), message);
                        self.faults.push(fault);
                    }
                }
            } else {
                let message = format!("unknown key `{name}`");
                let fault = FileFault::new(self.file, &at, key.span(), message);
                let is_table = value.get_ref().as_table().is_some();
                let meant = meant(&name, key.get_ref(), is_table);
                let help = meant.map(|meant| format!("did you mean `{meant}`?"));
                self.faults.push(fault.help(help));
            }
        }
    }

    /// Whether keys that exist, or did, start with `below`.
    fn has_table(&self, below: &str) -> bool {
        KEYS.iter().any(|key| key.name.starts_with(below))
            || self.gone.iter().any(|key| key.name.starts_with(below))
    }
}

/// The key or table that was probably meant: one with a name like it, for a table a
/// table, a key of another table, or a table.
pub(crate) fn meant(name: &str, key: &str, is_table: bool) -> Option<&'static str> {
    let names = || KEYS.iter().map(|known| known.name.as_str());
    let first = |near: Vec<&'static str>| near.first().copied();
    let table = || {
        let tables = names().filter_map(|known| Some(known.split_once('.')?.0));
        first(nearest(name, tables, 1))
    };
    first(nearest(name, names(), 1))
        .or_else(|| is_table.then(table).flatten())
        .or_else(|| {
            let near = first(nearest(key, KEYS.iter().map(Key::last), 1))?;
            let known = KEYS.iter().find(|known| known.last() == near)?;
            Some(known.name.as_str())
        })
        .or_else(table)
}
