//! The instructions that a run pins at its start.

use review::events::PinnedPrompt;
use review_agents::{RolePrompt, RolePrompts};
use review_flow::{ContentStore, LogError};

/// Keeps the prompts with the first record, and returns what it names.
pub(crate) fn pin<'a>(
    prompts: impl Iterator<Item = &'a RolePrompt>,
    texts: &ContentStore,
) -> Vec<PinnedPrompt> {
    let pin = |prompt: &RolePrompt| PinnedPrompt {
        role: prompt.role(),
        version: prompt.version(),
        hash: texts.put(prompt.text().as_bytes()),
    };
    prompts.map(pin).collect()
}

/// The instructions that a first record names; those of the program for a role
/// that it does not.
///
/// # Errors
/// When a prompt is missing.
pub(crate) fn pinned(
    pinned: &[PinnedPrompt],
    texts: &ContentStore,
) -> Result<RolePrompts, LogError> {
    let mut prompts = RolePrompts::default();
    for pin in pinned {
        let text = texts.get(&pin.hash)?;
        let text = String::from_utf8_lossy(&text).into_owned();
        prompts.set(RolePrompt::new(pin.role, pin.version, text));
    }
    Ok(prompts)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;
    use std::sync::Arc;

    use review::events::AgentRole;
    use review_flow::MemoryBlobs;

    use super::*;

    #[test]
    fn what_is_pinned_comes_back_and_the_rest_is_that_of_the_program() {
        let texts = ContentStore::new(Arc::new(MemoryBlobs::default()));
        let second = NonZeroU32::new(2).unwrap();
        let applier = RolePrompt::new(AgentRole::Applier, second, "Mind the ends.\n".to_owned());
        let mut prompts = RolePrompts::default();
        prompts.set(applier.clone());
        let record = pin(prompts.iter(), &texts);
        assert_eq!(record[1].hash, applier.hash());
        assert_eq!(pinned(&record, &texts).unwrap(), prompts);
        let reviewer = RolePrompt::embedded(AgentRole::Reviewer);
        let some = pinned(&record[1..], &texts).unwrap();
        assert_eq!((some.reviewer, some.applier), (reviewer, applier));
        assert_eq!(pinned(&[], &texts).unwrap(), RolePrompts::default());
    }
}
