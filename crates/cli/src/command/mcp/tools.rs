//! The tools, which `tools.json` lists as clients see them: which commands of ralph an
//! agent may have carried out, and with what.

use std::time::Duration;

use review_document::near::nearest;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json, json};

const TOOLS: &str = include_str!("tools.json");

/// The tool that costs calls of a model.
const REVIEW: &str = "review";

/// The seconds to wait for a review where none are asked for: clients give up after a minute.
const WAIT: u64 = 45;

/// The longest wait.
const LONGEST_WAIT: u64 = 50;

/// What only a user decides, and the command for it.
const DECISIONS: [(&str, &str); 6] = [
    ("approve", "ralph approve"),
    ("waive", "ralph findings waive"),
    ("uphold", "ralph findings uphold"),
    ("guide", "ralph guide"),
    ("land", "ralph land"),
    ("clean", "ralph clean"),
];

/// A command of ralph that answers a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Work {
    /// The command with its options, but for the format.
    command: Vec<String>,
    /// What it works on, as the agent named it: never an option.
    named: Vec<String>,
    /// Its standard input.
    pub(super) input: Option<String>,
}

impl Work {
    fn new<const N: usize>(command: [&str; N], named: impl IntoIterator<Item = String>) -> Self {
        Self {
            command: command.map(str::to_owned).to_vec(),
            named: named.into_iter().collect(),
            input: None,
        }
    }

    /// What reports a run.
    pub(super) fn report(run: String) -> Self {
        Self::new(["report"], [run])
    }

    /// The arguments of ralph, with further options.
    pub(super) fn arguments<'a>(&'a self, options: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
        let command = self.command.iter().map(String::as_str);
        let named = self.named.iter().map(String::as_str);
        command
            .chain(options.iter().copied())
            .chain(["--"])
            .chain(named)
    }
}

/// A call, ready to be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// Nothing is changed and no model is asked.
    Look(Work),
    /// A run, waited for if it is the one that this server started.
    Run {
        /// Its name.
        run: String,
        /// How long to wait for it.
        wait: Duration,
    },
    /// One round of review; no file is changed.
    Review {
        /// What starts it.
        work: Work,
        /// How long to wait for it.
        wait: Duration,
    },
}

/// Why a call cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// It does not fit the list of tools.
    Invalid(String),
    /// It may not be done here.
    NotAllowed(String),
}

/// The tools, as a client lists them.
pub(super) fn list(allows_review: bool) -> Json {
    let tools: Vec<Json> = all();
    let tools = tools.into_iter();
    let tools = tools.filter(|tool| allows_review || tool["name"] != REVIEW);
    json!({"tools": tools.collect::<Vec<_>>()})
}

#[expect(
    clippy::expect_used,
    reason = "the file is a part of the program, and tests read it"
)]
fn all<T: DeserializeOwned>() -> Vec<T> {
    serde_json::from_str(TOOLS).expect("tools.json lists tools")
}

/// A tool of the list: what a call is checked against.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tool {
    name: String,
    input_schema: Schema,
}

#[derive(Deserialize)]
struct Schema {
    properties: Map<String, Json>,
}

/// The arguments of a tool.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Arguments {
    paths: Vec<String>,
    text: Option<String>,
    path: Option<String>,
    code: Option<String>,
    spec: Option<String>,
    run: Option<String>,
    wait: Option<u64>,
}

impl Arguments {
    /// Reads those of a call.
    fn read(tool: &Tool, given: &Map<String, Json>) -> Result<Self, String> {
        let known = &tool.input_schema.properties;
        if let Some(name) = given.keys().find(|name| !known.contains_key(*name)) {
            let known = known.keys().map(String::as_str);
            return Err(unknown(&format!("argument of {}", tool.name), name, known));
        }
        let read = Self::deserialize(Json::Object(given.clone()));
        let read = read.map_err(|error| format!("arguments of {}: {error}", tool.name))?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '~');
        let is_run = |run: &String| !run.is_empty() && run.chars().all(is_name);
        if !read.run.iter().all(is_run) {
            return Err("run must be latest, latest~N, or a part of an id".to_owned());
        }
        if read.wait.is_some_and(|wait| wait > LONGEST_WAIT) {
            return Err(format!("wait must be at most {LONGEST_WAIT}"));
        }
        Ok(read)
    }
}

