//! Whether to use colours.

use std::ffi::OsStr;
use std::fmt;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::environment::Environment;

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl ColorChoice {
    /// What the command line asks for, else `RALPH_COLOR`, read before either
    /// is checked. Help and usage errors follow it; what cannot be read is told
    /// where it is checked.
    pub(crate) fn asked(environment: &Environment) -> Self {
        let read = |word: &str| Self::from_str(word, false).ok();
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
        asked.unwrap_or_default()
    }

    /// Whether a stream that is a terminal, or is none, gets colours.
    pub(crate) fn colors(self, terminal: bool, environment: &Environment) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                terminal
                    && !environment.is_set("NO_COLOR")
                    && environment
                        .variable("TERM")
                        .is_none_or(|term| term != "dumb")
            }
        }
    }

    /// The word on the command line and in the configuration.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }
    }
}

impl fmt::Display for ColorChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_for_terminals_unless_somebody_says_otherwise() {
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
            let got = choice.colors(terminal, environment);
            assert_eq!(got, expected, "{choice} {terminal} {environment:?}");
        }
    }
}
