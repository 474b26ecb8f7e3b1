//! Reads the comments of users.

use std::sync::Arc;

use super::{LoopExecutor, broken, put_json};
use crate::agent::{Applier, Reviewer};
use crate::count;
use crate::people::Comment;
use crate::review_loop::load::load_comments;
use crate::review_loop::op::{NewComments, ReadComments, ReviewOut};
use review_flow::{ContentStore, Stop};

impl<R: Reviewer, A: Applier> LoopExecutor<'_, R, A> {
    /// Reads the new comments, and appends them to the earlier ones.
    pub(super) fn read_comments(
        &self,
        asked: ReadComments,
        texts: &ContentStore,
    ) -> Result<ReviewOut, Stop> {
        let comments = load_comments(texts, asked.all).map_err(broken)?;
        let mut comments = Arc::unwrap_or_clone(comments);
        let (new, until) = match self.parts.inbox {
            Some(inbox) => inbox.read(asked.until).map_err(broken)?,
            None => (Vec::new(), asked.until),
        };
        let approved_by = new.iter().find_map(|comment| match comment {
            Comment::Approved { by } => Some(by.clone()),
            Comment::Guided { .. } | Comment::Settled(_) => None,
        });
        comments.extend(new);
        let all = match comments.is_empty() {
            true => None,
            false => Some(put_json(texts, &comments)?),
        };
        let count = count(comments.len());
        Ok(ReviewOut::NewComments(NewComments {
            read: ReadComments { until, all, count },
            approved_by,
        }))
    }
}
