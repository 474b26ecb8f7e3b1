//! The command line of a program of the user.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A program and its arguments, split as a shell would, with nothing else of a
/// shell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("minLength" = 1))]
pub struct CommandLine {
    program: String,
    args: Vec<String>,
}

/// A command line without a valid program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandLineError {
    /// It is blank.
    #[error("a command must name a program, such as `cmd:./reviewer.sh --fast` or `acp:goose acp`")]
    Blank,
    /// A quote is not closed.
    #[error("a quote is not closed in the command `{0}`")]
    OpenQuote(String),
}

impl CommandLine {
    /// The program, as it was written.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// The file of the program: a path starts at the root of the project, though it runs
    /// elsewhere; a name is left to be found on `PATH`.
    pub(crate) fn file(&self, root: &Path) -> PathBuf {
        let program = Path::new(&self.program);
        match self.program.contains('/') {
            true => root.join(program).components().collect(),
            false => program.to_owned(),
        }
    }

    /// The command as the configuration of `root` has it, where it was written in
    /// `folder`: a relative path of the program starts where it is written.
    #[must_use]
    pub fn moved(self, folder: &Path, root: &Path) -> Self {
        if folder == root || !self.program.contains('/') {
            return self;
        }
        let path: PathBuf = folder.join(&self.program).components().collect();
        Self {
            program: match path.strip_prefix(root) {
                Ok(inside) => format!("./{}", inside.display()),
                Err(_) => path.display().to_string(),
            },
            args: self.args,
        }
    }

    /// Its arguments.
    pub fn args(&self) -> &[String] {
        &self.args
    }
}

impl FromStr for CommandLine {
    type Err = CommandLineError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let words = shell_words::split(text)
            .map_err(|shell_words::ParseError| CommandLineError::OpenQuote(text.to_owned()))?;
        let mut words = words.into_iter();
        let program = words.next().filter(|program| !program.is_empty());
        Ok(Self {
            program: program.ok_or(CommandLineError::Blank)?,
            args: words.collect(),
        })
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = std::iter::once(&self.program).chain(&self.args);
        f.write_str(&shell_words::join(words))
    }
}

impl TryFrom<String> for CommandLine {
    type Error = CommandLineError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<CommandLine> for String {
    fn from(line: CommandLine) -> Self {
        line.to_string()
    }
}
