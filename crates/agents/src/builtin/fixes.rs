//! The changes that are safe without being understood.

use std::collections::{BTreeMap, HashMap, HashSet};

use review_document::Unit;
use review_document::workspace::{Document, Workspace};
use review_lint::{Report, Safety, Settings, fixed, lint};
use review_store::{ConfineError, Reader, Root, RootPath};

/// A file with fixes applied.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FixedFile {
    pub(super) path: String,
    before: String,
    after: String,
    /// The number of findings that are fixed.
    pub(super) findings: usize,
}

/// Why a file was not rewritten.
#[derive(Debug, thiserror::Error)]
pub(super) enum WriteError {
    #[error("{0} was changed by another process at the same time, so it was left as it is")]
    Changed(String),
    #[error(transparent)]
    Confine(#[from] ConfineError),
}

impl FixedFile {
    /// Rewrites the file below `root`, if it is still as it was.
    pub(super) fn write(&self, root: &Root) -> Result<(), WriteError> {
        if Reader::new(root).read(&self.path)? != self.before.as_bytes() {
            return Err(WriteError::Changed(self.path.clone()));
        }
        let path = RootPath::new(&self.path)?;
        Ok(root.replace(&path, self.after.as_bytes())?)
    }
}

/// The files that safe fixes change. They change nothing unless what the rules
/// then find weighs less, so that no two fixes can chase each other through the rounds.
pub(super) fn safe_fixes(workspace: Workspace, settings: &Settings) -> Vec<FixedFile> {
    let before = lint(&workspace, settings);
    let files = mended(&workspace, &before);
    if files.is_empty() {
        return files;
    }
    let after = lint(&with(workspace, &files), settings);
    if after.load() < before.load() {
        files
    } else {
        Vec::new()
    }
}

/// The files with all safe fixes, in the order of the documents. One that is not
/// UTF-8 throughout is known only up to its first bad byte, so it is left alone.
fn mended(workspace: &Workspace, report: &Report) -> Vec<FixedFile> {
    let documents = workspace.documents.iter();
    let whole = documents.filter(|document| document.invalid_at.is_none());
    let sources: BTreeMap<_, _> = whole
        .map(|document| (document.path.as_str(), document.source.as_str()))
        .collect();
    let mut done = fixed(&sources, report.findings(), Safety::Safe);
    let applied: HashSet<_> = done.applied.iter().collect();
    let mut findings: HashMap<&str, usize> = HashMap::new();
    for finding in report
        .findings()
        .iter()
        .filter(|found| applied.contains(&found.id))
    {
        *findings.entry(&finding.path).or_default() += 1;
    }
    let documents = workspace.documents.iter();
    let files = documents.filter_map(|document| {
        let path = document.path.as_str();
        Some(FixedFile {
            path: path.to_owned(),
            before: document.source.clone(),
            after: done.texts.remove(path)?,
            findings: findings.get(path).copied().unwrap_or_default(),
        })
    });
    files.collect()
}

/// The workspace with these files, which come in the order of its documents.
fn with(workspace: Workspace, files: &[FixedFile]) -> Workspace {
    let mut files = files.iter().peekable();
    let documents = workspace.documents.into_iter();
    let documents: Vec<_> = documents
        .map(|old| match files.next_if(|file| file.path == old.path) {
            Some(file) => Document::parse(old.path, old.role, file.after.as_str()),
            None => old,
        })
        .collect();
    let unit = workspace.unit.map(|unit| {
        let files = documents.iter().map(|file| (&file.path, &file.source));
        Unit {
            spec: unit.spec,
            ..Unit::load(unit.id, unit.dir, files)
        }
    });
    Workspace {
        documents,
        unit,
        ..workspace
    }
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "tests make the files that they need"
)]
mod tests {
    use review_document::workspace::DocumentRole;

    use super::*;

    fn mended_in(workspace: Workspace) -> Vec<String> {
        let files = safe_fixes(workspace, &Settings::default());
        files.into_iter().map(|file| file.after).collect()
    }

    #[test]
    fn only_safe_fixes_are_made() {
        let spec = |text: &str| Workspace {
            documents: vec![Document::parse("specs/A.md", DocumentRole::Spec, text)],
            ..Workspace::default()
        };
        let closed = "# A\n\nText.\n\n```sh\nls\n```\n";
        assert_eq!(mended_in(spec("# A\n\nText.\n\n```sh\nls\n")), [closed]);
        assert_eq!(mended_in(spec(closed)), [""; 0]);
        assert_eq!(mended_in(spec("# A\n\nThe limit is TBD.\n")), [""; 0]);
    }

    /// A unit of tasks that name these specs.
    fn unit(specs: &[&str]) -> Workspace {
        let tasks = specs.iter().zip(1..).map(|(spec, number)| {
            let path = format!("tasks/web/0{number}-a.md");
            let text = format!(
                "---\ntask: {number}\nbackpressure: cargo test\n---\n# A\n\n**Parent spec**: `/specs/{spec}.md`\n"
            );
            (path, text)
        });
        let tasks: Vec<_> = tasks.collect();
        let documents = tasks.iter();
        Workspace {
            documents: documents
                .map(|(path, text)| Document::parse(path, DocumentRole::Task, text.as_str()))
                .collect(),
            unit: Some(Unit::load("web".parse().unwrap(), "tasks/web", tasks)),
            paths: ["specs/done/WEB.md", "a/API.md", "b/API.md"]
                .into_iter()
                .collect(),
            ..Workspace::default()
        }
    }

    #[test]
    fn a_spec_that_was_moved_is_named_anew_in_all_files() {
        let mended = mended_in(unit(&["WEB", "WEB"]));
        assert_eq!(mended.len(), 2);
        let has_place = |text: &String| text.contains("`/specs/done/WEB.md`");
        assert!(mended.iter().all(has_place), "{mended:?}");
    }

    #[test]
    fn a_file_is_fixed_though_another_keeps_its_finding() {
        let [mended] = mended_in(unit(&["WEB", "API"])).try_into().unwrap();
        let named = mended.contains("task: 1\n") && mended.contains("`/specs/done/WEB.md`");
        assert!(named, "{mended}");
    }

    #[test]
    fn a_file_that_another_process_changed_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::open(folder.path()).unwrap();
        let file = folder.path().join("a.md");
        let fixed = FixedFile {
            path: "a.md".to_owned(),
            before: "old".to_owned(),
            after: "new".to_owned(),
            findings: 1,
        };
        std::fs::write(&file, "other").unwrap();
        let error = fixed.write(&root).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a.md was changed by another process at the same time, so it was left as it is"
        );
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "other");
        std::fs::write(&file, "old").unwrap();
        fixed.write(&root).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
    }
}
