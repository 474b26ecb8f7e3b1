//! The tools: which commands of ralph an agent may have carried out, and with what.

use std::time::Duration;

use review_document::near::nearest;
use serde_json::{Map, Value as Json, json};

/// The longest wait for a review in one call: clients give up after a minute.
const LONGEST_WAIT: u64 = 50;

/// The wait where none is asked for.
const WAIT: u64 = 45;

/// What only a person decides, and the command for it.
const DECISIONS: [(&str, &str); 8] = [
    ("approve", "ralph approve"),
    ("waive", "ralph findings waive"),
    ("uphold", "ralph findings uphold"),
    ("guide", "ralph guide"),
    ("land", "ralph land"),
    ("clean", "ralph clean"),
    ("resume", "ralph resume"),
    ("decide", "ralph learn decide"),
];

/// A tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    /// The findings of the embedded rules.
    Lint,
    /// The meaning of a code.
    Explain,
    /// The tasks of specs, or a run, also one that is going on.
    Status,
    /// What reviewers raised in a run.
    Findings,
    /// What a run did.
    Report,
    /// One round of review.
    Review,
}

/// What a parameter takes.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Texts,
    Seconds,
}

/// A command of ralph that answers a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Work {
    /// The command with its options, but for the format.
    pub(super) command: Vec<String>,
    /// What it works on, as the agent named it: never an option.
    pub(super) named: Vec<String>,
    /// Its standard input.
    pub(super) input: Option<String>,
}

/// A call, ready to be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// Nothing is changed and no model is asked.
    Look(Work),
    /// A run, waited for if it is the one that this server started.
    Run {
        /// What shows it.
        work: Work,
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

impl Tool {
    const ALL: [Self; 6] = [
        Self::Lint,
        Self::Explain,
        Self::Status,
        Self::Findings,
        Self::Report,
        Self::Review,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Lint => "lint",
            Self::Explain => "explain",
            Self::Status => "status",
            Self::Findings => "findings",
            Self::Report => "report",
            Self::Review => "review",
        }
    }

    fn about(self) -> &'static str {
        match self {
            Self::Lint => {
                "Check specs and tasks by rules: what is vague, missing or contradictory, with \
                 its place and a way to fix it. Asks no model, changes nothing."
            }
            Self::Explain => "Explain a rule, an exit code or another code of a report.",
            Self::Status => {
                "Show the tasks of specs with their recorded passes and what is next, or how a \
                 run ended; of a review that is going on, wait for it."
            }
            Self::Findings => "List what reviewers found in a run, with its state and place.",
            Self::Report => "Show what a run did: verdicts, scores, tasks, calls.",
            Self::Review => {
                "Have the configured reviewer review a spec, or documents, once. It costs calls \
                 of a model and changes no file. If it takes longer than `wait`, go on with \
                 `status` and its run."
            }
        }
    }

    fn parameters(self) -> &'static [(&'static str, Kind, &'static str)] {
        const RUN: (&str, Kind, &str) = (
            "run",
            Kind::Text,
            "The run: latest, latest~N, or the beginning or end of its id",
        );
        const SPEC: (&str, Kind, &str) = ("spec", Kind::Text, "The spec: a path or a name");
        const HOW_LONG: (&str, Kind, &str) = (
            "wait",
            Kind::Seconds,
            "Seconds to wait for its end: 0 to 50",
        );
        match self {
            Self::Lint => &[
                (
                    "paths",
                    Kind::Texts,
                    "Files and folders; all where none is named",
                ),
                (
                    "text",
                    Kind::Text,
                    "Text to check in place of a file, as if it were at `path`",
                ),
                ("path", Kind::Text, "The path that `text` is meant for"),
            ],
            Self::Explain => &[("code", Kind::Text, "The code; an overview without it")],
            Self::Status => &[SPEC, RUN, HOW_LONG],
            Self::Findings | Self::Report => &[RUN],
            Self::Review => &[
                SPEC,
                (
                    "paths",
                    Kind::Texts,
                    "Documents without tasks, in place of a spec",
                ),
                HOW_LONG,
            ],
        }
    }

    /// The tools, as a client lists them.
    pub(super) fn list(allows_review: bool) -> Json {
        let tools = Self::ALL.into_iter();
        let tools = tools.filter(|tool| allows_review || *tool != Self::Review);
        let listed = tools.map(|tool| {
            let parameters = tool.parameters().iter();
            let properties: Map<_, _> = parameters
                .map(|(name, kind, about)| {
                    let mut schema = match kind {
                        Kind::Text => json!({"type": "string"}),
                        Kind::Texts => json!({"type": "array", "items": {"type": "string"}}),
                        Kind::Seconds => {
                            json!({"type": "integer", "minimum": 0, "maximum": LONGEST_WAIT})
                        }
                    };
                    schema["description"] = json!(about);
                    ((*name).to_owned(), schema)
                })
                .collect();
            json!({
                "name": tool.name(),
                "description": tool.about(),
                "inputSchema": {
                    "type": "object",
                    "properties": properties,
                    "additionalProperties": false,
                },
                "annotations": {
                    "readOnlyHint": tool != Self::Review,
                    "openWorldHint": tool == Self::Review,
                },
            })
        });
        json!({"tools": listed.collect::<Vec<_>>()})
    }

    fn named(name: &str) -> Result<Self, Refused> {
        if let Some(tool) = Self::ALL.into_iter().find(|tool| tool.name() == name) {
            return Ok(tool);
        }
        if let Some((_, command)) = DECISIONS.iter().find(|(decision, _)| *decision == name) {
            let text = format!("a person decides this, in a terminal: `{command}`");
            return Err(Refused::NotAllowed(text));
        }
        let names = Self::ALL.map(Self::name);
        Err(Refused::Invalid(unknown("tool", name, names)))
    }
}

