//! Arguments of `import`.

use std::path::PathBuf;

use clap::Args;
use review_document::import::CommandTemplate;

/// Take over tasks that were planned with another tool.
#[derive(Debug, Args)]
pub(crate) struct ImportTasksArgs {
    /// prd.json, a Markdown file with boxes, a feature folder of spec-kit or a change
    /// folder of OpenSpec.
    pub(crate) path: PathBuf,
    /// The command that proves a task, for all tasks; {id} and {title} are those of the
    /// task.
    #[arg(long, value_name = "CMD")]
    pub(crate) command: Option<CommandTemplate>,
    /// Print what would be written, and write nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
}
