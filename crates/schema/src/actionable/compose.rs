//! Builds a document from a reviewer's statements, and fills in the missing values.

use std::path::Path;

use crate::actionable::{
    Action, ActionableFeedback, Aspect, AssessmentVerdict, BoundedText, DocumentId, Evidence,
    Fraction, Issue, Item, Items, Iteration, Location, LocationType, OverallAssessment, Priority,
    Rationale, Suggestion, Summary, Target, TargetType,
};
use review_text::wording::{Weight, Wording};
use review_types::{Severity, Timestamp, Verdict, is_source_file, is_test_file, plural};

/// The known values of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// Its id.
    pub id: DocumentId,
    /// When the feedback was written.
    pub timestamp: Timestamp,
    /// Its iteration.
    pub iteration: Iteration,
    /// The reviewed target.
    pub target: Target,
    /// The reviewer's verdict.
    pub verdict: Option<AssessmentVerdict>,
    /// The overall quality.
    pub score: Option<Fraction>,
    /// The reviewer's confidence.
    pub confidence: Option<Fraction>,
    /// A summary in a few sentences.
    pub summary: Option<String>,
    /// The items.
    pub items: Vec<DraftItem>,
}

/// The known values of an item.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DraftItem {
    /// The place: a line such as `src/a.rs:42`, lines such as `42-48`, a path, or the
    /// heading of a section. `location` takes precedence.
    pub place: String,
    /// The location, if it is known in the form of a document.
    pub location: Option<Location>,
    /// The issue.
    pub issue: String,
    /// The suggested action.
    pub action: String,
    /// The reason for the action.
    pub rationale: Option<String>,
    /// An example of the result.
    pub example: Option<String>,
    /// The aspect of quality.
    pub aspect: Option<Aspect>,
    /// The severity.
    pub severity: Option<Severity>,
    /// The score of the aspect.
    pub score: Option<Fraction>,
    /// The priority.
    pub priority: Option<Priority>,
    /// The evidence.
    pub evidence: Option<Evidence>,
}

/// Builds a document from a draft; `None` without items. All values that were filled
/// in, extended or cut are listed in [`ActionableFeedback::derived`].
#[must_use]
pub fn compose(draft: Draft) -> Option<ActionableFeedback> {
    let mut derived = Derived::default();
    let verdict = draft.verdict.unwrap_or_else(|| {
        derived.add("/overall_assessment/verdict");
        AssessmentVerdict::Refine
    });
    let accepted = verdict == AssessmentVerdict::Accept;
    let numbered = draft.items.into_iter().enumerate();
    let items = numbered
        .map(|(index, item)| compose_item(item, index, accepted, &mut derived))
        .collect();
    let items = Items::new(items).ok()?;
    let score = draft.score.unwrap_or_else(|| {
        derived.add("/overall_assessment/score");
        default_score(accepted)
    });
    let told = summary_of(&items, &draft.target);
    let summary: Summary = match draft.summary {
        Some(text) => fitted(&text, &told, "/overall_assessment/summary", &mut derived),
        None => {
            derived.add("/overall_assessment/summary");
            fit(&told, &told).0
        }
    };
    Some(ActionableFeedback {
        id: draft.id,
        timestamp: draft.timestamp,
        iteration: draft.iteration,
        target: draft.target,
        feedback_items: items,
        overall_assessment: OverallAssessment {
            score,
            verdict,
            summary,
            confidence: draft.confidence,
        },
        quality_tracking: None,
        derived: derived.0,
    })
}

/// Returns the kind of target for a path, by its folders and its extension.
#[must_use]
pub fn target_type(path: &str) -> TargetType {
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or_default();
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let path = Path::new(path);
    match extension {
        "md" | "txt" | "adoc" | "rst" | "html" | "tex" => TargetType::Document,
        "json" | "yaml" | "yml" if stem.ends_with("schema") => TargetType::Schema,
        "xsd" | "proto" | "graphql" => TargetType::Schema,
        "json" | "yaml" | "yml" | "toml" | "ini" | "cfg" | "conf" | "env" => {
            TargetType::Configuration
        }
        _ if is_source_file(path) && is_test_file(path) => TargetType::Test,
        _ if is_source_file(path) => TargetType::Code,
        _ => TargetType::Artifact,
    }
}

/// The pointers to the values that were filled in.
#[derive(Default)]
struct Derived(Vec<String>);

