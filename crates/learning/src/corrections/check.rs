//! A line held against the tables of the format.

use std::borrow::Cow;
use std::str::FromStr;

use review_text::near_key;

use super::key::{Key, Need, Scope};
use super::moment::is_date;
use super::pattern::SHORT;
use super::raw::{Kind, RawCorrection, Value};
use super::{
    AiAction, Code, Confidence, Context, Correction, CorrectionType, Diagnostic,
    DiagnosticSeverity, Mode, Moment, PatternName, PatternNameError, Reading, Severity, Source,
    UserCorrection,
};

/// The most characters of a value that a message quotes.
const MAX_QUOTED: usize = 60;

/// Checks what a line holds and makes a correction of it.
pub(super) fn checked(mut raw: RawCorrection<'_>, line: u64, mode: Mode) -> Reading<'_> {
    let mut check = Check {
        mode,
        line,
        diagnostics: Vec::new(),
    };
    let correction = check.correction(&mut raw);
    let diagnostics = check.diagnostics;
    let is_valid = !diagnostics.iter().any(Diagnostic::is_error);
    Reading {
        correction: correction.filter(|_| is_valid),
        diagnostics,
    }
}

struct Check {
    mode: Mode,
    line: u64,
    diagnostics: Vec<Diagnostic>,
}

/// What is told about a member.
struct Found {
    code: Code,
    severity: DiagnosticSeverity,
    message: String,
    fix: Option<String>,
}

impl Found {
    fn error(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: DiagnosticSeverity::Error,
            message: message.into(),
            fix: None,
        }
    }

    fn warning(code: Code, message: impl Into<String>) -> Self {
        Self {
            severity: DiagnosticSeverity::Warning,
            ..Self::error(code, message)
        }
    }

    fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }
}

impl Check {
    fn tell(&mut self, pointer: String, found: Found) {
        let severity = match self.mode {
            Mode::Strict => DiagnosticSeverity::Error,
            Mode::Default | Mode::Import => found.severity,
        };
        self.diagnostics.push(Diagnostic {
            line: self.line,
            pointer,
            code: found.code,
            severity,
            message: found.message,
            fix: found.fix,
        });
    }

    fn at(&mut self, key: Key, found: Found) {
        self.tell(key.pointer(), found);
    }

