//! Edits and files that an agent answers with, checked as a whole before any is made.

use std::collections::BTreeMap;

use review::Malformed;
use review::schema::read_object;
use review_store::{ConfineError, FileArtifact, Root, RootPath};
use serde::Deserialize;
use serde_json::Value as Json;

/// The most edits of one answer.
const MAX_EDITS: usize = 256;

/// Why no file is to be written.
#[derive(Debug)]
pub(crate) enum NoEdits {
    /// The answer is wrong.
    Bad(Malformed),
    /// A file of the artifact cannot be read.
    Unreadable(ConfineError),
}

fn bad(field: impl Into<String>, message: impl Into<String>) -> Malformed {
    Malformed {
        field: field.into(),
        message: message.into(),
    }
}

fn bad_edit(index: usize, field: &str, message: impl Into<String>) -> Malformed {
    bad(format!("edits[{index}]{field}"), message)
}

#[derive(Deserialize)]
struct WireEdit {
    path: String,
    search: Option<String>,
    replace: Option<String>,
    content: Option<String>,
}

/// One change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Edit {
    path: RootPath,
    change: Change,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Change {
    Replace { search: String, replace: String },
    Whole(String),
}

/// The files that edits may change.
#[derive(Clone, Copy)]
pub(crate) enum EditScope<'a> {
    /// Those of an artifact.
    Artifact(&'a FileArtifact),
    /// Those of a private checkout, but for its git folder.
    Checkout(&'a FileArtifact),
}

impl EditScope<'_> {
    /// Why the file at `path` may not be changed, if it may not.
    pub(crate) fn refusal(self, path: &RootPath) -> Option<String> {
        match self {
            Self::Artifact(artifact) if artifact.holds(path) => None,
            Self::Artifact(_) => Some(format!("{path} is not a file of the artifact")),
            Self::Checkout(checkout) => {
                let mut parts = path.as_str().split('/');
                let is_git = parts.any(|part| part.eq_ignore_ascii_case(".git"));
                if is_git {
                    return Some(format!("{path} is in the folder of git"));
                }
                let is_link = checkout.root().leads_over_link(path);
                is_link.then(|| {
                    format!(
                        "{path} is a symbolic link, or below one; name the file that it leads to"
                    )
                })
            }
        }
    }

    /// The content of a file, if it exists.
    fn find(self, path: &RootPath) -> Result<Option<Vec<u8>>, Unread> {
        match self {
            Self::Artifact(artifact) => artifact
                .root()
                .read(path.as_str())
                .map_err(Unread::Artifact),
            // A path of the project that cannot be used is an error of the answer.
            Self::Checkout(checkout) => checkout
                .root()
                .read(path.as_str())
                .map_err(Unread::Checkout),
        }
    }
}

/// Why a file was not read.
enum Unread {
    Artifact(ConfineError),
    Checkout(ConfineError),
}

/// A file as edits leave it.
#[derive(Debug)]
pub(crate) struct EditedFile {
    is_new: bool,
    bytes: Vec<u8>,
}

/// Writes files as edits leave them.
///
/// # Errors
/// [`ConfineError`] for the first that cannot be written.
pub(crate) fn write(
    root: &Root,
    files: &BTreeMap<RootPath, EditedFile>,
) -> Result<(), ConfineError> {
    files.iter().try_for_each(|(path, file)| match file.is_new {
        true if root.create(path, &file.bytes)? => Ok(()),
        true | false => root.replace(path, &file.bytes),
    })
}

/// The files as the edits in `answer` leave them. Nothing is written: the edits
/// are made in their order in memory, and each must fit.
pub(crate) fn edited(
    answer: &str,
    scope: EditScope<'_>,
) -> Result<BTreeMap<RootPath, EditedFile>, NoEdits> {
    let edits = read(answer).map_err(NoEdits::Bad)?;
    let mut files: BTreeMap<RootPath, EditedFile> = BTreeMap::new();
    for (index, edit) in edits.into_iter().enumerate() {
        let bad = |field, message: String| NoEdits::Bad(bad_edit(index, field, message));
        if let Some(why) = scope.refusal(&edit.path) {
            return Err(bad(".path", why));
        }
        let (is_new, known) = match files.remove(&edit.path) {
            Some(file) => (file.is_new, Some(file.bytes)),
            None => {
                let known = scope.find(&edit.path).map_err(|unread| match unread {
                    Unread::Artifact(error) => NoEdits::Unreadable(error),
                    Unread::Checkout(error) => bad(".path", error.to_string()),
                })?;
                (known.is_none(), known)
            }
        };
        let bytes = match (edit.change, known) {
            (Change::Whole(text), _) => text.into_bytes(),
            (Change::Replace { search, replace }, Some(bytes)) => {
                replaced(&bytes, &search, &replace).map_err(|why| bad(".search", why))?
            }
            (Change::Replace { .. }, None) => {
                return Err(bad(
                    ".path",
                    format!("the file {} does not exist", edit.path),
                ));
            }
        };
        files.insert(edit.path, EditedFile { is_new, bytes });
    }
    Ok(files)
}

