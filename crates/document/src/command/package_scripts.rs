//! The scripts of a `package.json` that a command runs.

use super::{Invocation, Script};

/// Returns the names of the scripts of a `package.json` that a command runs: `npm test`,
/// `npm run check`.
pub fn package_scripts(script: &Script<'_>, run: &Invocation<'_>) -> Vec<String> {
    if !run.recipes.is_empty() {
        let names = run.recipes.iter().map(|word| word.text.to_string());
        return names.collect();
    }
    let words = script.commands().get(run.command);
    let words = words.map_or(&[][..], |command| &command.words);
    let mut texts = words.iter().map(|word| &*word.text);
    let is_manager = |name: &str| matches!(name, "npm" | "yarn" | "pnpm" | "bun");
    if !texts.by_ref().any(is_manager) {
        return Vec::new();
    }
    let mut plain = texts.filter(|text| !text.starts_with('-'));
    let name = match plain.next() {
        Some("run" | "run-script") => plain.next(),
        Some("t" | "tst") => Some("test"),
        name => name,
    };
    name.map(str::to_owned).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scripts_that_a_command_runs_are_known_by_their_names() {
        for (command, expected) in [
            ("npm test", "test"),
            ("npm t", "test"),
            ("cd web && yarn e2e", "e2e"),
            ("pnpm run test", "test"),
            ("npm --silent run-script check", "check"),
        ] {
            let script = Script::parse(command);
            let runs = script.invocations.iter();
            let names: Vec<_> = runs.flat_map(|run| package_scripts(&script, run)).collect();
            assert_eq!(names, [expected], "{command}");
        }
    }
}