    /// The correction that the members make, as far as they can make one.
    fn correction<'t>(&mut self, raw: &mut RawCorrection<'t>) -> Option<Correction<'t>> {
        if let Some(kind) = raw.no_object {
            let message = format!("must be an object, got {}", kind.what());
            self.tell(String::new(), Found::error(Code::MemberType, message));
            return None;
        }
        self.keys(raw);
        for key in Key::ALL {
            self.shape(raw, *key);
        }
        let timestamp = self.timestamp(raw);
        let date = self.date(raw, timestamp.as_ref());
        let correction_type = self.word::<CorrectionType>(raw, Key::CorrectionType);
        let pattern_inferred = self.pattern(raw, correction_type);
        let pattern_confidence = self.word::<Confidence>(raw, Key::PatternConfidence);
        let severity = self.severity(raw);
        let source = self.word::<Source>(raw, Key::Source);
        self.texts(raw, source);
        Some(Correction {
            date: date?,
            timestamp: timestamp?,
            agent: raw.take(Key::Agent)?,
            session_id: raw.take(Key::SessionId),
            correction_type: correction_type?,
            ai_action: AiAction {
                summary: raw.take(Key::ActionSummary)?,
                tool_used: raw.take(Key::ToolUsed),
                file: raw.take(Key::File),
            },
            user_correction: UserCorrection {
                summary: raw.take(Key::UserSummary)?,
                verbatim: raw.take(Key::Verbatim),
            },
            pattern_inferred,
            pattern_confidence,
            context: (*raw.get(Key::Context) != Value::Absent).then(|| Context {
                task: raw.take(Key::Task),
                feature_id: raw.take(Key::FeatureId),
                service: raw.take(Key::Service),
            }),
            severity,
            source: source?,
        })
    }

    fn keys(&mut self, raw: &mut RawCorrection<'_>) {
        for (scope, name) in std::mem::take(&mut raw.twice) {
            let message = format!("the key \"{}\" stands twice", quoted(&name));
            self.tell(pointer(scope, &name), Found::error(Code::KeyTwice, message));
        }
        for (scope, name) in std::mem::take(&mut raw.unknown) {
            let Some(near) = near_key(&name, scope.names()) else {
                continue;
            };
            let message = format!("unknown key \"{name}\"; did you mean \"{near}\"?");
            let found = Found::warning(Code::KeyNear, message).fix(near);
            self.tell(pointer(scope, &name), found);
        }
    }

    /// Whether a member is there and of its type.
    fn shape(&mut self, raw: &RawCorrection<'_>, key: Key) {
        let wanted = match key.object() {
            Some(_) => Kind::Object,
            None => Kind::Text,
        };
        match raw.get(key).kind() {
            None => {
                let is_derived = self.mode == Mode::Import && key == Key::Date;
                if key.need() == Need::Required && !is_derived && has_object(raw, key) {
                    let message = format!("\"{}\" is missing", key.name());
                    self.at(key, Found::error(Code::MemberMissing, message));
                }
            }
            Some(kind) if kind != wanted => {
                let message = format!("must be {}, got {}", wanted.what(), kind.what());
                self.at(key, Found::error(Code::MemberType, message));
            }
            Some(_) => {}
        }
    }

    fn timestamp<'t>(&mut self, raw: &mut RawCorrection<'t>) -> Option<Moment<'t>> {
        let text = raw.take(Key::Timestamp)?;
        if let Some(moment) = Moment::new(text.clone()) {
            return Some(moment);
        }
        let naive = Moment::naive(&text);
        let fix = naive.as_ref().map(|moment| moment.as_str().to_owned());
        match (self.mode, naive) {
            (Mode::Import, Some(moment)) => {
                let found = Found::warning(Code::TimestampNaive, "has no offset: read as UTC");
                self.at(Key::Timestamp, Found { fix, ..found });
                Some(moment)
            }
            (Mode::Default | Mode::Strict | Mode::Import, _) => {
                let text = quoted(&text);
                let message = format!("must be an RFC 3339 instant with an offset, got \"{text}\"");
                let found = Found::error(Code::TimestampNotInstant, message);
                self.at(Key::Timestamp, Found { fix, ..found });
                None
            }
        }
    }

    fn date<'t>(
        &mut self,
        raw: &mut RawCorrection<'t>,
        timestamp: Option<&Moment<'t>>,
    ) -> Option<Cow<'t, str>> {
        let of_timestamp = timestamp.map(Moment::date);
        let Some(date) = raw.take(Key::Date) else {
            // Mode import alone goes on without a date.
            return of_timestamp.map(|date| Cow::Owned(date.to_owned()));
        };
        if of_timestamp == Some(&*date) {
            return Some(date);
        }
        if !is_date(&date) {
            let message = format!(
                "must be a date such as 2026-03-01, got \"{}\"",
                quoted(&date)
            );
            let fix = of_timestamp.map(str::to_owned);
            let found = Found::error(Code::DateNotDate, message);
            self.at(Key::Date, Found { fix, ..found });
            return None;
        }
        if let Some(of_timestamp) = of_timestamp {
            let message = format!("is {date}, and the timestamp begins with {of_timestamp}");
            let found = Found::error(Code::DateMismatch, message).fix(of_timestamp);
            self.at(Key::Date, found);
        }
        Some(date)
    }

    fn word<W: FromStr>(&mut self, raw: &RawCorrection<'_>, key: Key) -> Option<W>
    where
        W::Err: std::fmt::Display,
    {
        let text = raw.text(key)?;
        match text.parse() {
            Ok(word) => Some(word),
            Err(_) => {
                // The words of a message end where a quotation does.
                let error = quoted(text).parse::<W>().err();
                let message = error.map_or_else(String::new, |error| error.to_string());
                self.at(key, Found::error(Code::WordUnknown, message));
                None
            }
        }
    }

    fn severity(&mut self, raw: &RawCorrection<'_>) -> Option<Severity> {
        let text = raw.text(Key::Severity)?;
        match Severity::of_review(text) {
            Some(severity) if self.mode == Mode::Import => {
                let message = format!("\"{text}\" is a word of reviews: read as {severity}");
                let found = Found::warning(Code::SeverityOfReview, message);
                self.at(Key::Severity, found.fix(severity.as_str()));
                Some(severity)
            }
            Some(_) | None => self.word(raw, Key::Severity),
        }
    }

    fn pattern<'t>(
        &mut self,
        raw: &mut RawCorrection<'t>,
        correction_type: Option<CorrectionType>,
    ) -> Option<PatternName<'t>> {
        let text = raw.take(Key::PatternInferred)?;
        let name = match PatternName::new(text.clone()) {
            Ok(name) => name,
            Err(error) => self.other_name(&text, error)?,
        };
        if name.as_str().len() < SHORT {
            let message = format!("\"{}\" describes nothing", name.as_str());
            self.at(
                Key::PatternInferred,
                Found::warning(Code::PatternShort, message),
            );
        }
        if let (Some(common), Some(found)) = (name.common(), correction_type)
            && common.correction_type != found
        {
            let message = format!(
                "\"{}\" goes with {}, and the type is {found}",
                common.name, common.correction_type
            );
            let found = Found::warning(Code::PatternOtherType, message);
            self.at(Key::PatternInferred, found);
        }
        Some(name)
    }

    /// The name that a text in another case stands for, where that is taken.
    fn other_name(&mut self, text: &str, error: PatternNameError) -> Option<PatternName<'static>> {
        let converted = PatternName::converted(text);
        let fix = converted.as_ref().map(|name| name.as_str().to_owned());
        let (code, message) = match error {
            PatternNameError::NotKebab => (
                Code::PatternNotKebab,
                format!("{error}, got \"{}\"", quoted(text)),
            ),
            PatternNameError::TooLong => (Code::PatternTooLong, error.to_string()),
        };
        match (self.mode, converted) {
            (Mode::Import, Some(name)) => {
                let message = format!("read as \"{}\"", name.as_str());
                let found = Found::warning(Code::PatternConverted, message);
                self.at(Key::PatternInferred, Found { fix, ..found });
                Some(name)
            }
            (Mode::Default | Mode::Strict | Mode::Import, _) => {
                let found = Found::error(code, message);
                self.at(Key::PatternInferred, Found { fix, ..found });
                None
            }
        }
    }

    fn texts(&mut self, raw: &RawCorrection<'_>, source: Option<Source>) {
        for key in [Key::Agent, Key::ActionSummary, Key::UserSummary] {
            if raw.text(key).is_some_and(|text| text.trim().is_empty()) {
                self.at(key, Found::warning(Code::TextBlank, "says nothing"));
            }
        }
        let is_explicit = source == Some(Source::Explicit);
        if is_explicit && *raw.get(Key::Verbatim) == Value::Absent && has_object(raw, Key::Verbatim)
        {
            let message = "an explicit correction without the user's own words";
            self.at(
                Key::Verbatim,
                Found::warning(Code::VerbatimMissing, message),
            );
        }
        if let Some(id) = raw.text(Key::FeatureId)
            && !id.starts_with("feat-")
        {
            let message = format!("must begin with feat-, got \"{}\"", quoted(id));
            self.at(Key::FeatureId, Found::warning(Code::FeatureIdForm, message));
        }
    }
}

/// Whether the object that a member belongs in is there.
fn has_object(raw: &RawCorrection<'_>, key: Key) -> bool {
    let object = match key.scope() {
        Scope::Top => return true,
        Scope::AiAction => Key::AiAction,
        Scope::UserCorrection => Key::UserCorrection,
        Scope::Context => Key::Context,
    };
    raw.get(object).kind() == Some(Kind::Object)
}

/// The JSON pointer to a key of an object.
fn pointer(scope: Scope, name: &str) -> String {
    let name = name.replace('~', "~0").replace('/', "~1");
    format!("{}/{name}", scope.pointer())
}

/// The beginning of a text, for a message.
fn quoted(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}