impl Derived {
    fn add(&mut self, pointer: &str) {
        self.0.push(pointer.to_owned());
    }
}

fn compose_item(item: DraftItem, index: usize, accepted: bool, derived: &mut Derived) -> Item {
    let at = |member: &str| format!("/feedback_items/{index}/{member}");
    let location = item.location.unwrap_or_else(|| {
        derived.add(&at("location"));
        location_of(&item.place)
    });
    let aspect = item.aspect.unwrap_or_else(|| {
        derived.add(&at("aspect"));
        aspect_of(&item.place)
    });
    let severity = item.severity.unwrap_or_else(|| {
        derived.add(&at("severity"));
        Severity::of(match accepted {
            true => Verdict::Pass,
            false => Verdict::NeedsRevision,
        })
    });
    let place = format!("({} of {})", aspect, location.reference);
    let issue = unless_worded(Wording::Vague, &item.issue, "The reviewer says");
    let action = unless_worded(Wording::Advisory, &item.action, "Follow the advice");
    let reason = format!("It resolves what was found: {}", item.issue.trim());
    let rationale = match item.rationale {
        Some(text) => fitted(&text, &place, &at("suggestion/rationale"), derived),
        None => {
            derived.add(&at("suggestion/rationale"));
            fit::<{ Rationale::MIN }, { Rationale::MAX }>(&reason, &place).0
        }
    };
    if issue != item.issue {
        derived.add(&at("issue"));
    }
    if action != item.action {
        derived.add(&at("suggestion/action"));
    }
    let issue: Issue = fitted(&issue, &place, &at("issue"), derived);
    let action: Action = fitted(&action, &place, &at("suggestion/action"), derived);
    Item {
        aspect,
        severity,
        score: item.score,
        issue,
        location,
        suggestion: Suggestion {
            action,
            rationale,
            example: item.example,
            priority: item.priority,
        },
        evidence: item.evidence,
    }
}

/// Returns the string, quoted if its wording would be invalid.
fn unless_worded(list: Wording, text: &str, lead: &str) -> String {
    let is_worded = list
        .find(text)
        .is_some_and(|hit| hit.weight == Weight::Leading);
    if !is_worded {
        return text.to_owned();
    }
    let quoted = text.trim().replace(['"', '`'], "'");
    format!("{lead}: \"{quoted}\"")
}

/// Returns the string within its limits; records `pointer` if it had to be changed.
fn fitted<const MIN: usize, const MAX: usize>(
    text: &str,
    filler: &str,
    pointer: &str,
    derived: &mut Derived,
) -> BoundedText<MIN, MAX> {
    let (fitted, changed) = fit(text, filler);
    if changed && derived.0.last().is_none_or(|last| last != pointer) {
        derived.add(pointer);
    }
    fitted
}

/// Extends a string that is too short with `filler` and cuts one that is too long
/// at a word.
#[expect(
    clippy::expect_used,
    reason = "the string was brought to a length between the two"
)]
fn fit<const MIN: usize, const MAX: usize>(
    text: &str,
    filler: &str,
) -> (BoundedText<MIN, MAX>, bool) {
    if let Ok(text) = BoundedText::new(text) {
        return (text, false);
    }
    let mut long = text.trim().to_owned();
    while long.chars().count() < MIN {
        if !long.is_empty() {
            let is_sentence = long.ends_with(['.', '!', '?', ')', ':']);
            long.push_str(if is_sentence || filler.starts_with('(') {
                " "
            } else {
                ". "
            });
        }
        let filler = filler.trim();
        long.push_str(if filler.is_empty() {
            "(no more is known)"
        } else {
            filler
        });
    }
    let fitted = BoundedText::new(cut(&long, MAX));
    (
        fitted.expect("a cut text is MIN to MAX long, since MIN is at most half of MAX"),
        true,
    )
}

/// Returns at most `max` characters of a string, cut at a word in its second half.
fn cut(text: &str, max: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(max.saturating_sub(1)) else {
        return text.to_owned();
    };
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let head = text.get(..end).unwrap_or_default();
    let word = head.rfind(char::is_whitespace);
    let head = match word.and_then(|at| head.get(..at)) {
        Some(words) if words.chars().count() > max / 2 => words,
        _ => head,
    };
    format!("{}…", head.trim_end())
}

