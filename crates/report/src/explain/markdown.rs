//! Explanations as a page in Markdown.

use super::{Entry, Kind};

/// Returns one entry as a page of its own; several as a page with a table of those
/// that are rules, and a section for each.
#[must_use]
pub fn markdown(entries: &[Entry]) -> String {
    if let [entry] = entries {
        return section(entry, 1);
    }
    let mut page = String::new();
    for kind in Kind::ALL {
        let of_kind = || entries.iter().filter(|entry| entry.kind == kind);
        if of_kind().next().is_none() {
            continue;
        }
        let blank = if page.is_empty() { "" } else { "\n" };
        page.push_str(&format!("{blank}# {}\n", kind.heading()));
        page.push_str(&table(of_kind()));
        for entry in of_kind() {
            page.push('\n');
            page.push_str(&section(entry, 2));
        }
    }
    page
}

/// The rules in a table; empty for anything else.
fn table<'a>(entries: impl Iterator<Item = &'a Entry>) -> String {
    let mut table = String::new();
    for entry in entries {
        let (Some(rule), Some(name)) = (entry.rule, entry.name) else {
            continue;
        };
        if table.is_empty() {
            table.push_str("\n| code | name | severity | criterion | fix | finds |\n");
            table.push_str("|---|---|---|---|---|---|\n");
        }
        let (code, fixes) = (&entry.code, rule.fixes());
        let anchor = format!("{}-{name}", code.to_lowercase());
        table.push_str(&format!(
            "| [{code}](#{anchor}) | `{name}` | {} | {} | {fixes} | {} |\n",
            rule.severity,
            rule.criterion,
            entry.summary.replace('|', "\\|")
        ));
    }
    table
}

/// An entry under a heading of this level.
fn section(entry: &Entry, level: usize) -> String {
    let mut section = format!("{} {}", "#".repeat(level), entry.code);
    if let Some(name) = entry.name {
        section.push_str(&format!(" {name}"));
    }
    section.push_str("\n\n");
    if let Some(rule) = entry.rule {
        section.push_str(&format!("*{}*\n\n", rule.line()));
    }
    section.push_str(&format!("{}\n", entry.summary));
    if !entry.text.is_empty() {
        section.push('\n');
        section.push_str(&below(&entry.text, level));
    }
    section
}

/// A string whose headings begin with level two, as part of a section of this
/// level. Code stays as it is.
fn below(text: &str, level: usize) -> String {
    let mut moved = String::with_capacity(text.len());
    let mut in_code = false;
    for line in text.split_inclusive('\n') {
        in_code ^= line.trim_start().starts_with("```");
        if is_heading(line) && !in_code {
            moved.push_str(&"#".repeat(level.saturating_sub(1)));
        }
        moved.push_str(line);
    }
    moved
}

/// Whether a line is a heading: `#1` at its start is not.
fn is_heading(line: &str) -> bool {
    let text = line.trim_start_matches('#');
    text.len() < line.len() && text.starts_with(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_move_below_their_section_and_code_stays() {
        let text = "## A\n\n#1 first\n\n```markdown\n## B\n```\n\n## C\n";
        let moved = "### A\n\n#1 first\n\n```markdown\n## B\n```\n\n### C\n";
        assert_eq!(below(text, 2), moved);
        assert_eq!(below(text, 1), text);
    }
}
