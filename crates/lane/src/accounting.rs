//! Accounts for the resolution of a conflict: what each side did has to be in it.
//!
//! Lines are compared with their blanks as one space, over all files together, so that
//! what is moved is still there. Only lines with a word count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use review_types::{closed_list, one_line};
use serde::{Deserialize, Serialize};

/// The contents of some files.
pub(crate) type Texts = BTreeMap<PathBuf, String>;

/// Words that may come before the keyword of a definition, one a line.
const MODIFIERS: &str = include_str!("../data/modifiers.txt");

/// Keywords before the name of a definition, one a line.
const KEYWORDS: &str = include_str!("../data/keywords.txt");

/// Functions of JavaScript whose first argument is the title of a test.
const TITLED: [&str; 3] = ["it", "test", "describe"];

/// How lines begin that mark a conflict.
const MARKS: [&str; 4] = ["<<<<<<< ", "||||||| ", "=======", ">>>>>>> "];

closed_list! {
    /// What is wrong or has to be decided about a resolution.
    AccountCode {
        /// A mark of the conflict is left.
        Markers => "mark of the conflict",
        /// A definition or test that a side added is not there.
        DroppedName => "missing definition",
        /// A line that a side added is not there.
        DroppedLine => "missing line",
        /// A line that a side deleted is there again.
        UndoneDeletion => "line that was deleted",
        /// Both sides added a definition of one name.
        SameName => "two definitions of",
        /// A line has words that no side has.
        ForeignText => "words of no side",
        /// A file without a conflict was changed.
        Outside => "file without a conflict",
    }
}

impl AccountCode {
    /// Returns whether the resolution is wrong, rather than to be decided by a user.
    pub const fn refuses(self) -> bool {
        matches!(self, Self::Markers | Self::DroppedName)
    }
}

/// An entry of the account of a resolution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountEntry {
    /// What it is.
    pub code: AccountCode,
    /// The line, the name or the file.
    pub text: String,
}

/// A conflict and its resolution.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resolution<'a> {
    /// The files before both sides.
    pub(crate) base: &'a Texts,
    /// The files of the lane.
    pub(crate) lane: &'a Texts,
    /// The files of the task.
    pub(crate) task: &'a Texts,
    /// The files as they were merged, with the conflicts marked.
    pub(crate) merged: &'a Texts,
    /// The files as the agent left them.
    pub(crate) resolved: &'a Texts,
    /// The files with conflicts.
    pub(crate) conflicts: &'a BTreeSet<PathBuf>,
}

/// Returns what is wrong or has to be decided about a resolution; usually nothing.
pub(crate) fn account(of: Resolution<'_>) -> Vec<AccountEntry> {
    let [base, lane, task, resolved] = [of.base, of.lane, of.task, of.resolved].map(Side::of);
    let mut entries = Vec::new();
    let mut add = |code, text: String| entries.push(AccountEntry { code, text });
    let parents = [&base, &lane, &task];
    for line in resolved.lines.keys() {
        let is_mark = MARKS.iter().any(|mark| line.starts_with(mark.trim_end()));
        if is_mark && parents.iter().all(|side| side.count(line) == 0) {
            add(AccountCode::Markers, line.clone());
        }
    }
    for name in lane.names.keys().chain(task.names.keys()) {
        let is_known = base.names.contains_key(name) || resolved.names.contains_key(name);
        if !is_known {
            add(AccountCode::DroppedName, name.clone());
        }
    }
    let known: BTreeSet<_> = parents
        .iter()
        .flat_map(|side| side.lines.keys())
        .flat_map(|line| words(line))
        .collect();
    let new_lines = resolved.lines.keys();
    let new_lines = new_lines.filter(|line| parents.iter().all(|side| side.count(line) == 0));
    let (composed, foreign): (Vec<_>, Vec<_>) =
        new_lines.partition(|line| words(line).all(|word| known.contains(word)));
    let is_recomposed = |line: &str| {
        composed.iter().chain(&foreign).any(|new| {
            let new: BTreeSet<_> = words(new).collect();
            words(line).all(|word| new.contains(word))
        })
    };
    for line in lane
        .lines
        .keys()
        .chain(task.lines.keys())
        .collect::<BTreeSet<_>>()
    {
        if resolved.count(line) < needed(line, &base, &lane, &task) && !is_recomposed(line) {
            add(AccountCode::DroppedLine, line.clone());
        }
    }
    for line in base.lines.keys() {
        let is_back = |by: &Side, other: &Side| {
            let deleted = base.count(line).saturating_sub(by.count(line));
            let added = other.count(line).saturating_sub(base.count(line));
            deleted > 0 && resolved.count(line) > by.count(line) + added
        };
        if is_back(&lane, &task) || is_back(&task, &lane) {
            add(AccountCode::UndoneDeletion, line.clone());
        }
    }
    for (name, body) in &lane.names {
        let others = task.names.get(name).filter(|other| *other != body);
        if others.is_some() && !base.names.contains_key(name) {
            add(AccountCode::SameName, name.clone());
        }
    }
    for line in foreign {
        let is_mark = MARKS.iter().any(|mark| line.starts_with(mark.trim_end()));
        if !is_mark {
            add(AccountCode::ForeignText, line.clone());
        }
    }
    let paths: BTreeSet<_> = of.merged.keys().chain(of.resolved.keys()).collect();
    for path in paths {
        let is_same = of.merged.get(path) == of.resolved.get(path);
        if !is_same && !of.conflicts.contains(path) {
            add(AccountCode::Outside, path.display().to_string());
        }
    }
    entries
}

