//! Systems whose reports of changes are not used.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Change;

/// What is watched: nothing.
#[derive(Debug)]
pub(super) enum Watched {}

impl Watched {
    pub(super) const fn of(_root: &Path) -> Option<Self> {
        None
    }

    pub(super) fn renew(self, _wanted: BTreeSet<PathBuf>) -> Option<Self> {
        match self {}
    }

    pub(super) const fn follow(&mut self, _path: &Path) -> bool {
        match *self {}
    }

    pub(super) const fn changes(&mut self) -> Option<BTreeSet<Change>> {
        match *self {}
    }
}
