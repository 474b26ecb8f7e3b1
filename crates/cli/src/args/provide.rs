//! `provide`.

use clap::Args;
use review_agents::Chain;
use review_config::Setting;

/// Review an artifact for another agent, over the Agent Feedback Protocol 1.2.
///
/// Reads one request object from standard input and answers with the three lines
/// of the protocol's stream: step_start, text, step_finish.
#[derive(Debug, Args)]
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

impl ProvideArgs {
    /// What the options say in place of the configuration.
    pub(crate) fn overrides(&self) -> Option<Setting> {
        Setting::of_option("--reviewer", "reviewer", self.reviewer.as_ref())
    }
}
