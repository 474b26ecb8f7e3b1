//! Whether to use colours.

use std::ffi::OsStr;

use review_config::ColorChoice;

use crate::environment::Environment;

/// What the command line asks for, else `RALPH_COLOR`, read before either is
/// checked. Help and usage errors follow it; what cannot be read is reported
/// where it is checked.
pub(crate) fn asked(environment: &Environment) -> ColorChoice {
    let read = |word: &str| word.parse().ok();
    let variable = environment.variable("RALPH_COLOR");
    let mut asked = variable.and_then(OsStr::to_str).and_then(read);
    let words = environment.arguments().iter().skip(1);
    let mut words = words.take_while(|word| *word != "--");
    while let Some(word) = words.next() {
        let value = match word.strip_prefix("--color") {
            Some("") => words.next().map(String::as_str),
            Some(rest) => rest.strip_prefix('='),
            None => None,
        };
        asked = value.and_then(read).or(asked);
    }
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
