//! Compares what decides about a change at its base and now: pure, over what was read
//! of both.

use std::collections::{BTreeMap, BTreeSet};

use review_agents::Backend;
use review_config::{Config, Origin};
use review_document::command::Script;
use review_process::git::ChangedFiles;
use review_report::gate::{Change, ChangeLevel};
use review_tasks::{PlannedTask, TaskPlan};
use review_types::{ChangeCode, Severity, TaskStatus, is_test_file};
use serde_json::Value as Json;

/// The keys of the configuration that decide and whose every difference counts.
const DECIDING: [(&str, ChangeCode); 4] = [
    ("reviewer", ChangeCode::ReviewerChanged),
    ("http", ChangeCode::ReviewerChanged),
    ("review.dialect", ChangeCode::ReviewerChanged),
    ("review.check", ChangeCode::CheckChanged),
];

/// The keys of lists that may only grow, and of those that may only shrink.
const GROWING: [&str; 2] = ["lint.select", "lint.required_sections"];
const SHRINKING: [&str; 2] = ["lint.ignore", "lint.per_file_ignores"];

/// The file of the configuration in a root.
const CONFIG: &str = review_config::FILE_NAME;

/// Where learned prompts of the reviewer are.
const REVIEWER_PROMPTS: &str = ".aiwg/.prompts/reviewer/";

/// Files and folders that start the gate in CI.
const CI_FILES: [&str; 6] = [
    ".github/workflows/",
    ".circleci/",
    ".buildkite/",
    ".gitlab-ci.yml",
    "Jenkinsfile",
    "azure-pipelines.yml",
];

/// What decides, as one tree has it.
#[derive(Clone, Debug)]
pub(super) struct Deciding {
    /// The configuration of the root.
    pub(super) config: Config,
    /// The tasks of each unit, by its folder.
    pub(super) units: BTreeMap<String, TaskPlan>,
    /// The content of each task file.
    pub(super) texts: BTreeMap<String, String>,
}

/// Returns the differences in configuration, tasks and files, without running anything.
pub(super) fn differences(base: &Deciding, head: &Deciding, files: &ChangedFiles) -> Vec<Change> {
    let mut found = Found::default();
    found.config(&base.config, &head.config, files);
    for (folder, plan) in &base.units {
        for task in plan.tasks() {
            found.task(plan, task, head, (folder, files));
        }
    }
    found.new_tasks(base, head, files);
    found.files(head, files);
    found.0
}

#[derive(Default)]
pub(super) struct Found(pub(super) Vec<Change>);

impl Found {
    pub(super) fn add(
        &mut self,
        code: ChangeCode,
        subject: impl Into<String>,
        place: (String, usize),
        message: impl Into<String>,
    ) -> &mut Change {
        self.0.push(Change::new(code, subject, place, message));
        let last = self.0.len() - 1;
        &mut self.0[last]
    }

    /// What the configuration decides.
    fn config(&mut self, base: &Config, head: &Config, files: &ChangedFiles) {
        let before: BTreeMap<_, _> = base
            .entries()
            .map(|(key, value, _)| (key.name.as_str(), value))
            .collect();
        let mut others = Vec::new();
        let start = self.0.len();
        for (key, now, origin) in head.entries() {
            let was = before.get(key.name.as_str()).unwrap_or(&Json::Null);
            if *was == now {
                continue;
            }
            others.push(key.name.as_str());
            let place = (CONFIG.to_owned(), line_of_key(origin));
            self.key(&key.name, (was, &now), &place);
        }
        let is_told = self.0.len() > start;
        if files.touches(CONFIG) && !is_told {
            let message = match others.is_empty() {
                true => "the configuration differs in form, not in its values".to_owned(),
                false => format!("the configuration differs in {}", others.join(", ")),
            };
            let (code, place) = (ChangeCode::GateDefinitionChanged, (CONFIG.to_owned(), 1));
            self.add(code, CONFIG, place, message).level = ChangeLevel::Warning;
        }
    }

