//! Rules that the kernel enforces for this process and all that it starts.
use landlock::{
    ABI, Access as _, AccessFs, BitFlags, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _,
    RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use super::{ConfineError, Grant, Grants};

/// The newest version of landlock that is asked for; an older kernel enforces less.
const NEWEST: ABI = ABI::V6;

pub(super) fn confine(grants: &Grants) -> Result<(), ConfineError> {
    match restrict(grants) {
        Ok(RulesetStatus::NotEnforced) => Err(ConfineError::NotEnforced),
        Ok(RulesetStatus::PartiallyEnforced | RulesetStatus::FullyEnforced) => Ok(()),
        Err(error) => Err(ConfineError::Refused(error.to_string())),
    }
}

fn restrict(grants: &Grants) -> Result<RulesetStatus, RulesetError> {
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?;
    for (path, grant) in grants.iter() {
        rules = rules.add_rules(path_beneath_rules([path], access(grant)))?;
    }
    Ok(rules.restrict_self()?.ruleset)
}

fn access(grant: Grant) -> BitFlags<AccessFs> {
    match grant {
        Grant::List => AccessFs::ReadDir.into(),
        Grant::Read => AccessFs::from_read(NEWEST),
        Grant::Write => AccessFs::from_all(NEWEST),
    }
}
