//! Arguments of `plan`.

use clap::Args;
use review_config::Setting;

use super::PlainFormat;
use super::values::Implementer;

/// Have an agent split a spec into tasks.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// The spec: a path, or a name in specs/ or specs/completed/ [default: the
    /// only spec].
    #[arg(value_name = "SPEC", conflicts_with = "named")]
    spec: Option<String>,
    /// Same as SPEC.
    #[arg(long = "spec", value_name = "SPEC")]
    named: Option<String>,
    /// The agent that plans: cmd:PROGRAM ARGS, a client with or without a model
    /// (opencode, claude, codex, gemini, claude:opus), or http:PROFILE [default: that
    /// of task.implementer].
    #[arg(long, value_name = "BACKEND")]
    implementer: Option<Implementer>,
    /// Ask the agent, print the files that would be written, and write none.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

impl PlanArgs {
    /// The spec, where one is given.
    pub(crate) fn spec(&self) -> Option<&str> {
        self.spec.as_deref().or(self.named.as_deref())
    }

    /// What the options say in place of the configuration.
    pub(crate) fn overrides(&self) -> Option<Setting> {
        Setting::of_option(
            "--implementer",
            "task.implementer",
            self.implementer.as_ref(),
        )
    }

    /// The agent as it was given.
    pub(crate) fn implementer(&self) -> Option<String> {
        let Implementer(chain) = self.implementer.as_ref()?;
        Some(chain.as_ref()?.to_string())
    }
}