/// Returns how often a resolution needs a line that a side added; 0 if none did.
fn needed(line: &str, base: &Side, lane: &Side, task: &Side) -> usize {
    let before = base.count(line);
    let added = |side: &Side| side.count(line).saturating_sub(before);
    let deleted = |side: &Side| before.saturating_sub(side.count(line));
    let new = added(lane)
        .saturating_sub(deleted(task))
        .max(added(task).saturating_sub(deleted(lane)));
    match new {
        0 => 0,
        new => new + before.saturating_sub(deleted(lane) + deleted(task)),
    }
}

/// The lines and definitions of one side.
#[derive(Debug, Default)]
struct Side {
    lines: BTreeMap<String, usize>,
    /// The definitions by name, with their contents.
    names: BTreeMap<String, Vec<String>>,
}

impl Side {
    fn of(texts: &Texts) -> Self {
        let mut side = Self::default();
        for text in texts.values() {
            let mut open = None;
            for line in text.lines() {
                let line = one_line(line);
                let name = defined(&line);
                // A body ends before the next definition.
                open = name.or(open);
                if words(&line).next().is_none() {
                    continue;
                }
                if let Some(name) = &open {
                    let body = side.names.entry(name.clone()).or_default();
                    body.push(line.clone());
                }
                *side.lines.entry(line).or_default() += 1;
            }
        }
        side
    }

    fn count(&self, line: &str) -> usize {
        self.lines.get(line).copied().unwrap_or_default()
    }
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    let is_part = |char: char| char.is_alphanumeric() || char == '_';
    line.split(move |char| !is_part(char))
        .filter(|word| !word.is_empty())
}

