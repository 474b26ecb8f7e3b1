//! Writes the status of a task to its file.

use super::field::{StatusField, front_matter};
use super::place::insertion;
use super::{Edit, apply};
use review_types::TaskStatus;

use crate::status::{self, ParsedStatus};
use crate::task::TaskKey;
use crate::yaml::{Style, YamlError};

/// An error in setting a status.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetStatusError {
    /// The document has no front matter.
    #[error("no front matter for the status")]
    NoFrontMatter,
    /// The front matter cannot be read.
    #[error("the front matter cannot be parsed, line {line}: {0}", line = .0.place.position.line)]
    Unreadable(#[from] YamlError),
    /// The front matter or the status is written such that a change could alter
    /// more than the status.
    #[error("the front matter is written in a way that allows no safe change of the status")]
    NotEditable,
}

/// Sets the status in the front matter of a task file.
///
/// Only the value changes: its quotes, comments, order and line ends stay. A
/// missing key is added after `task`. The body is never touched, and need not
/// be UTF-8.
///
/// # Errors
/// [`SetStatusError`] when the front matter cannot take the status.
///
/// ```
/// use review_document::{TaskStatus, set_status};
///
/// let source = "---\ntask: 1\nstatus: \"pending\"  # not yet\n---\nstatus: pending\n";
/// let changed = set_status(source, TaskStatus::Complete)?;
/// assert_eq!(changed, b"---\ntask: 1\nstatus: \"complete\"  # not yet\n---\nstatus: pending\n");
/// # Ok::<(), review_document::SetStatusError>(())
/// ```
pub fn set_status(source: impl AsRef<[u8]>, status: TaskStatus) -> Result<Vec<u8>, SetStatusError> {
    let source = source.as_ref();
    let (text, rest) = match std::str::from_utf8(source) {
        Ok(text) => (text, &[][..]),
        Err(error) => {
            let (valid, rest) = source.split_at(error.valid_up_to());
            (std::str::from_utf8(valid).unwrap_or_default(), rest)
        }
    };
    let (found, tree) = front_matter(text)?.ok_or(SetStatusError::NoFrontMatter)?;
    let edit = match tree.root.get(TaskKey::Status.as_str()) {
        Some(_) => StatusField::find(text, &tree).and_then(|field| replacement(&field, status)),
        None => {
            let field = format!("status: {status}");
            insertion(text, &found, &tree, &field, &[TaskKey::Task])
        }
    };
    let edit = edit.ok_or(SetStatusError::NotEditable)?;
    let changed = apply(text, &[edit]).map_err(|_| SetStatusError::NotEditable)?;
    if !states(&changed, status) {
        return Err(SetStatusError::NotEditable);
    }
    let mut bytes = changed.into_bytes();
    bytes.extend_from_slice(rest);
    Ok(bytes)
}

/// Returns whether the result has this status and is still a front matter.
fn states(text: &str, status: TaskStatus) -> bool {
    let Ok(Some((_, tree))) = front_matter(text) else {
        return false;
    };
    tree.root
        .get(TaskKey::Status.as_str())
        .and_then(|entry| entry.value.scalar())
        .is_some_and(|scalar| status::read(&scalar.text) == ParsedStatus::Exact(status))
}

