//! `ralph corrections show`.

use std::path::Path;

use review_learning::corrections::{Line, Lines, Mode, read};
use review_types::ExitCode;
use serde::Serialize;
use serde_json::Value as Json;

use super::{data_file, input};
use crate::args::{PlainFormat, ShowCorrectionArgs};
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use crate::output::style::{FAINT, RESET, STRONG};
use crate::output::{Version, printable};

/// The result of `corrections show --format json`.
#[derive(Serialize)]
struct Shown {
    v: Version,
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    impact: Option<f64>,
    correction: Json,
}

/// Shows the line of a number.
pub(super) fn run(context: &mut Context, args: &ShowCorrectionArgs) -> Ended {
    let file = match args.file.as_deref() {
        Some(path) if path == Path::new(input::STDIN) => path.to_owned(),
        named => data_file(context, named),
    };
    let mut lines = Lines::new(input::open(context, &file, None)?);
    let cannot_read = |error| {
        CommandError::new(ErrorKind::Input, format!("cannot read {}", file.display())).source(error)
    };
    while let Some((number, line)) = lines.next().map_err(cannot_read)? {
        if number == args.line
            && let Line::Whole(text) | Line::Unended(text) = line
        {
            return show(context, args, text);
        }
    }
    let message = format!("there is no correction in line {}", args.line);
    Err(CommandError::new(ErrorKind::Nothing, message)
        .hint("`ralph corrections list` shows the lines"))
}

fn show(context: &mut Context, args: &ShowCorrectionArgs, text: &[u8]) -> Ended {
    let reading = read(text, args.line, Mode::Import);
    let correction: Json = serde_json::from_slice(text).unwrap_or(Json::Null);
    for diagnostic in &reading.diagnostics {
        context
            .streams
            .tell(&review_report::diagnostic("line", diagnostic));
    }
    let shown = Shown {
        v: Version,
        line: args.line,
        impact: reading.object.map(|correction| correction.impact()),
        correction,
    };
    match args.format {
        PlainFormat::Human => {
            let mut text = String::new();
            if let Some(impact) = shown.impact {
                text.push_str(&format!("{FAINT}impact{RESET} {impact:.2}\n"));
            }
            members(&mut text, "", &shown.correction);
            context.streams.print(&text)?;
        }
        PlainFormat::Json => context.streams.print_json(&shown)?,
    }
    Ok(ExitCode::Passed)
}

/// Each member of an object on a line of its own, those of objects in it below.
fn members(text: &mut String, indent: &str, value: &Json) {
    let Json::Object(object) = value else {
        return;
    };
    for (name, member) in object {
        let name = printable(name);
        match member {
            Json::Object(_) if indent.is_empty() => {
                text.push_str(&format!("{STRONG}{name}{RESET}\n"));
                members(text, "  ", member);
            }
            Json::String(said) => {
                text.push_str(&format!(
                    "{indent}{STRONG}{name}{RESET} {}\n",
                    printable(said)
                ));
            }
            other => text.push_str(&format!("{indent}{STRONG}{name}{RESET} {other}\n")),
        }
    }
}