/// Returns the name that a line defines, if it begins a definition or a test.
fn defined(line: &str) -> Option<String> {
    for title in TITLED {
        let quoted = line
            .strip_prefix(title)
            .and_then(|rest| rest.strip_prefix('('));
        if let Some(quote) = quoted.and_then(|rest| rest.chars().next())
            && matches!(quote, '"' | '\'' | '`')
        {
            return line.split(quote).nth(1).map(str::to_owned);
        }
    }
    let is_in = |list: &str, word: &str| list.lines().any(|known| known == word);
    let mut parts = words(line).skip_while(|word| is_in(MODIFIERS, word));
    let keyword = parts.next().filter(|word| is_in(KEYWORDS, word))?;
    let after = line.split_once(keyword)?.1.trim_start();
    // A method of Go names its receiver first.
    let after = match (keyword, after.strip_prefix('(')) {
        ("func", Some(receiver)) => receiver.split_once(')')?.1,
        _ => after.trim_start_matches('!'),
    };
    words(after).next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FILE: &str = "a.rs";

    fn texts(files: &[(&str, &str)]) -> Texts {
        let files = files.iter();
        files
            .map(|(path, text)| (PathBuf::from(path), (*text).to_owned()))
            .collect()
    }

    /// A conflict of two changes of files.
    struct Conflict {
        base: Texts,
        lane: Texts,
        task: Texts,
        merged: Texts,
        conflicts: BTreeSet<PathBuf>,
    }

    impl Conflict {
        /// In one file; the merged text is marked anyhow.
        fn of(base: &str, lane: &str, task: &str) -> Self {
            let one = |text| texts(&[(FILE, text)]);
            Self {
                base: one(base),
                lane: one(lane),
                task: one(task),
                merged: one("<<<<<<< lane\n=======\n>>>>>>> task\n"),
                conflicts: BTreeSet::from([PathBuf::from(FILE)]),
            }
        }

        fn account(&self, resolved: &Texts) -> Vec<AccountEntry> {
            account(Resolution {
                base: &self.base,
                lane: &self.lane,
                task: &self.task,
                merged: &self.merged,
                resolved,
                conflicts: &self.conflicts,
            })
        }

        /// The entries of a resolution of the one file, as `code: text`.
        fn entries(&self, resolved: &str) -> Vec<String> {
            let entries = self.account(&texts(&[(FILE, resolved)]));
            let entries = entries.iter();
            entries
                .map(|entry| format!("{}: {}", entry.code, entry.text))
                .collect()
        }
    }

    const BASE: &str = "fn add() {}\n";

    fn with(base: &str, parts: &[&str]) -> String {
        format!("{base}{}", parts.concat())
    }

    const ONE: &str = "#[test]\nfn adds_one() {\n    assert_eq!(add(1), 1);\n}\n";
    const TWO: &str = "#[test]\nfn adds_two() {\n    assert_eq!(add(2), 2);\n}\n";

    #[test]
    fn of_two_appended_tests_both_have_to_stay() {
        let conflict = Conflict::of(BASE, &with(BASE, &[ONE]), &with(BASE, &[TWO]));
        let none = Vec::<String>::new();
        assert_eq!(conflict.entries(&with(BASE, &[ONE, TWO])), none);
        assert_eq!(conflict.entries(&with(BASE, &[TWO, "\n", ONE])), none);
        assert_eq!(
            conflict.entries(&with(BASE, &[ONE])),
            [
                "missing definition: adds_two",
                "missing line: assert_eq!(add(2), 2);",
                "missing line: fn adds_two() {"
            ]
        );
        assert_eq!(
            conflict.entries(&with(BASE, &[TWO]))[0],
            "missing definition: adds_one"
        );
        let merged =
            "#[test]\nfn adds_one() {\n    assert_eq!(add(1), 1);\n    assert_eq!(add(2), 2);\n}\n";
        assert_eq!(
            conflict.entries(&with(BASE, &[merged]))[0],
            "missing definition: adds_two"
        );
        let marked = with(
            BASE,
            &["<<<<<<< lane\n", ONE, "=======\n", TWO, ">>>>>>> task\n"],
        );
        let codes = conflict.entries(&marked);
        assert!(
            codes
                .iter()
                .any(|entry| entry.starts_with("mark of the conflict: <<<<<<<"))
        );
        assert!(
            codes
                .iter()
                .all(|entry| entry.starts_with("mark of the conflict: "))
        );
    }

    #[test]
    fn two_new_parameters_may_become_one_line_without_new_words() {
        let conflict = Conflict::of(
            "fn run(path: &str) {}\n",
            "fn run(path: &str, depth: u32) {}\n",
            "fn run(path: &str, quiet: bool) {}\n",
        );
        let none = Vec::<String>::new();
        let both = "fn run(path: &str, depth: u32, quiet: bool) {}\n";
        assert_eq!(conflict.entries(both), none);
        for (one, missing) in [
            (
                "fn run(path: &str, depth: u32) {}\n",
                "missing line: fn run(path: &str, quiet: bool) {}",
            ),
            (
                "fn run(path: &str, quiet: bool) {}\n",
                "missing line: fn run(path: &str, depth: u32) {}",
            ),
        ] {
            assert_eq!(conflict.entries(one), [missing]);
        }
        let invented = "fn run(path: &str, depth: u32, quiet: bool, force: bool) {}\n";
        assert_eq!(
            conflict.entries(invented),
            [format!("words of no side: {}", invented.trim_end())]
        );
    }

    #[test]
    fn a_deletion_against_an_edit_is_a_decision_either_way() {
        let (old, edited) = (
            "fn old() {\n    slow();\n}\n",
            "fn old() {\n    fast();\n}\n",
        );
        let conflict = Conflict::of(&with(BASE, &[old]), BASE, &with(BASE, &[edited]));
        assert_eq!(conflict.entries(BASE), ["missing line: fast();"]);
        assert_eq!(
            conflict.entries(&with(BASE, &[edited])),
            ["line that was deleted: fn old() {"]
        );
        assert_eq!(
            conflict.entries(&with(BASE, &[old])),
            [
                "missing line: fast();",
                "line that was deleted: fn old() {",
                "line that was deleted: slow();"
            ]
        );
    }

    #[test]
    fn an_import_that_both_have_grown_has_all_names() {
        let conflict = Conflict::of(
            "use a::{One};\n",
            "use a::{One, Two};\n",
            "use a::{One, Three};\n",
        );
        let none = Vec::<String>::new();
        assert_eq!(conflict.entries("use a::{One, Three, Two};\n"), none);
        assert_eq!(
            conflict.entries("use a::{One, Two};\n"),
            ["missing line: use a::{One, Three};"]
        );
    }

    #[test]
    fn one_name_that_both_added_is_a_decision() {
        let (mine, theirs) = (
            "fn size() -> u32 {\n    1\n}\n",
            "fn size() -> u64 {\n    2\n}\n",
        );
        let conflict = Conflict::of(BASE, &with(BASE, &[mine]), &with(BASE, &[theirs]));
        let kept = conflict.entries(&with(BASE, &[mine]));
        assert!(
            kept.contains(&"two definitions of: size".to_owned()),
            "{kept:?}"
        );
        let same = Conflict::of(BASE, &with(BASE, &[mine]), &with(BASE, &[mine]));
        assert_eq!(same.entries(&with(BASE, &[mine])), Vec::<String>::new());
    }

    #[test]
    fn a_change_beside_the_conflict_and_another_file_have_to_stay() {
        let file = |version: &str, list: &str| format!("version = {version}\nlist = {list}\n");
        let mut conflict = Conflict::of(&file("1", "a"), &file("2", "a"), &file("1", "b"));
        let other = PathBuf::from("b.rs");
        for side in [&mut conflict.base, &mut conflict.task] {
            side.insert(other.clone(), "fn other() {}\n".to_owned());
        }
        let fixed = "fn other() { fixed() }\n";
        for side in [&mut conflict.lane, &mut conflict.merged] {
            side.insert(other.clone(), fixed.to_owned());
        }
        let resolved = |version, list, other| {
            let file = file(version, list);
            let entries = conflict.account(&texts(&[(FILE, file.as_str()), ("b.rs", other)]));
            let entries = entries.iter();
            entries
                .map(|entry| format!("{}: {}", entry.code, entry.text))
                .collect::<Vec<_>>()
        };
        assert_eq!(resolved("2", "b", fixed), Vec::<String>::new());
        assert_eq!(
            resolved("1", "b", fixed),
            [
                "missing line: version = 2",
                "line that was deleted: version = 1"
            ]
        );
        let reverted = resolved("2", "b", "fn other() {}\n");
        assert!(
            reverted.contains(&"file without a conflict: b.rs".to_owned()),
            "{reverted:?}"
        );
        assert!(reverted.contains(&"line that was deleted: fn other() {}".to_owned()));
    }

    #[test]
    fn definitions_and_tests_are_known_by_their_lines() {
        for (line, name) in [
            ("pub(crate) async fn run<T>(x: T) {", Some("run")),
            ("def test_a(self):", Some("test_a")),
            ("func TestX(t *testing.T) {", Some("TestX")),
            ("func (s *Store) Get(key string) {", Some("Get")),
            ("export default class Page {", Some("Page")),
            ("it('adds two', () => {", Some("adds two")),
            ("test(\"adds\", () => {", Some("adds")),
            ("macro_rules! list {", Some("list")),
            ("the class of the object", None),
            ("let fn_name = 1;", None),
            ("submit(\"x\")", None),
        ] {
            assert_eq!(defined(line).as_deref(), name, "{line}");
        }
    }

    fn any_lines() -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec("[a-d] [a-d]", 0..8)
    }

    fn joined(parts: &[&[String]]) -> Texts {
        let lines: Vec<_> = parts.iter().flat_map(|part| part.iter()).collect();
        let text = lines.iter().map(|line| format!("{line}\n"));
        texts(&[(FILE, text.collect::<String>().as_str())])
    }

    proptest! {
        #[test]
        fn what_both_sides_add_in_any_order_and_file_is_accounted_for(
            base in any_lines(),
            lane in any_lines(),
            task in any_lines(),
        ) {
            let conflicts = BTreeSet::from([PathBuf::from(FILE), PathBuf::from("b.rs")]);
            let mut moved = joined(&[&task, &base]);
            moved.insert("b.rs".into(), joined(&[&lane])[&PathBuf::from(FILE)].clone());
            for resolved in [joined(&[&base, &lane, &task]), moved] {
                let entries = account(Resolution {
                    base: &joined(&[&base]),
                    lane: &joined(&[&base, &lane]),
                    task: &joined(&[&base, &task]),
                    merged: &resolved,
                    resolved: &resolved,
                    conflicts: &conflicts,
                });
                prop_assert_eq!(entries, Vec::new());
            }
        }

        #[test]
        fn a_whole_side_that_is_dropped_is_noticed(base in any_lines(), lane in any_lines()) {
            let added = ["fn unique_name() {".to_owned(), "unique_call".to_owned()];
            let conflict = Conflict {
                base: joined(&[&base]),
                lane: joined(&[&base, &lane]),
                task: joined(&[&base, &added]),
                merged: Texts::new(),
                conflicts: BTreeSet::from([PathBuf::from(FILE)]),
            };
            let entries = conflict.account(&joined(&[&base, &lane]));
            let codes: Vec<_> = entries.iter().map(|entry| entry.code).collect();
            prop_assert_eq!(codes[0], AccountCode::DroppedName);
            prop_assert!(codes.contains(&AccountCode::DroppedLine));
        }

        #[test]
        fn no_text_makes_it_fail(
            base in "[ -~\\n]{0,80}", lane in "[ -~\\n]{0,80}",
            task in "\\PC{0,80}", resolved in "[ -~\\n]{0,80}",
        ) {
            Conflict::of(&base, &lane, &task).entries(&resolved);
        }
    }
}
