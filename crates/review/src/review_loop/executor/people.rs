//! Hears what persons say.

use review_types::Hash;

use super::{LoopExecutor, broken};
use crate::agent::{Applier, Reviewer};
use crate::engine::{Halt, MissingText, Texts};
use crate::people::Said;
use crate::review_loop::load::load_json;
use crate::review_loop::op::{News, ReviewOut, ToHear};

impl<R: Reviewer, A: Applier> LoopExecutor<'_, R, A> {
    /// What persons said since, added to what was heard before.
    pub(super) fn hear(&self, asked: &ToHear, texts: &Texts) -> Result<ReviewOut, Halt> {
        let mut said = load_said(asked.people, texts).map_err(broken)?;
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

/// What persons said, from its hash.
pub(super) fn load_said(people: Option<Hash>, texts: &Texts) -> Result<Vec<Said>, MissingText> {
    let said = people.map(|hash| load_json(texts, &hash));
    Ok(said.transpose()?.unwrap_or_default())
}
