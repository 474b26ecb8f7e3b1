//! Names around a test that a filter may match instead of its own.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use review_document::command::Runner;
use review_document::markdown::CodeBlock;
use review_document::workspace::{Document, Language};

use crate::facts::{Facts, Task};

/// The possible names of modules, files, classes and suites that contain the listed
/// tests of a task.
///
/// Documents rarely state them, so every path in them or in the workspace counts, and
/// for suites every word of code and every heading. In doubt, this prevents findings.
pub(crate) struct Enclosing<'t, 'f> {
    document: &'t Document,
    facts: &'t Facts<'f>,
    code: OnceCell<Vec<&'t str>>,
    answers: RefCell<HashMap<(Runner, String), bool>>,
}

impl<'t, 'f> Enclosing<'t, 'f> {
    pub(crate) fn of(task: &'t Task<'_>, facts: &'t Facts<'f>) -> Self {
        Self {
            document: task.document,
            facts,
            code: OnceCell::new(),
            answers: RefCell::default(),
        }
    }

    /// Whether a name around the test `name` may satisfy `test`, which is identified by
    /// `text`: each string is looked up once.
    pub(crate) fn may_hold(
        &self,
        runner: Runner,
        name: &str,
        text: &str,
        test: &dyn Fn(&str) -> bool,
    ) -> bool {
        let complete = match runner {
            Runner::CargoTest | Runner::CargoNextest => name.contains("::"),
            Runner::Pytest => name.contains(".py::"),
            _ => name.contains(" > "),
        };
        if complete {
            return false;
        }
        let key = (runner, text.to_owned());
        if let Some(&known) = self.answers.borrow().get(&key) {
            return known;
        }
        let found = self.find(runner, test);
        self.answers.borrow_mut().insert(key, found);
        found
    }

    fn find(&self, runner: Runner, test: &dyn Fn(&str) -> bool) -> bool {
        match runner {
            Runner::CargoTest | Runner::CargoNextest => {
                self.in_paths(Language::Rust, test) || self.in_code(&["mod"], test)
            }
            Runner::Pytest => {
                self.in_paths(Language::Python, test) || self.in_code(&["class"], test)
            }
            Runner::Jest | Runner::Vitest | Runner::Mocha => {
                self.in_paths(Language::JavaScript, test)
                    || self.in_code(&[], test)
                    || self.in_headings(test)
            }
            Runner::GoTest
            | Runner::PackageScript
            | Runner::Make
            | Runner::Just
            | Runner::Script
            | Runner::Build
            | Runner::Check
            | Runner::Other => false,
        }
    }

    /// Whether a file of the language, or a parent folder of one, satisfies `test`.
    fn in_paths(&self, language: Language, test: &dyn Fn(&str) -> bool) -> bool {
        let exist = self
            .facts
            .workspace
            .paths
            .files()
            .iter()
            .map(String::as_str);
        exist
            .chain(self.facts.mentions().iter())
            .filter(|path| language.is_source(path))
            .any(|path| test(path.rsplit_once('.').map_or(path, |(stem, _)| stem)))
    }

    fn in_headings(&self, test: &dyn Fn(&str) -> bool) -> bool {
        let headings = &self.document.outline.headings;
        headings.iter().any(|heading| test(&heading.text))
    }

    /// Whether a word of the task's code satisfies `test`; with `keywords`, only words
    /// after one of them.
    fn in_code(&self, keywords: &[&str], test: &dyn Fn(&str) -> bool) -> bool {
        let words = self.code.get_or_init(|| code_words(self.document));
        let mut before = "";
        words.iter().any(|word| {
            let counts = keywords.is_empty() || keywords.contains(&before);
            before = word;
            counts && test(word)
        })
    }
}

/// The words of code blocks that hold no commands.
fn code_words(document: &Document) -> Vec<&str> {
    let outline = &document.outline;
    let is_code = |block: &&CodeBlock| {
        !matches!(block.language.as_str(), "bash" | "sh" | "shell" | "console")
    };
    let blocks = outline.code_blocks.iter().filter(is_code);
    let texts = blocks.filter_map(|block| block.content.slice(&document.source));
    let ends = |c: char| !(c.is_alphanumeric() || c == '_');
    texts
        .flat_map(|text| text.split(ends))
        .filter(|word| !word.is_empty())
        .collect()
}
