//! Arguments of `import`.

use std::path::PathBuf;

use clap::Args;
use review_document::import::CommandTemplate;

/// Take over tasks that were planned with another tool.
#[derive(Debug, Args)]
#[command(after_help = IMPORT_EXAMPLES)]
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

const IMPORT_EXAMPLES: &str = "\
A plan and task files are written to tasks/NAME, and a spec to specs/NAME.md unless the
source has one. Nothing that is there is changed, the source neither; a second import
adds what is new. A task that the source calls done claims to be complete only with a
command, and `ralph gate` then proves it. No command is taken from the source. Of
{title} only letters, digits, spaces and `_ . , : / -` are used.

Examples:
  ralph import prd.json --command 'npm test -- {id}'
  ralph import TODO.md --dry-run
  ralph import specs/001-search && ralph status
  ralph import openspec/changes/add-search

Exit codes: 0 imported, 1 no task is in it, 2 usage, or it cannot be read.";
