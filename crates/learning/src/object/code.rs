//! The diagnostic codes.

use review_types::diagnostic_codes;

diagnostic_codes! {
    /// The diagnostic codes of the agent learning schema.
    {
        /// The document has no object.
        Syntax = "learning.syntax",
            "Fix what the message names; `ralph schema agent-learning` prints the schema of the file.";
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
            "Write it as 2026-03-01T12:30:05Z.";
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
            "Write a string that is not blank.";
        /// A key occurs twice.
        KeyTwice = "learning.key_twice",
            "Remove one of the two.";
        /// A key is unknown.
        KeyUnknown = "learning.key_unknown",
            "Use a known key, or remove it; `ralph schema agent-learning` lists the keys.";
    }
}
