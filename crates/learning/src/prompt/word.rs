//! The closed list of words.

use review_types::closed_list;

closed_list!(
    /// What a change does to a section.
    ChangeType {
        /// A text is new.
        Addition => "addition",
        /// A text takes the place of another one.
        Modification => "modification",
        /// A text is gone.
        Removal => "removal",
    }
);
