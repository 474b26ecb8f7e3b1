//! The target of a link, if that is a file or a heading.

use percent_encoding::percent_decode_str;

use super::{Link, LinkKind};
use crate::Span;
use crate::path::joined;

/// The target of a link that may be a file or a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkTarget {
    /// The base of the path.
    pub place: LinkPlace,
    /// The path with percent signs resolved, without query and fragment.
    pub path: String,
    /// The fragment after `#`, percent-decoded; empty for none.
    pub fragment: String,
    /// From the `#` on, as written.
    pub tail: String,
    /// The place of the whole target, if it is written in the link.
    pub span: Option<Span>,
}

/// The base of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkPlace {
    /// The document itself.
    Document,
    /// The folder of the document.
    Folder,
    /// The root.
    Root,
    /// The file system of one machine.
    Machine,
}

/// Longer targets are not paths.
const MAX_TARGET: usize = 2000;

/// Placeholder marks for a path in templates.
const MARKS: [char; 8] = ['<', '>', '{', '}', '$', '*', '|', '…'];

/// Placeholder words for a path in templates.
const PLACEHOLDERS: [&str; 5] = ["...", "path/to", "XXX", "NNN", "YYYY"];

/// The folders of one machine.
const MACHINES: [&str; 8] = [
    "~/",
    "/Users/",
    "/home/",
    "/root/",
    "/private/",
    "/var/folders/",
    "/mnt/",
    "/workspaces/",
];

impl LinkTarget {
    /// Parses the target of a link of `source`; `None` for a web address, a footnote, a
    /// placeholder and an empty target.
    pub fn of(link: &Link, source: &str) -> Option<Self> {
        let whole = link.target.trim();
        let is_note = link.kind == LinkKind::Reference
            && link
                .span
                .slice(source)
                .is_some_and(|text| text.starts_with("[^"));
        let is_path =
            !is_note && !whole.is_empty() && whole.len() <= MAX_TARGET && !whole.starts_with("//");
        let is_placeholder =
            || whole.contains(MARKS) || PLACEHOLDERS.iter().any(|word| whole.contains(word));
        if !is_path || has_scheme(whole) || is_placeholder() {
            return None;
        }
        let whole = whole.strip_prefix("file://").unwrap_or(whole);
        let (before, tail) = whole.split_at(whole.find('#').unwrap_or(whole.len()));
        let path = unescaped(before.split('?').next().unwrap_or_default())?;
        let fragment = match link.kind {
            // An image has no headings; its fragment selects a theme.
            LinkKind::Image => String::new(),
            LinkKind::Inline | LinkKind::Reference | LinkKind::Auto => {
                unescaped(tail.get(1..).unwrap_or_default())?
            }
        };
        Some(Self {
            place: LinkPlace::of(&path),
            path,
            fragment,
            tail: tail.to_owned(),
            span: written(link, source),
        })
    }

    /// Returns the path relative to the root; `None` if it is outside.
    pub fn resolve(&self, from: &str) -> Option<String> {
        let folder = match self.place {
            LinkPlace::Document => return Some(from.to_owned()),
            LinkPlace::Folder => from.rsplit_once('/').map_or("", |(folder, _)| folder),
            LinkPlace::Root | LinkPlace::Machine => "",
        };
        let path = match self.place {
            LinkPlace::Machine => self.path.trim_start_matches("~/"),
            LinkPlace::Document | LinkPlace::Folder | LinkPlace::Root => &self.path,
        };
        let path = path.trim_start_matches('/');
        joined(folder, path)
    }

    /// Returns the last part of the path.
    pub fn name(&self) -> &str {
        let path = self.path.trim_end_matches('/');
        path.rsplit(['/', '\\']).next().unwrap_or(path)
    }
}

impl LinkPlace {
    fn of(path: &str) -> Self {
        let drive = path.as_bytes().get(1) == Some(&b':');
        if path.is_empty() {
            Self::Document
        } else if drive || MACHINES.iter().any(|folder| path.starts_with(folder)) {
            Self::Machine
        } else if path.starts_with('/') {
            Self::Root
        } else {
            Self::Folder
        }
    }
}

/// Returns whether it starts as `https:` does; a single letter is a drive.
fn has_scheme(target: &str) -> bool {
    target.split_once(':').is_some_and(|(scheme, _)| {
        let letters = |c: char| c.is_ascii_alphanumeric() || "+.-".contains(c);
        scheme.len() > 1
            && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(letters)
            && !scheme.eq_ignore_ascii_case("file")
    })
}

