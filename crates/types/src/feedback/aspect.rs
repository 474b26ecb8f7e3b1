//! The aspect of quality that an item is about.

use crate::closed_list;

closed_list!(
    /// The aspect of quality of an item.
    Aspect {
        /// It does what it should.
        Correctness => "correctness",
        /// Nothing is missing.
        Completeness => "completeness",
        /// It can be understood.
        Clarity => "clarity",
        /// It does not contradict itself.
        Consistency => "consistency",
        /// It wastes no resources.
        Efficiency => "efficiency",
        /// It cannot be abused.
        Security => "security",
        /// It follows the style of the rest.
        Style => "style",
        /// It is documented.
        Documentation => "documentation",
        /// It can be tested.
        Testability => "testability",
        /// It can be changed.
        Maintainability => "maintainability",
    }
);
