//! The objects of a text, from left to right, and what they say together.

use std::ops::Range;

use memchr::{memchr, memchr2, memmem};

use crate::explain::Trace;
use crate::form::{Mention, goes_on_as_template};
use crate::frame::Frame;
use crate::judge::{Judged, Outcome, guessed, judge, unreadable};
use crate::outside::{self, Tag};
use crate::parse::{Answer, Entry, Failure, Fault, Kind, Progress, Reader, Slot, decode};
use crate::reading::Reading;
use crate::repair::Notes;
use crate::sentence::Around;
use crate::{Dialect, Fate, Options, SchemaError};

/// How much of a line is looked at behind a broken string.
const MAX_LINE: usize = 256;

/// How much behind the tear of an answer may be the rest of it.
const MAX_REST: usize = 4_096;

/// The most attempts at guessing in one answer.
const MAX_GUESSES: u8 = 4;

/// What all parts of a reading share.
pub(crate) struct Effort<'o> {
    pub(crate) options: &'o Options,
    pub(crate) trace: Trace,
    /// The bytes that all attempts went over.
    pub(crate) work: usize,
    fuel: usize,
    guesses: u8,
}

impl<'o> Effort<'o> {
    /// `fuel` is the number of bytes after which no further attempt begins.
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

    /// Takes one of the guesses that are left.
    pub(crate) fn may_guess(&mut self) -> bool {
        let left = self.guesses.checked_sub(1);
        self.guesses = left.unwrap_or(0);
        left.is_some()
    }
}

/// Reads a text: all of its objects, or what is in the one string that it is.
pub(crate) fn read_text(
    text: &str,
    frame: &Frame,
    effort: &mut Effort<'_>,
) -> Result<Reading, SchemaError> {
    if frame.may_hold_texts()
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
        reading: Reading::default(),
        thinking: false,
        gap: 0,
        heard: 0,
        unescaped_until: 0,
        quoted_until: 0,
        sentence_from: 0,
        in_fence: false,
        around: Around::default(),
        supposed_by: None,
    };
    scan.run()
}

struct Scan<'s, 'o> {
    text: &'s str,
    frame: &'s Frame,
    effort: &'s mut Effort<'o>,
    first_listed: usize,
    reading: Reading,
    /// A tag of thinking is open.
    thinking: bool,
    /// The text from here on lies outside of any object so far.
    gap: usize,
    /// The text up to here was heard as part of a broken answer.
    heard: usize,
    /// The string that ends here was decoded for the object in it.
    unescaped_until: usize,
    /// What ends before this byte lies inside a string of a broken object.
    quoted_until: usize,
    /// The sentence around an object starts after this byte.
    sentence_from: usize,
    /// A fence of a block of code is open.
    in_fence: bool,
    /// The text around the object that is taken.
    around: Around<'s>,
    /// The word that supposes or denies the last answer before `sentence_from`.
    supposed_by: Option<String>,
}

/// One reading from one brace.
struct Attempt<'t> {
    reader: Reader<'t>,
    entries: Vec<Entry<'t>>,
    result: Result<(), Failure>,
    start: usize,
    guessing: bool,
}

impl Attempt<'_> {
    fn span(&self) -> Range<usize> {
        self.start..self.reader.pos()
    }
}

