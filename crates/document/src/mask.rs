//! Hashes that do not depend on the status of a task.

use std::borrow::Cow;

use review_types::Hash;

use crate::edit::{StatusField, front_matter};
use crate::span::Span;
use crate::task::TaskKey;

/// Returns the bytes of a file without the status of a task.
///
/// [`set_status`](crate::set_status) changes the file but not this result. A file
/// whose front matter has no key `task` is returned unchanged.
pub fn masked(source: &[u8]) -> Cow<'_, [u8]> {
    match hidden(source) {
        Some(span) => {
            let mut bytes = Vec::with_capacity(source.len());
            bytes.extend_from_slice(&source[..span.start]);
            bytes.extend_from_slice(&source[span.end..]);
            Cow::Owned(bytes)
        }
        None => Cow::Borrowed(source),
    }
}

/// Returns the hash of a file without the status of a task.
pub fn file_hash(source: &[u8]) -> Hash {
    Hash::from_bytes(*blake3::hash(&masked(source)).as_bytes())
}

/// Returns the hash of files without the statuses of tasks, independent of their order.
///
/// ```
/// use review_document::artifact_hash;
///
/// let before = artifact_hash([("a.md", "---\ntask: 1\nstatus: pending\n---\n"), ("b.md", "")]);
/// let after = artifact_hash([("b.md", ""), ("a.md", "---\ntask: 1\nstatus: complete\n---\n")]);
/// assert_eq!(before, after);
/// ```
pub fn artifact_hash<P, B>(files: impl IntoIterator<Item = (P, B)>) -> Hash
where
    P: AsRef<str>,
    B: AsRef<[u8]>,
{
    let mut files: Vec<_> = files
        .into_iter()
        .map(|(path, source)| (path, *blake3::hash(&masked(source.as_ref())).as_bytes()))
        .collect();
    files.sort_by(|a, b| a.0.as_ref().cmp(b.0.as_ref()));
    let mut hasher = blake3::Hasher::new();
    for (path, hash) in &files {
        let path = path.as_ref().as_bytes();
        // The length distinguishes two lists whose joined bytes are equal.
        hasher.update(&(path.len() as u64).to_le_bytes());
        hasher.update(path);
        hasher.update(hash);
    }
    Hash::from_bytes(*hasher.finalize().as_bytes())
}

/// Returns the span of a status: its line if it has one of its own, else its value.
fn hidden(source: &[u8]) -> Option<Span> {
    let text = match std::str::from_utf8(source) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&source[..error.valid_up_to()]).ok()?,
    };
    let (_, tree) = front_matter(text).ok()??;
    tree.root.get(TaskKey::Task.as_str())?;
    let field = StatusField::find(text, &tree)?;
    let (before, after) = (&text[..field.key.start], &text[field.tail.end..]);
    let line = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let end = after.find(['\n', '\r']).unwrap_or(after.len());
    if before[line..].trim().is_empty() && after[..end].trim().is_empty() {
        let breaks = if after[end..].starts_with("\r\n") {
            2
        } else {
            1
        };
        let next = (field.tail.end + end + breaks).min(text.len());
        return Some(Span::new(line, next));
    }
    if before.ends_with('{') && after.starts_with(", ") {
        return Some(Span::new(field.key.start, field.tail.end + 2));
    }
    Some(field.tail)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{TaskStatus, set_status};

    fn mask(text: &str) -> String {
        String::from_utf8(masked(text.as_bytes()).into_owned()).expect("UTF-8")
    }

    #[test]
    fn only_the_status_is_masked() {
        for (text, expected) in [
            (
                "---\ntask: 1\nstatus: done\nx: 1\n---\nb",
                "---\ntask: 1\nx: 1\n---\nb",
            ),
            (
                "---\r\nstatus: 'a'  \r\ntask: 1\r\n---\r\n",
                "---\r\ntask: 1\r\n---\r\n",
            ),
            (
                "---\ntask: 1\nstatus: a # c\n---\n",
                "---\ntask: 1\nstatus: # c\n---\n",
            ),
            (
                "---\n{task: 1, status: a}\n---\n",
                "---\n{task: 1, status:}\n---\n",
            ),
            ("---\n{status: a, task: 1}\n---\n", "---\n{task: 1}\n---\n"),
            (
                "# T\n```yaml\ntask: 1\nstatus: a\n```\n",
                "# T\n```yaml\ntask: 1\n```\n",
            ),
        ] {
            assert_eq!(mask(text), expected, "{text:?}");
        }
    }

    #[test]
    fn other_files_are_hashed_unchanged() {
        for text in [
            "---\nstatus: draft\n---\n# A spec\n",
            "---\ntask: 1\n---\nstatus: a\n",
            "---\ntask: 1\nstatus: a\n",
            "task: 1\nstatus: a\n",
            "---\ntask: 1\ntask: 2\nstatus: a\n---\n",
            "",
        ] {
            assert!(
                matches!(masked(text.as_bytes()), Cow::Borrowed(_)),
                "{text:?}"
            );
        }
        assert_eq!(file_hash(b"x").as_bytes(), blake3::hash(b"x").as_bytes());
    }

    #[test]
    fn a_status_is_masked_even_if_the_body_is_not_utf8() {
        let hash = |status: &str| {
            let mut file = format!("---\ntask: 1\nstatus: {status}\n---\n").into_bytes();
            file.push(0xFF);
            file_hash(&file)
        };
        assert_eq!(hash("pending"), hash("complete"));
    }

    #[test]
    fn the_hash_of_an_artifact_depends_on_paths_and_contents() {
        let hash = |files: &[(&str, &str)]| artifact_hash(files.iter().copied());
        let base = hash(&[("a", "1"), ("b", "2")]);
        assert_eq!(base, hash(&[("b", "2"), ("a", "1")]));
        assert_ne!(base, hash(&[("a", "2"), ("b", "1")]));
        assert_ne!(base, hash(&[("a", "1")]));
        assert_ne!(base, hash(&[("a", "1"), ("c", "2")]));
    }

    proptest! {
        #[test]
        fn setting_a_status_keeps_the_hash(
            text in r#"---\n(task: 1\n|x: y\n|# c\n){0,2}(status:( |  )?("?pending"?|'x'|)( # c)?\n)?(y: \|\n  a\n|# d\n){0,2}---\n(body\n|status: a\n){0,2}"#,
            status in prop::sample::select(TaskStatus::ALL.to_vec()),
        ) {
            let text = text.replacen("---\n", "---\ntask: 1\n", usize::from(!text.contains("task: 1")));
            if let Ok(changed) = set_status(&text, status) {
                prop_assert_eq!(masked(&changed), masked(text.as_bytes()), "{:?}", text);
            }
        }
    }
}
