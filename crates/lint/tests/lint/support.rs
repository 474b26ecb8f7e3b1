//! Fixtures, and workspaces built from strings.

#![expect(clippy::expect_used, reason = "a fixture that is wrong fails its test")]

use review_document::workspace::{
    CargoPackage, Document, DocumentRole, ListedUnit, NodePackage, PathSet, RecipeFile, RecipeTool,
    Workspace,
};
use review_document::{Plan, Unit};
use review_lint::{Finding, FindingId, Safety, fixed};

/// One case of a fixture.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) files: Vec<(String, String)>,
    pub(crate) marks: Vec<Mark>,
    paths: Vec<String>,
    others: Vec<String>,
    around: Around,
    pub(crate) required: Vec<String>,
}

/// The declarations of a project, in addition to its files.
#[derive(Default)]
struct Around {
    programs: Vec<(String, bool)>,
    cargo: Vec<CargoPackage>,
    node: Vec<NodePackage>,
    recipes: Vec<RecipeFile>,
}

impl Around {
    fn read(&mut self, line: &str) {
        let Some((key, values)) = line.split_once(": ") else {
            return;
        };
        let words = values.split(' ');
        let found = key == "programs";
        match key {
            "programs" | "no programs" => {
                let programs = words.map(|name| (name.to_owned(), found));
                self.programs.extend(programs);
            }
            "packages" => self.cargo.extend(words.map(|name| CargoPackage {
                name: name.to_owned(),
                folder: format!("crates/{name}"),
                tests: Vec::new(),
            })),
            "scripts" => self.node.extend(words.map(|word| {
                let (folder, scripts) = listed(word);
                NodePackage { folder, scripts }
            })),
            "just" => self.recipes(RecipeTool::Just, words),
            "make" => self.recipes(RecipeTool::Make, words),
            _ => {}
        }
    }

    fn recipes<'a>(&mut self, tool: RecipeTool, words: impl Iterator<Item = &'a str>) {
        self.recipes.extend(words.map(|word| {
            let (folder, mut names) = listed(word);
            names.sort();
            let is_whole = !names.contains(&"...".to_owned());
            RecipeFile {
                tool,
                folder,
                names,
                is_whole,
            }
        }));
    }
}

/// `folder[a,b]`, with `.` for the root.
fn listed(word: &str) -> (String, Vec<String>) {
    let (folder, names) = word
        .trim_end_matches(']')
        .split_once('[')
        .unwrap_or((word, ""));
    let names = names.split(',').filter(|name| !name.is_empty());
    let folder = folder.trim_start_matches('.').to_owned();
    (folder, names.map(str::to_owned).collect())
}

/// An expected finding.
pub(crate) struct Mark {
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) code: String,
    pub(crate) severity: Option<String>,
    pub(crate) text: String,
}

/// Parses the cases of a fixture.
pub(crate) fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("=== ") {
            cases.push(Case {
                name: name.to_owned(),
                files: Vec::new(),
                marks: Vec::new(),
                paths: Vec::new(),
                others: Vec::new(),
                around: Around::default(),
                required: Vec::new(),
            });
        } else if let Some(case) = cases.last_mut() {
            case.read(line);
        }
    }
    cases
}

impl Case {
    fn read(&mut self, line: &str) {
        if let Some(path) = line.strip_prefix(">>> ") {
            self.files.push((path.to_owned(), String::new()));
        } else if let Some((path, text)) = self.files.last_mut() {
            let (plain, marks) = line.split_once('«').unwrap_or((line, ""));
            text.push_str(
                plain
                    .strip_suffix(' ')
                    .filter(|_| !marks.is_empty())
                    .unwrap_or(plain),
            );
            text.push('\n');
            let number = text.lines().count();
            let marks = marks
                .split(['«', '»'])
                .filter(|mark| !mark.trim().is_empty());
            self.marks
                .extend(marks.map(|mark| Mark::read(path, number, mark)));
        } else if let Some(paths) = line.strip_prefix("paths: ") {
            self.paths.extend(paths.split(' ').map(str::to_owned));
        } else if let Some(others) = line.strip_prefix("others: ") {
            self.others.extend(others.split(' ').map(str::to_owned));
        } else if let Some(sections) = line.strip_prefix("required: ") {
            self.required
                .extend(sections.split(", ").map(str::to_owned));
        } else {
            self.around.read(line);
        }
    }

