//! `ralph schema`: the JSON schemas of the formats.

use review_document::near::nearest;
use review_learning::config::LearningConfig;
use review_learning::feedback::FeedbackEntry;
use review_learning::lesson::Lesson;
use review_learning::prompt::PromptVersion;
use review_text::wording::Wording;
use review_types::actionable::ActionableFeedback;
use review_types::{ExitCode, afp};
use schemars::{SchemaGenerator, schema_for};
use serde_json::{Value as Json, json};

use super::Ended;
use crate::args::SchemaArgs;
use crate::config::config_schema;
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};
use crate::output::style::{RESET, STRONG};

/// A format with its schema.
struct Format {
    name: &'static str,
    about: &'static str,
    schema: fn() -> Json,
}

/// The formats, in the order in which they are listed.
const FORMATS: &[Format] = &[
    Format {
        name: "verdict",
        about: "what a reviewer answers",
        schema: || schema_for!(review_types::Review).to_value(),
    },
    Format {
        name: "review",
        about: "the record of a review loop",
        schema: || schema_for!(review_types::ReviewSession).to_value(),
    },
    Format {
        name: "actionable-feedback",
        about: "an actionable-feedback document, with its rules of wording",
        schema: actionable_feedback,
    },
    Format {
        name: "actionable-feedback-strict",
        about: "the same with the keywords of JSON Schema alone",
        schema: || schema_for!(ActionableFeedback).to_value(),
    },
    Format {
        name: "afp-request",
        about: "a request of the Agent Feedback Protocol 1.2",
        schema: || schema_for!(afp::FeedbackRequest).to_value(),
    },
    Format {
        name: "afp-response",
        about: "a response of the Agent Feedback Protocol 1.2",
        schema: || schema_for!(afp::FeedbackResponse).to_value(),
    },
    Format {
        name: "afp-message",
        about: "a line of the stream that a response travels in",
        schema: || schema_for!(afp::Message).to_value(),
    },
    Format {
        name: "applied-feedback",
        about: "what became of the feedback of a response",
        schema: || schema_for!(afp::AppliedFeedback).to_value(),
    },
    Format {
        name: "correction",
        about: "a line of a file of corrections",
        schema: || schema_for!(review_learning::corrections::Correction<'static>).to_value(),
    },
    Format {
        name: "patterns",
        about: "the file patterns.json beside the corrections",
        schema: || schema_for!(review_learning::patterns::PatternsFile).to_value(),
    },
    Format {
        name: "trends",
        about: "the file trends.json beside the corrections",
        schema: || schema_for!(review_learning::patterns::TrendsFile).to_value(),
    },
    Format {
        name: "promotion",
        about: "a line of the log of promoted patterns",
        schema: || schema_for!(review_learning::patterns::PromotionEntry).to_value(),
    },
    Format {
        name: "agent-learning",
        about: "the configuration of learning, and the objects that it is about",
        schema: agent_learning,
    },
    Format {
        name: "feedback-entry",
        about: "an entry of the store of feedback",
        schema: || schema_for!(FeedbackEntry).to_value(),
    },
    Format {
        name: "lesson",
        about: "a lesson of an agent",
        schema: || schema_for!(Lesson).to_value(),
    },
    Format {
        name: "prompt-version",
        about: "a version of the prompt of an agent",
        schema: || schema_for!(PromptVersion).to_value(),
    },
    Format {
        name: "task",
        about: "the front matter of a task file",
        schema: review_document::task_schema,
    },
    Format {
        name: "plan",
        about: "the front matter of an IMPLEMENTATION_PLAN.md",
        schema: review_document::plan_schema,
    },
    Format {
        name: "config",
        about: "the configuration file ralph.toml",
        schema: config_schema,
    },
    Format {
        name: "event",
        about: "a line of `--format jsonl`",
        schema: || schema_for!(review_events::Envelope).to_value(),
    },
    Format {
        name: "journal",
        about: "a line of the journal of a run",
        schema: || schema_for!(review_events::Record).to_value(),
    },
    Format {
        name: "run",
        about: "the result of `ralph run --format json`",
        schema: || schema_for!(crate::report::RunReport).to_value(),
    },
    Format {
        name: "finding",
        about: "a finding of `ralph findings list --format json`",
        schema: || schema_for!(review_types::Finding).to_value(),
    },
    Format {
        name: "gate",
        about: "the result of `ralph gate --format json`",
        schema: || schema_for!(super::gate::GateReport).to_value(),
    },
    Format {
        name: "lint",
        about: "the result of `ralph lint --format json`",
        schema: || schema_for!(super::lint::LintReport).to_value(),
    },
];

/// The schema of the configuration of learning with those of the objects that
/// come of it, each of them a definition.
fn agent_learning() -> Json {
    let mut generator = SchemaGenerator::default();
    generator.subschema_for::<FeedbackEntry>();
    generator.subschema_for::<Lesson>();
    generator.subschema_for::<PromptVersion>();
    generator
        .into_root_schema_for::<LearningConfig>()
        .to_value()
}

/// The schema of an actionable-feedback document with what its texts must say.
fn actionable_feedback() -> Json {
    let mut schema = schema_for!(ActionableFeedback).to_value();
    let phrases = |list: Wording| list.phrases().collect::<Vec<_>>();
    schema["validation_rules"] = json!({
        "issue_specificity": {
            "description": "Issue descriptions must be specific, not vague.",
            "forbidden_patterns": phrases(Wording::Vague),
            "required_elements": [
                { "specific_problem": "What exactly is wrong" },
                { "observable_effect": "What happens as a result" },
            ],
        },
        "suggestion_actionability": {
            "description": "Suggestions must be actionable, not advisory.",
            "forbidden_patterns": phrases(Wording::Advisory),
            "required_elements": [
                { "concrete_action": "Specific change to make" },
                { "expected_outcome": "What will improve" },
            ],
        },
        "location_requirement": {
            "description": "A location is required, not optional.",
            "enforcement": "strict",
        },
    });
    schema
}

/// Prints the schema of a format, or lists the formats.
pub(crate) fn run(context: &mut Context, args: &SchemaArgs) -> Ended {
    let Some(name) = &args.name else {
        let width = FORMATS
            .iter()
            .map(|format| format.name.len())
            .max()
            .unwrap_or(0);
        for Format { name, about, .. } in FORMATS {
            context
                .streams
                .print(&format!("{STRONG}{name:width$}{RESET}  {about}\n"))?;
        }
        return Ok(ExitCode::Passed);
    };
    let format = FORMATS
        .iter()
        .find(|format| format.name == name)
        .ok_or_else(|| unknown(name))?;
    let mut text = serde_json::to_string_pretty(&(format.schema)()).map_err(|error| {
        CommandError::new(ErrorKind::Output, "cannot write the schema as JSON").source(error)
    })?;
    text.push('\n');
    context.streams.print_raw(text.as_bytes())?;
    Ok(ExitCode::Passed)
}

fn unknown(name: &str) -> CommandError {
    let near = nearest(name, FORMATS.iter().map(|format| format.name), 1);
    let hint = match near.first() {
        Some(near) => format!("did you mean {near}?"),
        None => "`ralph schema` lists the formats".to_owned(),
    };
    CommandError::new(ErrorKind::Usage, format!("there is no format \"{name}\"")).hint(hint)
}
