//! Reads the comments of users.

use std::sync::Arc;

use super::{LoopExecutor, broken};
use crate::agent::{Applier, Reviewer};
use crate::count;
use crate::people::Comment;
use crate::review_loop::load::load_comments;
use crate::review_loop::op::{NewComments, ReadCommentsArgs, ReviewOut};
use review_flow::{ContentStore, Stop};

impl<R: Reviewer, A: Applier> LoopExecutor<'_, R, A> {
    /// Reads the new comments, and appends them to the earlier ones.
    pub(super) fn read_comments(
        &self,
        asked: &ReadCommentsArgs,
        texts: &ContentStore,
    ) -> Result<ReviewOut, Stop> {
        let comments = load_comments(texts, asked.people).map_err(broken)?;
        let mut comments = Arc::unwrap_or_clone(comments);
        let (new, heard) = match self.parts.inbox {
            Some(inbox) => inbox.read(asked.heard).map_err(broken)?,
            None => (Vec::new(), asked.heard),
        };
        let approved_by = new.iter().find_map(|comment| match comment {
            Comment::Approved { by } => Some(by.clone()),
            Comment::Guided { .. } | Comment::Settled(_) => None,
        });
        comments.extend(new);
        let people = match comments.is_empty() {
            true => None,
            false => Some(texts.put(serde_json::to_vec(&comments).map_err(broken)?)),
        };
        Ok(ReviewOut::NewComments(NewComments {
            heard,
            people,
            count: count(comments.len()),
            approved_by,
        }))
    }
}
