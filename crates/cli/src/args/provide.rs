//! `provide`.

use clap::Args;
use review_agents::Chain;
use review_config::Setting;

/// Review an artifact for another agent, over the Agent Feedback Protocol 1.2.
///
/// Reads one request object from standard input and answers with the three lines
/// of the protocol's stream: step_start, text, step_finish.
#[derive(Debug, Args)]
#[command(after_help = PROVIDE_EXAMPLES)]
pub(crate) struct ProvideArgs {
    /// The session that the request goes on with; a first request needs none.
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Print the response object alone, without the lines around it.
    #[arg(long)]
    pub(crate) raw: bool,
    /// The reviewer: builtin, a client such as claude or opencode, http:PROFILE, or
    /// cmd:PROGRAM ARGS; several with commas between them are asked in turn, the next
    /// when the previous one gives no answer.
    #[arg(long, value_name = "BACKEND[,BACKEND]")]
    pub(crate) reviewer: Option<Chain>,
}

const PROVIDE_EXAMPLES: &str = "\
Examples:
  ralph provide < request.json
  ralph provide --raw < request.json > response.json
  ralph provide --session ses_0198 < follow-up.json
  ralph provide --reviewer cmd:./judge.sh < request.json

Exit codes: 0 once a response is written, be it an error of the protocol; 2 when ralph
itself cannot work, such as for its configuration: the response is then INTERNAL_ERROR.";

impl ProvideArgs {
    /// What the options say in place of the configuration.
    pub(crate) fn overrides(&self) -> Option<Setting> {
        Setting::of_option("--reviewer", "reviewer", self.reviewer.as_ref())
    }
}
