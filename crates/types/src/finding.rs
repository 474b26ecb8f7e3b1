//! Findings: what reviewers raised over the rounds, and what became of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::closed_list;
use crate::name_type;
use crate::{FeedbackId, Hash, Severity};

name_type!(
    /// The id of a finding: `f-` and 12 hex digits, made of where it is and what
    /// it is about, so that it is the same in every run.
    FindingId,
    "a finding id",
    "f- and 12 hex digits",
    is_finding_id
);

fn is_finding_id(text: &str) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let digits = text.strip_prefix("f-");
    digits.is_some_and(|digits| digits.len() == 12 && digits.bytes().all(is_digit))
}

impl FindingId {
    /// The id that begins as a hash does.
    #[must_use]
    pub fn of(hash: &Hash) -> Self {
        Self(format!("f-{}", hash.short()))
    }
}

closed_list!(
    /// Where a finding stands.
    FindingStatus {
        /// It is to be met.
        Open => "open",
        /// It was met.
        Fixed => "fixed",
        /// It was met in part.
        Partial => "partial",
        /// The applier refused it.
        Rejected => "rejected",
        /// The reviewer raised it again after the applier had refused it.
        Disputed => "disputed",
        /// A person decided that it does not count.
        Waived => "waived",
    }
);

impl FindingStatus {
    /// Whether a finding that stands so makes its round worse.
    #[must_use]
    pub const fn counts(self) -> bool {
        match self {
            Self::Open | Self::Partial | Self::Rejected | Self::Disputed => true,
            Self::Fixed | Self::Waived => false,
        }
    }

    /// Whether a finding that stands so is given to the applier when it is
    /// raised, and alone keeps an artifact from passing.
    #[must_use]
    pub const fn blocks(self) -> bool {
        match self {
            Self::Open | Self::Fixed | Self::Partial | Self::Rejected => true,
            Self::Disputed | Self::Waived => false,
        }
    }
}

/// Whole lines of a file, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lines {
    /// The first of them.
    pub first: u32,
    /// The last of them, not before the first.
    pub last: u32,
}

/// Where in the artifact a finding is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FindingPlace {
    /// The file; `None` where the reviewer named none that could be told.
    pub path: Option<String>,
    /// The headings above it, outermost first.
    pub headings: Vec<String>,
    /// The lines, as the reviewer saw them last; `None` for a whole file, and
    /// where they could not be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub lines: Option<Lines>,
    /// Hash of the text there, as the reviewer saw it last.
    pub text: Option<Hash>,
    /// What stands around the lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub context: Option<LineContext>,
}

/// The lines around a place that are not blank, each without the blanks around
/// it and at most 200 bytes of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LineContext {
    /// The last one before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub before: Option<String>,
    /// The first one behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub after: Option<String>,
}

/// A change of where a finding stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FindingChange {
    /// Number of the round, from 1.
    pub round: u32,
    /// Where it stands since then.
    pub status: FindingStatus,
    /// Why, in words of the one who decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The person who decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Whether it was concluded from what changed, since nobody said so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inferred: bool,
}

/// Something that reviewers raised, over all rounds in which they did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// Its id.
    pub id: FindingId,
    /// Where it stands.
    pub status: FindingStatus,
    /// Whether it is about another file, or about lines that did not change
    /// since the base of the run, so that it does not count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub out_of_scope: bool,
    /// Whether its severity is below the fail level of the run, so that it asks
    /// for no revision.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub below_fail_level: bool,
    /// Whether a rule, a check of the project or a user has confirmed it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub proved: bool,
    /// Where it is, as the reviewer named it last.
    pub section: String,
    /// The same as far as it was found in the artifact.
    pub place: FindingPlace,
    /// What is wrong, in the words of the first time.
    pub issue: String,
    /// What to do about it, in the words of the last time.
    pub suggestion: String,
    /// How much it matters: as a reviewer said last, else by the verdict that it
    /// came with.
    pub severity: Severity,
    /// The rounds in which it was raised, the last 16 of them.
    pub raised: Vec<u32>,
    /// How often it was raised again after it was fixed and nothing had changed
    /// at its place.
    pub repeats: u32,
    /// The ids under which it was given to the applier last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feedback: Vec<FeedbackId>,
    /// How it came to stand where it does, the last 32 changes.
    pub history: Vec<FindingChange>,
}

