//! Templates with named slots.

use std::convert::Infallible;

/// An embedded text with slots such as `{{feature}}`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Template {
    name: &'static str,
    version: u32,
    text: &'static str,
}

/// What a slot stands for. It is not searched for slots.
pub(super) enum Slot<'a, E = Infallible> {
    Text(&'a str),
    Written(&'a dyn Fn(&mut Vec<u8>) -> Result<(), E>),
}

impl Template {
    pub(super) const fn new(name: &'static str, version: u32, text: &'static str) -> Self {
        Self {
            name,
            version,
            text,
        }
    }

    /// Its name and version, as a report names the prompt: `review/v1`.
    pub(super) fn label(&self) -> String {
        format!("{}/v{}", self.name, self.version)
    }

    /// Room for the template, and for as much again in its slots.
    pub(super) fn buffer(&self) -> Vec<u8> {
        Vec::with_capacity(2 * self.text.len())
    }

    /// Appends the template to `out`, each slot filled by the entry of its name. A
    /// slot without an entry stays as it is written.
    pub(super) fn render<E>(
        &self,
        out: &mut Vec<u8>,
        slots: &[(&str, Slot<'_, E>)],
    ) -> Result<(), E> {
        let mut rest = self.text;
        while let Some((before, name, after)) = next_slot(rest) {
            out.extend_from_slice(before.as_bytes());
            match slots.iter().find(|(known, _)| *known == name) {
                Some((_, Slot::Text(text))) => out.extend_from_slice(text.as_bytes()),
                Some((_, Slot::Written(write))) => write(out)?,
                None => {
                    let written = &rest[before.len()..rest.len() - after.len()];
                    out.extend_from_slice(written.as_bytes());
                }
            }
            rest = after;
        }
        out.extend_from_slice(rest.as_bytes());
        Ok(())
    }
}

fn next_slot(text: &str) -> Option<(&str, &str, &str)> {
    let (before, after) = split_at_pair(text, '{')?;
    let (name, after) = split_at_pair(after, '}')?;
    Some((before, name, after))
}

/// The parts before and after the first pair of braces. A
/// search for one character costs a fraction of one for two.
fn split_at_pair(text: &str, brace: char) -> Option<(&str, &str)> {
    let mut braces = text.match_indices(brace);
    braces.find_map(|(at, _)| {
        let after = text[at..].strip_prefix(brace)?.strip_prefix(brace)?;
        Some((&text[..at], after))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(text: &'static str, slots: &[(&str, Slot<'_>)]) -> String {
        let mut out = Vec::new();
        let Ok(()) = Template::new("t", 1, text).render(&mut out, slots);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_slot_takes_its_entry_each_time_and_what_it_takes_is_not_searched() {
        let slots = [("a", Slot::Text("{{b}}")), ("b", Slot::Text("no"))];
        assert_eq!(rendered("{{a}}-{{a}}.", &slots), "{{b}}-{{b}}.");
    }

    #[test]
    fn an_unknown_slot_stays_as_it_is() {
        assert_eq!(rendered("x {{y}} {z} {{open", &[]), "x {{y}} {z} {{open");
        let slots = [("a", Slot::Text("1"))];
        assert_eq!(
            rendered("{ {{b}c}} {{{a}}} {{a}}}", &slots),
            "{ {{b}c}} {{{a}}} 1}"
        );
    }

    #[test]
    fn the_label_names_prompt_and_version() {
        assert_eq!(Template::new("review", 3, "").label(), "review/v3");
    }
}
