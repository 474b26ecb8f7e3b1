//! The closed lists of words.

pub use review_types::Aspect;
use review_types::closed_list;

closed_list!(
    /// The phase of an iteration.
    Phase {
        /// The first one.
        Initial => "initial",
        /// One between the first and the last.
        Refinement => "refinement",
        /// The last one of the maximum.
        Final => "final",
    }
);

closed_list!(
    /// The type of the reviewed target.
    TargetType {
        /// Source code.
        Code => "code",
        /// Prose.
        Document => "document",
        /// Any other artifact.
        Artifact => "artifact",
        /// Configuration.
        Configuration => "configuration",
        /// A test.
        Test => "test",
        /// A schema.
        Schema => "schema",
    }
);

closed_list!(
    /// The type of the reference of a location.
    LocationType {
        /// A line by its number.
        Line => "line",
        /// Lines from one number to another.
        Range => "range",
        /// A function by its name.
        Function => "function",
        /// A section by its heading.
        Section => "section",
        /// Another part by its name.
        Element => "element",
        /// A path.
        Path => "path",
    }
);

closed_list!(
    /// The reviewer's recommendation.
    AssessmentVerdict {
        /// Accept it unchanged.
        Accept => "accept",
        /// Make the changes and review it again.
        Refine => "refine",
        /// Choose another approach.
        Reject => "reject",
        /// Leave the decision to a human.
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