fn unknown<'n>(what: &str, name: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    match nearest(name, names, 1).first() {
        Some(near) => format!("no {what} {name:?}; did you mean {near}?"),
        None => format!("no {what} {name:?}"),
    }
}

impl Call {
    /// Reads a call.
    ///
    /// # Errors
    /// When it does not fit the list of tools, or may not be done here.
    pub(super) fn parse(
        name: &str,
        arguments: &Map<String, Json>,
        allows_review: bool,
    ) -> Result<Self, Refused> {
        if let Some((_, command)) = DECISIONS.iter().find(|(decision, _)| *decision == name) {
            let text = format!("a person decides this, in a terminal: `{command}`");
            return Err(Refused::NotAllowed(text));
        }
        if name == REVIEW && !allows_review {
            let text = "reviews cost calls of a model: a person allows them with \
                        `ralph mcp --allow review`";
            return Err(Refused::NotAllowed(text.to_owned()));
        }
        let tools: Vec<Tool> = all();
        let Some(tool) = tools.iter().find(|tool| tool.name == name) else {
            let names = tools.iter().map(|tool| tool.name.as_str());
            return Err(Refused::Invalid(unknown("tool", name, names)));
        };
        let arguments = Arguments::read(tool, arguments).map_err(Refused::Invalid)?;
        Self::of(name, arguments).map_err(|why| Refused::Invalid(why.to_owned()))
    }

