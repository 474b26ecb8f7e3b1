//! Scans the objects of a string from left to right, and combines them.

use std::ops::Range;

use memchr::{memchr, memchr2, memmem};

use crate::explain::Trace;
use crate::form::{Mention, goes_on_as_template};
use crate::frame::Frame;
use crate::judge::{Judged, Outcome, guessed, judge, unreadable};
use crate::outside::{self, Tag};
use crate::parse::{
    Answer, CallEnd, CallProblem, Entry, Failure, Kind, Progress, Reader, Slot, SyntaxFault, decode,
};
use crate::prose::Surroundings;
use crate::repair::Notes;
use crate::scan_result::ScanResult;
use crate::{CandidateOutcome, Dialect, Options, SchemaError};

/// Maximum number of bytes of a line that are inspected after a malformed string.
const MAX_LINE: usize = 256;

/// Maximum number of bytes after the malformed part of an answer that may belong to it.
const MAX_REST: usize = 4_096;

/// Maximum number of attempts at guessing in one answer.
const MAX_GUESSES: u8 = 4;

/// The shared limits of all parts of a scan.
pub(crate) struct WorkBudget<'o> {
    pub(crate) options: &'o Options,
    pub(crate) trace: Trace,
    /// The number of bytes processed by all attempts.
    pub(crate) work: usize,
    fuel: usize,
    guesses: u8,
}

impl<'o> WorkBudget<'o> {
    /// `fuel` is the number of bytes after which no further attempt starts.
    pub(crate) fn new(options: &'o Options, fuel: usize) -> Self {
        Self {
            options,
            trace: Trace::default(),
            work: 0,
            fuel,
            guesses: MAX_GUESSES,
        }
    }

    pub(crate) fn spend(&mut self, bytes: usize) {
        self.work += bytes;
    }

    pub(crate) fn is_exhausted(&self) -> bool {
        self.work >= self.fuel
    }

    /// Uses one of the remaining guesses.
    pub(crate) fn may_guess(&mut self) -> bool {
        let left = self.guesses.checked_sub(1);
        self.guesses = left.unwrap_or(0);
        left.is_some()
    }
}

/// Scans a string: all of its objects, or the content of the one string that it is.
pub(crate) fn read_text(
    text: &str,
    frame: &Frame,
    effort: &mut WorkBudget<'_>,
) -> Result<ScanResult, SchemaError> {
    if frame.may_contain_answers()
        && let Some((slot, notes)) = Reader::whole_string(text)
    {
        let frame = frame.in_json_string(slot, &notes, effort.options.mode);
        return read_text(&decode(text, slot.start, slot.end), &frame, effort);
    }
    let scan = Scan {
        text,
        frame,
        first_listed: effort.trace.len(),
        effort,
        reading: ScanResult::default(),
        thinking: false,
        gap: 0,
        heard: 0,
        unescaped_until: 0,
        quoted_until: 0,
        sentence_from: 0,
        in_fence: false,
        around: Surroundings::default(),
    };
    scan.run()
}

struct Scan<'s, 'o> {
    text: &'s str,
    frame: &'s Frame,
    effort: &'s mut WorkBudget<'o>,
    first_listed: usize,
    reading: ScanResult,
    /// Whether a tag of thinking is open.
    thinking: bool,
    /// The offset after which the content is outside any object.
    gap: usize,
    /// The end of the content that was parsed as part of a malformed answer.
    heard: usize,
    /// The end of the string that was decoded for the object in it.
    unescaped_until: usize,
    /// The end of a string of a malformed object that contains everything up to here.
    quoted_until: usize,
    /// The offset after which the sentence around an object starts.
    sentence_from: usize,
    /// Whether the fence of a code block is open.
    in_fence: bool,
    /// The text beside the current object.
    around: Surroundings<'s>,
}

/// One attempt to parse from one brace.
struct Attempt<'t> {
    reader: Reader<'t>,
    entries: Vec<Entry<'t>>,
    result: Result<CallEnd, Failure>,
    start: usize,
    guessing: bool,
}

impl Attempt<'_> {
    fn span(&self) -> Range<usize> {
        self.start..self.reader.pos()
    }
}

