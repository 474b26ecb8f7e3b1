//! The tools, which `tools.json` lists as clients see them: which commands of ralph an
//! agent may have carried out, and with what.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value as Json, json};

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
#[expect(
    clippy::expect_used,
    reason = "the file is a part of the program, and tests read it"
)]
pub(super) fn list(allows_review: bool) -> Json {
    let mut tools: Vec<Json> = serde_json::from_str(TOOLS).expect("tools.json lists tools");
    tools.retain(|tool| allows_review || tool["name"] != REVIEW);
    json!({ "tools": tools })
}

/// A tool with its arguments.
#[derive(Deserialize)]
#[serde(tag = "tool", content = "arguments")]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Tool {
    Lint {
        #[serde(default)]
        paths: Vec<String>,
        text: Option<String>,
        path: Option<String>,
    },
    Explain {
        code: Option<String>,
    },
    Status {
        spec: Option<String>,
        run: Option<RunName>,
        wait: Option<u64>,
    },
    Findings {
        run: Option<RunName>,
    },
    Report {
        run: Option<RunName>,
    },
    Review {
        spec: Option<String>,
        #[serde(default)]
        paths: Vec<String>,
        wait: Option<u64>,
    },
}

/// The name of a run; a path is refused.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct RunName(String);

impl TryFrom<String> for RunName {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '~');
        match !name.is_empty() && name.chars().all(is_part) {
            true => Ok(Self(name)),
            false => Err("run must be latest, latest~N, or a part of an id"),
        }
    }
}

impl Call {
    /// Reads a call.
    ///
    /// # Errors
    /// When it does not fit the list of tools, or may not be done here.
    pub(super) fn parse(params: &Json, allows_review: bool) -> Result<Self, Refused> {
        let tool = &params["name"];
        if let Some((_, command)) = DECISIONS.iter().find(|(decision, _)| tool == *decision) {
            let text = format!("a person decides this, in a terminal: `{command}`");
            return Err(Refused::NotAllowed(text));
        }
        if tool == REVIEW && !allows_review {
            let text = "reviews cost calls of a model: a person allows them with \
                        `ralph mcp --allow review`";
            return Err(Refused::NotAllowed(text.to_owned()));
        }
        let arguments = match &params["arguments"] {
            Json::Null => json!({}),
            arguments => arguments.clone(),
        };
        let tool = Tool::deserialize(json!({ "tool": tool, "arguments": arguments }));
        let tool = tool.map_err(|error| Refused::Invalid(error.to_string()))?;
        Self::of(tool).map_err(|why| Refused::Invalid(why.to_owned()))
    }

    fn of(tool: Tool) -> Result<Self, &'static str> {
        let seconds =
            |wait: Option<u64>| Duration::from_secs(wait.unwrap_or(WAIT).min(LONGEST_WAIT));
        let named = |run: Option<RunName>| run.map(|RunName(name)| name);
        Ok(Self::Look(match tool {
            Tool::Lint {
                paths,
                text: None,
                path: None,
            } => Work::new(["lint"], paths),
            Tool::Lint {
                paths,
                text: Some(text),
                path: Some(path),
            } if paths.is_empty() => Work {
                input: Some(text),
                ..Work::new(["lint", &format!("--stdin-path={path}")], [])
            },
            Tool::Lint { .. } => return Err("name paths, or text with its path"),
            Tool::Explain { code } => Work::new(["explain"], code),
            Tool::Findings { run } => Work::new(["findings", "list"], named(run)),
            Tool::Report { run } => Work::report(named(run).unwrap_or_else(|| "latest".to_owned())),
            Tool::Status {
                spec: Some(_),
                run: Some(_),
                ..
            } => return Err("name a spec or a run"),
            Tool::Status {
                run: Some(RunName(run)),
                wait,
                ..
            } => {
                let wait = seconds(wait);
                return Ok(Self::Run { run, wait });
            }
            Tool::Status { spec, .. } => Work::new(["status"], spec),
            Tool::Review { spec, paths, wait } => {
                let work = match (spec, paths.is_empty()) {
                    (Some(_), false) => return Err("name a spec or paths"),
                    (_, false) => Work::new(["review", "--no-apply"], paths),
                    (spec, true) => Work::new(["run", "--no-tasks", "--no-apply"], spec),
                };
                let wait = seconds(wait);
                return Ok(Self::Review { work, wait });
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: Json) -> Result<Call, Refused> {
        Call::parse(&json!({"name": name, "arguments": arguments}), true)
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
        for tool in list(true)["tools"].as_array().unwrap() {
            let name = tool["name"].as_str().unwrap();
            let words = words(call(name, json!({})).unwrap());
            let command = words.split(' ').next().unwrap();
            match name {
                REVIEW => assert!(words.contains("--no-apply"), "{words}"),
                _ => assert!(readers.contains(&command), "{words}"),
            }
            let properties = tool["inputSchema"]["properties"].as_object().unwrap();
            let names: Vec<_> = properties.keys().collect();
            let unknown = call(name, json!({"": 1})).unwrap_err();
            for known in &names {
                let listed = format!("`{known}`");
                assert!(matches!(&unknown, Refused::Invalid(why) if why.contains(&listed)));
            }
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
        let refused = Call::parse(&json!({"name": "review"}), false);
        assert!(
            matches!(refused, Err(Refused::NotAllowed(_))),
            "{refused:?}"
        );
    }

    #[test]
    fn what_fits_no_tool_is_answered_with_what_there_is() {
        for (name, arguments, expected) in [
            (
                "lnit",
                json!({}),
                "unknown variant `lnit`, expected one of `lint`, `explain`, `status`, `findings`, \
                 `report`, `review`",
            ),
            (
                "lint",
                json!({"path_": 1}),
                "unknown field `path_`, expected one of `paths`, `text`, `path`",
            ),
            (
                "lint",
                json!({"paths": "a"}),
                "invalid type: string \"a\", expected a sequence",
            ),
            (
                "lint",
                json!([]),
                "invalid type: sequence, expected struct variant Tool::Lint",
            ),
            (
                "lint",
                json!({"text": "a"}),
                "name paths, or text with its path",
            ),
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
