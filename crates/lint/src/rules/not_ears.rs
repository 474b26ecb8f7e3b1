//! R6.

use crate::ears::deviation;
use crate::facts::Facts;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds requirements with an id that follow no pattern of EARS, the Easy
    /// Approach to Requirements Syntax. It is on with the profile `ears`.
    ///
    /// ## What it does
    /// Checks that each requirement has one `shall`, that something is named
    /// that shall do it, and that its conditions come first, each with
    /// its keyword:
    ///
    /// - `The <system> shall <response>.`
    /// - `When <event>, the <system> shall <response>.`
    /// - `While <state>, the <system> shall <response>.`
    /// - `Where <feature>, the <system> shall <response>.`
    /// - `If <fault>, then the <system> shall <response>.`
    ///
    /// Several conditions come in the order feature, state, event or fault.
    /// The case of the words does not count.
    ///
    /// ## Why is this bad
    /// Without a pattern it stays open when a requirement holds, who meets it,
    /// and where one requirement ends and the next begins.
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
        summary: "A requirement follows no pattern of EARS.",
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
                        format!("`{}` {}.", id.text, found.fault()),
                        found.advice(),
                    );
                }
            }
        }
    }
}