impl<'s> Scan<'s, '_> {
    fn run(mut self) -> Result<ScanResult, SchemaError> {
        let bytes = self.text.as_bytes();
        let mut pos = 0;
        while let Some(offset) = memchr(b'{', bytes.get(pos..).unwrap_or_default()) {
            let start = pos + offset;
            let behind = bytes
                .get(start + 1..)
                .unwrap_or_default()
                .trim_ascii_start();
            pos = if may_open(behind) {
                self.object_at(start)?
            } else {
                if behind.starts_with(b"\\\"") {
                    self.escaped_object(start)?;
                }
                start + 1
            };
        }
        self.pass_over(self.text.len());
        Ok(self.reading)
    }

    fn options(&self) -> &Options {
        self.effort.options
    }

    /// Parses from the brace at `start` and returns where to continue.
    fn object_at(&mut self, start: usize) -> Result<usize, SchemaError> {
        let plain = self.attempt(start, false)?;
        match plain.result {
            Ok(_) => self.take(plain),
            Err(failure) if plain.reader.progress.keys == 0 => {
                self.without_key(start, failure);
                Ok(start + 1)
            }
            Err(failure) => {
                self.pass_over(start);
                // The last string may have started at a stray quote and contain the
                // start of an answer.
                let next = match plain.reader.text_before(failure.at) {
                    Some(string) => string,
                    None => failure.at,
                };
                if let Some(guess) = self.guess(start, failure)? {
                    return self.take(guess);
                }
                self.give_up(&plain, failure, next);
                Ok(next)
            }
        }
    }

    /// Handles an object whose quotes are escaped: it is in a string that is not
    /// decoded. Its content is quoted, and unless it is not an answer or is a pass, no
    /// pass around it is unanimous.
    fn escaped_object(&mut self, start: usize) -> Result<(), SchemaError> {
        self.pass_over(start);
        if self.thinking || start < self.unescaped_until {
            return Ok(());
        }
        self.check_fuel(start)?;
        let end = string_end(self.text.as_bytes(), start);
        let piece = decode(self.text, start, end);
        let mut reader = Reader::new(&piece, 0, false);
        let mut entries = Vec::new();
        let result = reader.answer(self.options().dialect, &mut entries);
        self.effort.spend(end - start);
        if result.is_err() && reader.progress.keys == 0 {
            return Ok(());
        }
        self.unescaped_until = end;
        self.look_for_contrary(start..end);
        self.gap = self.gap.max(end);
        if result.is_ok()
            && entries
                .iter()
                .all(|entry| is_allowed_with_a_pass(entry, &piece))
        {
            self.quoted_until = self.quoted_until.max(end);
        } else {
            self.leave_unclear(start..end);
        }
        Ok(())
    }

    /// Handles a brace in prose, unless a string without a colon shows what was meant.
    fn without_key(&mut self, start: usize, failure: Failure) {
        let begins = self.text.as_bytes().get(start + 1..).unwrap_or_default();
        let is_string = begins.trim_ascii_start().starts_with(b"\"");
        if !is_string || failure.fault != SyntaxFault::Colon {
            return;
        }
        self.pass_over(start);
        if !self.thinking && self.reading.broken.is_none() {
            let error = self.frame.error(unreadable(self.text, failure));
            self.reading.broken = Some(error);
        }
    }

    fn check_fuel(&self, start: usize) -> Result<(), SchemaError> {
        if self.effort.is_exhausted() {
            let error = SchemaError::json("too many malformed objects").at(start);
            return Err(self.frame.error(error));
        }
        Ok(())
    }

    fn attempt(&mut self, start: usize, guessing: bool) -> Result<Attempt<'s>, SchemaError> {
        self.check_fuel(start)?;
        let mut reader = Reader::new(self.text, start, guessing);
        let mut entries = Vec::new();
        let dialect = self.options().dialect;
        let result = reader.answer(dialect, &mut entries);
        self.effort.spend(reader.pos() - start);
        if let Err(Failure {
            at,
            fault: fault @ SyntaxFault::TooManyAnswers,
        }) = result
        {
            return Err(self.frame.error(SchemaError::json(fault.expected()).at(at)));
        }
        Ok(Attempt {
            reader,
            entries,
            result,
            start,
            guessing,
        })
    }

    /// Tries to guess the content of a malformed object, if its error can be
    /// guessed.
    fn guess(
        &mut self,
        start: usize,
        failure: Failure,
    ) -> Result<Option<Attempt<'s>>, SchemaError> {
        let rest = self.text.get(failure.at..).unwrap_or_default();
        let hopeless = match failure.fault {
            // A bar after the value makes it a choice, as in a template.
            SyntaxFault::End | SyntaxFault::Separator | SyntaxFault::Key | SyntaxFault::Colon => {
                rest.starts_with('|')
            }
            SyntaxFault::Value
            | SyntaxFault::Depth
            | SyntaxFault::Nul
            | SyntaxFault::TooManyAnswers => !(rest.starts_with("...") || rest.starts_with('…')),
        };
        if hopeless || self.thinking || !self.effort.may_guess() {
            return Ok(None);
        }
        let guess = self.attempt(start, true)?;
        let unread = failure.at..guess.span().end;
        let inside = self.text.as_bytes().get(unread).unwrap_or_default();
        let closes_thinking = outside::tags(inside).any(|(_, tag)| tag == Tag::Close);
        Ok((guess.result.is_ok() && !closes_thinking).then_some(guess))
    }

    /// Handles the entries of an object.
    fn take(&mut self, attempt: Attempt<'s>) -> Result<usize, SchemaError> {
        let span = attempt.span();
        if span.end <= self.quoted_until {
            self.leave_out(&span, CandidateOutcome::Quoted);
            return Ok(span.end);
        }
        self.pass_over(span.start);
        self.gap = self.gap.max(span.end);
        if self.thinking {
            self.leave_out(&span, CandidateOutcome::Thinking);
            return Ok(span.end);
        }
        self.reading.objects = true;
        if attempt.entries.is_empty() {
            self.without_review(&attempt);
        }
        self.around = Surroundings::of(self.text, self.sentence_from, &span);
        let mut template = false;
        for entry in &attempt.entries {
            match entry {
                Entry::Answer(answer) => template |= self.candidate(answer, &attempt),
                Entry::Text(slot, end) => self.inner_text(*slot, *end, &attempt.reader.notes)?,
            }
        }
        let is_answer =
            |entry: &Entry<'_>| matches!(entry, Entry::Answer(answer) if !answer.wrapped);
        let line = attempt.result.unwrap_or_default().of_line();
        if !attempt.entries.iter().any(is_answer)
            && let Some(problem) = line.problem("a line after the answer", self.text)
        {
            self.reading.call_ended(self.located(problem));
        }
        if attempt.guessing && !template {
            // Guessed ends of strings are no proof.
            self.look_for_contrary(span.clone());
        }
        if !attempt.entries.is_empty() {
            self.sentence_from = span.end;
        }
        Ok(span.end)
    }

    /// Adds the offset in the answer to a problem of a call.
    fn located(&self, problem: CallProblem) -> CallProblem {
        CallProblem {
            error: self.frame.error(problem.error),
            ..problem
        }
    }

    fn leave_out(&mut self, span: &Range<usize>, outcome: CandidateOutcome) {
        self.reading.discarded += 1;
        self.effort.trace.add(self.frame.span(span), outcome);
    }

    fn without_review(&mut self, attempt: &Attempt<'_>) {
        let span = attempt.span();
        self.leave_out(&span, CandidateOutcome::NoReview);
        let Some(guess) = attempt.reader.notes.guess() else {
            return;
        };
        let error = self.frame.error(guessed(self.text, guess));
        self.reading.broken = Some(error);
        let raw = self.text.as_bytes().get(span.clone()).unwrap_or_default();
        let list: &[u8] = match self.options().dialect {
            Dialect::Verdict => b"verdict",
            Dialect::Afp => b"areas_for_improvement",
            Dialect::Actionable => b"feedback_items",
        };
        let tells = memmem::find(raw, b"verdict").is_some() || memmem::find(raw, list).is_some();
        if tells {
            self.leave_unclear(span);
        }
    }

    /// Records that the malformed part in `span` may contain a verdict: among the answers
    /// with the `review_id` if that is in it.
    fn leave_unclear(&mut self, span: Range<usize>) {
        let at = self.frame.place(span.start);
        let raw = self.text.as_bytes().get(span).unwrap_or_default();
        let tally = self.reading.tally(self.names_id(raw));
        tally.mention(Mention::Unclear, at);
    }

    fn names_id(&self, raw: &[u8]) -> bool {
        let wanted = self.options().review_id.as_ref();
        wanted.is_some_and(|id| memmem::find(raw, id.as_bytes()).is_some())
    }

    /// Returns whether the `review_id` is in the rest of an object that is malformed at
    /// byte `at`, up to the next brace.
    fn names_id_after(&self, at: usize) -> bool {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        let rest = rest.get(..MAX_REST).unwrap_or(rest);
        let end = memchr(b'{', rest).unwrap_or(rest.len());
        self.names_id(rest.get(..end).unwrap_or_default())
    }

    /// Handles a candidate. Returns whether it is a template.
    fn candidate(&mut self, answer: &Answer<'_>, attempt: &Attempt<'_>) -> bool {
        let options = self.effort.options;
        let notes = attempt.reader.notes.clone();
        let refused = self.frame.refused();
        let judged = judge(self.text, attempt.guessing, answer, notes, refused, options);
        let judged = self.frame.locate(judged);
        let span = self.frame.span(&answer.span);
        let one_id = answer.review_id.filter(|member| !member.is_contradicted());
        let signed = self.is_signed(one_id.map(|member| member.slot));
        // One with the id of its prompt is the answer, whatever the prose says.
        let judged = match self.doubt(&judged).filter(|_| !signed) {
            Some(word) => judged.doubted(&word, span.start),
            None => judged,
        };
        let own = answer.own_end.failure().problem("the answer", self.text);
        let outer = answer
            .outer_end
            .problem("the object around the answer", self.text);
        let own = own.map(CallProblem::of_passes);
        let own_and_outer = [own, outer].into_iter().flatten();
        let problems = own_and_outer.map(|problem| self.located(problem));
        let problems: Vec<_> = problems.chain(self.frame.call_problem().cloned()).collect();
        let judged = problems.iter().fold(judged, Judged::after_call);
        let template = matches!(judged.outcome, Outcome::Template(_));
        self.reading.discarded += usize::from(template);
        self.effort
            .trace
            .add_candidate(span.clone(), signed, outcome(&judged));
        self.reading.tally(signed).add(judged, span);
        template
    }

    /// Returns the word beside a pass, or beside what contains it, that puts it in doubt.
    fn doubt(&self, judged: &Judged) -> Option<String> {
        if !judged.passes() {
            return None;
        }
        let mut around = std::iter::once(self.around).chain(self.frame.around());
        around.find_map(Surroundings::doubt)
    }

    fn is_signed(&self, review_id: Option<Slot>) -> bool {
        let Some(wanted) = &self.options().review_id else {
            return false;
        };
        review_id.is_some_and(|slot| {
            slot.kind == Kind::Text && decode(self.text, slot.start, slot.end).trim() == wanted
        })
    }

    fn inner_text(&mut self, slot: Slot, end: CallEnd, notes: &Notes) -> Result<(), SchemaError> {
        if !self.frame.may_contain_answers() {
            return Ok(());
        }
        let mode = self.options().mode;
        let problem = end.problem("the object around the answer", self.text);
        let problem = problem.map(|problem| self.located(problem));
        let frame = self.frame.in_string(slot, notes, mode, self.around);
        let frame = frame.after_call(problem);
        let text = decode(self.text, slot.start, slot.end);
        let inner = read_text(&text, &frame, self.effort)?;
        self.reading.absorb(inner);
        Ok(())
    }

    /// Records a malformed object. The text up to `next` was parsed as part of it, so that
    /// tags in it are text.
    fn give_up(&mut self, attempt: &Attempt<'_>, failure: Failure, next: usize) {
        let progress = attempt.reader.progress;
        self.quoted_until = self.quoted_until.max(failure.at);
        if progress.review_key {
            self.heard = failure.at;
        }
        // Only thinking may have been closed by a tag in the last string.
        let read = if self.thinking { next } else { failure.at };
        self.look_for_contrary(attempt.start..read);
        self.gap = self.gap.max(read);
        if self.thinking {
            return;
        }
        let error = self.frame.error(unreadable(self.text, failure));
        let span = self.frame.span(&(attempt.start..failure.at));
        let signed = self.is_signed(progress.review_id) || self.names_id_after(failure.at);
        self.effort.trace.add_candidate(
            span.clone(),
            signed,
            CandidateOutcome::Invalid(error.clone()),
        );
        if progress.review_key {
            let mention = self.mention_of(progress, failure);
            self.reading
                .tally(signed)
                .broken(error, mention, span.start);
        } else {
            self.reading.broken.get_or_insert(error);
            if self.breaks_off_in_prose(attempt, failure) {
                self.leave_unclear(attempt.start..failure.at);
            }
        }
    }

    /// Returns whether a string continues as prose after its quote and its object does not
    /// close on that line: what follows may be quoted in that string.
    fn breaks_off_in_prose(&self, attempt: &Attempt<'_>, failure: Failure) -> bool {
        let rest = self.text.get(failure.at..).unwrap_or_default();
        let near = rest
            .get(..rest.floor_char_boundary(MAX_LINE))
            .unwrap_or_default();
        let line = near.lines().next().unwrap_or_default();
        attempt.reader.text_before(failure.at).is_some()
            && line.starts_with(char::is_alphanumeric)
            && !line.contains('}')
    }

    /// Returns the verdict that a malformed object had mentioned.
    fn mention_of(&self, progress: Progress, failure: Failure) -> Mention {
        let rest = self.text.get(failure.at..).unwrap_or_default();
        if rest.starts_with('|') {
            Mention::None
        } else if progress.mention != Mention::None {
            progress.mention
        } else if goes_on_as_template(self.text, failure.at) {
            Mention::None
        } else if progress.in_verdict {
            Mention::of_bare(rest)
        } else {
            Mention::Unclear
        }
    }

    /// Handles the text up to `end` that is outside any object.
    fn pass_over(&mut self, end: usize) {
        let start = self.gap;
        let bytes = self.text.as_bytes().get(start..end).unwrap_or_default();
        let mut from = 0;
        for (behind, tag) in outside::tags(bytes) {
            self.look_for_contrary(start + from..start + behind);
            let opened = std::mem::replace(&mut self.thinking, tag == Tag::Open);
            self.sentence_from = start + behind;
            // What an open tag precedes was never added.
            if tag == Tag::Close && !opened {
                self.reading.forget();
                self.effort.trace.thinking(self.first_listed);
            }
            from = behind;
        }
        self.look_for_contrary(start + from..end);
        self.pass_fences(start..end);
        self.gap = self.gap.max(end);
    }

    /// Records the code blocks that start and end in the text outside: the content of
    /// one that has ended belongs to no sentence.
    fn pass_fences(&mut self, span: Range<usize>) {
        let start = span.start;
        let text = self.text.get(span).unwrap_or_default();
        for fence in outside::fences(text) {
            self.in_fence = fence.opens || !self.in_fence;
            if !self.in_fence {
                self.sentence_from = self.sentence_from.max(start + fence.line.end);
            }
        }
    }

    fn look_for_contrary(&mut self, span: Range<usize>) {
        if self.thinking || self.reading.contrary.is_some() {
            return;
        }
        let start = span.start.max(self.heard);
        let bytes = self
            .text
            .as_bytes()
            .get(start..span.end)
            .unwrap_or_default();
        let found = outside::contrary(bytes, self.options().dialect);
        self.reading.contrary = found.map(|at| self.frame.place(start + at));
    }
}

