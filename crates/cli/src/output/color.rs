//! Whether to use colours.

use std::ffi::OsStr;

use review_config::ColorChoice;

use crate::environment::Environment;

/// What `RALPH_COLOR` asks for, read before it is checked: help and usage errors follow it.
pub(crate) fn of_variable(environment: &Environment) -> ColorChoice {
    let variable = environment.variable("RALPH_COLOR");
    let asked = variable.and_then(OsStr::to_str);
    let asked = asked.and_then(|word| word.parse().ok());
    asked.unwrap_or(ColorChoice::Auto)
}

/// Whether a stream gets colours.
pub(crate) fn colors(choice: ColorChoice, terminal: bool, environment: &Environment) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            terminal
                && !environment.is_set("NO_COLOR")
                && environment
                    .variable("TERM")
                    .is_none_or(|term| term != "dumb")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_for_terminals_unless_the_user_says_otherwise() {
        let none = Environment::of([]);
        let no_color = Environment::of([("NO_COLOR", "1")]);
        let empty = Environment::of([("NO_COLOR", "")]);
        let dumb = Environment::of([("TERM", "dumb")]);
        let cases = [
            (ColorChoice::Auto, true, &none, true),
            (ColorChoice::Auto, false, &none, false),
            (ColorChoice::Auto, true, &no_color, false),
            (ColorChoice::Auto, true, &empty, true),
            (ColorChoice::Auto, true, &dumb, false),
            (ColorChoice::Always, false, &no_color, true),
            (ColorChoice::Never, true, &none, false),
        ];
        for (choice, terminal, environment, expected) in cases {
            let got = colors(choice, terminal, environment);
            assert_eq!(got, expected, "{choice} {terminal} {environment:?}");
        }
    }
}