    /// One key that has another value.
    fn key(&mut self, name: &str, (was, now): (&Json, &Json), place: &(String, usize)) {
        let deciding = DECIDING.iter().find(|(key, _)| *key == name);
        let lets_more_pass = GROWING.contains(&name) && loses(was, now)
            || SHRINKING.contains(&name) && loses(now, was);
        let (code, message) = match (name, deciding) {
            // A profile that nothing named before decides nothing.
            ("http", _) if !loses(was, now) => return,
            (_, Some((_, code))) => (*code, format!("`{name}` is another")),
            _ if lets_more_pass => (ChangeCode::RuleDisabled, format!("`{name}` lets more pass")),
            ("review.criteria", _) => return self.criteria((was, now), place),
            ("lint.severities", _) => return self.severities((was, now), place),
            ("review.fail_level", _) if rank(now) < rank(was) => (
                ChangeCode::ThresholdLowered,
                "findings block from a higher severity on".to_owned(),
            ),
            ("review.below_minimum", _) if now == "accept" => (
                ChangeCode::ThresholdLowered,
                "scores below their minimum pass".to_owned(),
            ),
            ("task.require_names", _) if now == false => (
                ChangeCode::GateDefinitionChanged,
                "tests that a command does not name may be listed".to_owned(),
            ),
            ("workspace.exclude", _) if loses(now, was) => (
                ChangeCode::GateDefinitionChanged,
                "roots below these folders are not checked".to_owned(),
            ),
            _ => return,
        };
        let change = self.add(code, name, place.clone(), message);
        change.before = Some(was.to_string());
        change.after = Some(now.to_string());
    }

    /// A minimum that is lower, or a criterion that is gone.
    fn criteria(&mut self, (was, now): (&Json, &Json), place: &(String, usize)) {
        let minimums = |criteria: &Json| -> BTreeMap<String, u64> {
            let criteria = criteria.as_array().into_iter().flatten();
            criteria
                .filter_map(|one| {
                    Some((one["name"].as_str()?.to_owned(), one["min_score"].as_u64()?))
                })
                .collect()
        };
        let now = minimums(now);
        for (name, was) in minimums(was) {
            let is = now.get(&name).copied();
            if is.is_some_and(|is| is >= was) {
                continue;
            }
            let message = match is {
                Some(_) => format!("the minimum of {name} is lower"),
                None => format!("the criterion {name} is gone"),
            };
            let code = ChangeCode::ThresholdLowered;
            let change = self.add(code, &name, place.clone(), message);
            change.before = Some(was.to_string());
            change.after = is.map(|is| is.to_string());
        }
    }

    /// A rule whose findings count less.
    fn severities(&mut self, (was, now): (&Json, &Json), place: &(String, usize)) {
        const ORDER: [&str; 3] = ["info", "warning", "error"];
        let rank = |value: &Json| ORDER.iter().position(|word| value == *word);
        for (rule, now) in now.as_object().into_iter().flatten() {
            let was = &was[rule];
            // Without a value of its own a rule counts at most as an error.
            let before = rank(was).unwrap_or(ORDER.len() - 1);
            if rank(now).is_none_or(|now| now >= before) {
                continue;
            }
            let (code, key) = (ChangeCode::RuleDisabled, format!("lint.severities.{rule}"));
            let message = format!("findings of {rule} count less");
            let change = self.add(code, key, place.clone(), message);
            change.before = was.as_str().map(str::to_owned);
            change.after = now.as_str().map(str::to_owned);
        }
    }

    /// A task of the base.
    fn task(
        &mut self,
        plan: &TaskPlan,
        was: &PlannedTask,
        head: &Deciding,
        (folder, files): (&str, &ChangedFiles),
    ) {
        let subject = format!("{}/{}", plan.unit, was.number);
        let Some(now) = counterpart(was, folder, head, files) else {
            let place = (was.path.clone(), 1);
            let is_split = !was.must_pass.is_empty() && are_listed(&was.must_pass, head);
            let (number, title, kept) = (was.number, titled(was), kept(is_split));
            let message = format!("task {number} is gone{title}{kept}");
            let change = self.add(ChangeCode::TaskRemoved, subject, place, message);
            change.level = level(was.claims == TaskStatus::Complete && !is_split);
            return;
        };
        let number = now.number;
        let is_claimed = was.claims == TaskStatus::Complete || now.claims == TaskStatus::Complete;
        let text = head.texts.get(&now.path).map_or("", String::as_str);
        let at = |start: &str| (now.path.clone(), line_of(text, start));
        if was.commands != now.commands {
            let moved = files.moved.iter();
            let expected = moved.fold(was.command(), |command, (old, new)| {
                command.replace(old, new)
            });
            let is_expected = expected == now.command();
            let message = match is_expected {
                true => format!("the command of task {number} names a file that moved"),
                false => format!("the command of task {number} is another"),
            };
            let (code, place) = (ChangeCode::CommandChanged, at("backpressure"));
            let change = self.add(code, &subject, place, message);
            change.level = level(is_claimed && !is_expected);
            change.before = Some(was.command());
            change.after = Some(now.command());
        }
        let listed: BTreeSet<_> = now.must_pass.iter().collect();
        let gone: Vec<_> = was
            .must_pass
            .iter()
            .filter(|test| !listed.contains(test))
            .cloned()
            .collect();
        if let Some(first) = gone.first() {
            let is_split = are_listed(&gone, head);
            let tests = match gone.len() {
                1 => "a test".to_owned(),
                more => format!("{more} tests"),
            };
            let kept = kept(is_split);
            let message = format!("task {number} does not list {tests} any more{kept}");
            let code = ChangeCode::ListedTestRemoved;
            let change = self.add(code, &subject, at("## "), message);
            change.level = level(is_claimed && !is_split);
            change.before = Some(first.clone());
        }
        if was.claims == TaskStatus::Complete && now.claims != TaskStatus::Complete {
            let (code, message) = (
                ChangeCode::ClaimWithdrawn,
                format!("task {number} was complete"),
            );
            let change = self.add(code, &subject, at("status"), message);
            change.level = ChangeLevel::Warning;
            change.before = Some(was.claims.to_string());
            change.after = Some(now.claims.to_string());
        }
    }

