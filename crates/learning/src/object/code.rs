//! The diagnostic codes.

use review_types::diagnostic_codes;

diagnostic_codes! {
    /// The diagnostic codes of the objects of learning, and of a file of corrections.
    {
        /// It is not a JSON object, or not YAML.
        Syntax = "learning.syntax",
            "Fix what the message names; a line of corrections is one JSON object.";
        /// A required field is missing.
        MemberMissing = "learning.member_missing",
            "Add the field that the message names.";
        /// A field has the wrong type.
        MemberType = "learning.member_type",
            "Write a value of the type that the message names, or omit the field if it is optional; null is not a value.";
        /// A string is not one of the allowed values.
        WordUnknown = "learning.word_unknown",
            "Use one of the values that the message lists.";
        /// A value has the right type and another form.
        ValueForm = "learning.value_form",
            "Write it in the form that the message names.";
        /// The time is not valid.
        NotInstant = "learning.not_instant",
            "Write it as 2026-03-01T12:30:05Z; `ralph corrections import` reads one without an offset as UTC.";
        /// The date is not valid.
        DateNotDate = "date.not_date",
            "Write the first ten characters of the timestamp.";
        /// The name of the pattern is not in kebab case.
        PatternNotKebab = "pattern.not_kebab",
            "Use lowercase letters, digits and single hyphens, such as missing-error-handling.";
        /// The name of the pattern is too long.
        PatternTooLong = "pattern.too_long",
            "Shorten it: a name should be general enough for several corrections.";
        /// A number is out of range.
        OutOfRange = "learning.out_of_range",
            "Write a number in the range that the message names.";
        /// A source is listed twice.
        SourceTwice = "learning.source_twice",
            "Remove one of the two.";
        /// No approver is named.
        ApproversNone = "learning.approvers_none",
            "List human, which accepts everybody, or the names of the approvers.";
        /// An approved lesson has no approver.
        ApprovedByMissing = "learning.approved_by_missing",
            "Add approved_by.";
        /// An applied lesson has no time.
        AppliedAtMissing = "learning.applied_at_missing",
            "Add applied_at.";
        /// A string is blank.
        TextBlank = "learning.text_blank",
            "Write a sentence, or a name.";
        /// A key occurs twice.
        KeyTwice = "learning.key_twice",
            "Remove one of the two.";
        /// A key is unknown.
        KeyUnknown = "learning.key_unknown",
            "Use a known key, or remove it; `ralph schema NAME` lists the keys of a format.";
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