/// Percent-decodes a string; `None` if the result is not UTF-8.
fn unescaped(text: &str) -> Option<String> {
    let text = percent_decode_str(text).decode_utf8();
    Some(text.ok()?.into_owned())
}

/// Returns the place of the target in an inline link that writes it without escapes.
fn written(link: &Link, source: &str) -> Option<Span> {
    let text = link.span.slice(source)?;
    let open = text.rfind("](")? + "](".len();
    let blanks = text[open..].len() - text[open..].trim_start().len();
    let start = open + blanks + usize::from(text[open + blanks..].starts_with('<'));
    text[start..]
        .starts_with(&link.target)
        .then(|| Span::new(start, start + link.target.len()).shifted(link.span.start))
}

#[cfg(test)]
mod tests {
    use crate::markdown::Outline;

    use super::*;

    fn target(source: &str) -> Option<LinkTarget> {
        LinkTarget::of(Outline::parse(source).links.first()?, source)
    }

    #[test]
    fn a_target_has_a_place_a_path_and_a_fragment() {
        for (link, place, path, fragment) in [
            ("[x](a.md)", LinkPlace::Folder, "a.md", ""),
            (
                "[x](./a%20b.md?raw=1#c%20d \"t\")",
                LinkPlace::Folder,
                "./a b.md",
                "c d",
            ),
            ("[x]( <a b.md#c> )", LinkPlace::Folder, "a b.md", "c"),
            ("[x](#c)", LinkPlace::Document, "", "c"),
            ("[x](/a/b)", LinkPlace::Root, "/a/b", ""),
            (
                "[x](/Users/me/a.md)",
                LinkPlace::Machine,
                "/Users/me/a.md",
                "",
            ),
            (
                "[x](file:///home/me/a.md)",
                LinkPlace::Machine,
                "/home/me/a.md",
                "",
            ),
            ("[x](<C:\\a.md>)", LinkPlace::Machine, "C:\\a.md", ""),
            ("![x](a.png#dark)", LinkPlace::Folder, "a.png", ""),
            ("[x][y]\n\n[y]: a.md#c", LinkPlace::Folder, "a.md", "c"),
            ("[x](100%.md)", LinkPlace::Folder, "100%.md", ""),
        ] {
            let found = target(link).unwrap_or_else(|| panic!("{link}"));
            let seen = (found.place, found.path.as_str(), found.fragment.as_str());
            assert_eq!(seen, (place, path, fragment), "{link}");
        }
    }

    #[test]
    fn addresses_and_placeholders_are_not_targets() {
        for link in [
            "[x](https://a.b/c)",
            "[x](mailto:a@b.c)",
            "[x](//a.b/c)",
            "[x]()",
            "[x]({{url}})",
            "[x](docs/.../a.md)",
            "[x](path/to/a.md)",
            "[x](a-$VERSION.md)",
            "[x](crate::a::B)",
            "[x](%ff.md)",
            "x[^1]\n\n[^1]: [y](b/c.md)",
        ] {
            assert_eq!(target(link), None, "{link}");
        }
    }

    #[test]
    fn a_target_is_located_in_its_link() {
        for (link, written) in [
            ("[x](a.md \"t\")", Some("a.md")),
            ("[x]( <a b.md> )", Some("a b.md")),
            ("[![i](b.png)](a.md#c)", Some("a.md#c")),
            ("[x](a\\_b.md)", None),
            ("[x][y]\n\n[y]: a.md", None),
        ] {
            let span = target(link).and_then(|target| target.span);
            assert_eq!(span.and_then(|span| span.slice(link)), written, "{link}");
        }
    }

    #[test]
    fn a_path_is_relative_to_its_base() {
        let resolve = |link: &str| target(link)?.resolve("a/b/c.md");
        for (link, path) in [
            ("[x](d.md)", Some("a/b/d.md")),
            ("[x](../d/./e)", Some("a/d/e")),
            ("[x](../..)", Some("")),
            ("[x](../../../d)", None),
            ("[x](/d.md)", Some("d.md")),
            ("[x](~d.md)", Some("a/b/~d.md")),
            ("[x](#d)", Some("a/b/c.md")),
        ] {
            assert_eq!(resolve(link).as_deref(), path, "{link}");
        }
    }
}
