//! What persons say to a loop, while it runs or after it ended.

use std::io;

use serde::{Deserialize, Serialize};

pub use crate::ledger::Settlement;

/// Something that a person said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// The artifact is to pass, whatever a reviewer says.
    Approved {
        /// Who says so.
        by: String,
    },
    /// What reviewer and applier are to heed.
    Guided {
        /// The words.
        text: String,
    },
    /// A finding counts, or does not.
    Settled(Settlement),
}

/// How far what persons said was heard, as places in the two files of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heard {
    /// In what was said to the run.
    pub run: u64,
    /// In what was said about findings.
    pub findings: u64,
}

/// What persons say.
pub trait Inbox: Send + Sync {
    /// What was said since `heard`, in order, and how far it reaches.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read(&self, heard: Heard) -> io::Result<(Vec<Said>, Heard)>;
}

/// The decisions on findings that hold: of several on one finding the last. A
/// waiver holds for every round; that a finding counts is noted once, where it
/// was said after the first `noted` things.
pub(crate) fn settlements(said: &[Said], noted: usize) -> Vec<Settlement> {
    let mut holding: Vec<(usize, &Settlement)> = Vec::new();
    for (at, said) in said.iter().enumerate() {
        if let Said::Settled(settlement) = said {
            holding.retain(|(_, before)| before.finding != settlement.finding);
            holding.push((at, settlement));
        }
    }
    let is_due = |(at, settlement): &(usize, &Settlement)| !settlement.counts || *at >= noted;
    let due = holding.into_iter().filter(is_due);
    due.map(|(_, settlement)| settlement.clone()).collect()
}

/// What persons want reviewer and applier to heed.
pub(crate) fn guidance(said: &[Said]) -> Vec<String> {
    let guided = said.iter().filter_map(|said| match said {
        Said::Guided { text } => Some(text.clone()),
        Said::Approved { .. } | Said::Settled(_) => None,
    });
    guided.collect()
}

#[cfg(test)]
mod tests {
    use review_types::FindingId;

    use super::*;

    fn settled(finding: &str, counts: bool, why: &str) -> Said {
        Said::Settled(Settlement {
            finding: FindingId::new(format!("f-{finding:0>12}")).unwrap(),
            counts,
            by: "ann".to_owned(),
            why: why.to_owned(),
            text: None,
            severity: None,
        })
    }

    #[test]
    fn of_decisions_on_one_finding_the_last_holds_and_a_waiver_for_ever() {
        let said = [
            settled("1", false, "a"),
            settled("2", true, "b"),
            settled("1", true, "c"),
            settled("3", false, "d"),
            Said::Guided {
                text: "be brief".to_owned(),
            },
        ];
        let whys = |noted| -> Vec<String> {
            let due = settlements(&said, noted).into_iter();
            due.map(|settlement| settlement.why).collect()
        };
        assert_eq!(whys(0), ["b", "c", "d"]);
        assert_eq!(whys(2), ["c", "d"]);
        assert_eq!(whys(5), ["d"]);
        assert_eq!(guidance(&said), ["be brief"]);
    }
}
