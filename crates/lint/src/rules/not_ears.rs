//! R6.

use crate::ears::deviation;
use crate::facts::Facts;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds requirements with an id that match no pattern of EARS, the Easy Approach
    /// to Requirements Syntax. The rule is enabled by the profile `ears`.
    ///
    /// ## What it does
    /// Checks that each requirement has one `shall`, names the system, and states its
    /// conditions first, each with its keyword:
    ///
    /// - `The <system> shall <response>.`
    /// - `When <event>, the <system> shall <response>.`
    /// - `While <state>, the <system> shall <response>.`
    /// - `Where <feature>, the <system> shall <response>.`
    /// - `If <fault>, then the <system> shall <response>.`
    ///
    /// Several conditions must be in the order feature, state, event or fault. Case is
    /// ignored.
    ///
    /// ## Why is this bad
    /// Without a pattern it is unclear when a requirement applies, which system meets
    /// it, and where one requirement ends and the next starts.
    ///
    /// ## Example
    /// `FR-1: Reads are counted when the store is open.`
    ///
    /// ## Fix
    /// `FR-1: While the store is open, the store shall count reads.`
    NotEars {
        code: "R6",
        name: "not-ears",
        criterion: Testability,
        severity: Info,
        summary: "A requirement matches no pattern of EARS.",
    }
}

impl NotEars {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        for requirements in facts.requirements() {
            for (requirement, id) in requirements.with_id() {
                sink.look_at(1);
                if let Some(found) = deviation(&requirements.plain_text(requirement)) {
                    sink.push(
                        requirements.document,
                        id.span,
                        format!("`{}` {}.", id.text, found.problem()),
                        found.advice(),
                    );
                }
            }
        }
    }
}
