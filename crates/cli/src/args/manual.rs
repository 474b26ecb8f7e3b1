//! What the help of a command ends with is its section of the manual: the examples, and
//! in `ralph help COMMAND` all of it.

use std::collections::HashMap;

use clap::Command;

const PAGE: &str = include_str!("../../../../docs/reference/commands.md");

/// Gives each command the end of its help.
pub(crate) fn with_sections(command: Command) -> Command {
    let sections: HashMap<_, _> = sections().collect();
    command.mut_subcommands(|below| with_section(below, "", &sections))
}

/// The first example of a command that has all these options, else its first one.
pub(crate) fn example(words: &[String], options: &[&String]) -> Option<String> {
    let (_, section) = sections().find(|(name, _)| *name == words.join(" "))?;
    let shown = examples(section);
    let has_options = |line: &&str| options.iter().all(|option| line.contains(&***option));
    let line = shown
        .lines()
        .skip(1)
        .find(has_options)
        .or_else(|| shown.lines().nth(1))?;
    Some(line.trim().split("  #").next()?.trim_end().to_owned())
}

/// The sections of the page, by the words of their commands.
fn sections() -> impl Iterator<Item = (&'static str, &'static str)> {
    let sections = PAGE.split("\n### ralph ").skip(1);
    sections.filter_map(|section| section.split_once('\n'))
}

fn with_section(command: Command, above: &str, sections: &HashMap<&str, &str>) -> Command {
    let words = format!("{above}{}", command.get_name());
    let command = match sections.get(&*words) {
        Some(section) => command
            .after_help(examples(section))
            .after_long_help(format!("{}\n\n{}", prose(section), examples(section))),
        None => command,
    };
    let above = format!("{words} ");
    command.mut_subcommands(|below| with_section(below, &above, sections))
}

/// The commands of a section.
fn examples(section: &str) -> String {
    let mut shown = "Examples:".to_owned();
    for block in section.split("```console\n").skip(1) {
        let commands = block.split("```").next().unwrap_or_default();
        for line in commands.lines() {
            shown.push_str("\n  ");
            shown.push_str(line.strip_prefix("$ ").unwrap_or(line));
        }
    }
    shown
}

/// The paragraphs of a section, without its commands and the targets of its links.
fn prose(section: &str) -> String {
    let section = section.split("\n## ").next().unwrap_or_default();
    let outside = section.split("```").step_by(2);
    let paragraphs = outside.flat_map(|text| text.split("\n\n"));
    let paragraphs = paragraphs.map(str::trim).filter(|text| !text.is_empty());
    let plain = paragraphs.map(|paragraph| {
        let mut plain = String::new();
        for piece in paragraph.split("](") {
            let after_target = match plain.is_empty() {
                true => piece,
                false => piece.split_once(')').map_or("", |(_, after)| after),
            };
            plain.push_str(&after_target.replace('[', ""));
        }
        plain
    });
    plain.collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_its_prose_without_links_and_its_commands() {
        let section = "\nRuns [a spec](a.md#b) and [more](c.md).\n\n```console\n$ ralph run A \\\n    --once\n$ ralph run B  # again\n```\n\nThen `x`.\n\n## Next\n";
        assert_eq!(
            prose(section),
            "Runs a spec and more.\n\nThen `x`.".to_owned()
        );
        assert_eq!(
            examples(section),
            "Examples:\n  ralph run A \\\n      --once\n  ralph run B  # again"
        );
    }
}
