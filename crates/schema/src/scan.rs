//! Scans the objects of a string from left to right, and combines them.
//!
//! What a model writes may be prose, logs, code, drafts and one answer, and a wrong reading
//! costs a run. So an object is parsed at every brace that may open one, and where that fails
//! what was read is not skipped in silence: it may quote an answer (whose verdict must
//! not count), or be one (whose verdict must not be lost). All attempts together are linear in
//! the length of the answer.

use std::ops::Range;

use memchr::{memchr, memchr2, memmem};

use crate::call_end::{CallEnd, CallProblem};
use crate::candidates::{Candidate, MAX_CANDIDATES, Remains, candidates};
use crate::frame::Frame;
use crate::judge::{Rejection, contradicts, guessed, id_of, judge, unreadable};
use crate::outside::{self, Tag};
use crate::parse::{Failure, Node, Place, Reader, SyntaxFault, Value, decode};
use crate::prose::Surroundings;
use crate::repair::Notes;
use crate::spelling::{Mention, goes_on_as_template};
use crate::tally::ScanResult;
use crate::{Dialect, Options, SchemaError};

/// Maximum number of bytes of a line that are inspected after a malformed string.
const MAX_LINE: usize = 256;

/// Maximum number of bytes after the malformed part of an answer that may belong to it.
const MAX_REST: usize = 4_096;

/// Maximum number of attempts at guessing in one answer.
const MAX_GUESSES: u8 = 4;

/// The shared limits of all parts of a scan.
pub(crate) struct WorkBudget<'o> {
    pub(crate) options: &'o Options,
    /// The number of bytes processed by all attempts.
    pub(crate) work: usize,
    /// The number of bytes of prose in which words of doubt were looked for.
    pub(crate) prose: usize,
    fuel: usize,
    guesses: u8,
}

impl<'o> WorkBudget<'o> {
    /// `fuel` is the number of bytes after which no further attempt starts.
    pub(crate) fn new(options: &'o Options, fuel: usize) -> Self {
        Self {
            options,
            work: 0,
            prose: 0,
            fuel,
            guesses: MAX_GUESSES,
        }
    }

    /// Uses one of the remaining guesses.
    fn may_guess(&mut self) -> bool {
        let left = self.guesses.checked_sub(1);
        self.guesses = left.unwrap_or(0);
        left.is_some()
    }
}

/// Scans a string: all of its objects, or the content of the one string that it is.
pub(crate) fn read_text(
    text: &str,
    frame: &Frame,
    budget: &mut WorkBudget<'_>,
) -> Result<ScanResult, SchemaError> {
    if frame.may_contain_answers()
        && let Some((string, notes)) = Reader::whole_string(text)
    {
        let frame = frame.in_json_string(&string, &notes);
        return read_text(string.text().unwrap_or_default(), &frame, budget);
    }
    let scan = Scan {
        text,
        frame,
        budget,
        result: ScanResult::default(),
        thinking: false,
        gap: 0,
        malformed_end: 0,
        unescaped_until: 0,
        quoted_end: 0,
        sentence_start: 0,
        in_fence: false,
    };
    scan.run()
}

struct Scan<'s, 'o> {
    text: &'s str,
    frame: &'s Frame,
    budget: &'s mut WorkBudget<'o>,
    result: ScanResult,
    /// Whether a tag of thinking is open.
    thinking: bool,
    /// The offset after which the content is outside any object.
    gap: usize,
    /// The end of the content that was parsed as part of a malformed answer.
    malformed_end: usize,
    /// The end of the string that was decoded for the object in it.
    unescaped_until: usize,
    /// The end of a string of a malformed object that contains everything up to here.
    quoted_end: usize,
    /// The offset after which the sentence around an object starts.
    sentence_start: usize,
    /// Whether the fence of a code block is open.
    in_fence: bool,
}

/// One attempt to parse from one brace.
struct Attempt<'t> {
    reader: Reader<'t>,
    object: Node<'t>,
    guessing: bool,
}

impl Attempt<'_> {
    fn span(&self) -> Range<usize> {
        self.object.span.clone()
    }

    fn has_key(&self) -> bool {
        !self.object.members().is_empty()
    }
}