fn outcome(judged: &Judged) -> CandidateOutcome {
    match &judged.outcome {
        Outcome::Valid(_) => match &judged.refused {
            Some(error) => CandidateOutcome::Invalid(error.clone()),
            None => CandidateOutcome::Overruled,
        },
        Outcome::Invalid(error) => {
            CandidateOutcome::Invalid(judged.refused.as_ref().unwrap_or(error).clone())
        }
        Outcome::Template(_) => CandidateOutcome::Template,
    }
}

/// Returns whether an entry of an object inside a string agrees with a pass.
fn is_allowed_with_a_pass(entry: &Entry<'_>, text: &str) -> bool {
    match entry {
        Entry::Answer(answer) => answer.verdict.is_some_and(|member| {
            matches!(
                Mention::of(text, member.slot),
                Mention::None | Mention::Pass
            )
        }),
        Entry::Text(..) => true,
    }
}

/// Returns whether what follows a brace and its white space may be an object: this
/// excludes most braces in prose and code.
fn may_open(behind: &[u8]) -> bool {
    match behind {
        [b'/', second, ..] => matches!(second, b'/' | b'*'),
        [first, ..] => {
            first.is_ascii_alphabetic()
                || matches!(
                    first,
                    b'"' | b'}' | b'\'' | b'_' | b'$' | b'#' | 0x0b | 0x80..
                )
        }
        [] => false,
    }
}

/// Returns the end of the string around byte `start`: its closing quote or the end.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(offset) = memchr2(b'\\', b'"', bytes.get(at..).unwrap_or_default()) {
        at += offset;
        if bytes.get(at) == Some(&b'"') {
            return at;
        }
        at += 2;
    }
    bytes.len()
}
