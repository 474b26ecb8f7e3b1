//! What is done with lessons and with versions of prompts.

use std::num::NonZeroU32;
use std::str::FromStr;

use clap::{Args, Subcommand};

use super::{PlainFormat, Since};

/// Show the instructions that agents are given.
#[derive(Debug, Subcommand)]
pub(crate) enum PromptsCommand {
    /// List the prompts, with the version that is in use.
    #[command(after_help = PROMPTS_LIST_EXAMPLES)]
    List {
        /// How to print.
        #[arg(long, value_enum, default_value_t)]
        format: PlainFormat,
    },
    /// Show the text of a prompt.
    Show(ShowPromptArgs),
}

const PROMPTS_LIST_EXAMPLES: &str = "\
Examples:
  ralph prompts list
  ralph prompts list --format json";

/// Show the text of a prompt.
#[derive(Debug, Args)]
#[command(after_help = PROMPTS_SHOW_EXAMPLES)]
pub(crate) struct ShowPromptArgs {
    /// Whose prompt: reviewer, applier, or another agent that learns.
    pub(crate) name: String,
    /// The version, such as 2 or v2 [default: the one in use].
    #[arg(long, value_name = "N")]
    pub(crate) version: Option<VersionNumber>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

const PROMPTS_SHOW_EXAMPLES: &str = "\
Examples:
  ralph prompts show reviewer
  ralph prompts show applier --version 1 --format json";

/// The number of a version, as `2` or `v2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VersionNumber(pub(crate) NonZeroU32);

impl FromStr for VersionNumber {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = text.strip_prefix('v').unwrap_or(text).parse();
        number
            .map(Self)
            .map_err(|_| "must be the number of a version, such as 2 or v2".to_owned())
    }
}

/// Look at what is proposed, and decide on it.
#[derive(Debug, Args)]
#[command(after_help = REVIEW_EXAMPLES)]
pub(crate) struct LearnReviewArgs {
    /// The agent [default: all].
    pub(crate) agent: Option<String>,
    /// Who decides [default: the user of this computer].
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// How to print; only human asks for decisions, and only on a terminal.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

const REVIEW_EXAMPLES: &str = "\
Examples:
  ralph learn review
  ralph learn review applier --by ann
  ralph learn review --format json

On a terminal, each lesson is decided on by a key: a approves it, r rejects it, v
shows all that is known of it, q puts it off for a week. Elsewhere lessons are
shown and stay proposed.

Exit codes: 0 shown, 1 something that was decided could not be done, 2 a file
cannot be read.";

/// Decide on a lesson.
#[derive(Debug, Args)]
#[command(after_help = DECIDE_EXAMPLES)]
pub(crate) struct DecideArgs {
    /// The lesson: its id, or the beginning of it.
    pub(crate) id: String,
    /// Who decides [default: the user of this computer].
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

const DECIDE_EXAMPLES: &str = "\
Examples:
  ralph learn approve 0192f0c1 --by ann
  ralph learn reject 0192f0c1 --by ann

What is approved goes into the prompt of its agent, as a new version. A rejection
is final; what stands in a prompt already is taken out of it.

Exit codes: 0 done, 1 it cannot be decided so, or not by this person, 2 there is
no such lesson, or a file cannot be used.";

/// Word a lesson that waits for a decision.
#[derive(Debug, Args)]
#[command(after_help = EDIT_EXAMPLES)]
pub(crate) struct EditLessonArgs {
    /// Which lesson, and whose words they are.
    #[command(flatten)]
    pub(crate) decide: DecideArgs,
    /// The instruction for the agent.
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: String,
    /// What happened, in a sentence [default: as it is].
    #[arg(long, value_name = "TEXT")]
    pub(crate) lesson: Option<String>,
}

const EDIT_EXAMPLES: &str = "\
Examples:
  ralph learn edit 0192f0c1 --text 'Handle each error of an upload.'
  ralph learn edit 0192f0c1 --by ann --text 'Set a timeout on each upload.' \\
      --lesson 'Uploads without a timeout hang for hours.'

The instruction has 20 to 1000 characters, starts with what to do, and is not
advisory (consider) or vague (could be better). The lesson stays proposed.

Exit codes: 0 done, 1 it is decided already, 2 there is no such lesson, the words
cannot be used, or a file cannot be used.";

/// Put a lesson off.
#[derive(Debug, Args)]
#[command(after_help = DEFER_EXAMPLES)]
pub(crate) struct DeferArgs {
    /// Which lesson, and who decides.
    #[command(flatten)]
    pub(crate) decide: DecideArgs,
    /// Until when: a date, an RFC 3339 instant, or a time from now such as 7d.
    #[arg(long, value_name = "WHEN", default_value = "7d")]
    pub(crate) until: Since,
}

const DEFER_EXAMPLES: &str = "\
Examples:
  ralph learn defer 0192f0c1 --by ann
  ralph learn defer 0192f0c1 --by ann --until 2026-12-01

The lesson stays proposed, and `ralph learn review` passes over it until then.

Exit codes: 0 done, 1 it cannot be put off, or not by this person, 2 there is no
such lesson, or a file cannot be used.";

/// Change which version of a prompt is in use.
#[derive(Debug, Args)]
#[command(after_help = CHANGE_EXAMPLES)]
pub(crate) struct ChangePromptArgs {
    /// Whose prompt: reviewer, applier, or another agent that learns.
    pub(crate) agent: String,
    /// The version to use from now on, such as 2 or v2.
    #[arg(long, value_name = "N")]
    pub(crate) to: Option<VersionNumber>,
    /// Who decides on a version [default: the user of this computer].
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// Why, for `ralph learn history`.
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

const CHANGE_EXAMPLES: &str = "\
Examples:
  ralph learn apply reviewer
  ralph learn rollback reviewer
  ralph learn rollback reviewer --to 1

apply puts what is approved into a new version of the prompt; with --to it uses a
version that exists already. rollback goes back to the version that the present one
was made from, or to the latest one before it that can be used; the lessons that it
lacks lose confidence, are proposed again, and wait for a user. No version is changed
or removed by it.

Only the approvers of the configuration may choose a version. Where rollbacks are
switched off, neither command goes back.

Exit codes: 0 done, also if there was nothing to do, 1 switched off, not by this
user, or nothing to go back to, 2 there is no such prompt or version, or a file
cannot be used.";

/// Show what differs between two versions of a prompt.
#[derive(Debug, Args)]
#[command(after_help = DIFF_EXAMPLES)]
pub(crate) struct PromptDiffArgs {
    /// Whose prompt: reviewer, applier, or another agent that learns.
    pub(crate) agent: String,
    /// The older version [default: the one that the newer one was made from].
    pub(crate) from: Option<VersionNumber>,
    /// The newer version [default: the one in use].
    pub(crate) to: Option<VersionNumber>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

const DIFF_EXAMPLES: &str = "\
Examples:
  ralph learn diff reviewer
  ralph learn diff reviewer v1 v3";

/// List the versions of a prompt, or of all prompts.
#[derive(Debug, Args)]
#[command(after_help = HISTORY_EXAMPLES)]
pub(crate) struct PromptHistoryArgs {
    /// Whose prompt: reviewer, applier, or another agent that learns [default:
    /// all].
    pub(crate) agent: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

const HISTORY_EXAMPLES: &str = "\
Examples:
  ralph learn history
  ralph learn history reviewer
  ralph learn history reviewer --format json";
