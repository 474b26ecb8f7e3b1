//! The machine's handling of an answer whose prompt did not arrive.

use review_events::AgentRole;
use review_types::{AgentError, Failure, Hash};

use super::{NextStep, ReviewMachine};
use crate::delivery::Undelivered;
use crate::review_loop::notice::ReviewNotice;
use crate::review_loop::op::RetryOf;

impl ReviewMachine {
    /// Asks the reviewer again within the retries of the round, then the next one of the
    /// chain, then ends the loop.
    pub(super) fn on_unread(&mut self, undelivered: Undelivered, answer: Hash) -> NextStep {
        let link = self.config.reviewers.get(self.reviewer);
        let why = undelivered.message(link.map_or("the reviewer", |link| &link.name));
        self.malformed += 1;
        self.notices.push(ReviewNotice::Malformed {
            subject: self.subject(),
            answer,
            parse_error: format!("the prompt did not arrive: {why}"),
            retry_number: self.malformed,
        });
        if let Some(left) = self.retries.checked_sub(1) {
            self.retries = left;
            self.retry = Some(RetryOf {
                field: "prompt".to_owned(),
                message: format!("{why}; read all of it, to its last line, before you judge"),
                answer,
            });
            return self.ask();
        }
        if let Some(next) = self.config.reviewers.get(self.reviewer + 1) {
            let by = next.name.clone();
            return self.replace(AgentError::new(Failure::Unread, why), by);
        }
        let message = format!(
            "the reviewer did not receive the text that it judged, also when asked again: {why}"
        );
        self.give_up(
            AgentRole::Reviewer,
            AgentError::new(Failure::Unread, message),
        )
    }
}
