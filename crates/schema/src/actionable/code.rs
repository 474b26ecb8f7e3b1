//! The codes of diagnostics.

use review_types::diagnostic_codes;

diagnostic_codes! {
    /// The kinds of diagnostics.
    {
        /// The input is not a document.
        DocumentSyntax = "document.syntax",
            "Correct the syntax at the place that the message names.";
        /// A required field is missing.
        FieldMissing = "field.missing",
            "Add the field.";
        /// A value has another type.
        FieldType = "field.type",
            "Use a value of the type, or omit an optional field.";
        /// A word is not in a closed list.
        FieldUnknownWord = "field.unknown_word",
            "Use one of the words in the message.";
        /// A number is outside its range.
        NumberOutOfRange = "number.out_of_range",
            "Use a number within the range; scores go from 0 to 1.";
        /// The id is not a valid UUID.
        IdNotUuid = "id.not_uuid",
            "Use a UUID such as 0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3.";
        /// The timestamp is invalid.
        TimestampNotDateTime = "timestamp.not_date_time",
            "Write it as 2026-03-01T12:30:05Z.";
        /// The array of items is empty.
        ItemsEmpty = "items.empty",
            "Add at least one item; where nothing must change, one of severity suggestion.";
        /// An item has no location.
        LocationMissing = "location.missing",
            "Add location with a type and a reference, such as a line or a section.";
        /// The issue is too short.
        IssueTooShort = "issue.too_short",
            "Say what exactly is wrong and what happens as a result.";
        /// The issue is too long.
        IssueTooLong = "issue.too_long",
            "Shorten it, or make several items of it.";
        /// The action is too short.
        ActionTooShort = "action.too_short",
            "Say which change is to be made where.";
        /// The action is too long.
        ActionTooLong = "action.too_long",
            "Shorten it, or make several items of it.";
        /// The rationale is too short.
        RationaleTooShort = "rationale.too_short",
            "Say what becomes better by the action.";
        /// The rationale is too long.
        RationaleTooLong = "rationale.too_long",
            "Keep to what becomes better by the action.";
        /// The summary is too short.
        SummaryTooShort = "summary.too_short",
            "Sum up all items in one or two sentences.";
        /// The summary is too long.
        SummaryTooLong = "summary.too_long",
            "Leave the details to the items.";
        /// A string has no visible character.
        TextInvisible = "text.invisible",
            "Say it in words.";
        /// The issue is vague.
        IssueVague = "issue.vague",
            "Name the specific problem and its observable effect; put a quoted phrase in quotes.";
        /// The action advises.
        ActionAdvisory = "action.advisory",
            "Start with the change itself: add, replace, remove.";
        /// The action names nothing to do.
        ActionNotConcrete = "action.not_concrete",
            "Start with a verb and name the place: \"Add a timeout of 30 s to `connect`\".";
        /// The reference of a location is blank.
        LocationEmpty = "location.empty",
            "Name the line, function, section or path.";
        /// The reference does not match its type.
        LocationReference = "location.reference",
            "Fix the reference, or give the location another type.";
        /// A line is a range.
        LocationLineIsRange = "location.line_is_range",
            "Set the type to range.";
        /// The number exceeds the maximum.
        IterationBeyondMax = "iteration.beyond_max",
            "Correct number or max.";
        /// The phase does not match the numbers.
        PhaseUnexpected = "phase.unexpected",
            "Use the phase in the message.";
        /// The verdict contradicts its items.
        VerdictInconsistent = "verdict.inconsistent",
            "Use refine or reject, or correct the item or the score.";
        /// The verdict is harsher than its items.
        VerdictHarsh = "verdict.harsh",
            "Use accept, or say what is against it.";
        /// The verdict is unsure.
        VerdictUnsure = "verdict.unsure",
            "Use escalate, or say how the confidence can be raised.";
        /// An item has no score.
        ScoreMissing = "score.missing",
            "Add the score of the aspect, from 0 to 1.";
        /// A duplicate key.
        KeyDuplicate = "key.duplicate",
            "Remove one of the two.";
        /// A key resembles a known one.
        KeyMisspelt = "key.misspelt",
            "Use the key in the message, if it was meant.";
        /// The timestamp is outside the supported years.
        TimestampOutOfRange = "timestamp.out_of_range",
            "Use a timestamp within these years.";
        /// The array of derived values is invalid.
        DerivedNotPointers = "derived.not_pointers",
            "List the pointers of the values that were filled in, or omit it.";
    }
}
