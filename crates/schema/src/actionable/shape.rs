//! The fields of each object, as in the published schema.

use crate::actionable::{
    Action, Aspect, AssessmentVerdict, Issue, LocationType, Phase, Rationale, Summary, TargetType,
};
use review_text::wording::Wording;
use review_types::Severity as ItemSeverity;

use super::Code;
use super::check::{Check, FoundFields};
use super::diagnostic::Path;
use super::rules;

/// The form of a value.
#[derive(Clone, Copy)]
pub(super) enum Form {
    Object(&'static Shape),
    /// An array of objects, at least one.
    Items(&'static Shape),
    Text,
    Bounded(Limits),
    Word(&'static [&'static str]),
    Number,
    Fraction,
    /// An integer from 1 to the maximum.
    Whole(f64),
    Boolean,
    Uuid,
    Instant,
    /// An array of JSON pointers, which the published schema does not have.
    Pointers,
}

/// The length of a string, and the phrases that are not allowed in it.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) min: usize,
    pub(super) max: usize,
    pub(super) short: Code,
    pub(super) long: Code,
    pub(super) wording: Option<(Wording, Code)>,
}

/// One field of an object.
pub(super) struct FieldShape {
    pub(super) name: &'static str,
    pub(super) form: Form,
    pub(super) required: bool,
}

/// Maximum number of fields of an object.
pub(super) const MAX_MEMBERS: usize = 8;

/// The fields of an object, and their common rule.
pub(super) struct Shape {
    pub(super) members: &'static [FieldShape],
    pub(super) rule: Option<fn(&mut Check, &FoundFields<'_>, &Path<'_>)>,
}

const fn required(name: &'static str, form: Form) -> FieldShape {
    let required = true;
    FieldShape {
        name,
        form,
        required,
    }
}

const fn optional(name: &'static str, form: Form) -> FieldShape {
    let required = false;
    FieldShape {
        name,
        form,
        required,
    }
}

pub(super) static DOCUMENT: Shape = Shape {
    members: &[
        required("id", Form::Uuid),
        required("timestamp", Form::Instant),
        required("iteration", Form::Object(&ITERATION)),
        required("target", Form::Object(&TARGET)),
        required("feedback_items", Form::Items(&ITEM)),
        required("overall_assessment", Form::Object(&ASSESSMENT)),
        optional("quality_tracking", Form::Object(&TRACKING)),
        optional("derived", Form::Pointers),
    ],
    rule: None,
};

static ITERATION: Shape = Shape {
    members: &[
        required("number", Form::Whole(f64::MAX)),
        required("max", Form::Whole(f64::MAX)),
        required("phase", Form::Word(Phase::WORDS)),
    ],
    rule: Some(rules::iteration),
};

static TARGET: Shape = Shape {
    members: &[
        required("type", Form::Word(TargetType::WORDS)),
        required("path", Form::Text),
        optional("version", Form::Text),
        optional("context", Form::Text),
    ],
    rule: None,
};

static ITEM: Shape = Shape {
    members: &[
        required("aspect", Form::Word(Aspect::WORDS)),
        required("severity", Form::Word(ItemSeverity::WORDS)),
        optional("score", Form::Fraction),
        required("issue", ISSUE),
        required("location", Form::Object(&LOCATION)),
        required("suggestion", Form::Object(&SUGGESTION)),
        optional("evidence", Form::Object(&EVIDENCE)),
    ],
    rule: Some(rules::item),
};

static LOCATION: Shape = Shape {
    members: &[
        required("type", Form::Word(LocationType::WORDS)),
        required("reference", Form::Text),
        optional("context_before", Form::Text),
        optional("context_after", Form::Text),
    ],
    rule: Some(rules::location),
};

static SUGGESTION: Shape = Shape {
    members: &[
        required("action", ACTION),
        required("rationale", RATIONALE),
        optional("example", Form::Text),
        optional("priority", Form::Whole(10.0)),
    ],
    rule: Some(rules::suggestion),
};

static EVIDENCE: Shape = Shape {
    members: &[
        optional("test_result", Form::Text),
        optional("metric", Form::Text),
        optional("reference", Form::Text),
    ],
    rule: None,
};

static ASSESSMENT: Shape = Shape {
    members: &[
        required("score", Form::Fraction),
        required("verdict", Form::Word(AssessmentVerdict::WORDS)),
        required("summary", SUMMARY),
        optional("confidence", Form::Fraction),
    ],
    rule: Some(rules::assessment),
};

static TRACKING: Shape = Shape {
    members: &[
        optional("feedback_followed", Form::Boolean),
        optional("improvement_observed", Form::Boolean),
        optional("improvement_delta", Form::Number),
        optional("feedback_clarity_score", Form::Fraction),
    ],
    rule: None,
};

const fn bounded<const MIN: usize, const MAX: usize>(
    [short, long]: [Code; 2],
    wording: Option<(Wording, Code)>,
) -> Form {
    Form::Bounded(Limits {
        min: MIN,
        max: MAX,
        short,
        long,
        wording,
    })
}

const ISSUE: Form = bounded::<{ Issue::MIN }, { Issue::MAX }>(
    [Code::IssueTooShort, Code::IssueTooLong],
    Some((Wording::Vague, Code::IssueVague)),
);

const ACTION: Form = bounded::<{ Action::MIN }, { Action::MAX }>(
    [Code::ActionTooShort, Code::ActionTooLong],
    Some((Wording::Advisory, Code::ActionAdvisory)),
);

const RATIONALE: Form = bounded::<{ Rationale::MIN }, { Rationale::MAX }>(
    [Code::RationaleTooShort, Code::RationaleTooLong],
    None,
);

const SUMMARY: Form = bounded::<{ Summary::MIN }, { Summary::MAX }>(
    [Code::SummaryTooShort, Code::SummaryTooLong],
    None,
);
