//! The instructions of the roles, which come in versions.

use std::num::NonZeroU32;

use review::events::AgentRole;
use review::types::Hash;
use review_flow::hash_bytes;

/// One version of the instructions of a role: plain text in which nothing is
/// filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RolePrompt {
    role: AgentRole,
    version: NonZeroU32,
    text: String,
}

impl RolePrompt {
    /// A version of the instructions of `role`.
    pub const fn new(role: AgentRole, version: NonZeroU32, text: String) -> Self {
        Self {
            role,
            version,
            text,
        }
    }

    /// The first version, which is part of the program.
    pub fn embedded(role: AgentRole) -> Self {
        let text = match role {
            AgentRole::Reviewer => include_str!("roles/reviewer.md"),
            AgentRole::Applier => include_str!("roles/applier.md"),
            AgentRole::Implementer => include_str!("roles/implementer.md"),
        };
        Self::new(role, NonZeroU32::MIN, text.to_owned())
    }

    /// The instructions for the review of a change of code, which come in one version.
    pub(crate) fn of_changes() -> Self {
        let text = include_str!("roles/change.md");
        Self::new(AgentRole::Reviewer, NonZeroU32::MIN, text.to_owned())
    }

    /// Whose instructions they are.
    pub const fn role(&self) -> AgentRole {
        self.role
    }

    /// Number of the version, from 1.
    pub const fn version(&self) -> NonZeroU32 {
        self.version
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Hash of the whole text.
    pub fn hash(&self) -> Hash {
        hash_bytes(self.text.as_bytes())
    }

    /// The instructions of a request, without the blanks at their end.
    pub(super) fn instructions(&self) -> &str {
        self.text.trim_end()
    }

    /// What a request in the form `form` was made from, such as
    /// `review/v10 reviewer/v1`.
    pub(crate) fn label(&self, form: &str) -> String {
        format!("{form} {}/v{}", self.role.as_str(), self.version)
    }
}

/// The instructions that the agents of a run are given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RolePrompts {
    /// Those of the reviewer.
    pub reviewer: RolePrompt,
    /// Those of the applier.
    pub applier: RolePrompt,
    /// Those of the implementer.
    pub implementer: RolePrompt,
}

impl Default for RolePrompts {
    fn default() -> Self {
        Self {
            reviewer: RolePrompt::embedded(AgentRole::Reviewer),
            applier: RolePrompt::embedded(AgentRole::Applier),
            implementer: RolePrompt::embedded(AgentRole::Implementer),
        }
    }
}

impl RolePrompts {
    /// That of a role.
    pub const fn of(&self, role: AgentRole) -> &RolePrompt {
        match role {
            AgentRole::Reviewer => &self.reviewer,
            AgentRole::Applier => &self.applier,
            AgentRole::Implementer => &self.implementer,
        }
    }

    /// All of them, in the order of the roles.
    pub fn iter(&self) -> impl Iterator<Item = &RolePrompt> {
        AgentRole::ALL.iter().map(|role| self.of(*role))
    }

    /// Puts a prompt in the place of that of its role.
    pub fn set(&mut self, prompt: RolePrompt) {
        match prompt.role {
            AgentRole::Reviewer => self.reviewer = prompt,
            AgentRole::Applier => self.applier = prompt,
            AgentRole::Implementer => self.implementer = prompt,
        }
    }
}
