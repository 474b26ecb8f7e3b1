//! Findings: the issues that reviewers raised over the rounds, and their status.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::closed_list;
use crate::name_type;
use crate::{FeedbackId, Hash, ReasonCode, Severity};

name_type!(
    /// The id of a finding: `f-` and 12 hex digits, derived from its place and
    /// its subject, so that it is the same in every run.
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
    /// Returns the id with the first digits of a hash.
    #[must_use]
    pub fn of(hash: &Hash) -> Self {
        Self(format!("f-{}", hash.short()))
    }
}

closed_list!(
    /// The status of a finding.
    FindingStatus {
        /// It is not fixed yet.
        Open => "open",
        /// It was fixed.
        Fixed => "fixed",
        /// It was partly fixed.
        Partial => "partial",
        /// The applier rejected it.
        Rejected => "rejected",
        /// The reviewer raised it again after the applier had rejected it.
        Disputed => "disputed",
        /// A user decided that it does not count.
        Waived => "waived",
        /// It was raised again in other words, as a finding that names it in `similar_to`.
        Reworded => "reworded",
    }
);

impl FindingStatus {
    /// Returns whether a finding with this status makes its round worse.
    pub const fn counts(self) -> bool {
        match self {
            Self::Open | Self::Partial | Self::Rejected | Self::Disputed => true,
            Self::Fixed | Self::Waived | Self::Reworded => false,
        }
    }

    /// Returns whether a finding with this status is given to the applier when it is
    /// raised, and on its own blocks a pass.
    pub const fn blocks(self) -> bool {
        match self {
            Self::Open | Self::Fixed | Self::Partial | Self::Rejected => true,
            Self::Disputed | Self::Waived | Self::Reworded => false,
        }
    }
}

/// Whole lines of a file, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Lines {
    /// The first line.
    pub first: u32,
    /// The last line, not before the first.
    pub last: u32,
}

/// The place of a finding in the artifact.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FindingPlace {
    /// The file; `None` if the reviewer named none that is known.
    pub path: Option<String>,
    /// The headings above it, outermost first.
    pub headings: Vec<String>,
    /// The lines, as the reviewer last saw them; `None` for a whole file, and
    /// if they are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub lines: Option<Lines>,
    /// Hash of the content there, as the reviewer last saw it.
    pub text: Option<Hash>,
}

/// A change of the status of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FindingChange {
    /// Number of the round, from 1.
    pub round: u32,
    /// The status since then.
    pub status: FindingStatus,
    /// The reason, in the words of the user who decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The reason that the applier gave, as a word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason_code: Option<ReasonCode>,
    /// The user who decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Whether it was inferred from the changes, without an explicit decision.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inferred: bool,
}

closed_list! {
    /// What shows that a finding is about the artifact.
    #[derive(Default)]
    FindingEvidence {
        /// A rule, a check of the project or a user has confirmed it.
        Proved => "proved",
        /// The words that its reviewer quotes occur in the artifact.
        Quoted => "quoted",
        /// Its reviewer quotes nothing, or too little to be found.
        #[default]
        Unquoted => "unquoted",
        /// The words that its reviewer quotes do not occur in the artifact.
        Misquoted => "misquoted",
    }
}

/// An issue that reviewers raised, over all rounds in which they did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Finding {
    /// Its id.
    pub id: FindingId,
    /// The finding of an earlier round that it resembles: it counts as raised again, and no
    /// decision on that one covers it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub similar_to: Option<FindingId>,
    /// Its status.
    pub status: FindingStatus,
    /// Whether it is about another file, or about lines that did not change
    /// since the base of the run, so that it does not count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub out_of_scope: bool,
    /// Whether its severity is below the fail level of the run, so that it
    /// blocks nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub below_fail_level: bool,
    /// What shows that it is about the artifact.
    #[serde(default)]
    pub evidence: FindingEvidence,
    /// The words of the artifact that its reviewer last quoted, as written there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub quote: Option<String>,
    /// Whether the artifact at its place was changed by the applier that last reported it as
    /// fixed, or as fixed in part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub changed_at_place: Option<bool>,
    /// The section, as the reviewer last named it.
    pub section: String,
    /// The place that this section was found at in the artifact.
    pub place: FindingPlace,
    /// The issue, in the words of its first round.
    pub issue: String,
    /// The suggested fix, in the words of its last round.
    pub suggestion: String,
    /// The severity: as the reviewer last gave it, or else by the verdict that it
    /// came with.
    pub severity: Severity,
    /// The rounds in which it was raised, the last 16 of them.
    pub raised: Vec<u32>,
    /// How often it was raised again after it was fixed, without a change at its
    /// place.
    pub repeats: u32,
    /// The ids under which it was last given to the applier.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feedback: Vec<FeedbackId>,
    /// The last 32 changes of its status.
    pub history: Vec<FindingChange>,
}

/// The number of findings, without those out of scope.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FindingCounts {
    /// All of them, by status.
    pub status: BTreeMap<FindingStatus, u32>,
    /// Those of the fixed ones that the applier rejected, and no later review raised.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(default)]
    pub dropped: u32,
    /// Those that make the round worse, by severity.
    pub severity: BTreeMap<Severity, u32>,
    /// All of them, by evidence.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(default)]
    pub evidence: BTreeMap<FindingEvidence, u32>,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl FindingCounts {
    /// Counts findings.
    #[must_use]
    pub fn of(findings: &[Finding]) -> Self {
        let mut counts = Self::default();
        for finding in findings.iter().filter(|finding| !finding.out_of_scope) {
            *counts.status.entry(finding.status).or_default() += 1;
            counts.dropped += u32::from(finding.is_dropped());
            *counts.evidence.entry(finding.evidence).or_default() += 1;
            if finding.counts() {
                *counts.severity.entry(finding.severity).or_default() += 1;
            }
        }
        counts
    }

    /// Returns whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.status.is_empty()
    }
}

impl Finding {
    /// Returns whether the applier rejected it, and a review that passed did not raise it.
    fn is_dropped(&self) -> bool {
        let mut history = self.history.iter().rev();
        let mut was = |status| history.next().is_some_and(|change| change.status == status);
        self.status == FindingStatus::Fixed
            && was(FindingStatus::Fixed)
            && was(FindingStatus::Rejected)
    }

    /// Returns whether it makes the current round worse.
    pub const fn counts(&self) -> bool {
        !self.out_of_scope && self.status.counts()
    }

    /// Returns whether it blocks a pass on its own when it is raised.
    pub const fn blocks(&self) -> bool {
        self.is_for_appliers() && !self.below_fail_level
    }

    /// Returns whether a rule, a check of the project or a user has confirmed it.
    pub const fn is_proved(&self) -> bool {
        matches!(self.evidence, FindingEvidence::Proved)
    }

    /// Returns whether it is given to an applier when it is raised.
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
    fn findings_out_of_scope_are_not_counted_and_decided_ones_by_status_alone() {
        use FindingStatus::{Disputed, Fixed, Open, Waived};
        use Severity::{Critical, Major, Minor};
        let finding = |status, severity, out_of_scope| Finding {
            id: FindingId::new("f-0123456789ab").unwrap(),
            similar_to: None,
            status,
            out_of_scope,
            below_fail_level: false,
            evidence: FindingEvidence::default(),
            quote: None,
            changed_at_place: None,
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
            evidence: [(FindingEvidence::Unquoted, 5)].into(),
            dropped: 0,
        };
        assert_eq!(counts, expected);
    }

    #[test]
    fn a_disputed_finding_counts_but_does_not_block() {
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
