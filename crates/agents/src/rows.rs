//! The backends in a table, for people who choose one.

use std::collections::BTreeMap;

use review_types::Family;

use crate::clients::Client;
use crate::http;
use crate::row::{BackendKind, BackendRow};
use crate::{builtin, cmd};

/// All backends.
pub fn backends() -> impl Iterator<Item = &'static BackendRow> {
    let clients = Client::ALL.into_iter().map(Client::row);
    let ours = [&builtin::ROW, &cmd::ROW].into_iter();
    ours.chain(clients).chain([&http::ROW])
}

/// The families of backends whose models are of one maker, by name; none for a backend
/// without a model.
#[must_use]
pub fn backend_families() -> BTreeMap<String, Option<Family>> {
    let family = |row: &BackendRow| match row.kind {
        BackendKind::Embedded => Some(None),
        BackendKind::Client => Some(Some(row.family?.parse().ok()?)),
        BackendKind::Program | BackendKind::Http => None,
    };
    let known = backends().filter_map(|row| Some((row.name.to_owned(), family(row)?)));
    known.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_of_one_maker_have_its_family_and_the_rules_have_none() {
        let families = backend_families();
        let known = families.iter().map(|(name, family)| {
            let family = family.as_ref().map(Family::as_str);
            (name.as_str(), family)
        });
        let expected = [
            ("builtin", None),
            ("claude", Some("anthropic")),
            ("codex", Some("openai")),
            ("gemini", Some("google")),
        ];
        assert_eq!(known.collect::<Vec<_>>(), expected);
    }
}
