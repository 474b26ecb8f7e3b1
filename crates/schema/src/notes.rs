//! The repairs of one reading, bounded in number.

use crate::{Parsed, Repair, RepairClass, RepairCode};

/// Repairs in the order in which they were made. The first guess is kept apart,
/// so that it is never lost to the limit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    list: Vec<Repair>,
    guess: Option<Repair>,
}

impl Notes {
    pub(crate) fn add(&mut self, code: RepairCode, at: usize) {
        self.push(Repair::new(code, at));
    }

    pub(crate) fn push(&mut self, repair: Repair) {
        if repair.class == RepairClass::Guess && self.guess.is_none() {
            self.guess = Some(repair);
        }
        if self.list.len() < Parsed::MAX_REPAIRS {
            self.list.push(repair);
        }
    }

    /// Adds what others hold, each at the place that `place` gives it.
    pub(crate) fn extend(&mut self, others: &Self, place: impl Fn(usize) -> usize) {
        let moved = |repair: &Repair| Repair::new(repair.code, place(repair.at));
        for repair in &others.list {
            self.push(moved(repair));
        }
        self.guess = self.guess.or(others.guess.as_ref().map(moved));
    }

    pub(crate) fn list(&self) -> &[Repair] {
        &self.list
    }

    pub(crate) fn guess(&self) -> Option<Repair> {
        self.guess
    }

    pub(crate) fn into_list(self) -> Vec<Repair> {
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guess_is_remembered_beyond_the_limit() {
        let mut notes = Notes::default();
        for at in 0..Parsed::MAX_REPAIRS {
            notes.add(RepairCode::Comment, at);
        }
        notes.add(RepairCode::CutOff, 7);
        assert_eq!(notes.list().len(), Parsed::MAX_REPAIRS);
        assert_eq!(notes.guess(), Some(Repair::new(RepairCode::CutOff, 7)));

        let mut others = Notes::default();
        others.extend(&notes, |at| at + 1_000);
        assert_eq!(others.list().len(), Parsed::MAX_REPAIRS);
        assert_eq!(others.list()[2], Repair::new(RepairCode::Comment, 1_002));
        assert_eq!(others.guess(), Some(Repair::new(RepairCode::CutOff, 1_007)));
    }

    #[test]
    fn the_first_guess_is_the_one_that_is_told() {
        let mut notes = Notes::default();
        notes.add(RepairCode::Comment, 1);
        assert_eq!(notes.guess(), None);
        notes.add(RepairCode::MissingComma, 2);
        notes.add(RepairCode::CutOff, 3);
        assert_eq!(
            notes.guess(),
            Some(Repair::new(RepairCode::MissingComma, 2))
        );
    }
}
