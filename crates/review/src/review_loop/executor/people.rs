//! Hears what persons say.

use std::sync::Arc;

use super::{LoopExecutor, broken};
use crate::agent::{Applier, Reviewer};
use crate::people::Said;
use crate::review_loop::load::load_said;
use crate::review_loop::op::{News, ReviewOut, ToHear};
use review_flow::{ContentStore, Stop};

impl<R: Reviewer, A: Applier> LoopExecutor<'_, R, A> {
    /// What persons said since, added to what was heard before.
    pub(super) fn hear(&self, asked: &ToHear, texts: &ContentStore) -> Result<ReviewOut, Stop> {
        let said = load_said(texts, asked.people).map_err(broken)?;
        let mut said = Arc::unwrap_or_clone(said);
        let (new, heard) = match self.inbox {
            Some(inbox) => inbox.read(asked.heard).map_err(broken)?,
            None => (Vec::new(), asked.heard),
        };
        let approved_by = new.iter().find_map(|said| match said {
            Said::Approved { by } => Some(by.clone()),
            Said::Guided { .. } | Said::Settled(_) => None,
        });
        said.extend(new);
        let people = match said.is_empty() {
            true => None,
            false => Some(texts.put(serde_json::to_vec(&said).map_err(broken)?)),
        };
        Ok(ReviewOut::News(News {
            heard,
            people,
            count: u32::try_from(said.len()).unwrap_or(u32::MAX),
            approved_by,
        }))
    }
}
