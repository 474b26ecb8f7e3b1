//! The diagnostics by name.

use review_types::diagnostic_codes;

diagnostic_codes! {
    /// What can be wrong with an object of the agent learning schema.
    {
        /// The text holds no object.
        Syntax = Schema "learning.syntax",
            "The document is neither JSON nor YAML.",
            "Fix what the message names; `ralph schema agent-learning` says what the file holds.";
        /// A required member is missing.
        MemberMissing = Schema "learning.member_missing",
            "A required member is missing.",
            "Add the member that the message names.";
        /// A member has another type.
        MemberType = Schema "learning.member_type",
            "A member holds a value of another type.",
            "Write a value of the type that the message names, or leave the member out if it may be absent; null does not count as a value.";
        /// A word is none of a closed list.
        WordUnknown = Schema "learning.word_unknown",
            "A word is not one of those that its field takes.",
            "Use one of the words that the message lists.";
        /// The id is not a valid UUID.
        IdNotUuid = Schema "learning.id_not_uuid",
            "An id is not a valid UUID.",
            "Use a UUID such as 0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3.";
        /// The instant is none.
        NotInstant = Schema "learning.not_instant",
            "A time is not a valid RFC 3339 date and time with an offset.",
            "Write it as 2026-03-01T12:30:05Z.";
        /// The version has another form.
        VersionForm = Schema "learning.version_form",
            "The version is not three numbers with points between them.",
            "Write it as 1.0.0.";
        /// A number is beyond its range.
        OutOfRange = Rule "learning.out_of_range",
            "A number is beyond the range in which it means something.",
            "Write a number of the range that the message names.";
        /// A path leads out of the project.
        PathOutside = Rule "learning.path_outside",
            "A folder is not below the root of the project.",
            "Name a path below the root, such as .aiwg/.feedback/.";
        /// The pattern for the names of versions is none.
        VersionPattern = Rule "learning.version_pattern",
            "The pattern for the names of prompt versions cannot be used.",
            "Write a file name with one {N}, or {version}, which is the same, such as v{N}.md.";
        /// The algorithm is none that there is.
        AlgorithmUnknown = Rule "learning.algorithm_unknown",
            "The clustering algorithm does not exist.",
            "Write semantic_similarity.";
        /// A source is named twice.
        SourceTwice = Rule "learning.source_twice",
            "A type of feedback is named by two sources: readers differ in which counts.",
            "Remove one of the two.";
        /// Nobody can approve.
        ApproversNone = Rule "learning.approvers_none",
            "Approval is required and no approver is named.",
            "List human, which is everybody, or the names of those who may approve.";
        /// Nobody approved it.
        ApprovedByMissing = Rule "learning.approved_by_missing",
            "A lesson is approved or applied and names no approver.",
            "Add approved_by.";
        /// It is applied since no moment.
        AppliedAtMissing = Rule "learning.applied_at_missing",
            "A lesson is applied and does not say when it was.",
            "Add applied_at.";
        /// A text is blank.
        TextBlank = Rule "learning.text_blank",
            "A required string is blank.",
            "Write the text.";
        /// A key stands twice.
        KeyTwice = Rule "learning.key_twice",
            "A key occurs twice in one object: readers differ in which value counts.",
            "Remove one of the two.";
        /// A key is not known.
        KeyUnknown = Rule "learning.key_unknown",
            "A key is not known and has no effect.",
            "Use the key that the message names, if it was meant, or remove it.";
    }
}
