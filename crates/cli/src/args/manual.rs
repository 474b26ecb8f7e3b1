//! What the help of a command ends with are the examples of its section of the manual.

use std::collections::HashMap;

use clap::Command;

const PAGE: &str = include_str!("../../../../docs/reference/commands.md");

/// Gives each command the end of its help.
pub(crate) fn with_sections(command: Command) -> Command {
    let sections: HashMap<_, _> = sections().collect();
    command.mut_subcommands(|below| with_section(below, "", &sections))
}

/// The sections of the page, by the words of their commands.
fn sections() -> impl Iterator<Item = (&'static str, &'static str)> {
    let sections = PAGE.split("\n### ralph ").skip(1);
    sections.filter_map(|section| section.split_once('\n'))
}

fn with_section(command: Command, above: &str, sections: &HashMap<&str, &str>) -> Command {
    let words = format!("{above}{}", command.get_name());
    let command = match sections.get(&*words) {
        Some(section) => command.after_help(examples(section)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_a_section_are_its_commands() {
        let section = "\nRuns a spec.\n\n```console\n$ ralph run A \\\n    --once\n$ ralph run B  # again\n```\n\nThen `x`.\n";
        assert_eq!(
            examples(section),
            "Examples:\n  ralph run A \\\n      --once\n  ralph run B  # again"
        );
    }
}