    /// The workspace of its files.
    pub(crate) fn workspace(&self) -> Workspace {
        Workspace {
            programs: self.around.programs.iter().cloned().collect(),
            cargo: self.around.cargo.clone(),
            node: self.around.node.clone(),
            recipes: self.around.recipes.clone(),
            ..workspace(&self.files, &self.paths, &self.others)
        }
    }
}

impl Mark {
    fn read(path: &str, line: usize, mark: &str) -> Self {
        let mut words = mark.splitn(3, ' ');
        let code = words.next().unwrap_or_default().to_owned();
        let second = words.next();
        let severity = second
            .filter(|word| ["E", "W", "I"].contains(word))
            .map(str::to_owned);
        let text = match (&severity, second) {
            (None, Some(word)) => [word, words.next().unwrap_or_default()].join(" "),
            _ => words.next().unwrap_or_default().to_owned(),
        };
        Self {
            path: path.to_owned(),
            line,
            code,
            severity,
            text: text.trim().to_owned(),
        }
    }
}

/// A workspace of documents, whose roles follow from their paths.
pub(crate) fn workspace(
    files: &[(String, String)],
    paths: &[String],
    others: &[String],
) -> Workspace {
    let unit_dir = files.iter().find_map(|(path, _)| {
        let rest = path.strip_prefix("tasks/")?;
        rest.split_once('/').map(|(unit, _)| unit)
    });
    let role = |path: &str| match path {
        path if path.ends_with("IMPLEMENTATION_PLAN.md") => DocumentRole::Plan,
        path if path.starts_with("tasks/") => DocumentRole::Task,
        path if path.starts_with("specs/") => DocumentRole::Spec,
        _ => DocumentRole::Text,
    };
    Workspace {
        documents: files
            .iter()
            .map(|(path, text)| Document::parse(path.as_str(), role(path), text.as_str()))
            .collect(),
        unit: unit_dir.map(|unit| {
            let id = unit.parse().expect("a legal name");
            let files = files.iter().map(|(path, text)| (path, text));
            Unit::load(id, format!("tasks/{unit}"), files)
        }),
        units: others.iter().map(|unit| other(unit)).collect(),
        paths: files
            .iter()
            .map(|(path, _)| path)
            .chain(paths)
            .cloned()
            .collect::<PathSet>(),
        ..Workspace::default()
    }
}

/// `name[a,b]`: a unit that depends on others.
fn other(unit: &str) -> ListedUnit {
    let (name, depends_on) = unit
        .trim_end_matches(']')
        .split_once('[')
        .unwrap_or((unit, ""));
    let text = format!("---\nunit: {name}\ndepends_on: [{depends_on}]\n---\n");
    ListedUnit {
        dir: format!("tasks/{name}"),
        id: name.parse().expect("a legal name"),
        plan: Some(Plan::parse(
            format!("tasks/{name}/IMPLEMENTATION_PLAN.md"),
            text,
        )),
    }
}

/// Files with the fixes of some findings applied, and these findings.
pub(crate) fn fixed_files(
    files: &[(String, String)],
    findings: &[Finding],
    up_to: Safety,
) -> (Vec<(String, String)>, Vec<FindingId>) {
    let sources = files.iter();
    let sources = sources.map(|(path, text)| (path.as_str(), text.as_str()));
    let mut done = fixed(&sources.collect(), findings, up_to);
    let after = files.iter().map(|(path, text)| {
        let fixed = done.texts.remove(path.as_str());
        (path.clone(), fixed.unwrap_or_else(|| text.clone()))
    });
    (after.collect(), done.applied)
}

/// The content of the first file with the fixes of some findings applied.
pub(crate) fn fixed_first(
    files: &[(String, String)],
    findings: &[Finding],
    up_to: Safety,
) -> String {
    let (after, _) = fixed_files(files, findings, up_to);
    after.into_iter().next().expect("a file").1
}
