//! The closed lists of words.

use review_types::closed_list;

closed_list!(
    /// Where an iteration stands among those that are allowed.
    Phase {
        /// The first one.
        Initial => "initial",
        /// One between the first and the last.
        Refinement => "refinement",
        /// The last one that is allowed.
        Final => "final",
    }
);

closed_list!(
    /// What is being reviewed.
    TargetType {
        /// Source code.
        Code => "code",
        /// A text for people.
        Document => "document",
        /// Anything else that was made.
        Artifact => "artifact",
        /// Settings.
        Configuration => "configuration",
        /// A test.
        Test => "test",
        /// A schema.
        Schema => "schema",
    }
);

closed_list!(
    /// The aspect of quality that an item is about.
    Aspect {
        /// It does what it should.
        Correctness => "correctness",
        /// Nothing is missing.
        Completeness => "completeness",
        /// It can be understood.
        Clarity => "clarity",
        /// It does not contradict itself.
        Consistency => "consistency",
        /// It wastes nothing.
        Efficiency => "efficiency",
        /// It cannot be abused.
        Security => "security",
        /// It is written as the rest is.
        Style => "style",
        /// It is documented.
        Documentation => "documentation",
        /// It can be tested.
        Testability => "testability",
        /// It can be changed.
        Maintainability => "maintainability",
    }
);

closed_list!(
    /// What the reference of a location is.
    LocationType {
        /// A line by its number.
        Line => "line",
        /// Lines from one number to another.
        Range => "range",
        /// A function by its name.
        Function => "function",
        /// A section by its heading.
        Section => "section",
        /// Some other part by its name.
        Element => "element",
        /// A path.
        Path => "path",
    }
);

closed_list!(
    /// What the reviewer recommends.
    AssessmentVerdict {
        /// Take it as it is.
        Accept => "accept",
        /// Make the changes and review it again.
        Refine => "refine",
        /// Do it in another way.
        Reject => "reject",
        /// Let a person decide.
        Escalate => "escalate",
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_the_same_in_json_and_in_messages() {
        assert_eq!(TargetType::Configuration.to_string(), "configuration");
        assert_eq!(serde_json::to_value(TargetType::Code).unwrap(), "code");
        assert_eq!(
            "final!".parse::<Phase>().unwrap_err().to_string(),
            "must be one of [initial refinement final], got: final!",
        );
    }
}