fn default_score(accepted: bool) -> Fraction {
    let score = if accepted { 0.9 } else { 0.5 };
    Fraction::new(score).unwrap_or(Fraction::ONE)
}

fn summary_of(items: &Items, target: &Target) -> String {
    let list = items.as_slice();
    let first = items
        .in_order()
        .first()
        .map_or("", |item| item.issue.as_str());
    let path = match target.path.as_str() {
        "unknown" => String::new(),
        path => format!(" for {path}"),
    };
    let points = plural(list.len(), "point remains open", "points remain open");
    format!("{points}{path}. The first one is: {first}")
}

/// Returns the location that a string names.
fn location_of(place: &str) -> Location {
    let place = place.trim();
    let (kind, reference) = match place.rsplit_once(':') {
        Some((path, lines)) if !path.is_empty() && numbers(lines).is_some() => {
            (numbers(lines), lines)
        }
        _ => (numbers(place), place),
    };
    let kind = kind.unwrap_or_else(|| kind_of(place));
    let reference = if reference.is_empty() {
        "whole"
    } else {
        reference
    };
    Location {
        kind,
        reference: reference.to_owned(),
        context_before: None,
        context_after: None,
    }
}

fn kind_of(place: &str) -> LocationType {
    let is_word = |word: &str| !word.contains(char::is_whitespace);
    if place.is_empty() {
        LocationType::Element
    } else if place.ends_with("()") && is_word(place) {
        LocationType::Function
    } else if is_word(place) && (place.contains('/') || place.contains('.')) {
        LocationType::Path
    } else {
        LocationType::Section
    }
}

/// Returns whether a string is the number of a line or a range of them.
fn numbers(text: &str) -> Option<LocationType> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.split_once('-') {
        Some((first, last)) if is_number(first) && is_number(last) => Some(LocationType::Range),
        None if is_number(text) => Some(LocationType::Line),
        _ => None,
    }
}

