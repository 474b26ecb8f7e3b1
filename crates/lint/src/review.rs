//! The report as a review, for the review loop.

use review_types::{FeedbackItem, Review, Severity as FeedbackSeverity, Verdict};

use crate::{Finding, Report, Severity};

/// No rule had anything to check, so the verdict is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no rule has anything to check; the embedded reviewer needs a Markdown file, or a unit with task files, in which rules are enabled"
)]
pub struct NothingChecked;

impl Report {
    /// Converts the report into a review. Every finding becomes an item of feedback:
    /// the section is its heading path, the issue names file, line and rule, and the
    /// suggestion is the content to write.
    ///
    /// # Errors
    /// [`NothingChecked`] without a verdict.
    pub fn review(&self) -> Result<Review, NothingChecked> {
        let verdict = self.verdict().ok_or(NothingChecked)?;
        let mut feedback: Vec<_> = self.items().map(|(_, item)| item).collect();
        if feedback.is_empty() && verdict == Verdict::NeedsRevision {
            feedback.extend(self.below_minimum().iter().filter_map(|&criterion| {
                let score = self.scores().get(criterion.as_str())?;
                FeedbackItem::new(
                    criterion.as_str(),
                    format!("The embedded reviewer scores {criterion} at {score} at most, which is below the configured minimum."),
                    format!("Lower the minimum of {criterion} to {score}, or use a reviewer with a model."),
                )
                .ok()
            }));
        }
        let review = Review::new(verdict, self.scores().clone(), feedback);
        let review = review.map_err(|_| NothingChecked)?;
        Ok(review.with_deductions(self.deductions().to_vec()))
    }

    /// Every finding with its item of feedback, the most severe first.
    pub fn items(&self) -> impl Iterator<Item = (&Finding, FeedbackItem)> {
        let mut findings: Vec<&Finding> = self.findings().iter().collect();
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        findings
            .into_iter()
            .filter_map(|finding| Some((finding, self.item(finding)?)))
    }

    fn item(&self, finding: &Finding) -> Option<FeedbackItem> {
        let place = if finding.heading.is_empty() {
            "Front matter".to_owned()
        } else {
            finding.heading.to_string()
        };
        let section = if self.has_several_files() {
            let file = finding.path.rsplit('/').next().unwrap_or(&finding.path);
            format!("{file} > {place}")
        } else {
            place
        };
        let issue = format!(
            "{} {}:{} [{}]",
            finding.message, finding.path, finding.position.line, finding.rule
        );
        let item = FeedbackItem::new(section, issue, finding.suggestion.as_str()).ok()?;
        Some(item.with_severity(feedback_severity(finding.severity)))
    }
}

/// The severity of a finding among those of other reviewers.
const fn feedback_severity(severity: Severity) -> FeedbackSeverity {
    match severity {
        Severity::Error => FeedbackSeverity::Critical,
        Severity::Warning => FeedbackSeverity::Minor,
        Severity::Info => FeedbackSeverity::Suggestion,
    }
}
