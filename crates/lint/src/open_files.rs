//! The files in which rules are enabled.

use std::collections::{BTreeMap, BTreeSet};

use review_document::workspace::Workspace;

use crate::facts::Facts;
use crate::sink::Sink;
use crate::{Rule, Settings};

/// A workspace reduced to the files in which a rule is enabled.
pub(crate) struct OpenFiles<'a> {
    workspace: &'a Workspace,
    settings: &'a Settings,
    /// The reduced workspaces, by the files that are left out.
    rests: BTreeMap<BTreeSet<&'a str>, Workspace>,
}

impl<'a> OpenFiles<'a> {
    pub(crate) fn new(workspace: &'a Workspace, settings: &'a Settings) -> Self {
        Self {
            workspace,
            settings,
            rests: BTreeMap::new(),
        }
    }

    /// Whether a rule that checked something did so in a file in which it is enabled.
    pub(crate) fn is_enabled(&mut self, rule: Rule) -> bool {
        let documents = &self.workspace.documents;
        let paths = documents.iter().map(|document| document.path.as_str());
        let is_off = |path: &&str| self.settings.ignores_in(path, rule);
        let off: BTreeSet<&str> = paths.filter(is_off).collect();
        if off.is_empty() {
            return true;
        }
        let workspace = self.workspace;
        let rest = self.rests.entry(off);
        let rest = rest.or_insert_with_key(|off| without(workspace, off));
        let mut sink = Sink::new(rule);
        rule.check()(&Facts::new(rest, self.settings), &mut sink);
        sink.looked() > 0
    }
}

fn without(workspace: &Workspace, off: &BTreeSet<&str>) -> Workspace {
    let mut rest = workspace.clone();
    rest.documents
        .retain(|document| !off.contains(document.path.as_str()));
    if let Some(unit) = &mut rest.unit {
        unit.tasks.retain(|task| !off.contains(task.path.as_str()));
        unit.plan.take_if(|plan| off.contains(plan.path.as_str()));
    }
    rest
}
