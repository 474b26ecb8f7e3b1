//! One line of `ralph corrections list`.

use std::path::Path;

use review_learning::corrections::{Line, Lines, Mode, read};
use review_report::corrections::{ShownCorrection, correction};
use review_types::ExitCode;
use serde_json::Value as Json;

use super::{data_file, input};
use crate::args::{Format, ListCorrectionsArgs};
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use crate::output::Version;

/// Shows the line of a number.
pub(super) fn run(context: &mut Context, line: u64, args: &ListCorrectionsArgs) -> Ended {
    let file = match args.file() {
        Some(path) if path == Path::new(input::STDIN) => path.to_owned(),
        named => data_file(context, named),
    };
    let no_line = || {
        let message = format!("line {line} has no correction");
        let error = CommandError::new(ErrorKind::Nothing, message);
        error.hint("`ralph corrections list` shows the lines")
    };
    if args.file().is_none() && !file.exists() {
        return Err(no_line());
    }
    let mut lines = Lines::new(input::open(context, &file)?);
    let cannot_read = |error| {
        CommandError::new(ErrorKind::Input, format!("cannot read {}", file.display())).source(error)
    };
    while let Some((number, found)) = lines.next().map_err(cannot_read)? {
        if number == line
            && let Line::Whole(text) | Line::Unended(text) = found
        {
            return show(context, line, text, args.format);
        }
    }
    Err(no_line())
}

fn show(context: &mut Context, line: u64, text: &[u8], format: Format) -> Ended {
    let reading = read(text, line, Mode::Import);
    let value: Json = serde_json::from_slice(text).unwrap_or(Json::Null);
    for diagnostic in &reading.diagnostics {
        context
            .streams
            .tell(&review_report::diagnostic("line", diagnostic));
    }
    let shown = ShownCorrection {
        v: Version,
        line,
        impact: reading.object.map(|correction| correction.impact()),
        correction: value,
    };
    match format {
        Format::Human => context.streams.print(&correction(&shown))?,
        Format::Json | Format::Jsonl => context.streams.print_json(&shown)?,
    }
    Ok(ExitCode::Passed)
}
