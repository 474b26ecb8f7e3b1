//! What the gate found, as Markdown for the summary of a job or for a comment.

use std::fmt::Write as _;

use super::report::GateReport;
use super::rows::Row;
use crate::style::plain;
use crate::text::{one_line, printable};

/// The most rows that the table has.
const MAX_ROWS: usize = 200;
/// The most bytes of output that are shown: a comment on GitHub holds 65,536
/// characters.
const MAX_OUTPUT: usize = 40_000;

/// A heading with the outcome, a table, the end of what failed, and what to do next.
#[must_use]
pub fn markdown(report: &GateReport) -> String {
    let mut text = format!(
        "### ralph gate: {}\n\n{}\n",
        report.outcome,
        report.counts()
    );
    for warning in &report.warnings {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n> warning: {}\n", escaped(warning));
    }
    let mut rows = report.rows();
    rows.sort_by_key(|row| !row.kind.fails());
    text.push_str(&table(&rows));
    text.push_str(&outputs(&rows));
    if !report.next.is_empty() {
        text.push_str("\n**Next**\n\n");
        for step in &report.next {
            let _ = match &step.command {
                Some(command) => writeln!(text, "- {}: {}", escaped(&step.text), code(command)),
                None => writeln!(text, "- {}", escaped(&step.text)),
            };
        }
    }
    text
}

/// The rows, those first that fail the gate; nothing without any.
fn table(rows: &[Row<'_>]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut text = "\n| Spec | Claim | Status | |\n|---|---|---|---|\n".to_owned();
    for row in rows.iter().take(MAX_ROWS) {
        let state = escaped(row.state);
        let state = match row.kind.fails() {
            true => format!("**{state}**"),
            false => state,
        };
        let [of, name, remark] = [&row.of, &row.name, &row.remark].map(|text| escaped(text));
        text.push_str(&format!("| {of} | {name} | {state} | {remark} |\n"));
    }
    if let more @ 1.. = rows.len().saturating_sub(MAX_ROWS) {
        let _ = writeln!(text, "\n{more} more rows are left out.");
    }
    text
}

/// The end of what the commands printed that did not pass, each folded.
fn outputs(rows: &[Row<'_>]) -> String {
    let mut text = String::new();
    for row in rows.iter().filter(|row| !row.output.trim().is_empty()) {
        if text.len() + row.output.len() > MAX_OUTPUT {
            text.push_str("\nMore output is left out.\n");
            break;
        }
        let output = plain(row.output);
        let output = printable(output.trim_end());
        let fence = fence(&output);
        let _ = write!(
            text,
            "\n<details><summary>{}</summary>\n\n{fence}text\n{output}\n{fence}\n\n</details>\n",
            escaped(&row.name)
        );
    }
    text
}

/// A fence that the content cannot close.
fn fence(text: &str) -> String {
    "`".repeat(longest_ticks(text).max(2) + 1)
}

/// Writes a string as a code span.
fn code(text: &str) -> String {
    let text = one_line(text);
    let ticks = "`".repeat(longest_ticks(&text) + 1);
    match ticks.len() {
        1 => format!("`{text}`"),
        _ => format!("{ticks} {text} {ticks}"),
    }
}

/// The length of the longest run of backticks.
fn longest_ticks(text: &str) -> usize {
    let runs = text.split(|char| char != '`');
    runs.map(str::len).max().unwrap_or_default()
}

/// Writes a string on one line, where nothing in it is Markdown, HTML or the name of a user
/// to notify.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for char in one_line(text).chars() {
        match char {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '@' => out.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' => {
                out.push('\\');
                out.push(char);
            }
            char => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_markup_or_a_mention() {
        assert_eq!(
            escaped("a|b\n<img> *x* `y` [z](u) @ann & #1"),
            "a\\|b &lt;img&gt; \\*x\\* \\`y\\` \\[z\\](u) &#64;ann &amp; \\#1"
        );
    }

    #[test]
    fn code_is_closed_by_its_own_marks_alone() {
        assert_eq!(code("ralph run"), "`ralph run`");
        assert_eq!(code("a `b` c"), "`` a `b` c ``");
        assert_eq!(fence("no ticks"), "```");
        assert_eq!(fence("```` four"), "`````");
    }
}
