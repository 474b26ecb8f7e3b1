//! What depends on which backend reviews: the form of its answers, and whether
//! it is shown what the embedded rules find.

use review::schema::Dialect;
use serde::{Deserialize, Serialize};

use crate::backend::Backend;

/// The form in which programs of the user answer as reviewers.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum AnswerForm {
    /// Verdict, score and feedback.
    #[default]
    Verdict,
    /// An actionable-feedback document.
    Actionable,
}

impl AnswerForm {
    /// The form in which `reviewer` answers, where programs answer in this one.
    #[must_use]
    pub fn of(self, reviewer: &Backend) -> Dialect {
        match (self, reviewer) {
            (Self::Actionable, Backend::Cmd(_)) => Dialect::Actionable,
            (Self::Actionable | Self::Verdict, _) => reviewer.dialect(),
        }
    }
}

/// Which reviewers are shown what the embedded rules find, and cannot pass
/// against an error of theirs. The embedded reviewer itself needs no copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BuiltinFacts {
    /// Those that ask a language model.
    #[default]
    Models,
    /// All.
    All,
    /// None.
    Nobody,
}

impl From<bool> for BuiltinFacts {
    fn from(all: bool) -> Self {
        if all { Self::All } else { Self::Nobody }
    }
}

impl BuiltinFacts {
    /// Whether `reviewer` is shown them.
    #[must_use]
    pub fn are_for(self, reviewer: &Backend) -> bool {
        match self {
            Self::Models => reviewer.is_model(),
            Self::All => *reviewer != Backend::Builtin,
            Self::Nobody => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_of_answers_is_that_of_programs_alone() {
        for (backend, form, expected) in [
            ("cmd:./review", AnswerForm::Actionable, Dialect::Actionable),
            ("cmd:./review", AnswerForm::Verdict, Dialect::Verdict),
            ("builtin", AnswerForm::Actionable, Dialect::Verdict),
            ("opencode", AnswerForm::Actionable, Dialect::Afp),
        ] {
            let backend: Backend = backend.parse().expect("a backend");
            assert_eq!(form.of(&backend), expected, "{backend} {form:?}");
        }
    }
}