    /// Tasks that the base does not have and whose command cannot fail.
    fn new_tasks(&mut self, base: &Deciding, head: &Deciding, files: &ChangedFiles) {
        for plan in head.units.values() {
            for task in plan.tasks() {
                let is_known = base.units.iter().any(|(folder, units)| {
                    units.tasks().iter().any(|was| {
                        counterpart(was, folder, head, files)
                            .is_some_and(|now| now.path == task.path)
                    })
                });
                let is_vacuous = task
                    .commands
                    .iter()
                    .any(|command| Script::parse(command).vacuous().is_some());
                if is_known || !is_vacuous || task.claims != TaskStatus::Complete {
                    continue;
                }
                let text = head.texts.get(&task.path).map_or("", String::as_str);
                let place = (task.path.clone(), line_of(text, "backpressure"));
                let number = task.number;
                let message = format!("the command of the new task {number} cannot fail");
                let subject = format!("{}/{number}", plan.unit);
                let change = self.add(ChangeCode::CommandChanged, subject, place, message);
                change.after = Some(task.command());
            }
        }
    }

    /// Files that reviewer, check, CI and commands run.
    fn files(&mut self, head: &Deciding, files: &ChangedFiles) {
        let reviewers = head.config.reviewer.iter();
        let of_reviewers = reviewers.filter_map(|backend| match backend {
            Backend::Cmd(line) | Backend::Acp(line) => Some(line.to_string()),
            Backend::Builtin | Backend::Client { .. } | Backend::Http(_) => None,
        });
        let of_reviewers: Vec<_> = of_reviewers.collect();
        let of_check = head.config.review.check.iter().map(ToString::to_string);
        let mut told = BTreeSet::new();
        for (code, commands) in [
            (ChangeCode::ReviewerChanged, of_reviewers),
            (ChangeCode::CheckChanged, of_check.collect()),
        ] {
            for path in commands.iter().flat_map(|command| files_of(command)) {
                if files.touches(&path) && told.insert(path.clone()) {
                    let message = format!("{path}, which it runs, has other content");
                    self.add(code, &path, (path.clone(), 1), message);
                }
            }
        }
        for path in files
            .all()
            .filter(|path| path.starts_with(REVIEWER_PROMPTS))
        {
            let (code, place) = (ChangeCode::ReviewerChanged, (path.clone(), 1));
            self.add(
                code,
                path,
                place,
                "a prompt of the reviewer has other content",
            );
        }
        let tasks = head.units.values().flat_map(TaskPlan::tasks);
        let scripts: BTreeSet<_> = tasks
            .flat_map(|task| &task.commands)
            .flat_map(|command| files_of(command))
            .collect();
        for path in files.all() {
            let is_ci = CI_FILES
                .iter()
                .any(|file| path == file || file.ends_with('/') && path.starts_with(file));
            // What tests prove is found out by running them as they were.
            let is_script = files.changed.contains(path)
                && scripts.contains(path)
                && !is_test_file(path.as_ref());
            if (is_ci || is_script) && told.insert(path.clone()) {
                let message = match is_ci {
                    true => "what starts the gate in CI has other content",
                    false => "a file that the command of a task names has other content",
                };
                let (code, place) = (ChangeCode::GateDefinitionChanged, (path.clone(), 1));
                self.add(code, path, place, message).level = ChangeLevel::Warning;
            }
        }
    }
}

/// The task that a task of the base has become: that of its number in its unit, else the
/// one whose file moved and kept its number, title or command, or that has its title and
/// command.
pub(super) fn counterpart<'a>(
    was: &PlannedTask,
    folder: &str,
    head: &'a Deciding,
    files: &ChangedFiles,
) -> Option<&'a PlannedTask> {
    let all = || head.units.values().flat_map(TaskPlan::tasks);
    let here = head
        .units
        .get(folder)
        .and_then(|plan| plan.task(was.number));
    let moved = files.moved.get(&was.path);
    here.filter(|now| now.path == was.path)
        .or_else(|| {
            let is_it = |now: &&PlannedTask| {
                now.number == was.number || now.title == was.title || now.commands == was.commands
            };
            let moved = all().find(|now| Some(&now.path) == moved);
            moved.filter(is_it)
        })
        .or_else(|| all().find(|now| now.title == was.title && now.commands == was.commands))
        .or(here)
}