#[derive(Deserialize)]
struct WireFile {
    path: String,
    content: String,
}

/// The new files of the one object of an answer that has them.
pub(crate) fn new_files(answer: &[u8]) -> Result<BTreeMap<RootPath, String>, Malformed> {
    let mut files = BTreeMap::new();
    for (index, file) in array(answer, "files")?.into_iter().enumerate() {
        let bad = |field: &str, message: String| bad(format!("files[{index}]{field}"), message);
        let file = WireFile::deserialize(file);
        let file = file.map_err(|error: serde_json::Error| bad("", error.to_string()))?;
        // A leading `/` is the root, as in the references of specs.
        let path = RootPath::new(file.path.trim_start_matches('/'));
        let path = path.map_err(|error| bad(".path", error.to_string()))?;
        if files.insert(path.clone(), file.content).is_some() {
            return Err(bad(".path", format!("the file {path} comes twice")));
        }
    }
    Ok(files)
}

/// The array `key` of the one object of an answer that has it.
fn array(answer: impl AsRef<[u8]>, key: &str) -> Result<Vec<Json>, Malformed> {
    let mut object = read_object(answer, &[key]).map_err(|error| {
        let hint = error.hint.map(|hint| format!("; {hint}"));
        let message = error.message + &hint.unwrap_or_default();
        bad(error.field.to_string(), message)
    })?;
    match object.remove(key) {
        Some(Json::Array(values)) => Ok(values),
        _ => Err(bad(key, "must be an array")),
    }
}

/// The edits of the one object of an answer that has them.
fn read(answer: &str) -> Result<Vec<Edit>, Malformed> {
    let edits = array(answer, "edits")?;
    if edits.len() > MAX_EDITS {
        let message = format!("holds more than {MAX_EDITS} edits; replace whole files");
        return Err(bad("edits", message));
    }
    let checked = |(index, edit)| {
        WireEdit::deserialize(edit)
            .map_err(|error: serde_json::Error| bad_edit(index, "", error.to_string()))?
            .checked(index)
    };
    edits.into_iter().enumerate().map(checked).collect()
}

impl WireEdit {
    fn checked(self, index: usize) -> Result<Edit, Malformed> {
        let path = RootPath::new(&self.path)
            .map_err(|error| bad_edit(index, ".path", error.to_string()))?;
        let change = match (self.search, self.replace, self.content) {
            (None, None, Some(content)) => Change::Whole(content),
            (Some(search), Some(replace), None) => Change::Replace { search, replace },
            _ => {
                let message = "must have search and replace, or content, and not both";
                return Err(bad_edit(index, "", message));
            }
        };
        Ok(Edit { path, change })
    }
}

/// The file with the one place of `search` replaced. A model sees no difference
/// between line ends, so both strings take those of the file.
fn replaced(bytes: &[u8], search: &str, replace: &str) -> Result<Vec<u8>, String> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| "the file is not UTF-8; replace it as a whole".to_owned())?;
    let (search, replace) = if text.contains("\r\n") {
        (with_crlf(search), with_crlf(replace))
    } else {
        (search.to_owned(), replace.to_owned())
    };
    if search.is_empty() {
        return Err("is empty".to_owned());
    }
    let Some(at) = text.find(&search) else {
        return Err(
            "is not in the file; copy it from there, blanks and line ends included".to_owned(),
        );
    };
    let next = at + search.chars().next().map_or(1, char::len_utf8);
    if text[next..].contains(&search) {
        return Err("is in the file more than once; copy more of the lines around it".to_owned());
    }
    Ok([&text[..at], &replace, &text[at + search.len()..]]
        .concat()
        .into_bytes())
}

