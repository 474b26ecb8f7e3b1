//! The diagnostic codes.

use review_types::diagnostic_codes;

diagnostic_codes! {
    /// The diagnostic codes of a corrections file.
    {
        /// The line is not JSON.
        LineSyntax = "line.syntax",
            "Write one JSON object a line, without line breaks in it.";
        /// A required field is missing.
        MemberMissing = "correction.member_missing",
            "Add the field that the message names.";
        /// A field has the wrong type.
        MemberType = "correction.member_type",
            "Write a value of the type that the message names, or omit the field if it is optional; null is not a value.";
        /// A string is not one of the allowed values.
        WordUnknown = "correction.word_unknown",
            "Use one of the values that the message lists.";
        /// The date is not valid.
        DateNotDate = "date.not_date",
            "Write the first ten characters of the timestamp.";
        /// The timestamp is not valid.
        TimestampNotInstant = "timestamp.not_instant",
            "Write it as 2026-03-01T12:30:05Z; import mode reads one without an offset as UTC.";
        /// The name of the pattern is not in kebab case.
        PatternNotKebab = "pattern.not_kebab",
            "Use lowercase letters, digits and single hyphens, such as missing-error-handling.";
        /// The name of the pattern is too long.
        PatternTooLong = "pattern.too_long",
            "Shorten it: a name should be general enough for several corrections.";
        /// The line is too long.
        LineTooLong = "line.too_long",
            "Shorten its strings: a correction is a few sentences.";
        /// The last line is truncated.
        LineTorn = "line.torn",
            "Remove the line; it hides no other line, and the next writer terminates it first.";
        /// The date is not the timestamp's.
        DateMismatch = "date.mismatch",
            "Write the first ten characters of the timestamp; `ralph corrections validate --fix` does so.";
        /// The timestamp has no offset.
        TimestampNaive = "timestamp.naive",
            "Add Z, or the offset from UTC.";
        /// The severity is one of reviews.
        SeverityOfReview = "severity.of_review",
            "Write high, medium or low.";
        /// The name of the pattern was converted.
        PatternConverted = "pattern.converted",
            "Write the converted name.";
        /// A key occurs twice.
        KeyTwice = "correction.key_twice",
            "Remove one of the two.";
        /// An unknown key is similar to a known one.
        KeyNear = "correction.key_near",
            "Use the key that the message names, if it is the one you mean.";
        /// A string is blank.
        TextBlank = "text.blank",
            "Write one sentence about what was done, or the name of who did it.";
        /// An explicit correction without the words of the user.
        VerbatimMissing = "verbatim.missing",
            "Add user_correction.verbatim.";
        /// The name of the pattern is short.
        PatternShort = "pattern.short",
            "Describe the mistake, such as missing-error-handling.";
        /// The name of the pattern is similar to another one.
        PatternNear = "pattern.near",
            "Use the name that the message names, if it is the same pattern.";
        /// A common pattern has another type.
        PatternOtherType = "pattern.other_type",
            "Use the type that the message names, or another pattern.";
        /// The id of a feature has the wrong form.
        FeatureIdForm = "feature_id.form",
            "Write it as feat-042.";
    }
}