fn unknown<'n>(what: &str, name: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    match nearest(name, names, 1).first() {
        Some(near) => format!("no {what} {name:?}; did you mean {near}?"),
        None => format!("no {what} {name:?}"),
    }
}

/// The arguments of a call by the parameters of its tool.
struct Arguments<'a>(&'a Map<String, Json>);

impl<'a> Arguments<'a> {
    fn of(tool: Tool, given: &'a Map<String, Json>) -> Result<Self, Refused> {
        let known = || tool.parameters().iter().map(|(name, ..)| *name);
        for (name, value) in given {
            let found = tool.parameters().iter().find(|(known, ..)| known == name);
            let Some((_, kind, _)) = found else {
                let what = format!("argument of {}", tool.name());
                return Err(Refused::Invalid(unknown(&what, name, known())));
            };
            let (fits, expected) = match kind {
                Kind::Text => (value.is_string(), "a string"),
                Kind::Texts => {
                    let values = value.as_array();
                    let are_strings = |values: &Vec<Json>| values.iter().all(Json::is_string);
                    (values.is_some_and(are_strings), "an array of strings")
                }
                Kind::Seconds => {
                    let fits = value.as_u64().is_some_and(|value| value <= LONGEST_WAIT);
                    (fits, "an integer from 0 to 50")
                }
            };
            if !fits {
                return Err(Refused::Invalid(format!("{name} must be {expected}")));
            }
        }
        Ok(Self(given))
    }

    fn text(&self, name: &str) -> Option<String> {
        Some(self.0.get(name)?.as_str()?.to_owned())
    }

    fn texts(&self, name: &str) -> Vec<String> {
        let values = self.0.get(name).and_then(Json::as_array);
        let values = values.into_iter().flatten();
        values.filter_map(Json::as_str).map(str::to_owned).collect()
    }

    fn wait(&self) -> Duration {
        let seconds = self.0.get("wait").and_then(Json::as_u64);
        Duration::from_secs(seconds.unwrap_or(WAIT))
    }

