//! The diagnostics by name.

use review_types::diagnostic_codes;

diagnostic_codes! {
    /// What can be wrong with a line.
    {
        /// The line is no JSON.
        LineSyntax = Schema "line.syntax",
            "The line is not a valid JSON value, or its bytes are not UTF-8.",
            "Write one JSON object a line, without line breaks in it.";
        /// A required member is missing.
        MemberMissing = Schema "correction.member_missing",
            "A required member of a correction is missing.",
            "Add the member that the message names.";
        /// A member has another type.
        MemberType = Schema "correction.member_type",
            "A member of a correction holds a value of another type.",
            "Write a value of the type that the message names, or leave the member out if it may be absent; null does not count as a value.";
        /// A word is none of a closed list.
        WordUnknown = Schema "correction.word_unknown",
            "A word is not one of those that its field takes.",
            "Use one of the words that the message lists.";
        /// The date is none.
        DateNotDate = Schema "date.not_date",
            "The date is not a valid day, written as YYYY-MM-DD.",
            "Write the first ten characters of the timestamp.";
        /// The timestamp is no instant.
        TimestampNotInstant = Schema "timestamp.not_instant",
            "The timestamp is not a valid RFC 3339 time with an offset.",
            "Write it as 2026-03-01T12:30:05Z; mode import reads one without an offset as UTC.";
        /// The name of the pattern is not in kebab case.
        PatternNotKebab = Schema "pattern.not_kebab",
            "The name of a pattern is not in kebab case.",
            "Use small letters, digits and single hyphens, such as missing-error-handling; `ralph corrections validate --fix` converts names.";
        /// The name of the pattern is too long.
        PatternTooLong = Schema "pattern.too_long",
            "The name of a pattern has more than 64 characters.",
            "Shorten it: a name is general enough to fit several corrections.";
        /// The line is too long.
        LineTooLong = Rule "line.too_long",
            "The line is longer than 1 MiB and was not read.",
            "Shorten its strings; a correction is a few sentences.";
        /// The last line is torn.
        LineTorn = Rule "line.torn",
            "The last line has no end and is not a complete JSON value: its writer was cut off.",
            "Nothing need be done: it is left where it is, and the next writer ends it first.";
        /// The date is not that of the timestamp.
        DateMismatch = Rule "date.mismatch",
            "The date is not that of the timestamp.",
            "Write the first ten characters of the timestamp; `ralph corrections validate --fix` does so.";
        /// The timestamp says no offset.
        TimestampNaive = Rule "timestamp.naive",
            "The timestamp has no offset; mode import reads it as UTC.",
            "Add Z, or the offset from UTC.";
        /// The severity is one of reviews.
        SeverityOfReview = Rule "severity.of_review",
            "The severity is a word of reviews; mode import reads blocking, warning and nit as high, medium and low.",
            "Write high, medium or low.";
        /// The name of the pattern was converted.
        PatternConverted = Rule "pattern.converted",
            "The name of a pattern is not in kebab case; mode import converts it.",
            "Write the converted name.";
        /// A key stands twice.
        KeyTwice = Rule "correction.key_twice",
            "A key occurs twice in one object: readers differ in which value counts.",
            "Remove one of the two.";
        /// A key is near to a known one.
        KeyNear = Rule "correction.key_near",
            "An unknown key is near to a known one.",
            "Use the key that the message names, if it was meant.";
        /// A text is blank.
        TextBlank = Rule "text.blank",
            "A required string is blank.",
            "Say in one sentence what was done, or who did it.";
        /// An explicit correction without the words of the user.
        VerbatimMissing = Rule "verbatim.missing",
            "The correction is explicit and does not hold the user's own words.",
            "Add user_correction.verbatim.";
        /// The name of the pattern is short.
        PatternShort = Rule "pattern.short",
            "The name of a pattern has fewer than 8 characters: it describes nothing.",
            "Say what goes wrong, such as missing-error-handling.";
        /// The name of the pattern is near to another one.
        PatternNear = Rule "pattern.near",
            "The name of a pattern is nearly that of another one, which would be counted apart.",
            "Use the name that the message names, if it is the same pattern.";
        /// A common pattern beside another type.
        PatternOtherType = Rule "pattern.other_type",
            "The pattern is a common one that goes with another type of correction.",
            "Use the type that the message names, or another pattern.";
        /// A feature id of another form.
        FeatureIdForm = Rule "feature_id.form",
            "The id of the feature does not start with feat-.",
            "Write it as feat-042.";
    }
}
