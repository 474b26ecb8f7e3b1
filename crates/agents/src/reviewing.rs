//! The form in which a backend answers as a reviewer.

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
    pub fn of(self, reviewer: &Backend) -> Dialect {
        match (self, reviewer) {
            (Self::Actionable, Backend::Cmd(_)) => Dialect::Actionable,
            (Self::Actionable | Self::Verdict, _) => reviewer.dialect(),
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