    /// A run by its name; a folder is none here.
    fn run(&self) -> Result<Option<String>, Refused> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '~');
        match self.text("run") {
            Some(run) if run.is_empty() || !run.chars().all(is_name) => Err(Refused::Invalid(
                "run must be latest, latest~N, or a part of an id".to_owned(),
            )),
            run => Ok(run),
        }
    }
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

    /// The arguments of ralph, with a further option.
    pub(super) fn arguments<'a>(&'a self, option: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
        let command = self.command.iter().map(String::as_str);
        let named = self.named.iter().map(String::as_str);
        let options = option.iter().copied();
        command.chain(options).chain(["--"]).chain(named)
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
        let tool = Tool::named(name)?;
        let arguments = Arguments::of(tool, arguments)?;
        let spec = arguments.text("spec");
        let run = arguments.run()?;
        let paths = arguments.texts("paths");
        let either = |text: &str| Err(Refused::Invalid(text.to_owned()));
        Ok(match tool {
            Tool::Lint => match (arguments.text("text"), arguments.text("path")) {
                (None, None) => Self::Look(Work::new(["lint"], paths)),
                (Some(text), Some(path)) if paths.is_empty() => Self::Look(Work {
                    input: Some(text),
                    ..Work::new(["lint", &format!("--stdin-path={path}")], [])
                }),
                _ => return either("name paths, or text with its path"),
            },
            Tool::Explain => Self::Look(Work::new(["explain"], arguments.text("code"))),
            Tool::Findings => Self::Look(Work::new(["findings", "list"], run)),
            Tool::Report => {
                let run = run.unwrap_or_else(|| "latest".to_owned());
                Self::Look(Work::report(run))
            }
            Tool::Status => match (spec, run) {
                (Some(_), Some(_)) => return either("name a spec or a run"),
                (spec, None) => Self::Look(Work::new(["status"], spec)),
                (None, Some(run)) => Self::Run {
                    work: Work::report(run.clone()),
                    run,
                    wait: arguments.wait(),
                },
            },
            Tool::Review if !allows_review => {
                let text = "reviews cost calls of a model: a person allows them with \
                            `ralph mcp --allow review`";
                return Err(Refused::NotAllowed(text.to_owned()));
            }
            Tool::Review => {
                let work = match (spec, paths.is_empty()) {
                    (Some(_), false) => return either("name a spec or paths"),
                    (_, false) => Work::new(["review", "--no-apply"], paths),
                    (spec, true) => Work::new(["run", "--no-tasks", "--no-apply"], spec),
                };
                Self::Review {
                    work,
                    wait: arguments.wait(),
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: Json) -> Result<Call, Refused> {
        Call::parse(name, arguments.as_object().unwrap(), true)
    }

    fn words(call: Call) -> String {
        let (Call::Look(work) | Call::Run { work, .. } | Call::Review { work, .. }) = call;
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
        for tool in Tool::ALL {
            let words = words(call(tool.name(), json!({})).unwrap());
            let command = words.split(' ').next().unwrap();
            match tool {
                Tool::Review => assert!(words.contains("--no-apply"), "{words}"),
                _ => assert!(readers.contains(&command), "{words}"),
            }
            let names: Vec<_> = tool.parameters().iter().map(|(name, ..)| *name).collect();
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
                assert!(!names.contains(&never), "{names:?}");
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
                "paths must be an array of strings",
            ),
            (
                "lint",
                json!({"text": "a"}),
                "name paths, or text with its path",
            ),
            (
                "status",
                json!({"wait": 51}),
                "wait must be an integer from 0 to 50",
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
            let list = Tool::list(allowed);
            let tools = list["tools"].as_array().unwrap();
            assert_eq!(tools.len(), count);
            for tool in tools {
                let reads = tool["annotations"]["readOnlyHint"].as_bool().unwrap();
                assert_eq!(reads, tool["name"] != "review");
            }
        }
    }
}
