//! The diagnostic codes.

use review_types::diagnostic_codes;

diagnostic_codes! {
    /// The diagnostic codes of a corrections file.
    {
        /// The line is not JSON.
        LineSyntax = Schema "line.syntax",
            "The line is not a valid JSON value, or its bytes are not UTF-8.",
            "Write one JSON object a line, without line breaks in it.";
        /// A required field is missing.
        MemberMissing = Schema "correction.member_missing",
            "A required field of a correction is missing.",
            "Add the field that the message names.";
        /// A field has the wrong type.
        MemberType = Schema "correction.member_type",
            "A field of a correction has a value of the wrong type.",
            "Write a value of the type that the message names, or omit the field if it is optional; null is not a value.";
        /// A string is not one of the allowed values.
        WordUnknown = Schema "correction.word_unknown",
            "A string is not one of the values that its field allows.",
            "Use one of the values that the message lists.";
        /// The date is not valid.
        DateNotDate = Schema "date.not_date",
            "The date is not a valid day, written as YYYY-MM-DD.",
            "Write the first ten characters of the timestamp.";
        /// The timestamp is not valid.
        TimestampNotInstant = Schema "timestamp.not_instant",
            "The timestamp is not a valid RFC 3339 time with an offset.",
            "Write it as 2026-03-01T12:30:05Z; import mode reads one without an offset as UTC.";
        /// The name of the pattern is not in kebab case.
        PatternNotKebab = Schema "pattern.not_kebab",
            "The name of a pattern is not in kebab case.",
            "Use lowercase letters, digits and single hyphens, such as missing-error-handling; `ralph corrections validate --fix` converts names.";
        /// The name of the pattern is too long.
        PatternTooLong = Schema "pattern.too_long",
            "The name of a pattern has more than 64 characters.",
            "Shorten it: a name should be general enough for several corrections.";
        /// The line is too long.
        LineTooLong = Rule "line.too_long",
            "The line is longer than 1 MiB and was not read.",
            "Shorten its strings: a correction is a few sentences.";
        /// The last line is truncated.
        LineTorn = Rule "line.torn",
            "The last line is not a complete JSON value and has no line end: its writer was interrupted.",
            "Remove the line; it hides no other line, and the next writer terminates it first.";
        /// The date is not the timestamp's.
        DateMismatch = Rule "date.mismatch",
            "The date does not match the timestamp.",
            "Write the first ten characters of the timestamp; `ralph corrections validate --fix` does so.";
        /// The timestamp has no offset.
        TimestampNaive = Rule "timestamp.naive",
            "The timestamp has no offset; import mode reads it as UTC.",
            "Add Z, or the offset from UTC.";
        /// The severity is one of reviews.
        SeverityOfReview = Rule "severity.of_review",
            "The severity is one of reviews; import mode reads blocking, warning and nit as high, medium and low.",
            "Write high, medium or low.";
        /// The name of the pattern was converted.
        PatternConverted = Rule "pattern.converted",
            "The name of a pattern is not in kebab case; import mode converts it.",
            "Write the converted name.";
        /// A key occurs twice.
        KeyTwice = Rule "correction.key_twice",
            "A key occurs twice in one object, and readers differ in the value they use.",
            "Remove one of the two.";
        /// An unknown key is similar to a known one.
        KeyNear = Rule "correction.key_near",
            "An unknown key is similar to a known one.",
            "Use the key that the message names, if it is the one you mean.";
        /// A string is blank.
        TextBlank = Rule "text.blank",
            "A required string is blank.",
            "Write one sentence about what was done, or the name of who did it.";
        /// An explicit correction without the words of the user.
        VerbatimMissing = Rule "verbatim.missing",
            "The correction is explicit but does not quote the user's own words.",
            "Add user_correction.verbatim.";
        /// The name of the pattern is short.
        PatternShort = Rule "pattern.short",
            "The name of a pattern has fewer than 8 characters, too few to describe it.",
            "Describe the mistake, such as missing-error-handling.";
        /// The name of the pattern is similar to another one.
        PatternNear = Rule "pattern.near",
            "The name of a pattern is similar to another one, and the two would be counted separately.",
            "Use the name that the message names, if it is the same pattern.";
        /// A common pattern has another type.
        PatternOtherType = Rule "pattern.other_type",
            "The pattern is a common one that belongs to another type of correction.",
            "Use the type that the message names, or another pattern.";
        /// The id of a feature has the wrong form.
        FeatureIdForm = Rule "feature_id.form",
            "The id of the feature does not start with feat-.",
            "Write it as feat-042.";
    }
}
