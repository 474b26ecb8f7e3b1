//! What is wrong with a configuration of learning.

use review_learning::object::Diagnostic;
use serde::Serialize;

use crate::diagnostic::diagnostic;
use crate::json::Version;
use crate::style::{ERROR, GOOD, RESET};
use crate::text::printable;

/// The configurations of learning that were checked.
#[derive(Debug, Serialize)]
pub struct LearningConfigReport {
    /// The version of the format.
    pub v: Version,
    /// The files.
    pub files: Vec<LearningFile>,
    /// The file that runs learn by, if there is one.
    pub used: Option<String>,
}

/// A file with a configuration of learning.
#[derive(Debug, Serialize)]
pub struct LearningFile {
    /// Its path, as it is shown.
    pub path: String,
    /// The number of configurations in it.
    pub count: u32,
    /// The number of those that are valid.
    pub valid: u32,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
}

impl LearningConfigReport {
    /// Whether every file is valid.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.files.iter().all(|file| file.valid == file.count)
    }
}

/// Returns the report as users read it; `is_named` where a user named the files.
#[must_use]
pub fn learning_config(report: &LearningConfigReport, is_named: bool) -> String {
    let mut text = String::new();
    for file in &report.files {
        for one in &file.diagnostics {
            text.push_str(&diagnostic(&file.path, one));
        }
        let state = if file.valid == file.count {
            format!("{GOOD}valid{RESET}")
        } else {
            format!("{ERROR}not valid{RESET}")
        };
        text.push_str(&format!("{}: {state}\n", printable(&file.path)));
    }
    match (report.files.as_slice(), &report.used) {
        ([], _) => text.push_str(
            "nothing is learned: there is no .aiwg/agent-learning.yaml, and no table [learning] in \
             ralph.toml\n",
        ),
        ([_, unused, ..], Some(used)) => text.push_str(&format!(
            "{} is used; {} is not read\n",
            printable(used),
            printable(&unused.path)
        )),
        ([_, ..], Some(used)) if !is_named => {
            text.push_str(&format!("{} is used\n", printable(used)));
        }
        ([_, ..], _) => {}
    }
    text
}
