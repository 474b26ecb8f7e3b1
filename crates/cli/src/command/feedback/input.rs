//! Files with documents, in any of their forms.

use std::io::Read;
use std::path::Path;

use review_document::yaml::{YamlError, YamlErrorKind};
use review_schema::actionable::{Code, Diagnostic, Mode, Severity, validate};

use super::yaml::{Translated, translate};
use crate::args::{DocumentFormat, FeedbackInputArgs};
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};

/// The largest file that is read.
const MAX_FILE: u64 = 256 * 1024 * 1024;

/// What a file holds.
pub(super) struct File {
    /// As it was named.
    pub(super) name: String,
    pub(super) documents: Vec<Document>,
}

/// One document of a file, checked.
pub(super) struct Document {
    /// As JSON.
    pub(super) text: String,
    /// What is wrong, with the lines of the file.
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Reads the files that the arguments name.
///
/// # Errors
/// When one cannot be read.
pub(super) fn files(
    context: &Context,
    args: &FeedbackInputArgs,
) -> Result<Vec<File>, CommandError> {
    let mode = args.mode.into();
    let read = |path: &std::path::PathBuf| {
        let text = read_text(context, path)?;
        let format = args
            .input_format
            .or_else(|| by_name(path))
            .unwrap_or_else(|| by_text(&text));
        Ok(File {
            name: path.display().to_string(),
            documents: documents(&text, format, mode),
        })
    };
    args.files.iter().map(read).collect()
}

/// Reads a file, or standard input where its name is `-`.
pub(super) fn read_text(context: &Context, path: &Path) -> Result<String, CommandError> {
    let (name, source): (String, Box<dyn Read>) = if path == Path::new("-") {
        ("standard input".to_owned(), Box::new(std::io::stdin()))
    } else {
        let name = path.display().to_string();
        let file = std::fs::File::open(context.absolute(path)).map_err(|error| {
            CommandError::new(ErrorKind::Input, format!("cannot read {name}")).source(error)
        })?;
        (name, Box::new(file))
    };
    let mut bytes = Vec::new();
    let read = source.take(MAX_FILE + 1).read_to_end(&mut bytes);
    let cannot = || CommandError::new(ErrorKind::Input, format!("cannot read {name}"));
    read.map_err(|error| cannot().source(error))?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(cannot().hint("it is larger than 256 MiB"));
    }
    let text = String::from_utf8(bytes).map_err(|error| cannot().source(error))?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(text) => text.to_owned(),
        None => text,
    })
}

fn by_name(path: &Path) -> Option<DocumentFormat> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "yaml" | "yml" => Some(DocumentFormat::Yaml),
        "json" => Some(DocumentFormat::Json),
        "jsonl" | "ndjson" => Some(DocumentFormat::Jsonl),
        _ => None,
    }
}

/// The form that a text has: lines if its first line is a whole object and
/// another one follows.
pub(super) fn by_text(text: &str) -> DocumentFormat {
    let text = text.trim_start();
    if !text.starts_with(['{', '[']) {
        return DocumentFormat::Yaml;
    }
    let is_object = |line: &str| serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok();
    match text.split_once('\n') {
        Some((first, rest)) if !rest.trim().is_empty() && is_object(first) => DocumentFormat::Jsonl,
        _ => DocumentFormat::Json,
    }
}

fn documents(text: &str, format: DocumentFormat, mode: Mode) -> Vec<Document> {
    match format {
        DocumentFormat::Json => vec![json(text, mode, 0)],
        DocumentFormat::Yaml => vec![yaml(text, mode)],
        DocumentFormat::Jsonl => text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(before, line)| json(line, mode, before))
            .collect(),
    }
}

/// A document in JSON that begins behind `before` lines.
fn json(text: &str, mode: Mode, before: usize) -> Document {
    let mut diagnostics = validate(text, mode);
    for diagnostic in &mut diagnostics {
        diagnostic.line += before;
    }
    Document {
        text: text.to_owned(),
        diagnostics,
    }
}

fn yaml(text: &str, mode: Mode) -> Document {
    let translated = match translate(text) {
        Ok(translated) => translated,
        Err(error) => {
            return Document {
                text: String::new(),
                diagnostics: vec![no_yaml(&error)],
            };
        }
    };
    let mut diagnostics = validate(&translated.text, mode);
    for diagnostic in &mut diagnostics {
        diagnostic.line = translated.line(diagnostic.at);
    }
    let Translated { text, .. } = translated;
    Document { text, diagnostics }
}

fn no_yaml(error: &YamlError) -> Diagnostic {
    let code = match error.kind {
        YamlErrorKind::DuplicateKey { .. } => Code::KeyDuplicate,
        _ => Code::DocumentSyntax,
    };
    Diagnostic {
        code,
        severity: Severity::Error,
        pointer: String::new(),
        at: error.place.span.start,
        line: error.place.position.line,
        message: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_of_a_text_shows_in_its_first_line() {
        for (text, format) in [
            ("id: 7\n", DocumentFormat::Yaml),
            ("", DocumentFormat::Yaml),
            ("\n{\n\"id\": 7}\n", DocumentFormat::Json),
            ("{\"id\": 7}\n", DocumentFormat::Json),
            ("{\"id\": 7}\n{\"id\": 8}\n", DocumentFormat::Jsonl),
            ("{\"id\": 7}\n\n", DocumentFormat::Json),
            ("[1]\n", DocumentFormat::Json),
        ] {
            assert_eq!(by_text(text), format, "{text:?}");
        }
    }

    #[test]
    fn the_form_of_a_file_shows_in_its_name() {
        for (name, format) in [
            ("a.yaml", Some(DocumentFormat::Yaml)),
            ("a.YML", Some(DocumentFormat::Yaml)),
            ("a.json", Some(DocumentFormat::Json)),
            ("a.jsonl", Some(DocumentFormat::Jsonl)),
            ("a.txt", None),
            ("-", None),
        ] {
            assert_eq!(by_name(Path::new(name)), format, "{name}");
        }
    }
}
