//! JUnit XML in an output, by its tags alone.

use std::sync::Arc;

use super::lines::LONGEST;
use super::listed::{Ended, Listed, SeenTests};
use super::output::Naming;

/// Maximum nesting of suites.
const MAX_DEPTH: usize = 16;

/// The cases of a report. They are counted by the program that prints a summary.
pub(super) struct JUnit {
    pub(super) seen: SeenTests,
    suites: Vec<String>,
    depth: u64,
    case: Option<Case>,
    /// Whether there was any JUnit output.
    is_there: bool,
    is_cut: bool,
}

/// A case without its end so far.
struct Case {
    class: String,
    name: String,
    ended: Ended,
}

impl JUnit {
    pub(super) fn new(listed: &Arc<Listed>) -> Self {
        Self {
            seen: SeenTests::new(listed),
            suites: Vec::new(),
            depth: 0,
            case: None,
            is_there: false,
            is_cut: false,
        }
    }

    fn tag(&mut self, tag: &str) {
        let is_empty = tag.ends_with('/');
        let name = tag.split([' ', '\t', '/']).next().unwrap_or_default();
        match name {
            "testsuite" | "testsuites" if !is_empty => {
                self.is_there = true;
                self.depth += 1;
                if self.suites.len() < MAX_DEPTH {
                    self.suites.push(attribute(tag, "name"));
                }
            }
            "testcase" => {
                self.end_case();
                self.case = Some(Case {
                    class: attribute(tag, "classname"),
                    name: attribute(tag, "name"),
                    ended: Ended::Passed,
                });
                if is_empty {
                    self.end_case();
                }
            }
            "failure" | "error" => self.case_is(Ended::Failed),
            "skipped" => self.case_is(Ended::Skipped),
            "" => match tag.trim_end() {
                "/testcase" => self.end_case(),
                "/testsuite" | "/testsuites" => {
                    self.depth = self.depth.saturating_sub(1);
                    self.suites
                        .truncate(usize::try_from(self.depth).unwrap_or(usize::MAX));
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn case_is(&mut self, ended: Ended) {
        if let Some(case) = &mut self.case {
            case.ended = ended;
        }
    }

    fn end_case(&mut self) {
        if let Some(Case { class, name, ended }) = self.case.take() {
            let whole = || match class.as_str() {
                "" => name.clone(),
                class => format!("{class}.{name}"),
            };
            self.seen.ended(whole, ended, true);
            let bare = name.split('[').next().unwrap_or_default();
            for name in [&*name, bare] {
                self.seen.mark(class.split('.').chain([name]), ended.into());
                let suites = self.suites.iter().map(String::as_str);
                self.seen.mark(suites.chain([name]), ended.into());
            }
        }
    }

    /// Handles a line.
    pub(super) fn line(&mut self, line: &str) {
        let mut rest = line;
        if self.depth == 0 && !rest.trim_start().starts_with("<") && !rest.contains("<testsuite") {
            return;
        }
        while let Some((_, after)) = rest.split_once('<') {
            let Some((tag, behind)) = after.split_once('>') else {
                self.is_cut |= self.depth > 0;
                break;
            };
            if self.depth > 0 || tag.starts_with("testsuite") {
                self.tag(tag);
            }
            rest = behind;
        }
        self.is_cut |= self.depth > 0 && line.len() >= LONGEST;
    }

    /// Returns the naming, at the end of the output; `None` if there was no report.
    pub(super) fn naming(&self) -> Option<Naming> {
        let is_whole = self.depth == 0 && !self.is_cut;
        self.is_there.then_some(match is_whole {
            true => Naming::All,
            false => Naming::Some,
        })
    }
}

/// Returns the value of an attribute; empty when there is none.
fn attribute(tag: &str, name: &str) -> String {
    let opening = format!(" {name}=\"");
    let value = tag
        .split_once(&opening)
        .and_then(|(_, rest)| rest.split_once('"'));
    let value = value.map_or("", |(value, _)| value);
    match value.contains('&') {
        false => value.to_owned(),
        true => [
            ("&lt;", "<"),
            ("&gt;", ">"),
            ("&quot;", "\""),
            ("&apos;", "'"),
            ("&#39;", "'"),
            ("&amp;", "&"),
        ]
        .iter()
        .fold(value.to_owned(), |value, (entity, char)| {
            value.replace(entity, char)
        }),
    }
}