fn with_crlf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn whole(path: &str, text: &str) -> Edit {
        Edit {
            path: RootPath::new(path).unwrap(),
            change: Change::Whole(text.to_owned()),
        }
    }

    fn error(answer: &str) -> (String, String) {
        let bad = read(answer).unwrap_err();
        (bad.field, bad.message)
    }

    #[test]
    fn an_edit_replaces_a_place_or_a_whole_file() {
        let object = r#"{"applied_feedback": {"items": []}, "edits": [
            {"path": "a.md", "search": "x", "replace": "", "content": null},
            {"path": "./b/c.md", "content": "y"}]}"#;
        let edits = vec![
            Edit {
                path: RootPath::new("a.md").unwrap(),
                change: Change::Replace {
                    search: "x".to_owned(),
                    replace: String::new(),
                },
            },
            whole("b/c.md", "y"),
        ];
        assert_eq!(read(object), Ok(edits));
        assert_eq!(read(r#"{"edits": []}"#), Ok(Vec::new()));
    }

    #[test]
    fn new_files_come_as_whole_texts_and_once() {
        let answer = r##"So: {"files": [{"path": "/t/01-a.md", "content": "# A\n"}, {"path": "./t/p.md", "content": ""}]}"##;
        let files = new_files(answer.as_bytes()).unwrap();
        let files: Vec<_> = files.iter().collect();
        let path = |path| RootPath::new(path).unwrap();
        let (one, two) = (path("t/01-a.md"), path("t/p.md"));
        assert_eq!(files, [(&one, &"# A\n".to_owned()), (&two, &String::new())]);
        for (answer, field, message) in [
            (r#"{"files": 1}"#, "files", "must be an array"),
            (
                r#"{"files": [{"path": "a"}]}"#,
                "files[0]",
                "missing field `content`",
            ),
            (
                r#"{"files": [{"path": "/../a", "content": ""}]}"#,
                "files[0].path",
                "../a is outside the root",
            ),
            (
                r#"{"files": [{"path": "a", "content": ""}, {"path": "./a", "content": ""}]}"#,
                "files[1].path",
                "the file a comes twice",
            ),
        ] {
            let bad = new_files(answer.as_bytes()).unwrap_err();
            assert_eq!((&*bad.field, &*bad.message), (field, message), "{answer}");
        }
    }

    const A: &str = r#"{"edits": [{"path": "a.md", "content": "x"}]}"#;
    const B: &str = r#"{"edits": [{"path": "b.md", "content": "x"}]}"#;

    #[test]
    fn edits_are_read_wherever_their_object_is() {
        for answer in [
            A.to_owned(),
            format!("```json\n{A}\n```"),
            format!("```\n{A}\n```\nDone."),
            format!("I fill in `{{title}}` as asked.\n\n{A}"),
            format!("{A}\nThat leaves {{title}} alone."),
            format!("The {{edits}} are: {A}"),
            format!("Plan: {{\"files\": [\"a.md\"]}}\n{A}"),
            format!("<think>first {B}, no</think>\n{A}"),
            format!("first {B}, no</think>\n{A}"),
            format!("Draft: {A}\nFinal:\n```json\n{A}\n```"),
            format!("{{\"edits\": [{{\"path\": \"<path>\", \"content\": \"...\"}}]}}\n{A}"),
            format!("{{\"answer\": {A}}}"),
            format!("{{\"applied_feedback\": {{\"items\": []}}}}\n{A}"),
            "{edits: [{'path': 'a.md', 'content': 'x',},], // one\n}".to_owned(),
            r#"{"Edits": [{"path": "a.md", "content": "x"}]}"#.to_owned(),
        ] {
            assert_eq!(read(&answer), Ok(vec![whole("a.md", "x")]), "{answer}");
        }
    }

    #[test]
    fn the_content_of_an_edit_is_kept_as_it_is() {
        for text in [
            "{\"edits\": []}",
            "a </think> b <think>",
            "```json\n{}\n```\n",
            "{title} \\d \u{e9}\r\n",
        ] {
            let answer = json!({"edits": [{"path": "a.md", "content": text}]});
            let read = read(&format!("So:\n{answer}"));
            assert_eq!(read, Ok(vec![whole("a.md", text)]), "{text}");
        }
        let raw = "{\"edits\": [{\"path\": \"a.md\", \"content\": \"one\n\\d\"}]}";
        assert_eq!(read(raw), Ok(vec![whole("a.md", "one\n\\d")]));
    }

    #[test]
    fn an_answer_without_one_object_of_edits_is_an_error_with_its_reason() {
        let only = "answer with one JSON object and nothing else";
        let none = format!("no object with the key edits; {only}");
        let cut = r#"{"edits": [{"path": "a.md", "content": "x"#;
        let two = format!("two different objects, expected one; {only}");
        for (answer, message) in [
            (String::new(), none.clone()),
            ("none".to_owned(), none.clone()),
            ("}{".to_owned(), none.clone()),
            (r#"{"edit": []}"#.to_owned(), none.clone()),
            (format!("<think>{A}"), none.clone()),
            (json!({"note": A}).to_string(), none),
            (format!("{B}\nOr better:\n{A}"), two.clone()),
            (format!("{{\"x\": {A}, \"y\": {B}}}"), two),
            (
                cut.to_owned(),
                format!("invalid JSON: cut off at byte 41; the answer ends with: {cut}"),
            ),
            (
                r#"{"edits": [{"path": "a.md" "content": "x"}]}"#.to_owned(),
                "invalid JSON: expected a comma or a closing bracket at byte 27".to_owned(),
            ),
            (
                r#"{"edits": [], "edits": [1]}"#.to_owned(),
                "duplicate key \"edits\"".to_owned(),
            ),
        ] {
            assert_eq!(error(&answer), ("json".to_owned(), message), "{answer}");
        }
    }

    #[test]
    fn an_edit_that_is_not_valid_is_named_by_its_field() {
        let both = "must have search and replace, or content, and not both";
        for edit in [
            r#"{"path": "a"}"#,
            r#"{"path": "a", "search": "x"}"#,
            r#"{"path": "a", "search": "x", "replace": "y", "content": "z"}"#,
        ] {
            let answer = format!(r#"{{"edits": [{{"path": "a", "content": ""}}, {edit}]}}"#);
            assert_eq!(error(&answer), ("edits[1]".to_owned(), both.to_owned()));
        }
        let (field, message) = error(r#"{"edits": [{"path": "../a", "content": ""}]}"#);
        assert_eq!(
            (field, message),
            (
                "edits[0].path".to_owned(),
                "../a is outside the root".to_owned()
            )
        );
        for (edits, field, message) in [
            ("1", "edits", "must be an array"),
            ("null", "edits", "must be an array"),
            (r#"[{"content": ""}]"#, "edits[0]", "missing field `path`"),
            (
                r#"[{"path": "a", "content": ""}, {"path": "a", "content": 1}]"#,
                "edits[1]",
                "invalid type: integer `1`, expected a string",
            ),
        ] {
            let told = error(&format!(r#"{{"edits": {edits}}}"#));
            assert_eq!(told, (field.to_owned(), message.to_owned()), "{edits}");
        }
        let many = vec![r#"{"path": "a", "content": ""}"#; MAX_EDITS + 1].join(",");
        let (field, message) = error(&format!(r#"{{"edits": [{many}]}}"#));
        assert_eq!(field, "edits");
        assert_eq!(message, "holds more than 256 edits; replace whole files");
        let most = vec![r#"{"path": "a", "content": ""}"#; MAX_EDITS].join(",");
        assert_eq!(
            read(&format!(r#"{{"edits": [{most}]}}"#)).map(|edits| edits.len()),
            Ok(256)
        );
    }

    #[test]
    fn a_search_fits_in_exactly_one_place() {
        let replaced = |text: &[u8], search, replace| {
            replaced(text, search, replace).map(|bytes| String::from_utf8(bytes).unwrap())
        };
        assert_eq!(replaced(b"a b c", "b", "xy"), Ok("a xy c".to_owned()));
        assert_eq!(
            replaced("\u{e9}t\u{e9}".as_bytes(), "t\u{e9}", ""),
            Ok("\u{e9}".to_owned())
        );
        assert_eq!(
            replaced(b"a\r\nb\r\nc", "a\nb", "x\r\ny\nz"),
            Ok("x\r\ny\r\nz\r\nc".to_owned())
        );
        assert_eq!(
            replaced(b"a\nb", "a\r\nb", "x")
                .unwrap_err()
                .split(';')
                .next(),
            Some("is not in the file")
        );
        for (text, search, why) in [
            (&b"aaa"[..], "aa", "is in the file more than once"),
            (
                "\u{e9}\u{e9}".as_bytes(),
                "\u{e9}",
                "is in the file more than once",
            ),
            (b"b", "a", "is not in the file"),
            (b"b", "", "is empty"),
            (b"\xff", "a", "the file is not UTF-8"),
        ] {
            let told = replaced(text, search, "x").unwrap_err();
            assert_eq!(told.split(';').next(), Some(why));
        }
    }
}
