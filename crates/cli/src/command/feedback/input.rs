//! Files with documents.

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use review_report::feedback::{DocumentFile, DocumentForm, documents};
use review_schema::actionable::Mode;

use crate::context::Context;
use crate::error::{CommandError, OrContext};
use crate::output::style::{ERROR, RESET};

/// What the documents are read from.
#[derive(Debug, Args)]
pub(crate) struct FeedbackInputArgs {
    /// The files; - for standard input.
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) files: Vec<PathBuf>,
    /// How severe to be.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) mode: FeedbackMode,
    /// The form of the input [default: by the name of the file, else by its
    /// text].
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) input_format: Option<DocumentFormat>,
}

/// How severe documents are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FeedbackMode {
    /// The published schema with its formats, and further rules of ralph, such as on
    /// line numbers. Vague or advisory words inside a sentence are warnings.
    #[default]
    Default,
    /// Every vague or advisory wording is an error.
    Strict,
}

impl From<FeedbackMode> for Mode {
    fn from(mode: FeedbackMode) -> Self {
        match mode {
            FeedbackMode::Default => Self::Default,
            FeedbackMode::Strict => Self::Strict,
        }
    }
}

/// The form of a file with documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DocumentFormat {
    /// One YAML document.
    Yaml,
    /// One JSON object.
    Json,
    /// One JSON object a line.
    Jsonl,
}

impl From<DocumentFormat> for DocumentForm {
    fn from(format: DocumentFormat) -> Self {
        match format {
            DocumentFormat::Yaml => Self::Yaml,
            DocumentFormat::Json => Self::Json,
            DocumentFormat::Jsonl => Self::Jsonl,
        }
    }
}

/// The largest file that is read.
const MAX_FILE: u64 = 256 * 1024 * 1024;

/// The files that the arguments name.
pub(super) struct Files {
    pub(super) read: Vec<DocumentFile>,
    /// Those that cannot be read, by name.
    pub(super) unread: Vec<(String, CommandError)>,
}

impl Files {
    /// Reads each of them.
    pub(super) fn read(context: &Context, args: &FeedbackInputArgs) -> Self {
        let mut files = Self {
            read: Vec::new(),
            unread: Vec::new(),
        };
        for path in &args.files {
            match file(context, args, path) {
                Ok(file) => files.read.push(file),
                Err(error) => files.unread.push((path.display().to_string(), error)),
            }
        }
        files
    }

    /// Reports those that cannot be read, of which the last one is returned.
    pub(super) fn report_unread(self, context: &mut Context) -> Result<(), CommandError> {
        let mut unread = self.unread;
        let last = unread.pop();
        for (_, error) in unread {
            context
                .streams
                .say(&format!("{ERROR}error{RESET}: {}\n", error.message()));
        }
        last.map_or(Ok(()), |(_, error)| Err(error))
    }
}

fn file(
    context: &Context,
    args: &FeedbackInputArgs,
    path: &Path,
) -> Result<DocumentFile, CommandError> {
    let mode = args.mode.into();
    let text = read_text(context, path)?;
    let format = args
        .input_format
        .map(DocumentForm::from)
        .or_else(|| DocumentForm::of_name(path))
        .unwrap_or_else(|| DocumentForm::of_text(&text));
    Ok(DocumentFile {
        name: path.display().to_string(),
        documents: documents(&text, format, mode),
    })
}

/// Reads a file, or standard input where its name is `-`.
pub(super) fn read_text(context: &Context, path: &Path) -> Result<String, CommandError> {
    let (name, source): (String, Box<dyn Read>) = if path == Path::new("-") {
        ("standard input".to_owned(), Box::new(std::io::stdin()))
    } else {
        let name = path.display().to_string();
        let file = review_store::open_named(&context.absolute(path))
            .context(format!("cannot read {name}"))?;
        (name, Box::new(file))
    };
    let mut bytes = Vec::new();
    let read = source.take(MAX_FILE + 1).read_to_end(&mut bytes);
    let cannot = || CommandError::new(format!("cannot read {name}"));
    read.map_err(|error| cannot().source(error))?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(cannot().hint("it is larger than 256 MiB"));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("{name} is not UTF-8 (byte {at})");
        CommandError::new(message)
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(text) => text.to_owned(),
        None => text,
    })
}
