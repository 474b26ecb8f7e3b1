//! What a client does to its user's configuration when it first reads it.

use std::path::Path;

use serde_json::Value as Json;

/// A field that a client adds to those of its configuration files that lack it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AddedField {
    /// The files, below the root of the project.
    pub(crate) files: &'static [&'static str],
    /// The field, which holds a string.
    pub(crate) field: &'static str,
}

impl AddedField {
    /// Whether it may be added to this file.
    pub(crate) fn is_for(&self, path: &Path) -> bool {
        self.files.iter().any(|file| path == Path::new(file))
    }

    /// Whether `after` is `before` with the field and no other change: as text, which
    /// may hold comments, or as JSON.
    pub(crate) fn is_all(&self, before: &[u8], after: &[u8]) -> bool {
        let texts = std::str::from_utf8(before)
            .ok()
            .zip(std::str::from_utf8(after).ok());
        let Some((before, after)) = texts else {
            return false;
        };
        let name = format!("\"{}\"", self.field);
        if before.contains(&name) {
            return false;
        }
        let places = after.match_indices(&name);
        let mut members = places.filter_map(|(start, _)| {
            let end = start + name.len() + string_member(&after[start + name.len()..])?;
            Some((&after[..start], &after[end..]))
        });
        members.any(|(head, tail)| is_joined(before, head, tail)) || self.is_all_json(before, after)
    }

    fn is_all_json(&self, before: &str, after: &str) -> bool {
        let (Ok(before), Ok(Json::Object(mut after))) = (
            serde_json::from_str::<Json>(before),
            serde_json::from_str::<Json>(after),
        ) else {
            return false;
        };
        let added = after.remove(self.field);
        added.is_some_and(|added| added.is_string()) && before == Json::Object(after)
    }
}

/// The length of a colon and a string, and of the comma after them, if there is one.
fn string_member(text: &str) -> Option<usize> {
    let value = text.trim_start().strip_prefix(':')?.trim_start();
    let string = value.strip_prefix('"')?;
    let (held, rest) = string.split_once('"')?;
    if held.contains(['\\', '\n']) {
        return None;
    }
    let rest = rest.trim_start().strip_prefix(',').unwrap_or(rest);
    Some(text.len() - rest.len())
}

/// Whether `text` is `head` and `tail` with nothing but blanks between them; the comma
/// before a member that was added at the end belongs to that member.
fn is_joined(text: &str, head: &str, tail: &str) -> bool {
    let (head, tail) = (head.trim_end(), tail.trim_start());
    let heads = [Some(head), head.strip_suffix(',').map(str::trim_end)];
    heads.into_iter().flatten().any(|head| {
        let rest = text.strip_prefix(head);
        let between = rest.and_then(|rest| rest.strip_suffix(tail));
        between.is_some_and(|between| between.trim().is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDED: AddedField = AddedField {
        files: &["opencode.json"],
        field: "$schema",
    };

    #[test]
    fn only_the_field_may_be_added() {
        for (before, after, is_all) in [
            ("{}", r#"{ "$schema": "https://a/b" }"#, true),
            ("{}", "{\n  \"$schema\": \"https://a/b\",}", true),
            (
                "{\n  // the model\n  \"model\": \"m\"\n}\n",
                "{\n  \"$schema\": \"https://a/b\",\n  // the model\n  \"model\": \"m\"\n}\n",
                true,
            ),
            (
                r#"{"model": "m"}"#,
                "{\n  \"model\": \"m\",\n  \"$schema\": \"https://a/b\"\n}",
                true,
            ),
            (
                r#"{"permission": {"edit": "deny"}}"#,
                r#"{"$schema": "s", "permission": {"edit": "allow"}}"#,
                false,
            ),
            (r#"{"model": "m"}"#, r#"{"$schema": "s"}"#, false),
            (r#"{"model": "m"}"#, r#"{"model": "n"}"#, false),
            (r#"{"$schema": "s"}"#, r#"{"$schema": "t"}"#, false),
            ("{}", r#"{"$schema": 1}"#, false),
            ("{}", r#"{"$schema": {"a": "b"}}"#, false),
            (
                r#"{"mcp": {}}"#,
                r#"{"$schema": "s", "mcp": {"a": {"$schema": "s"}}}"#,
                false,
            ),
            ("", r#"{"$schema": "s"}"#, false),
            ("{}", "", false),
        ] {
            let found = ADDED.is_all(before.as_bytes(), after.as_bytes());
            assert_eq!(found, is_all, "{before} {after}");
        }
        assert!(!ADDED.is_all(b"\xff{}", b"\xff{\"$schema\": \"s\"}"));
    }

    #[test]
    fn only_its_files_are_completed() {
        for (path, is_for) in [
            ("opencode.json", true),
            ("sub/opencode.json", false),
            ("opencode.jsonc", false),
        ] {
            assert_eq!(ADDED.is_for(Path::new(path)), is_for, "{path}");
        }
    }
}
