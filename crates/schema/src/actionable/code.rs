//! The codes of diagnostics.

use review_types::diagnostic_codes;

diagnostic_codes! {
    /// The kinds of diagnostics.
    {
        /// The input is not a document.
        DocumentSyntax = Schema "document.syntax",
            "Correct the syntax at the place that the message names.";
        /// A required field is missing.
        FieldMissing = Schema "field.missing",
            "Add the field.";
        /// A value has another type.
        FieldType = Schema "field.type",
            "Use a value of the type, or omit an optional field.";
        /// A word is not in a closed list.
        FieldUnknownWord = Schema "field.unknown_word",
            "Use one of the words in the message.";
        /// A number is outside its range.
        NumberOutOfRange = Schema "number.out_of_range",
            "Use a number within the range; scores go from 0 to 1.";
        /// The id is not a valid UUID.
        IdNotUuid = Schema "id.not_uuid",
            "Use a UUID such as 0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3.";
        /// The timestamp is invalid.
        TimestampNotDateTime = Schema "timestamp.not_date_time",
            "Write it as 2026-03-01T12:30:05Z.";
        /// The array of items is empty.
        ItemsEmpty = Schema "items.empty",
            "Add at least one item; where nothing must change, one of severity suggestion.";
        /// An item has no location.
        LocationMissing = Schema "location.missing",
            "Add location with a type and a reference, such as a line or a section.";
        /// The issue is too short.
        IssueTooShort = Schema "issue.too_short",
            "Say what exactly is wrong and what happens as a result.";
        /// The issue is too long.
        IssueTooLong = Schema "issue.too_long",
            "Shorten it, or make several items of it.";
        /// The action is too short.
        ActionTooShort = Schema "action.too_short",
            "Say which change is to be made where.";
        /// The action is too long.
        ActionTooLong = Schema "action.too_long",
            "Shorten it, or make several items of it.";
        /// The rationale is too short.
        RationaleTooShort = Schema "rationale.too_short",
            "Say what becomes better by the action.";
        /// The rationale is too long.
        RationaleTooLong = Schema "rationale.too_long",
            "Keep to what becomes better by the action.";
        /// The summary is too short.
        SummaryTooShort = Schema "summary.too_short",
            "Sum up all items in one or two sentences.";
        /// The summary is too long.
        SummaryTooLong = Schema "summary.too_long",
            "Leave the details to the items.";
        /// A string has no visible character.
        TextInvisible = Rule "text.invisible",
            "Say it in words.";
        /// The issue is vague.
        IssueVague = Rule "issue.vague",
            "Name the specific problem and its observable effect; put a quoted phrase in quotes.";
        /// The action advises.
        ActionAdvisory = Rule "action.advisory",
            "Start with the change itself: add, replace, remove.";
        /// The action names nothing to do.
        ActionNotConcrete = Rule "action.not_concrete",
            "Start with a verb and name the place: \"Add a timeout of 30 s to `connect`\".";
        /// The reference of a location is blank.
        LocationEmpty = Rule "location.empty",
            "Name the line, function, section or path.";
        /// The reference does not match its type.
        LocationReference = Rule "location.reference",
            "Fix the reference, or give the location another type.";
        /// A line is a range.
        LocationLineIsRange = Rule "location.line_is_range",
            "Set the type to range.";
        /// The number exceeds the maximum.
        IterationBeyondMax = Rule "iteration.beyond_max",
            "Correct number or max.";
        /// The phase does not match the numbers.
        PhaseUnexpected = Rule "phase.unexpected",
            "Use the phase in the message.";
        /// The verdict contradicts its items.
        VerdictInconsistent = Rule "verdict.inconsistent",
            "Use refine or reject, or correct the item or the score.";
        /// The verdict is harsher than its items.
        VerdictHarsh = Rule "verdict.harsh",
            "Use accept, or say what is against it.";
        /// The verdict is unsure.
        VerdictUnsure = Rule "verdict.unsure",
            "Use escalate, or say how the confidence can be raised.";
        /// An item has no score.
        ScoreMissing = Rule "score.missing",
            "Add the score of the aspect, from 0 to 1.";
        /// A duplicate key.
        KeyDuplicate = Rule "key.duplicate",
            "Remove one of the two.";
        /// A key resembles a known one.
        KeyMisspelt = Rule "key.misspelt",
            "Use the key in the message, if it was meant.";
        /// The timestamp is outside the supported years.
        TimestampOutOfRange = Rule "timestamp.out_of_range",
            "Use a timestamp within these years.";
        /// The array of derived values is invalid.
        DerivedNotPointers = Rule "derived.not_pointers",
            "List the pointers of the values that were filled in, or omit it.";
    }
}