impl<'s> Scan<'s, '_> {
    fn run(mut self) -> Result<ScanResult, SchemaError> {
        let bytes = self.text.as_bytes();
        let mut pos = 0;
        while let Some(offset) = memchr(b'{', bytes.get(pos..).unwrap_or_default()) {
            let start = pos + offset;
            let behind = bytes.get(start + 1..).unwrap_or_default();
            let behind = behind.trim_ascii_start();
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
        Ok(self.result)
    }

    fn options(&self) -> &Options {
        self.budget.options
    }

    /// Parses from the brace at `start` and returns where to continue.
    fn object_at(&mut self, start: usize) -> Result<usize, SchemaError> {
        let plain = self.attempt(start, false)?;
        let Some(failure) = plain.reader.failure else {
            return self.take(plain);
        };
        if !plain.has_key() {
            self.without_key(start, failure);
            return Ok(start + 1);
        }
        self.pass_over(start);
        // The last string may have started at a stray quote and contain the start of an
        // answer.
        let next = plain.reader.string_before(failure.at);
        let next = next.unwrap_or(failure.at);
        if let Some(guess) = self.guess(start, failure)? {
            return self.take(guess);
        }
        self.give_up(&plain, failure, next);
        Ok(next)
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
        let (object, _) = reader.value(0, Place::Field);
        self.budget.work += end - start;
        if reader.failure.is_some() && object.members().is_empty() {
            return Ok(());
        }
        self.unescaped_until = end;
        self.look_for_contrary(start..end);
        self.gap = self.gap.max(end);
        let agrees = |candidate: &Candidate<'_>| {
            let verdict = candidate.node.get("verdict");
            let mention = verdict.map(|verdict| Mention::of(verdict, &piece));
            !candidate.is_object() || matches!(mention, Some(Mention::None | Mention::Pass))
        };
        let dialect = self.options().dialect;
        if reader.failure.is_none() && candidates(object, &piece, dialect).iter().all(agrees) {
            self.quoted_end = self.quoted_end.max(end);
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
        if !self.thinking && self.result.broken.is_none() {
            let error = self.frame.error(unreadable(self.text, failure));
            self.result.broken = Some(error);
        }
    }

    fn check_fuel(&self, start: usize) -> Result<(), SchemaError> {
        if self.budget.work >= self.budget.fuel {
            let error = SchemaError::json("too many malformed objects").at(start);
            return Err(self.frame.error(error));
        }
        Ok(())
    }

    fn attempt(&mut self, start: usize, guessing: bool) -> Result<Attempt<'s>, SchemaError> {
        self.check_fuel(start)?;
        let mut reader = Reader::new(self.text, start, guessing);
        let (object, _) = reader.value(0, Place::Field);
        self.budget.work += reader.pos() - start;
        Ok(Attempt {
            reader,
            object,
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
            SyntaxFault::Value | SyntaxFault::Depth | SyntaxFault::Nul => {
                !(rest.starts_with("...") || rest.starts_with('…'))
            }
        };
        if hopeless || self.thinking || !self.budget.may_guess() {
            return Ok(None);
        }
        let guess = self.attempt(start, true)?;
        let unread = failure.at..guess.span().end;
        let inside = self.text.as_bytes().get(unread).unwrap_or_default();
        let closes_thinking = outside::tags(inside).any(|(_, tag)| tag == Tag::Close);
        let is_read = guess.reader.failure.is_none();
        Ok((is_read && !closes_thinking).then_some(guess))
    }

    /// Handles the candidates in an object.
    fn take(&mut self, attempt: Attempt<'s>) -> Result<usize, SchemaError> {
        let span = attempt.span();
        if span.end <= self.quoted_end {
            return Ok(span.end);
        }
        self.pass_over(span.start);
        self.gap = self.gap.max(span.end);
        if self.thinking {
            return Ok(span.end);
        }
        self.result.has_object = true;
        let Attempt {
            reader,
            object,
            guessing,
        } = attempt;
        let line = CallEnd::of(&object, self.text).of_line();
        let mut found = candidates(object, self.text, self.options().dialect);
        if found.len() > MAX_CANDIDATES {
            let error = SchemaError::json("too many answers inside one object");
            return Err(self.frame.error(error.at(span.start)));
        }
        if found.is_empty() {
            self.without_review(&span, &reader.notes);
        }
        let around = Surroundings::of(self.text, self.sentence_start, &span);
        let (mut is_template, mut is_answer) = (false, false);
        for candidate in &mut found {
            if candidate.is_object() {
                candidate.node.drop_cut_item(&reader.incomplete);
                is_answer |= !candidate.is_wrapped;
                is_template |= self.candidate(candidate, &reader.notes, guessing, around);
            } else {
                self.inner_text(candidate, &reader.notes, around)?;
            }
        }
        if !is_answer && let Some(problem) = line.problem("a line after the answer", self.text) {
            self.result.call_ended(&self.frame.problem(problem));
        }
        if guessing && !is_template {
            // Guessed ends of strings are no proof.
            self.look_for_contrary(span.clone());
        }
        if !found.is_empty() {
            self.sentence_start = span.end;
        }
        Ok(span.end)
    }

    fn without_review(&mut self, span: &Range<usize>, notes: &Notes) {
        let Some(guess) = notes.guess() else {
            return;
        };
        let error = self.frame.error(guessed(self.text, guess));
        self.result.broken = Some(error);
        let raw = self.text.as_bytes().get(span.clone()).unwrap_or_default();
        let list: &[u8] = match self.options().dialect {
            Dialect::Verdict => b"verdict",
            Dialect::Afp => b"areas_for_improvement",
            Dialect::Actionable => b"feedback_items",
        };
        if memmem::find(raw, b"verdict").is_some() || memmem::find(raw, list).is_some() {
            self.leave_unclear(span.clone());
        }
    }

    /// Records that the malformed part in `span` may contain a verdict: among the answers
    /// with the `review_id` if that is in it.
    fn leave_unclear(&mut self, span: Range<usize>) {
        let at = self.frame.place(span.start);
        let raw = self.text.as_bytes().get(span).unwrap_or_default();
        let tally = self.result.tally(self.names_id(raw));
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

    /// Handles an object with fields of a review. Returns whether it is a template.
    fn candidate(
        &mut self,
        candidate: &Candidate<'_>,
        notes: &Notes,
        guessing: bool,
        around: Surroundings<'_>,
    ) -> bool {
        let options = self.budget.options;
        let node = &candidate.node;
        let judged = judge(self.text, candidate, notes.clone(), guessing, options);
        let mut judged = self.frame.locate(judged);
        let span = self.frame.span(&node.span);
        let is_signed = self.is_signed(node);
        // One with the id of its prompt is the answer, whatever the prose says.
        if judged.passes()
            && !is_signed
            && let Some(word) = self.doubt(around)
        {
            judged.doubt(&word, span.start);
        }
        let own = CallEnd::of(node, self.text).failure();
        let own = own.problem("the answer", self.text);
        let outer = candidate
            .outer_end
            .problem("the object around the answer", self.text);
        let problems = own.map(CallProblem::of_passes).into_iter().chain(outer);
        for problem in problems {
            judged.after_call(&self.frame.problem(problem));
        }
        if let Some(problem) = self.frame.call_problem() {
            judged.after_call(problem);
        }
        let is_template = matches!(judged.read, Err(Rejection::Template(_)));
        self.result.tally(is_signed).add(judged, span, options.mode);
        is_template
    }

    /// Returns the word beside a pass, or beside what contains it, that puts it in doubt.
    fn doubt(&mut self, around: Surroundings<'_>) -> Option<String> {
        let mut all = std::iter::once(around).chain(self.frame.around());
        all.find_map(|around| {
            self.budget.prose += around.before.len() + around.after.len();
            around.doubt()
        })
    }

    fn is_signed(&self, object: &Node<'_>) -> bool {
        let Options {
            review_id, dialect, ..
        } = self.options();
        let extension = object.get("review").filter(|_| *dialect == Dialect::Afp);
        let is_contradicted = [Some(object), extension]
            .into_iter()
            .flatten()
            .any(|object| contradicts(object, "review_id", self.text));
        let found = id_of(object, "review_id", *dialect).and_then(Node::text);
        review_id.is_some() && found.map(str::trim) == review_id.as_deref() && !is_contradicted
    }

    fn inner_text(
        &mut self,
        candidate: &Candidate<'_>,
        notes: &Notes,
        around: Surroundings<'_>,
    ) -> Result<(), SchemaError> {
        let Value::Text(text) = &candidate.node.value else {
            return Ok(());
        };
        if !self.frame.may_contain_answers() {
            return Ok(());
        }
        let problem = candidate
            .outer_end
            .problem("the object around the answer", self.text);
        let problem = problem.map(|problem| self.frame.problem(problem));
        let frame = self
            .frame
            .in_string(&candidate.node, notes, around, problem);
        let inner = read_text(text, &frame, self.budget)?;
        self.result.absorb(inner);
        Ok(())
    }

    /// Records a malformed object. Everything up to `next` was parsed as part of it, so that
    /// tags in it are text.
    fn give_up(&mut self, attempt: &Attempt<'_>, failure: Failure, next: usize) {
        let start = attempt.object.span.start;
        let Options {
            dialect, review_id, ..
        } = self.budget.options;
        let remains = Remains::of(
            &attempt.object,
            self.text,
            *dialect,
            review_id.as_deref(),
            &attempt.reader.incomplete,
        );
        self.quoted_end = self.quoted_end.max(failure.at);
        let mention = self.mention_of(&remains, failure);
        if remains.has_review_key {
            // A string that began at a stray quote may have taken the verdict in.
            if mention == Mention::Pass {
                self.look_for_contrary(start..failure.at);
            }
            self.malformed_end = failure.at;
        }
        // Only thinking may have been closed by a tag in the last string.
        let read = if self.thinking { next } else { failure.at };
        self.look_for_contrary(start..read);
        self.gap = self.gap.max(read);
        if self.thinking {
            return;
        }
        let error = self.frame.error(unreadable(self.text, failure));
        if remains.has_review_key {
            let signed = remains.is_signed || self.names_id_after(failure.at);
            let at = self.frame.place(start);
            self.result.tally(signed).broken(error, mention, at);
        } else {
            self.result.broken.get_or_insert(error);
            if self.breaks_off_in_prose(attempt, failure) {
                self.leave_unclear(start..failure.at);
            }
        }
    }

    /// Returns whether a string continues as prose after its quote and its object does not
    /// close on that line: what follows may be quoted in that string.
    fn breaks_off_in_prose(&self, attempt: &Attempt<'_>, failure: Failure) -> bool {
        let rest = self.text.get(failure.at..).unwrap_or_default();
        let near = rest.get(..rest.floor_char_boundary(MAX_LINE));
        let line = near.unwrap_or_default().lines().next().unwrap_or_default();
        attempt.reader.string_before(failure.at).is_some()
            && line.starts_with(char::is_alphanumeric)
            && !line.contains('}')
    }

    /// Returns the verdict that a malformed object had mentioned.
    fn mention_of(&self, remains: &Remains, failure: Failure) -> Mention {
        let rest = self.text.get(failure.at..).unwrap_or_default();
        if rest.starts_with('|') {
            Mention::None
        } else if remains.mention != Mention::None {
            remains.mention
        } else if goes_on_as_template(self.text, failure.at) {
            Mention::None
        } else if remains.in_verdict {
            Mention::of_bare(rest)
        } else {
            Mention::Unclear
        }
    }

    /// Handles what is outside any object, up to `end`.
    fn pass_over(&mut self, end: usize) {
        let start = self.gap;
        let bytes = self.text.as_bytes().get(start..end).unwrap_or_default();
        let mut from = 0;
        for (behind, tag) in outside::tags(bytes) {
            self.look_for_contrary(start + from..start + behind);
            let opened = std::mem::replace(&mut self.thinking, tag == Tag::Open);
            self.sentence_start = start + behind;
            // What an open tag precedes was never added.
            if tag == Tag::Close && !opened {
                self.result.forget();
            }
            from = behind;
        }
        self.look_for_contrary(start + from..end);
        self.pass_fences(start..end);
        self.gap = self.gap.max(end);
    }

    /// Records the code blocks that start and end outside the objects: the content of
    /// one that has ended belongs to no sentence.
    fn pass_fences(&mut self, span: Range<usize>) {
        let start = span.start;
        let text = self.text.get(span).unwrap_or_default();
        for fence in outside::fences(text) {
            self.in_fence = fence.opens || !self.in_fence;
            if !self.in_fence {
                self.sentence_start = self.sentence_start.max(start + fence.line.end);
            }
        }
    }

    fn look_for_contrary(&mut self, span: Range<usize>) {
        if self.thinking || self.result.contrary.is_some() {
            return;
        }
        let start = span.start.max(self.malformed_end);
        let bytes = self.text.as_bytes().get(start..span.end);
        let found = outside::contrary(bytes.unwrap_or_default(), self.options().dialect);
        self.result.contrary = found.map(|at| self.frame.place(start + at));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_doubt_are_looked_for_beside_passes_alone() {
        let pass = r#"{"verdict": "pass", "score": {"completeness": 90, "consistency": 85, "testability": 80, "architecture": 95}}"#;
        for (text, prose) in [
            (r#"{"a":1}"#.repeat(300_000), 0),
            (r#"{"verdict":"pass"}"#.repeat(1_000), 0),
            (pass.replace("pass", "reject").repeat(1_000), 0),
            (format!("So: {pass} Done."), "So: ".len() + " Done.".len()),
        ] {
            let options = Options::default();
            let mut budget = WorkBudget::new(&options, 17 * text.len());
            let read = read_text(&text, &Frame::root(None), &mut budget);
            assert!(read.is_ok());
            assert_eq!(budget.prose, prose, "{}", &text[..40]);
        }
    }
}