/// Returns the aspect that a place names, as a criterion or by its own word.
#[must_use]
pub fn aspect_of(place: &str) -> Aspect {
    match place.trim().to_lowercase().as_str() {
        "architecture" => Aspect::Maintainability,
        word => word.parse().unwrap_or(Aspect::Correctness),
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::actionable::{Count, Mode, validate};

    fn draft(items: Vec<DraftItem>) -> Draft {
        Draft {
            id: DocumentId::new("0192f0c1-2d3e-4a4b-8c5d-6e7f8091a2b3").unwrap(),
            timestamp: Timestamp::UNIX_EPOCH,
            iteration: Iteration::new(Count::ONE, Count::new(3).unwrap()),
            target: Target {
                kind: TargetType::Document,
                path: "specs/CACHE.md".to_owned(),
                version: None,
                context: None,
            },
            verdict: None,
            score: None,
            confidence: None,
            summary: None,
            items,
        }
    }

    fn item(place: &str, issue: &str, action: &str) -> DraftItem {
        DraftItem {
            place: place.to_owned(),
            issue: issue.to_owned(),
            action: action.to_owned(),
            ..DraftItem::default()
        }
    }

    /// Builds the document of some items; the result is always valid.
    fn made(items: Vec<DraftItem>) -> ActionableFeedback {
        let made = compose(draft(items)).unwrap();
        let text = serde_json::to_string(&made).unwrap();
        let errors: Vec<_> = validate(&text, Mode::Default)
            .into_iter()
            .filter(|one| one.is_error())
            .collect();
        assert_eq!(errors, [], "{text}");
        made
    }

    #[test]
    fn missing_values_are_derived_and_listed() {
        let made = made(vec![item(
            "Limits",
            "The limit is missing from the table of sizes",
            "Add the limit in bytes to the table",
        )]);
        let expected = [
            "/overall_assessment/verdict",
            "/feedback_items/0/location",
            "/feedback_items/0/aspect",
            "/feedback_items/0/severity",
            "/feedback_items/0/suggestion/rationale",
            "/overall_assessment/score",
            "/overall_assessment/summary",
        ];
        assert_eq!(made.derived, expected);
        let first = &made.feedback_items.as_slice()[0];
        assert_eq!(
            (first.aspect, first.severity),
            (Aspect::Correctness, Severity::Major)
        );
        assert_eq!(first.location.kind, LocationType::Section);
        assert_eq!(made.overall_assessment.verdict, AssessmentVerdict::Refine);
        assert_eq!(made.overall_assessment.score.get(), 0.5);
        assert_eq!(
            made.overall_assessment.summary.as_str(),
            "1 point remains open for specs/CACHE.md. The first one is: \
             The limit is missing from the table of sizes"
        );
    }

    #[test]
    fn given_values_are_unchanged() {
        let mut given = draft(vec![DraftItem {
            location: Some(location_of("42")),
            rationale: Some("Readers then know how large it gets".to_owned()),
            aspect: Some(Aspect::Style),
            severity: Some(Severity::Minor),
            ..item(
                "",
                "The limit is missing from the table",
                "Add the limit to the table",
            )
        }]);
        given.verdict = Some(AssessmentVerdict::Accept);
        given.score = Some(Fraction::ONE);
        given.summary = Some("One small thing is left, and it can wait for the next time.".into());
        assert_eq!(compose(given).unwrap().derived, [""; 0]);
        assert_eq!(compose(draft(vec![])), None);
    }

    #[test]
    fn strings_are_extended_cut_and_quoted() {
        let made = made(vec![
            item("Scope", "Open", "Close it"),
            item("Scope", &"long words ".repeat(100), &"x".repeat(2_000)),
            item("Scope", "Code could be better", "Consider `it`, maybe"),
            item("", "", ""),
        ]);
        let items = made.feedback_items.as_slice();
        assert_eq!(items[0].issue.as_str(), "Open (correctness of Scope)");
        assert_eq!(
            items[0].suggestion.action.as_str(),
            "Close it (correctness of Scope)"
        );
        assert!(items[1].issue.as_str().ends_with("words…"));
        assert_eq!(items[1].issue.as_str().chars().count(), 495);
        assert_eq!(items[1].suggestion.action.as_str().chars().count(), 1000);
        assert_eq!(
            items[2].issue.as_str(),
            "The reviewer says: \"Code could be better\""
        );
        assert_eq!(
            items[2].suggestion.action.as_str(),
            "Follow the advice: \"Consider 'it', maybe\""
        );
        let cut: Vec<_> = made
            .derived
            .iter()
            .filter(|one| one.ends_with("issue"))
            .collect();
        let expected: Vec<_> = (0..4)
            .map(|at| format!("/feedback_items/{at}/issue"))
            .collect();
        assert_eq!(cut, expected.iter().collect::<Vec<_>>());
    }

    #[test]
    fn places_have_their_types() {
        for (place, kind, reference) in [
            ("42", LocationType::Line, "42"),
            ("src/a.rs:42", LocationType::Line, "42"),
            ("src/a.rs:42-48", LocationType::Range, "42-48"),
            ("42-48", LocationType::Range, "42-48"),
            ("src/a.rs", LocationType::Path, "src/a.rs"),
            ("open()", LocationType::Function, "open()"),
            ("R1: Limits", LocationType::Section, "R1: Limits"),
            (" ", LocationType::Element, "whole"),
        ] {
            let location = location_of(place);
            assert_eq!(
                (location.kind, location.reference.as_str()),
                (kind, reference),
                "{place}"
            );
        }
    }

    #[test]
    fn targets_have_their_types() {
        for (path, kind) in [
            ("specs/CACHE.md", TargetType::Document),
            ("src/a.rs", TargetType::Code),
            ("SRC/A.RS", TargetType::Code),
            ("tests/a.rs", TargetType::Test),
            ("pkg/a_test.go", TargetType::Test),
            ("web/a.test.ts", TargetType::Test),
            ("Cargo.toml", TargetType::Configuration),
            ("schemas/run.schema.json", TargetType::Schema),
            ("api.proto", TargetType::Schema),
            ("Makefile", TargetType::Artifact),
            ("", TargetType::Artifact),
        ] {
            assert_eq!(target_type(path), kind, "{path}");
        }
    }

    #[test]
    fn a_place_that_names_a_criterion_or_an_aspect_has_that_aspect() {
        for (place, aspect) in [
            ("testability", Aspect::Testability),
            (" Consistency ", Aspect::Consistency),
            ("architecture", Aspect::Maintainability),
            ("security", Aspect::Security),
            ("Security of tokens", Aspect::Correctness),
        ] {
            assert_eq!(aspect_of(place), aspect, "{place}");
        }
    }
}
