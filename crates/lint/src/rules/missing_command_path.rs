//! B9.

use review_document::command::{PathKind, PathUse, Script};
use review_document::near;
use review_document::workspace::Language;
use review_types::excerpt;

use crate::Severity;
use crate::facts::Facts;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds a path in a command that neither exists nor is created by the unit.
    ///
    /// ## What it does
    /// Looks up the packages, test files, scripts and checked files that a command
    /// names: among the existing files, and among the paths that the documents of the
    /// unit mention outside of commands, including the check column of the plan. Paths
    /// that an earlier command of the same line may create are not checked. Nothing is
    /// reported in a workspace without source files of the language. If the unit
    /// depends on other units, which may create the path, the finding is a warning.
    ///
    /// ## Why is this bad
    /// The command always fails, or it checks nothing: some runners treat a missing
    /// folder as one without tests.
    ///
    /// ## Example
    /// `go test ./internal/stroe/...` in a project with `internal/store`.
    ///
    /// ## Fix
    /// Write the path of an existing file, or list the path in the deliverables of a
    /// task.
    MissingCommandPath {
        code: "B9",
        name: "missing-command-path",
        criterion: Testability,
        severity: Error,
        summary: "A path in a command neither exists nor is created by the unit.",
    }
}

/// The maximum number of paths that are searched for a similar one.
const MAX_NEAR: usize = 2000;

impl MissingCommandPath {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        if facts.tasks.is_empty() {
            return;
        }
        let has = |language| facts.workspace.paths.has_source(language);
        let plan = facts
            .workspace
            .unit
            .as_ref()
            .and_then(|unit| unit.plan.as_ref());
        let waits = plan.is_some_and(|plan| !plan.depends_on.is_empty());
        for task in &facts.tasks {
            for step in &task.steps {
                let rest = step.without_suffix();
                let rest = rest.as_deref().map(Script::parse);
                for path in rest.as_ref().unwrap_or(&step.script).paths() {
                    let known = match path.kind {
                        PathKind::Any => Language::ALL.into_iter().any(has),
                        PathKind::GoPackage => has(Language::Go),
                        PathKind::Python => has(Language::Python),
                        PathKind::NodePattern => has(Language::JavaScript),
                    };
                    if !known {
                        continue;
                    }
                    sink.look_at(1);
                    if is_known(facts, &path) {
                        continue;
                    }
                    let written = excerpt(path.span.slice(step.text).unwrap_or_default(), 120);
                    let draft = sink.push(
                        task.document,
                        step.locate(path.span),
                        format!("`{written}` neither exists nor is created by a task of the unit."),
                        suggestion(facts, &path),
                    );
                    if waits {
                        draft.severity(Severity::Warning);
                    }
                }
            }
        }
    }
}

fn is_known(facts: &Facts<'_>, path: &PathUse) -> bool {
    let (paths, mentions) = (&facts.workspace.paths, facts.mentions());
    match path.kind {
        PathKind::Any | PathKind::GoPackage | PathKind::Python => {
            paths.contains(&path.path) || mentions.has(&path.path)
        }
        PathKind::NodePattern => {
            let exist = paths.files().iter().map(String::as_str);
            exist
                .chain(mentions.iter())
                .any(|known| known.contains(&*path.path))
        }
    }
}

/// The most similar existing path: with the same name elsewhere, or with a similar name
/// in the same folder.
fn suggestion(facts: &Facts<'_>, path: &PathUse) -> String {
    let (folder, name) = path.path.rsplit_once('/').unwrap_or(("", &path.path));
    let paths = &facts.workspace.paths;
    let same_name = paths.named(name).next();
    let beside = || {
        let prefix = if folder.is_empty() {
            0
        } else {
            folder.len() + 1
        };
        let entries = paths.below(folder).iter().take(MAX_NEAR);
        let names = entries.filter_map(|file| file.get(prefix..)?.split('/').next());
        let near = near::nearest(name, names, 1).first().copied()?;
        Some(path.path[..path.path.len() - name.len()].to_owned() + near)
    };
    match same_name.map(str::to_owned).or_else(beside) {
        Some(near) => format!(
            "Write `{near}` instead of `{}`, or list the path in the deliverables of a task.",
            path.path
        ),
        None => format!(
            "List `{}` in the deliverables of the task that creates it, or correct the command.",
            path.path
        ),
    }
}
