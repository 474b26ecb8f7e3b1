//! `ralph learn show`.

use review_types::ExitCode;

use super::entry::{Shown, whole};
use super::{Ended, place};
use crate::args::{LearnShowArgs, PlainFormat};
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};

/// Shows the entry whose id begins so.
pub(super) fn run(context: &mut Context, args: &LearnShowArgs) -> Ended {
    let place = place(context)?;
    let collector = place.collector(&context.environment);
    let store = collector.store()?;
    let wanted = args.id.to_ascii_lowercase();
    let entries = store.entries().iter();
    let mut found = entries.filter(|entry| !wanted.is_empty() && entry.id().starts_with(&wanted));
    let entry = match (found.next(), found.next()) {
        (Some(entry), None) => entry,
        (None, _) => return Err(no_such(&args.id, "no entry has this id")),
        (Some(_), Some(_)) => return Err(no_such(&args.id, "several ids begin so")),
    };
    let entry = store
        .read(entry)
        .map_err(|error| CommandError::new(ErrorKind::Input, error.to_string()))?;
    match args.format {
        PlainFormat::Human => context.streams.print(&whole(&entry))?,
        PlainFormat::Json => context.streams.print_json(&Shown(&entry))?,
    }
    Ok(ExitCode::Passed)
}

fn no_such(id: &str, why: &str) -> CommandError {
    CommandError::new(ErrorKind::Usage, format!("\"{id}\": {why}"))
        .hint("`ralph learn list` lists the entries")
}