fn replacement(field: &StatusField, status: TaskStatus) -> Option<Edit> {
    let (span, text) = match field.style? {
        _ if field.value.is_empty() => (field.tail, format!(" {status}")),
        Style::Plain => (field.value, status.to_string()),
        Style::SingleQuoted => (field.value, format!("'{status}'")),
        Style::DoubleQuoted => (field.value, format!("\"{status}\"")),
        Style::Block => (field.tail, format!(" {status}")),
    };
    Some(Edit { span, text })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::TaskFile;

    fn set(text: &str) -> Result<String, SetStatusError> {
        let bytes = set_status(text, TaskStatus::Complete)?;
        Ok(String::from_utf8(bytes).expect("UTF-8"))
    }

    #[test]
    fn only_the_value_changes() {
        for (before, after) in [
            (
                "---\nstatus: pending\n---\n",
                "---\nstatus: complete\n---\n",
            ),
            (
                "---\r\nstatus:  'pending' # x\r\n---\r\n",
                "---\r\nstatus:  'complete' # x\r\n---\r\n",
            ),
            (
                "---\nstatus: \"in_progress\"\n---",
                "---\nstatus: \"complete\"\n---",
            ),
            ("---\nstatus:\n---\n", "---\nstatus: complete\n---\n"),
            (
                "---\nstatus: # x\n---\n",
                "---\nstatus: complete # x\n---\n",
            ),
            ("---\nstatus: ''\n---\n", "---\nstatus: 'complete'\n---\n"),
            ("---\nstatus: ~\n---\n", "---\nstatus: complete\n---\n"),
            (
                "---\nstatus: |\n  pending\n\ntask: 1\n---\n",
                "---\nstatus: complete\n\ntask: 1\n---\n",
            ),
            (
                "---\nstatus: in\n  progress\n---\n",
                "---\nstatus: complete\n---\n",
            ),
            (
                "---\n{status: done, task: 1}\n---\n",
                "---\n{status: complete, task: 1}\n---\n",
            ),
            (
                "---\n{\"status\":\"done\"}\n---\n",
                "---\n{\"status\":\"complete\"}\n---\n",
            ),
            (
                "---\n? status\n: done\n---\n",
                "---\n? status\n: complete\n---\n",
            ),
            ("---\nstatus : done\n---\n", "---\nstatus : complete\n---\n"),
            (
                "---\nstatus: done\n---\nstatus: done\n",
                "---\nstatus: complete\n---\nstatus: done\n",
            ),
            (
                "\u{feff}\n--- \nstatus: x\n...\n",
                "\u{feff}\n--- \nstatus: complete\n...\n",
            ),
            (
                "# T\n```yaml\nstatus: x\n```\n",
                "# T\n```yaml\nstatus: complete\n```\n",
            ),
        ] {
            assert_eq!(set(before).as_deref(), Ok(after), "{before:?}");
        }
    }

    #[test]
    fn a_missing_key_is_added_after_the_number() {
        for (before, after) in [
            (
                "---\ntask: 1 # one\nx: 2\n---\n",
                "---\ntask: 1 # one\nstatus: complete\nx: 2\n---\n",
            ),
            (
                "---\r\ntask: 1\r\n---\r\n",
                "---\r\ntask: 1\r\nstatus: complete\r\n---\r\n",
            ),
            (
                "---\rtask: 1\r---\r",
                "---\rtask: 1\rstatus: complete\r---\r",
            ),
            (
                "---\n  task: 1\n  x: 2\n---\n",
                "---\n  task: 1\n  status: complete\n  x: 2\n---\n",
            ),
            ("---\ntask:\n---\n", "---\ntask:\nstatus: complete\n---\n"),
            (
                "---\n# c\nx: 2\n---\n",
                "---\n# c\nstatus: complete\nx: 2\n---\n",
            ),
            (
                "---\ntask: |\n  1\n---\n",
                "---\nstatus: complete\ntask: |\n  1\n---\n",
            ),
            (
                "---\ntask:\n  1\n---\n",
                "---\nstatus: complete\ntask:\n  1\n---\n",
            ),
            ("---\n---\n", "---\nstatus: complete\n---\n"),
            ("---\n# c\n---\n", "---\nstatus: complete\n# c\n---\n"),
            (
                "---\n{task: 1}\n---\n",
                "---\n{status: complete, task: 1}\n---\n",
            ),
            ("---\n{}\n---\n", "---\n{status: complete}\n---\n"),
        ] {
            assert_eq!(set(before).as_deref(), Ok(after), "{before:?}");
        }
    }

    #[test]
    fn an_unsafe_change_is_refused() {
        for (text, error) in [
            ("# T\nstatus: x\n", SetStatusError::NoFrontMatter),
            ("---\nstatus: x\n", SetStatusError::NoFrontMatter),
            ("---\nstatus: [x]\n---\n", SetStatusError::NotEditable),
            ("---\n- x\n---\n", SetStatusError::NotEditable),
            ("---\nnull\n---\n", SetStatusError::NotEditable),
        ] {
            assert_eq!(set(text), Err(error), "{text:?}");
        }
        let error = set("---\ntask: 1\nstatus: a\nstatus: b\n---\n").expect_err("a duplicate");
        assert_eq!(
            error.to_string(),
            "the front matter cannot be parsed, line 4: duplicate key \"status\", first in line 3"
        );
    }

    #[test]
    fn a_body_that_is_not_utf8_is_unchanged() {
        let changed = set_status(b"---\nstatus: x\n---\n\xFFbody", TaskStatus::Failed);
        assert_eq!(
            changed.as_deref(),
            Ok(&b"---\nstatus: failed\n---\n\xFFbody"[..])
        );
    }

    fn front_matter_line() -> impl Strategy<Value = String> {
        prop_oneof![
            "[a-c]: (x|\"y: z\"|\\[1, 2\\])( # note)?",
            Just("task: 3".to_owned()),
            Just("# status: done".to_owned()),
            Just("backpressure: \"grep '^status: x' f\"".to_owned()),
            Just("cmd: |\n  status: no\n  more".to_owned()),
            Just(String::new()),
        ]
    }

    proptest! {
        #[test]
        fn everything_but_the_value_stays_byte_for_byte(
            before in prop::collection::vec(front_matter_line(), 0..4),
            quote in "[\"']?",
            old in "(pending|done|x y)?",
            comment in "( # c)?",
            after in prop::collection::vec(front_matter_line(), 0..4),
            body in "([a-z:\n]|status: pending\n|---\n|```\n){0,10}",
            crlf: bool,
            wanted in prop::sample::select(TaskStatus::ALL.to_vec()),
        ) {
            let lines = |list: &[String]| list.iter().map(|line| format!("{line}\n")).collect::<String>();
            let head = format!("---\n{}status: {quote}", lines(&before));
            let tail = format!("{quote}{comment}\n{}---\n{body}", lines(&after));
            let ends = |text: String| if crlf { text.replace('\n', "\r\n") } else { text };
            let (head, tail) = (ends(head), ends(tail));
            let source = format!("{head}{old}{tail}");
            prop_assume!(front_matter(&source).is_ok());
            let changed = String::from_utf8(set_status(&source, wanted).expect("editable")).expect("UTF-8");
            let expected = if old.is_empty() && quote.is_empty() {
                let head = head.trim_end();
                format!("{head} {wanted} {tail}").replace(" \n", "\n")
            } else {
                format!("{head}{wanted}{tail}")
            };
            if old.is_empty() && quote.is_empty() {
                prop_assert_eq!(changed.split_whitespace().collect::<Vec<_>>(), expected.split_whitespace().collect::<Vec<_>>());
            } else {
                prop_assert_eq!(&changed, &expected);
            }
            prop_assert_eq!(TaskFile::parse("x/1.md", &changed).status, wanted);
        }

        #[test]
        fn any_input_is_changed_to_the_status_or_refused(
            text in r#"(---\n|```yaml\n|```\n|# T\n|task: |status|: |status: |done|\{|\}|\[|"|'|\||, |#|\? |&a |!!str |\n|\r\n| ){0,30}"#,
        ) {
            let before = TaskFile::parse("x/1.md", &text);
            if let Ok(changed) = set_status(&text, TaskStatus::Blocked) {
                let after = TaskFile::parse("x/1.md", &changed);
                prop_assert_eq!(after.status, TaskStatus::Blocked);
                prop_assert_eq!(after.number.map(|n| n.value), before.number.map(|n| n.value));
                prop_assert_eq!(after.title.map(|t| t.value), before.title.map(|t| t.value));
            }
        }
    }
}