/// Whether complete tasks list all of these tests.
fn are_listed(tests: &[String], head: &Deciding) -> bool {
    let tasks = head.units.values().flat_map(TaskPlan::tasks);
    let complete = tasks.filter(|task| task.claims == TaskStatus::Complete);
    let listed: BTreeSet<_> = complete.flat_map(|task| &task.must_pass).collect();
    tests.iter().all(|test| listed.contains(test))
}

const fn kept(is_split: bool) -> &'static str {
    match is_split {
        true => ", other tasks list its tests",
        false => "",
    }
}

pub(super) const fn level(is_error: bool) -> ChangeLevel {
    match is_error {
        true => ChangeLevel::Error,
        false => ChangeLevel::Warning,
    }
}

pub(super) fn titled(task: &PlannedTask) -> String {
    match task.title.as_str() {
        "" => String::new(),
        title => format!(" ({title})"),
    }
}

fn rank(severity: &Json) -> Option<usize> {
    // From the most severe on, so that a lower rank blocks less.
    Severity::WORDS.iter().position(|word| severity == *word)
}

fn line_of_key(origin: &Origin) -> usize {
    match origin {
        Origin::File { line, .. } => *line,
        _ => 1,
    }
}

/// The first line that starts so, from 1; 1 without such a line.
fn line_of(text: &str, start: &str) -> usize {
    let line = text
        .lines()
        .position(|line| line.trim_start().starts_with(start));
    line.map_or(1, |line| line + 1)
}

/// Whether something of `was` is not in `now`: an element of a list, or an entry of a
/// table that is gone or another.
fn loses(was: &Json, now: &Json) -> bool {
    match (was, now) {
        (Json::Array(was), Json::Array(now)) => was.iter().any(|one| !now.contains(one)),
        (Json::Object(was), Json::Object(now)) => was.iter().any(|(key, one)| match now.get(key) {
            Some(other @ Json::Array(_)) => loses(one, other),
            other => other != Some(one),
        }),
        (was, now) => was != now,
    }
}

/// The words of a command that can be files of the root.
pub(super) fn files_of(command: &str) -> Vec<String> {
    let script = Script::parse(command);
    let words = script.commands().iter().flat_map(|command| &command.words);
    let paths = words.map(|word| word.text.trim_start_matches("./").to_owned());
    paths
        .filter(|path| !path.starts_with('-') && !path.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use review_config::KEYS;
    use serde_json::json;

    use super::*;

    /// The keys that have an arm of their own, for their differences count in one direction.
    const COMPARED: [&str; 6] = [
        "lint.severities",
        "review.below_minimum",
        "review.criteria",
        "review.fail_level",
        "task.require_names",
        "workspace.exclude",
    ];

    /// The keys that decide nothing of a gate, by their tables, and those beside others that do.
    const TABLES: [&str; 8] = [
        "agent.",
        "engine.",
        "feedback.",
        "lane.",
        "models",
        "notify.",
        "run.",
        "hosts",
    ];
    const OTHERS: [&str; 16] = [
        "applier",
        "color",
        "gate.allow",
        "learning",
        "lint.fail_level",
        "review.keep",
        "review.max_iterations",
        "review.patience",
        "review.retry_on_malformed",
        "state_dir",
        "task.attempts",
        "task.implementer",
        "task.jobs",
        "task.pick",
        "task.review",
        "task.timeout",
    ];

    #[test]
    fn every_key_is_compared_or_decides_nothing() {
        let compared = DECIDING.iter().map(|(key, _)| *key);
        let compared = compared.chain(GROWING).chain(SHRINKING).chain(COMPARED);
        let known: BTreeSet<_> = compared.chain(OTHERS).collect();
        let unknown: Vec<_> = KEYS
            .iter()
            .map(|key| key.name.as_str())
            .filter(|key| !known.contains(key))
            .filter(|key| !TABLES.iter().any(|table| key.starts_with(table)))
            .collect();
        assert_eq!(unknown, [""; 0]);
    }

    #[test]
    fn names_of_tests_that_are_required_no_more_are_a_difference() {
        for (was, now, codes) in [
            (true, false, &[ChangeCode::GateDefinitionChanged][..]),
            (false, true, &[]),
        ] {
            let mut found = Found::default();
            let place = (CONFIG.to_owned(), 1);
            found.key("task.require_names", (&json!(was), &json!(now)), &place);
            let found: Vec<_> = found.0.iter().map(|change| change.code).collect();
            assert_eq!(found, codes, "{was} {now}");
        }
    }
}
