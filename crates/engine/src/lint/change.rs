//! Which batches a change concerns.

use std::collections::BTreeSet;

use review_config::FILE_NAME;

/// What is different since the last check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The files that were written, relative to the root.
    pub written: BTreeSet<String>,
    /// Whether other files are to be checked, or other files belong together.
    pub selection: bool,
    /// Whether there is anything else around the files that are checked: other
    /// files, plans, sections of specs, packages or recipes.
    pub around: bool,
}

/// What has to be checked again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Concern {
    /// Everything, with the configuration read again.
    Anew,
    /// These batches; there may be none.
    Batches(Vec<usize>),
}

impl Change {
    /// What it concerns among batches with these files.
    #[must_use]
    pub fn concern(&self, batches: &[Vec<&str>]) -> Concern {
        if self.selection || self.written.contains(FILE_NAME) {
            return Concern::Anew;
        }
        let is_written = |files: &Vec<&str>| files.iter().any(|file| self.written.contains(*file));
        let batches = batches.iter().enumerate();
        let concerned = batches.filter(|(_, files)| self.around || is_written(files));
        Concern::Batches(concerned.map(|(index, _)| index).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_concerns_what_holds_it_and_what_depends_on_it() {
        let batches = [
            vec!["tasks/a/01-x.md", "specs/A.md"],
            vec!["tasks/b/01-x.md", "specs/A.md"],
            vec!["specs/C.md"],
        ];
        let change = |written: &[&str], selection, around| Change {
            written: written.iter().map(ToString::to_string).collect(),
            selection,
            around,
        };
        let some = |indices: &[usize]| Concern::Batches(indices.to_vec());
        for (change, expected) in [
            (change(&[], false, false), some(&[])),
            (change(&["src/main.rs"], false, false), some(&[])),
            (change(&["specs/C.md"], false, false), some(&[2])),
            (change(&["specs/A.md"], false, false), some(&[0, 1])),
            (
                change(&["tasks/b/01-x.md", "specs/C.md"], false, false),
                some(&[1, 2]),
            ),
            (change(&["src/main.rs"], false, true), some(&[0, 1, 2])),
            (change(&["specs/NEW.md"], true, true), Concern::Anew),
            (change(&["ralph.toml"], false, false), Concern::Anew),
            (change(&["sub/ralph.toml"], false, false), some(&[])),
        ] {
            assert_eq!(change.concern(&batches), expected, "{change:?}");
        }
    }
}