impl<'s> Scan<'s, '_> {
    fn run(mut self) -> Result<Reading, SchemaError> {
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

    /// Reads from the brace at `start` and returns where to go on.
    fn object_at(&mut self, start: usize) -> Result<usize, SchemaError> {
        let plain = self.attempt(start, false)?;
        match plain.result {
            Ok(()) => self.take(plain),
            Err(failure) if plain.reader.progress.keys == 0 => {
                self.without_key(start, failure);
                Ok(start + 1)
            }
            Err(failure) => {
                self.pass_over(start);
                // The last string may have begun in a stray quote and swallowed the
                // beginning of an answer.
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

    /// Looks at an object whose quotes are escaped: it stands in a string that
    /// nobody decodes. What lies in it is quoted, and unless it is read as no
    /// answer or as a pass, no pass around it is unanimous.
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
                .all(|entry| may_stand_by_a_pass(entry, &piece))
        {
            self.quoted_until = self.quoted_until.max(end);
        } else {
            self.leave_unclear(start..end);
        }
        Ok(())
    }

    /// A brace in prose, unless a string without a colon shows what was meant.
    fn without_key(&mut self, start: usize, failure: Failure) {
        let begins = self.text.as_bytes().get(start + 1..).unwrap_or_default();
        let is_string = begins.trim_ascii_start().starts_with(b"\"");
        if !is_string || failure.fault != Fault::Colon {
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
            let error = SchemaError::json("too many broken objects").at(start);
            return Err(self.frame.error(error));
        }
        Ok(())
    }

    fn attempt(&mut self, start: usize, guessing: bool) -> Result<Attempt<'s>, SchemaError> {
        self.check_fuel(start)?;
        let mut reader = Reader::new(self.text, start, guessing);
        let mut entries = Vec::new();
        let dialect = self.options().dialect;
        let result = reader.answer(dialect, &mut entries).map(|_| ());
        self.effort.spend(reader.pos() - start);
        if let Err(Failure {
            at,
            fault: fault @ Fault::TooManyAnswers,
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

    /// Tries to guess what a broken object says, if its fault is one that can be
    /// guessed.
    fn guess(
        &mut self,
        start: usize,
        failure: Failure,
    ) -> Result<Option<Attempt<'s>>, SchemaError> {
        let rest = self.text.get(failure.at..).unwrap_or_default();
        let hopeless = match failure.fault {
            // What goes on with a bar is a choice, the form of an answer.
            Fault::End | Fault::Separator | Fault::Key | Fault::Colon => rest.starts_with('|'),
            Fault::Value | Fault::Depth | Fault::Nul | Fault::TooManyAnswers => {
                !(rest.starts_with("...") || rest.starts_with('…'))
            }
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

    /// Takes what an object holds.
    fn take(&mut self, attempt: Attempt<'s>) -> Result<usize, SchemaError> {
        let span = attempt.span();
        if span.end <= self.quoted_until {
            self.leave_out(&span, Fate::Quoted);
            return Ok(span.end);
        }
        self.pass_over(span.start);
        self.gap = self.gap.max(span.end);
        if self.thinking {
            self.leave_out(&span, Fate::Thinking);
            return Ok(span.end);
        }
        self.reading.objects = true;
        if attempt.entries.is_empty() {
            self.without_review(&attempt);
        }
        self.around = Around::of(self.text, self.sentence_from, &span, self.in_fence);
        let mut template = false;
        for entry in &attempt.entries {
            match entry {
                Entry::Answer(answer) => template |= self.candidate(answer, &attempt),
                Entry::Text(slot) => self.inner_text(*slot, &attempt.reader.notes)?,
            }
        }
        if attempt.guessing && !template {
            // Where a guess puts the ends of its strings is no proof.
            self.look_for_contrary(span.clone());
        }
        if !attempt.entries.is_empty() {
            self.sentence_from = span.end;
        }
        Ok(span.end)
    }

    fn leave_out(&mut self, span: &Range<usize>, fate: Fate) {
        self.reading.discarded += 1;
        self.effort.trace.add(self.frame.span(span), fate);
    }

    fn without_review(&mut self, attempt: &Attempt<'_>) {
        let span = attempt.span();
        self.leave_out(&span, Fate::NoReview);
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

    /// Notes that what was torn in `span` may tell a verdict: among the answers with
    /// the `review_id` if that stands in it.
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

    /// Whether the `review_id` stands in what is left of an object that broke at
    /// byte `at`, up to the next brace.
    fn names_id_behind(&self, at: usize) -> bool {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        let rest = rest.get(..MAX_REST).unwrap_or(rest);
        let end = memchr(b'{', rest).unwrap_or(rest.len());
        self.names_id(rest.get(..end).unwrap_or_default())
    }

    /// Weighs a candidate. Returns whether it is a template.
    fn candidate(&mut self, answer: &Answer<'_>, attempt: &Attempt<'_>) -> bool {
        let options = self.effort.options;
        let notes = attempt.reader.notes.clone();
        let refused = self.frame.refused();
        let judged = judge(self.text, attempt.guessing, answer, notes, refused, options);
        let judged = self.frame.locate(judged);
        let span = self.frame.span(&answer.span);
        self.supposed_by = self.governing_word(&judged);
        let judged = match &self.supposed_by {
            Some(word) => judged.supposed(word, span.start),
            None => judged,
        };
        let signed = self.is_signed(answer.review_id.map(|member| member.slot));
        let template = matches!(judged.outcome, Outcome::Template(_));
        self.reading.discarded += usize::from(template);
        self.effort
            .trace
            .add_candidate(span.clone(), signed, fate(&judged));
        self.reading.tally(signed).add(judged, span);
        template
    }

    /// The word around a valid answer that supposes or denies it.
    fn governing_word(&self, judged: &Judged) -> Option<String> {
        let Outcome::Valid(review) = &judged.outcome else {
            return None;
        };
        let verdict = review.verdict();
        let mut around = std::iter::once(self.around).chain(self.frame.around());
        let inherited = || self.supposed_by.clone().filter(|_| self.around.joins());
        around
            .find_map(|around| around.governing_word(verdict))
            .or_else(inherited)
    }

    fn is_signed(&self, review_id: Option<Slot>) -> bool {
        let Some(wanted) = &self.options().review_id else {
            return false;
        };
        review_id.is_some_and(|slot| {
            slot.kind == Kind::Text && decode(self.text, slot.start, slot.end).trim() == wanted
        })
    }

    fn inner_text(&mut self, slot: Slot, notes: &Notes) -> Result<(), SchemaError> {
        if !self.frame.may_hold_texts() {
            return Ok(());
        }
        let mode = self.options().mode;
        let frame = self.frame.in_string(slot, notes, mode, self.around);
        let text = decode(self.text, slot.start, slot.end);
        let inner = read_text(&text, &frame, self.effort)?;
        self.reading.absorb(inner);
        Ok(())
    }

    /// Notes a broken object. The text up to `next` was read as part of it, so that
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
        let signed = self.is_signed(progress.review_id) || self.names_id_behind(failure.at);
        self.effort
            .trace
            .add_candidate(span.clone(), signed, Fate::Invalid(error.clone()));
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

    /// Whether a string goes on as prose behind its quote and its object does not
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

    /// What an object that failed had said of its verdict.
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

    /// Looks at the text up to `end` that lies outside of any object.
    fn pass_over(&mut self, end: usize) {
        let start = self.gap;
        let bytes = self.text.as_bytes().get(start..end).unwrap_or_default();
        let mut from = 0;
        for (behind, tag) in outside::tags(bytes) {
            self.look_for_contrary(start + from..start + behind);
            let opened = std::mem::replace(&mut self.thinking, tag == Tag::Open);
            self.sentence_from = start + behind;
            self.supposed_by = None;
            if tag == Tag::Close {
                self.reading.forget(opened);
                self.effort.trace.thinking(self.first_listed);
            }
            from = behind;
        }
        self.look_for_contrary(start + from..end);
        self.pass_fences(start..end);
        self.gap = self.gap.max(end);
    }

    /// Notes the blocks of code that begin and end in the text outside: what is in
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

fn fate(judged: &Judged) -> Fate {
    match &judged.outcome {
        Outcome::Valid(_) => match &judged.refused {
            Some(error) => Fate::Invalid(error.clone()),
            None => Fate::Overruled,
        },
        Outcome::Invalid(error) => Fate::Invalid(judged.refused.as_ref().unwrap_or(error).clone()),
        Outcome::Template(_) => Fate::Template,
    }
}

/// Whether an entry of an object that only stands in a string agrees with a pass.
fn may_stand_by_a_pass(entry: &Entry<'_>, text: &str) -> bool {
    match entry {
        Entry::Answer(answer) => answer.verdict.is_some_and(|member| {
            matches!(
                Mention::of(text, member.slot),
                Mention::None | Mention::Pass
            )
        }),
        Entry::Text(_) => true,
    }
}

/// Whether what follows a brace and its blanks may be an object: most braces in
/// prose and code are told apart here.
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

/// The end of the string around byte `start`: its closing quote or the end.
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
