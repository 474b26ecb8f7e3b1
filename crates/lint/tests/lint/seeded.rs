//! One defect is seeded into a valid unit, and the right rule must report it.

use review_document::workspace::{RecipeFile, RecipeTool, Workspace};
use review_lint::{Report, Rule, Settings, lint};
use review_types::Verdict;

use crate::support::workspace;

const SPEC: &str = "# Store\n\nKeeps values for the web, within [limits](#limits) and by [tasks](../tasks/web/01-types.md#must-pass).\n\n## Limits\n\nAt most 100 values.\n\n## Requirements\n\n- **FR-1**: The store shall keep a value.\n- **FR-2**: When it is full, the store shall drop a value.\n- **FR-3**: The store shall count the values.\n\n| Metric | Target |\n|---|---|\n| Time to keep | < 5 ms |\n";

const PLAN: &str = "---\nunit: web\ndepends_on: [events]\n---\n# Plan\n\n| # | Task | Dependencies | Backpressure |\n|---|---|---|---|\n| 1 | 01-types.md | None | `go build ./internal/store/...` |\n| 2 | 02-keep.md | #1 | `go test ./internal/store/... -run TestKeep` |\n| 3 | 03-drop.md | #1, #2 | `go test ./internal/store/... -run 'TestDrop\\|TestClear'` |\n\n## Reference\n\n- Design spec: `/specs/WEB.md`\n";

const TYPES: &str = "---\ntask: 1\nstatus: pending\nbackpressure: \"go build ./internal/store/...\"\ndepends_on: []\n---\n# Types\n\n**Parent spec**: `/specs/WEB.md`\n\n## Deliverables\n\n```\ninternal/\n└── store/\n    ├── types.go    # CREATE\n    └── keep.go     # CREATE\n```\n\n## Must Pass\n\n| Test | Assertion |\n|---|---|\n| Compilation | builds |\n";

const KEEP: &str = "---\ntask: 2\nstatus: pending\nbackpressure: \"go test ./internal/store/... -run TestKeep\"\ndepends_on: [1]\n---\n# Keep\n\n**Parent spec**: `/specs/WEB.md`\n\n## Deliverables\n\n```\ninternal/store/\n├── keep.go       # MODIFY\n└── keep_test.go  # CREATE\n```\n\n## Must Pass\n\n| Test | Assertion |\n|---|---|\n| `TestKeep_One` | is there |\n| `TestKeep_Twice` | once |\n\n## Notes\n\n```go\nfunc Keep(v Value)\n```\n\nNone.\n";

const DROP: &str = "---\ntask: 3\nstatus: pending\nbackpressure: \"go test ./internal/store/... -run 'TestDrop|TestClear'\"\ndepends_on: [1, 2]\n---\n# Drop\n\n**Parent spec**: `/specs/WEB.md`\n**Task**: #3 of 3 in implementation plan\n\n## Dependencies\n\n- Task #2 must be complete (provides: `Keep`)\n\n## Deliverables\n\n```\ninternal/store/\n├── keep.go       # MODIFY\n└── drop_test.go  # CREATE\n```\n\n## Must Pass\n\n| Test | Assertion |\n|---|---|\n| `TestDrop` | is gone |\n| `TestClear_All` | empty |\n\n## Backpressure\n\n### Validation Command\n\n```bash\ngo test -v ./internal/store/... -run 'TestDrop|TestClear'\n```\n";

