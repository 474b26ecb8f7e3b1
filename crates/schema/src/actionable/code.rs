//! The codes of diagnostics.

use review_types::diagnostic_codes;

diagnostic_codes! {
    /// The kinds of diagnostics.
    {
        /// The input is not a document.
        DocumentSyntax = Schema "document.syntax",
            "The document is neither JSON nor YAML.",
            "Correct the syntax at the place that the message names.";
        /// A required field is missing.
        FieldMissing = Schema "field.missing",
            "A required field is missing.",
            "Add the field.";
        /// A value has another type.
        FieldType = Schema "field.type",
            "A value has another type than its field requires; null is a value too.",
            "Use a value of the type, or omit an optional field.";
        /// A word is not in a closed list.
        FieldUnknownWord = Schema "field.unknown_word",
            "A word is not one of those that its field allows.",
            "Use one of the words in the message.";
        /// A number is outside its range.
        NumberOutOfRange = Schema "number.out_of_range",
            "A number is outside its range.",
            "Use a number within the range; scores go from 0 to 1.";
        /// The id is not a valid UUID.
        IdNotUuid = Schema "id.not_uuid",
            "The id is not a valid UUID.",
            "Use a UUID such as 0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3, or validate the document in mode import.";
        /// The timestamp is invalid.
        TimestampNotDateTime = Schema "timestamp.not_date_time",
            "The timestamp is not a valid RFC 3339 time with an offset.",
            "Write it as 2026-03-01T12:30:05Z.";
        /// The array of items is empty.
        ItemsEmpty = Schema "items.empty",
            "The array of items is empty.",
            "Add at least one item; where nothing must change, one of severity suggestion.";
        /// An item has no location.
        LocationMissing = Schema "location.missing",
            "An item has no location.",
            "Add location with a type and a reference, such as a line or a section.";
        /// The issue is too short.
        IssueTooShort = Schema "issue.too_short",
            "An issue has fewer than 20 characters.",
            "Say what exactly is wrong and what happens as a result.";
        /// The issue is too long.
        IssueTooLong = Schema "issue.too_long",
            "An issue has more than 500 characters.",
            "Shorten it, or make several items of it.";
        /// The action is too short.
        ActionTooShort = Schema "action.too_short",
            "An action has fewer than 20 characters.",
            "Say which change is to be made where.";
        /// The action is too long.
        ActionTooLong = Schema "action.too_long",
            "An action has more than 1000 characters.",
            "Shorten it, or make several items of it.";
        /// The rationale is too short.
        RationaleTooShort = Schema "rationale.too_short",
            "A rationale has fewer than 20 characters.",
            "Say what becomes better by the action.";
        /// The rationale is too long.
        RationaleTooLong = Schema "rationale.too_long",
            "A rationale has more than 500 characters.",
            "Keep to what becomes better by the action.";
        /// The summary is too short.
        SummaryTooShort = Schema "summary.too_short",
            "The summary has fewer than 50 characters.",
            "Sum up all items in one or two sentences.";
        /// The summary is too long.
        SummaryTooLong = Schema "summary.too_long",
            "The summary has more than 500 characters.",
            "Leave the details to the items.";
        /// A string has no visible character.
        TextInvisible = Rule "text.invisible",
            "An issue, action, rationale or summary has no visible character.",
            "Say it in words.";
        /// The issue is vague.
        IssueVague = Rule "issue.vague",
            "An issue is vague: it uses a phrase that leaves open what is wrong.",
            "Name the specific problem and its observable effect; put a quoted phrase in quotes.";
        /// The action advises.
        ActionAdvisory = Rule "action.advisory",
            "An action advises instead of asking for a change.",
            "Start with the change itself: add, replace, remove.";
        /// The action names nothing to do.
        ActionNotConcrete = Rule "action.not_concrete",
            "An action has no imperative at its start and names no code, path or number.",
            "Start with a verb and name the place: \"Add a timeout of 30 s to `connect`\".";
        /// The reference of a location is blank.
        LocationEmpty = Rule "location.empty",
            "The reference of a location is blank.",
            "Name the line, function, section or path.";
        /// The reference does not match its type.
        LocationReference = Rule "location.reference",
            "A reference does not match its type: a number from 1 for a line, two of them in ascending order with a hyphen for a range.",
            "Fix the reference, or give the location another type.";
        /// A line is a range.
        LocationLineIsRange = Rule "location.line_is_range",
            "A location of type line is a range; it is treated as one of type range.",
            "Set the type to range.";
        /// The number exceeds the maximum.
        IterationBeyondMax = Rule "iteration.beyond_max",
            "The number of the iteration exceeds the maximum.",
            "Correct number or max.";
        /// The phase does not match the numbers.
        PhaseUnexpected = Rule "phase.unexpected",
            "The phase does not match the numbers: it is final when number is max, initial when number is 1, else refinement; 1 of 1 may be either.",
            "Use the phase in the message.";
        /// The verdict contradicts its items.
        VerdictInconsistent = Rule "verdict.inconsistent",
            "The verdict is accept with a critical item or a score below 0.5.",
            "Use refine or reject, or correct the item or the score.";
        /// The verdict is harsher than its items.
        VerdictHarsh = Rule "verdict.harsh",
            "The verdict is harsher than its items: all are minor or suggestions and the score is above 0.8.",
            "Use accept, or say what is against it.";
        /// The verdict is unsure.
        VerdictUnsure = Rule "verdict.unsure",
            "The verdict is accept with a confidence below 0.5; it is treated as escalate.",
            "Use escalate, or say how the confidence can be raised.";
        /// An item has no score.
        ScoreMissing = Rule "score.missing",
            "An item has no score; this is reported in strict mode.",
            "Add the score of the aspect, from 0 to 1.";
        /// A duplicate key.
        KeyDuplicate = Rule "key.duplicate",
            "A key occurs twice in one object: parsers differ in which value counts.",
            "Remove one of the two.";
        /// A key resembles a known one.
        KeyMisspelt = Rule "key.misspelt",
            "An unknown key resembles a known one.",
            "Use the key in the message, if it was meant.";
        /// The timestamp is outside the supported years.
        TimestampOutOfRange = Rule "timestamp.out_of_range",
            "In UTC the timestamp is outside the years 0000 to 9999.",
            "Use a timestamp within these years.";
        /// The array of derived values is invalid.
        DerivedNotPointers = Rule "derived.not_pointers",
            "The field derived is not an array of JSON pointers.",
            "List the pointers of the values that were filled in, or omit it.";
    }
}