    fn of(name: &str, arguments: Arguments) -> Result<Self, &'static str> {
        let Arguments {
            paths,
            text,
            path,
            code,
            spec,
            run,
            wait,
        } = arguments;
        let wait = Duration::from_secs(wait.unwrap_or(WAIT));
        let work = match (name, text, path, spec) {
            ("lint", None, None, _) => Work::new(["lint"], paths),
            ("lint", Some(text), Some(path), _) if paths.is_empty() => Work {
                input: Some(text),
                ..Work::new(["lint", &format!("--stdin-path={path}")], [])
            },
            ("lint", ..) => return Err("name paths, or text with its path"),
            ("explain", ..) => Work::new(["explain"], code),
            ("findings", ..) => Work::new(["findings", "list"], run),
            ("report", ..) => Work::report(run.unwrap_or_else(|| "latest".to_owned())),
            ("status", .., spec) => match (spec, run) {
                (Some(_), Some(_)) => return Err("name a spec or a run"),
                (None, Some(run)) => return Ok(Self::Run { run, wait }),
                (spec, None) => Work::new(["status"], spec),
            },
            (REVIEW, .., spec) => {
                let work = match (spec, paths.is_empty()) {
                    (Some(_), false) => return Err("name a spec or paths"),
                    (_, false) => Work::new(["review", "--no-apply"], paths),
                    (spec, true) => Work::new(["run", "--no-tasks", "--no-apply"], spec),
                };
                return Ok(Self::Review { work, wait });
            }
            _ => return Err("this tool has no command"),
        };
        Ok(Self::Look(work))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: Json) -> Result<Call, Refused> {
        Call::parse(name, arguments.as_object().unwrap(), true)
    }

    fn words(call: Call) -> String {
        let work = match call {
            Call::Look(work) | Call::Review { work, .. } => work,
            Call::Run { run, .. } => Work::report(run),
        };
        work.arguments(&[]).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_call_is_a_command_in_which_nothing_of_the_agent_is_an_option() {
        for (name, arguments, expected) in [
            ("lint", json!({}), "lint --"),
            (
                "lint",
                json!({"paths": ["--fix", "specs"]}),
                "lint -- --fix specs",
            ),
            (
                "lint",
                json!({"text": "# A", "path": "--fix"}),
                "lint --stdin-path=--fix --",
            ),
            ("explain", json!({"code": "--help"}), "explain -- --help"),
            ("status", json!({"spec": "--root=/"}), "status -- --root=/"),
            (
                "status",
                json!({"run": "latest~1", "wait": 0}),
                "report -- latest~1",
            ),
            ("findings", json!({"run": "0192"}), "findings list -- 0192"),
            ("report", json!({}), "report -- latest"),
            (
                "review",
                json!({"spec": "A"}),
                "run --no-tasks --no-apply -- A",
            ),
            (
                "review",
                json!({"paths": ["a.md"]}),
                "review --no-apply -- a.md",
            ),
        ] {
            assert_eq!(words(call(name, arguments).unwrap()), expected);
        }
    }

    #[test]
    fn each_tool_looks_or_reviews_and_nothing_else() {
        let readers = ["lint", "explain", "status", "report", "findings"];
        for tool in all::<Tool>() {
            let words = words(call(&tool.name, json!({})).unwrap());
            let command = words.split(' ').next().unwrap();
            match &*tool.name {
                REVIEW => assert!(words.contains("--no-apply"), "{words}"),
                _ => assert!(readers.contains(&command), "{words}"),
            }
            let names: Vec<_> = tool.input_schema.properties.keys().collect();
            for never in [
                "root",
                "config",
                "set",
                "reviewer",
                "state_dir",
                "fix",
                "by",
                "force",
            ] {
                assert!(!names.iter().any(|name| *name == never), "{names:?}");
            }
        }
    }

    #[test]
    fn what_a_person_decides_is_refused_in_words() {
        for (decision, command) in DECISIONS {
            let expected = format!("a person decides this, in a terminal: `{command}`");
            assert_eq!(
                call(decision, json!({})),
                Err(Refused::NotAllowed(expected))
            );
        }
        let refused = Call::parse("review", &Map::new(), false);
        assert!(
            matches!(refused, Err(Refused::NotAllowed(_))),
            "{refused:?}"
        );
    }

    #[test]
    fn what_fits_no_tool_is_answered_with_what_is_near() {
        for (name, arguments, expected) in [
            ("lnit", json!({}), "no tool \"lnit\"; did you mean lint?"),
            (
                "lint",
                json!({"path_": 1}),
                "no argument of lint \"path_\"; did you mean path?",
            ),
            (
                "lint",
                json!({"paths": "a"}),
                "arguments of lint: invalid type: string \"a\", expected a sequence",
            ),
            (
                "lint",
                json!({"text": "a"}),
                "name paths, or text with its path",
            ),
            ("status", json!({"wait": 51}), "wait must be at most 50"),
            (
                "status",
                json!({"spec": "a", "run": "b"}),
                "name a spec or a run",
            ),
            (
                "report",
                json!({"run": "../x"}),
                "run must be latest, latest~N, or a part of an id",
            ),
            (
                "review",
                json!({"spec": "a", "paths": ["b"]}),
                "name a spec or paths",
            ),
        ] {
            let refused = call(name, arguments).unwrap_err();
            assert_eq!(refused, Refused::Invalid(expected.to_owned()));
        }
    }

    #[test]
    fn only_reading_tools_are_listed_unless_reviews_are_allowed() {
        for (allowed, count) in [(false, 5), (true, 6)] {
            let list = list(allowed);
            let tools = list["tools"].as_array().unwrap();
            assert_eq!(tools.len(), count);
            for tool in tools {
                let reads = tool["annotations"]["readOnlyHint"].as_bool().unwrap();
                assert_eq!(reads, tool["name"] != "review");
            }
        }
    }
}
