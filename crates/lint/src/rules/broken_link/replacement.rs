//! Replacements for broken targets.

use review_document::markdown::{Anchors, LinkPlace, LinkTarget};
use review_document::workspace::{Document, PathSet};
use review_document::{Span, near};
use review_types::excerpt;

use crate::finding::{Fix, Safety};
use crate::words::WordList;

/// A suggestion for a broken link, with its fix.
pub(super) struct Replacement {
    pub(super) suggestion: String,
    pub(super) fix: Option<Fix>,
}

/// The maximum number of names that are searched for a similar one.
const MAX_NEAR: usize = 500;

impl Replacement {
    /// For a path that does not exist.
    pub(super) fn path(target: &LinkTarget, document: &Document, paths: &PathSet) -> Self {
        let found: Vec<_> = paths.named(target.name()).take(3).collect();
        match found[..] {
            [] => Self::without_fix(
                "Write the path of an existing file, add the file, or remove the link.".to_owned(),
            ),
            [path] => Self::replace(target, document, path),
            _ => {
                let paths = found.iter();
                let paths = paths.map(|path| format!("`{}`", written(target, document, path)));
                let paths = paths.collect::<Vec<_>>().join(" or ");
                Self::without_fix(format!("Write the intended path, such as {paths}."))
            }
        }
    }

    fn without_fix(suggestion: String) -> Self {
        Self {
            suggestion,
            fix: None,
        }
    }

    /// For a URL with a prefix.
    pub(super) fn address() -> Self {
        Self::without_fix("Write only the URL, without the characters around it.".to_owned())
    }

    fn replace(target: &LinkTarget, document: &Document, path: &str) -> Self {
        let safety = if is_likely(target, document, path) {
            Safety::Safe
        } else {
            Safety::Unsafe
        };
        let new = written(target, document, path);
        let has_query = |span: &Span| {
            let old = span.slice(&document.source);
            old.is_some_and(|old| old.contains('?'))
        };
        let span = target
            .span
            .filter(|span| is_plain(&new) && !has_query(span));
        Self {
            suggestion: format!("Change the target to `{}`.", excerpt(&new, 200)),
            fix: span.map(|span| Fix::one(safety, span, new)),
        }
    }

    /// For a heading that a document does not have.
    pub(super) fn heading(target: &LinkTarget, anchors: &Anchors) -> Self {
        let path = || {
            target
                .span
                .map(|span| (span.end - target.tail.len(), span.end))
        };
        match anchors.like(&target.fragment) {
            [name] => Self {
                suggestion: format!("Change the target to `#{}`.", excerpt(name, 120)),
                fix: path().map(|(start, end)| {
                    let span = Span::new(start, end);
                    Fix::one(Safety::Safe, span, format!("#{name}"))
                }),
            },
            _ => {
                let names = anchors.headings().take(MAX_NEAR);
                let near = near::nearest(&target.fragment, names, 1);
                let suggestion = match near.first() {
                    Some(near) => format!(
                        "Write `#{near}` if you mean that heading; otherwise link to an existing heading."
                    ),
                    None => "Link to an existing heading, or remove the fragment.".to_owned(),
                };
                Self::without_fix(suggestion)
            }
        }
    }
}

/// Whether the only file of a name is the likely target: it is in the same part of the
/// project as the document, or in a folder of the same name.
fn is_likely(target: &LinkTarget, document: &Document, path: &str) -> bool {
    let name = target.name();
    let stem = name.split('.').next().unwrap_or(name).to_lowercase();
    let first = |path: &str| path.split_once('/').map(|(folder, _)| folder.to_owned());
    let last = |path: &str| path.rsplit('/').nth(1).map(str::to_owned);
    let same = last(path).is_some() && last(path) == last(&target.path);
    let near = same || first(path) == first(&document.path);
    near && !WordList::Shared.has(&stem)
}

/// A path below the root in the notation of the link, with its fragment.
fn written(target: &LinkTarget, document: &Document, path: &str) -> String {
    let path = match target.place {
        LinkPlace::Root => format!("/{path}"),
        LinkPlace::Document | LinkPlace::Folder | LinkPlace::Machine => {
            relative(&document.path, path)
        }
    };
    format!("{}{}", path.replace(' ', "%20"), target.tail)
}

/// The relative path from one file to another.
fn relative(from: &str, to: &str) -> String {
    let folders: Vec<&str> = from.split('/').collect();
    let folders = &folders[..folders.len() - 1];
    let parts: Vec<&str> = to.split('/').collect();
    let most = folders.len().min(parts.len() - 1);
    let same = (0..most).take_while(|&at| folders[at] == parts[at]).count();
    let mut way = vec![".."; folders.len() - same];
    way.extend(&parts[same..]);
    way.join("/")
}

/// Whether a target needs no escapes.
fn is_plain(target: &str) -> bool {
    let special = |c: char| c.is_whitespace() || c.is_control() || "()<>\\\"'`*[]".contains(c);
    !target.contains(special)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_path_leads_up_and_down() {
        for (from, to, way) in [
            ("a.md", "b.md", "b.md"),
            ("a/b.md", "a/c.md", "c.md"),
            ("a/b/c.md", "a/d/e.md", "../d/e.md"),
            ("a/b.md", "c.md", "../c.md"),
            ("a.md", "b/c.md", "b/c.md"),
            ("a/b.md", "a/b.md/c", "b.md/c"),
        ] {
            assert_eq!(relative(from, to), way, "{from} -> {to}");
        }
    }
}