/// How many findings there are, those out of scope left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FindingCounts {
    /// All of them, by where they stand.
    pub status: BTreeMap<FindingStatus, u32>,
    /// Those that make the round worse, by how much they matter.
    pub severity: BTreeMap<Severity, u32>,
}

impl FindingCounts {
    /// Counts findings.
    #[must_use]
    pub fn of(findings: &[Finding]) -> Self {
        let mut counts = Self::default();
        for finding in findings.iter().filter(|finding| !finding.out_of_scope) {
            *counts.status.entry(finding.status).or_default() += 1;
            if finding.counts() {
                *counts.severity.entry(finding.severity).or_default() += 1;
            }
        }
        counts
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.status.is_empty()
    }

    /// How many make the round worse.
    #[must_use]
    pub fn counting(&self) -> u32 {
        self.severity.values().sum()
    }
}

impl Finding {
    /// Whether it makes the present round worse.
    #[must_use]
    pub const fn counts(&self) -> bool {
        !self.out_of_scope && self.status.counts()
    }

    /// Whether it alone keeps an artifact from passing when it is raised.
    #[must_use]
    pub const fn blocks(&self) -> bool {
        self.is_for_appliers() && !self.below_fail_level
    }

    /// Whether an applier may be asked to settle it when it is raised.
    #[must_use]
    pub const fn is_for_appliers(&self) -> bool {
        !self.out_of_scope && self.status.blocks()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_f_and_12_digits() {
        let hash = Hash::from_bytes([0xab; 32]);
        assert_eq!(FindingId::of(&hash).as_str(), "f-abababababab");
        assert!(FindingId::new("f-0123456789ab").is_ok());
        for text in [
            "",
            "f-",
            "f-0123456789a",
            "f-0123456789abc",
            "g-0123456789ab",
            "f-0123456789aB",
        ] {
            assert!(FindingId::new(text).is_err(), "{text}");
        }
    }

    #[test]
    fn findings_out_of_scope_are_not_counted_and_settled_ones_by_status_alone() {
        use FindingStatus::{Disputed, Fixed, Open, Waived};
        use Severity::{Critical, Major, Minor};
        let finding = |status, severity, out_of_scope| Finding {
            id: FindingId::new("f-0123456789ab").unwrap(),
            status,
            out_of_scope,
            below_fail_level: false,
            proved: false,
            section: String::new(),
            place: FindingPlace::default(),
            issue: String::new(),
            suggestion: String::new(),
            severity,
            raised: vec![1],
            repeats: 0,
            feedback: Vec::new(),
            history: Vec::new(),
        };
        let counts = FindingCounts::of(&[
            finding(Open, Critical, false),
            finding(Open, Major, false),
            finding(Disputed, Major, false),
            finding(Fixed, Minor, false),
            finding(Waived, Critical, false),
            finding(Open, Critical, true),
        ]);
        let expected = FindingCounts {
            status: [(Open, 2), (Disputed, 1), (Fixed, 1), (Waived, 1)].into(),
            severity: [(Critical, 1), (Major, 2)].into(),
        };
        assert_eq!((counts.counting(), counts), (3, expected));
    }

    #[test]
    fn what_is_disputed_counts_and_does_not_block() {
        let words = |holds: fn(FindingStatus) -> bool| -> Vec<&str> {
            let all = FindingStatus::ALL.iter().filter(|status| holds(**status));
            all.map(|status| status.as_str()).collect()
        };
        assert_eq!(
            words(FindingStatus::counts),
            ["open", "partial", "rejected", "disputed"]
        );
        assert_eq!(
            words(FindingStatus::blocks),
            ["open", "fixed", "partial", "rejected"]
        );
    }
}
