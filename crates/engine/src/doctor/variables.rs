//! Variables that were meant for a key of the configuration, and set none.

use std::collections::BTreeMap;
use std::ffi::OsString;

use review_config::KEYS;
use review_document::near::nearest;
use review_report::doctor::{Check, CheckState};

const PREFIX: &str = "RALPH_";
/// The variables that a run gives its programs, without the prefix.
const OF_A_RUN: [&str; 6] = ["ITERATION", "ROLE", "ROOT", "RUN", "SPEC", "UNIT_DIR"];

/// A warning for each variable whose name is nearly that of a key's. Others may
/// belong to other programs.
pub(super) fn misspelt(env: &BTreeMap<OsString, OsString>) -> Vec<Check> {
    let known: Vec<String> = KEYS.iter().map(|key| key.variable.clone()).collect();
    let names = env.keys().filter_map(|name| name.to_str());
    let checks = names.filter_map(|name| {
        let word = name.strip_prefix(PREFIX)?;
        if OF_A_RUN.contains(&word) || known.iter().any(|known| known == name) {
            return None;
        }
        let words = known.iter().filter_map(|known| known.strip_prefix(PREFIX));
        let near = *nearest(word, words, 1).first()?;
        Some(Check::bad(
            "variable",
            CheckState::Warning,
            format!("{name} sets no key"),
            format!("did you mean {PREFIX}{near}?"),
        ))
    });
    checks.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_nearly_a_key_is_reported() {
        let variables = [
            "RALPH_REVIEW_PATIENC",
            "RALPH_REVIEW_PATIENCE",
            "RALPH_RUN",
            "RALPH_ROLE",
            "RALPH_ROOT",
            "RALPH_SPEC",
            "RALPH_UNIT_DIR",
            "RALPH_ITERATION",
            "RALPH_OF_SOMEBODY_ELSE",
            "REVIEW_PATIENC",
        ];
        let env = variables.map(|name| (name.into(), "1".into())).into();
        let checks = misspelt(&env);
        let checks: Vec<_> = checks
            .iter()
            .map(|check| (check.state, check.message.as_str(), check.hint.as_deref()))
            .collect();
        assert_eq!(
            checks,
            [(
                CheckState::Warning,
                "RALPH_REVIEW_PATIENC sets no key",
                Some("did you mean RALPH_REVIEW_PATIENCE?")
            )]
        );
    }
}