/// A defect: the rule that must report it, the file, the replaced text, and its
/// replacement.
pub(crate) type Defect = (Rule, &'static str, &'static str, &'static str);

pub(crate) const DEFECTS: &[Defect] = &[
    (Rule::DuplicateTaskNumber, "03", "task: 3", "task: 2"),
    (Rule::SelfDependency, "03", "[1, 2]", "[1, 2, 3]"),
    (Rule::UnknownDependency, "03", "[1, 2]", "[1, 7]"),
    (
        Rule::DependencyCycle,
        "01",
        "depends_on: []",
        "depends_on: [3]",
    ),
    (Rule::BrokenUnitDependency, "PLAN", "[events]", "[event]"),
    (Rule::BrokenUnitDependency, "PLAN", "[events]", "[web]"),
    (
        Rule::NoBackpressure,
        "01",
        "backpressure: \"go build ./internal/store/...\"\n",
        "",
    ),
    (
        Rule::NoBackpressure,
        "01",
        "\"go build ./internal/store/...\"",
        "\"\"",
    ),
    (
        Rule::VacuousBackpressure,
        "02",
        "-run TestKeep\"",
        "-run TestKeep || true\"",
    ),
    (
        Rule::VacuousBackpressure,
        "01",
        "go build ./internal/store/...",
        "echo built",
    ),
    (
        Rule::VacuousBackpressure,
        "02",
        "-run TestKeep\"",
        "-run TestKeep; exit 0\"",
    ),
    (
        Rule::VacuousBackpressure,
        "02",
        "\"go test ./internal/store/... -run TestKeep\"",
        "\"go test ./internal/store/... -run TestKeep; true\"",
    ),
    (
        Rule::FilterSelectsNothing,
        "02",
        "-run TestKeep",
        "-run Store",
    ),
    (
        Rule::FilterSelectsNothing,
        "02",
        "-run TestKeep",
        "-run ^Keep$",
    ),
    (
        Rule::FilterMissesTests,
        "02",
        "-run TestKeep",
        "-run TestKeep_One",
    ),
    (
        Rule::FilterMissesTests,
        "03",
        "'TestDrop|TestClear'",
        "TestDrop",
    ),
    (
        Rule::TestsNotRun,
        "02",
        "go test ./internal/store/... -run TestKeep",
        "go build ./internal/store/...",
    ),
    (
        Rule::TestsNotRun,
        "01",
        "| Compilation | builds |",
        "| `TestTypes` | compiles |",
    ),
    (
        Rule::ValidationCommandDiffers,
        "03",
        "-v ./internal/store/... -run 'TestDrop|TestClear'",
        "-v ./internal/...",
    ),
    (
        Rule::MissingCommandPath,
        "02",
        "./internal/store/...",
        "./internal/stroe/...",
    ),
    (Rule::NotRepeatable, "02", "\"go test", "\"sudo go test"),
    (
        Rule::NotRepeatable,
        "01",
        "./internal/store/...\"",
        "./internal/store/... && curl https://example.com/\"",
    ),
    (Rule::UnknownProgram, "01", "\"go build", "\"goo build"),
    (
        Rule::UnknownProgram,
        "03",
        "go test ./internal/store/... -run 'TestDrop|TestClear'",
        "make tset",
    ),
    (Rule::FileCreatedTwice, "02", "# MODIFY", "# CREATE"),
    (Rule::FileCreatedTwice, "03", "drop_test.go", "keep_test.go"),
    (Rule::ModifiedBeforeCreated, "02", "[1]", "[]"),
    (Rule::ModifiedBeforeCreated, "03", "[1, 2]", "[]"),
    (
        Rule::NoDeliverable,
        "03",
        "```\ninternal/store/\n├── keep.go       # MODIFY\n└── drop_test.go  # CREATE\n```",
        "Less.",
    ),
    (Rule::UnclearListedTest, "02", "| is there |", "| |"),
    (
        Rule::UnclearListedTest,
        "03",
        "`TestDrop`",
        "`TestKeep_One`",
    ),
    (Rule::UnorderedChanges, "03", "[1, 2]", "[1]"),
    (
        Rule::PlanRowWithoutTask,
        "PLAN",
        "03-drop.md",
        "03-remove.md",
    ),
    (Rule::PlanDependenciesDiffer, "PLAN", "#1, #2", "#2"),
    (Rule::PlanDependenciesDiffer, "02", "[1]", "[]"),
    (
        Rule::PlanCheckDiffers,
        "PLAN",
        "-run 'TestDrop\\|TestClear'",
        "",
    ),
    (
        Rule::TaskNotInPlan,
        "PLAN",
        "| 2 | 02-keep.md | #1 | `go test ./internal/store/... -run TestKeep` |\n",
        "",
    ),
    (
        Rule::UndeclaredDependency,
        "02",
        "None.",
        "Task #3 must be complete.",
    ),
    (Rule::UndeclaredDependency, "03", "[1, 2]", "[1]"),
    (Rule::WrongTaskNumber, "03", "#3 of 3", "#2 of 3"),
    (Rule::WrongTaskNumber, "03", "task: 3", "task: 4"),
    (
        Rule::MissingParentSpec,
        "01",
        "/specs/WEB.md",
        "/specs/WEBB.md",
    ),
    (
        Rule::MissingParentSpec,
        "PLAN",
        "/specs/WEB.md",
        "/docs/STORE.md",
    ),
    (
        Rule::MovedParentSpec,
        "02",
        "/specs/WEB.md",
        "/docs/specs/WEB.md",
    ),
    (Rule::BrokenLink, "SPEC", "#limits", "#upper-limits"),
    (Rule::BrokenLink, "SPEC", "#must-pass", "#mustpass"),
    (Rule::BrokenLink, "SPEC", "01-types.md", "01-type.md"),
    (Rule::BrokenLink, "SPEC", "../tasks", "/Users/me/web/tasks"),
    (
        Rule::BadFrontMatter,
        "01",
        "status: pending",
        "status: waiting",
    ),
    (Rule::BadFrontMatter, "01", "depends_on:", "depend_on:"),
    (Rule::BadFrontMatter, "01", "task: 1", "task: one: two"),
    (Rule::MissingSection, "SPEC", "## Limits\n\n", ""),
    (Rule::EmptySection, "SPEC", "At most 100 values.\n", ""),
    (
        Rule::UndecidedText,
        "SPEC",
        "At most 100 values.",
        "The limit is TBD.",
    ),
    (
        Rule::UndecidedText,
        "02",
        "None.",
        "TODO: describe the errors.",
    ),
    (
        Rule::UnclosedFence,
        "02",
        "func Keep(v Value)\n```",
        "func Keep(v Value)",
    ),
    (Rule::DuplicateRequirementId, "SPEC", "FR-3", "FR-2"),
    (Rule::VagueWord, "SPEC", "count the", "count various"),
    (
        Rule::VagueWord,
        "SPEC",
        "drop a value",
        "drop a value if possible",
    ),
    (Rule::UnclosedFence, "01", "# CREATE\n```", "# CREATE"),
];

/// The files of the valid unit, by name, path and content.
const GOOD: [(&str, &str, &str); 5] = [
    ("SPEC", "specs/WEB.md", SPEC),
    ("PLAN", "tasks/web/IMPLEMENTATION_PLAN.md", PLAN),
    ("01", "tasks/web/01-types.md", TYPES),
    ("02", "tasks/web/02-keep.md", KEEP),
    ("03", "tasks/web/03-drop.md", DROP),
];

/// A change of the valid unit: the file, the replaced text, and its replacement.
pub(crate) type Change = (&'static str, &'static str, &'static str);

/// The files of the valid unit with these changes; `None` if one of them does not apply
/// after the previous ones.
pub(crate) fn files(changes: &[Change]) -> Option<Vec<(String, String)>> {
    let files = GOOD.iter().map(|(name, path, text)| {
        let mut text = (*text).to_owned();
        for (_, from, to) in changes.iter().filter(|change| change.0 == *name) {
            let at = text.find(from)?;
            text.replace_range(at..at + from.len(), to);
        }
        Some(((*path).to_owned(), text))
    });
    files.collect()
}

fn settings() -> Settings {
    Settings {
        required_sections: vec!["Limits".to_owned()],
        ..Settings::default()
    }
}

/// The report on the files of a unit.
pub(crate) fn report(files: &[(String, String)]) -> Report {
    let paths = ["internal/web/page.go", "Makefile"].map(str::to_owned);
    let others = ["events".to_owned(), "git".to_owned()];
    let makefile = RecipeFile::parse(RecipeTool::Make, "", "test:\n");
    let workspace = Workspace {
        programs: [("go".to_owned(), true), ("goo".to_owned(), false)].into(),
        recipes: vec![makefile],
        ..workspace(files, &paths, &others)
    };
    lint(&workspace, &settings())
}

fn rules(changes: &[Change]) -> Vec<Rule> {
    let files = files(changes);
    report(files.as_deref().unwrap_or_default())
        .findings()
        .iter()
        .map(|finding| finding.rule)
        .collect()
}

#[test]
fn a_valid_unit_passes_without_findings() {
    assert_eq!(rules(&[]), []);
    let report = lint(
        &workspace(&files(&[]).unwrap(), &[], &["events".to_owned()]),
        &settings(),
    );
    assert_eq!(report.verdict(), Some(Verdict::Pass));
}

#[test]
fn every_seeded_defect_is_reported_by_its_rule() {
    let missed: Vec<_> = DEFECTS
        .iter()
        .filter(|(rule, file, from, to)| !rules(&[(file, from, to)]).contains(rule))
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn every_rule_has_a_seeded_defect() {
    for rule in Rule::ALL {
        assert!(DEFECTS.iter().any(|defect| defect.0 == *rule), "{rule}");
    }
}
