//! Which lines of some files another text repeats.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

/// The number of lines in a row that are no coincidence.
const RUN: usize = 3;

/// The number of words of a line that is no coincidence where it occurs once.
const LONG_LINE: usize = 6;

/// Maximum number of places at which a line of a text is looked for.
const MAX_PLACES: usize = 64;

/// Finds the lines of some files in other texts, such as the output of tools that print
/// files, with or without numbers before their lines.
///
/// Only words and numbers are compared. A line counts as found in a run of lines, or
/// where it is long and occurs once. The texts themselves are not kept.
///
/// ```
/// use review_text::LineMatcher;
///
/// let file = "# Index\n\nIt is built at night.\nIt is never locked.\n";
/// let mut lines = LineMatcher::new([file]);
/// lines.find("1\t# Index\n2\t\n3\tIt is built at night.\n4\tIt is never locked.\n", None);
/// assert_eq!(lines.found(0), [0..4]);
/// ```
#[derive(Clone, Debug)]
pub struct LineMatcher {
    files: Vec<File>,
    /// The lines with words, file by file.
    lines: Vec<Line>,
    /// The positions of the lines with the same words.
    places: HashMap<u64, Vec<usize>>,
}

#[derive(Clone, Debug)]
struct File {
    /// The lengths of all its lines, in bytes.
    bytes: Vec<usize>,
    /// Its lines with words.
    lines: Range<usize>,
}

#[derive(Clone, Debug)]
struct Line {
    words: Words,
    file: usize,
    /// Its number in the file, from 0.
    number: usize,
    is_found: bool,
}

/// The words of a line, as far as they are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Words {
    hash: u64,
    count: usize,
}

/// A line of a text in which files are found.
struct Printed {
    words: Words,
    /// The number before it, from 0.
    number: Option<usize>,
}

impl LineMatcher {
    /// Returns a matcher for the lines of these files, none of which is found yet.
    #[must_use]
    pub fn new<'t>(files: impl IntoIterator<Item = &'t str>) -> Self {
        let mut matcher = Self {
            files: Vec::new(),
            lines: Vec::new(),
            places: HashMap::new(),
        };
        for text in files {
            matcher.add(text);
        }
        matcher
    }

    fn add(&mut self, text: &str) {
        let (file, start) = (self.files.len(), self.lines.len());
        let mut bytes = Vec::new();
        for (number, line) in text.split_inclusive('\n').enumerate() {
            bytes.push(line.len());
            if let Some(words) = Words::of(line) {
                let at = self.lines.len();
                self.places.entry(words.hash).or_default().push(at);
                self.lines.push(Line {
                    words,
                    file,
                    number,
                    is_found: false,
                });
            }
        }
        let lines = start..self.lines.len();
        self.files.push(File { bytes, lines });
    }

    /// Finds lines in a text, those of one `file` only if it is known which the text
    /// shows.
    pub fn find(&mut self, text: &str, file: Option<usize>) {
        let as_is = text.lines().filter_map(|line| {
            let words = Words::of(line)?;
            Some(Printed {
                words,
                number: None,
            })
        });
        let as_is: Vec<_> = as_is.collect();
        self.find_printed(&as_is, file);
        let mut is_numbered = false;
        let numbered = text.lines().filter_map(|line| {
            let (number, rest) = numbered(line).unzip();
            is_numbered |= number.is_some();
            let words = Words::of(rest.unwrap_or(line))?;
            Some(Printed { words, number })
        });
        let numbered: Vec<_> = numbered.collect();
        if is_numbered {
            self.find_printed(&numbered, file);
        }
    }

    /// Finds lines of a file, as it was known before.
    pub fn mark(&mut self, file: usize, lines: Range<usize>) {
        let Some(known) = self.files.get(file) else {
            return;
        };
        for line in &mut self.lines[known.lines.clone()] {
            line.is_found |= lines.contains(&line.number);
        }
    }

    fn find_printed(&mut self, printed: &[Printed], file: Option<usize>) {
        let (mut at, mut expected) = (0, 0);
        while let Some(line) = printed.get(at) {
            let Some(start) = self.best_place(&printed[at..], file, expected) else {
                at += 1;
                continue;
            };
            let before = self.run_before(&printed[..at], start);
            let length = self.run(&printed[at..], start);
            let run = start - before..start + length;
            let is_at_number = line.number == Some(self.lines[start].number) && file.is_some();
            if is_at_number || self.is_no_coincidence(&run) {
                self.lines[run]
                    .iter_mut()
                    .for_each(|line| line.is_found = true);
                at += length;
                expected = start + length;
            } else {
                self.find_long_line(start);
                at += 1;
            }
        }
    }

    /// Returns the place at which most of the next lines are.
    fn best_place(
        &self,
        printed: &[Printed],
        file: Option<usize>,
        expected: usize,
    ) -> Option<usize> {
        let first = printed.first()?;
        let places = self.places.get(&first.words.hash)?.iter().copied();
        let places = places.filter(|at| file.is_none_or(|file| self.lines[*at].file == file));
        let is_likely = |at: usize| (first.number == Some(self.lines[at].number), at == expected);
        let likely = places.clone().filter(|at| is_likely(*at) != (false, false));
        let places = places.take(MAX_PLACES).chain(likely);
        places.max_by_key(|at| {
            let is_new = !self.lines[*at].is_found;
            (self.run(printed, *at), is_likely(*at), is_new)
        })
    }

    /// Returns the number of lines that are equal from a place on.
    fn run(&self, printed: &[Printed], start: usize) -> usize {
        let end = self.files[self.lines[start].file].lines.end;
        let pairs = printed.iter().zip(&self.lines[start..end]);
        pairs
            .take_while(|(printed, line)| printed.words == line.words)
            .count()
    }

    /// Returns the number of lines that are equal before a place.
    fn run_before(&self, printed: &[Printed], start: usize) -> usize {
        let first = self.files[self.lines[start].file].lines.start;
        let pairs = printed
            .iter()
            .rev()
            .zip(self.lines[first..start].iter().rev());
        pairs
            .take_while(|(printed, line)| printed.words == line.words && !line.is_found)
            .count()
    }

    fn is_no_coincidence(&self, run: &Range<usize>) -> bool {
        run.len() >= RUN || self.files[self.lines[run.start].file].lines == *run
    }

    fn find_long_line(&mut self, at: usize) {
        let line = &mut self.lines[at];
        let is_unique = self
            .places
            .get(&line.words.hash)
            .is_some_and(|all| all.len() == 1);
        line.is_found |= is_unique && line.words.count >= LONG_LINE;
    }

    /// Returns the lines of a file that were found, as ranges of numbers from 0. A line
    /// without words is found with its neighbours.
    #[must_use]
    pub fn found(&self, file: usize) -> Vec<Range<usize>> {
        self.ranges(file, true)
    }

    /// Returns the lines of a file that were not found.
    #[must_use]
    pub fn missing(&self, file: usize) -> Vec<Range<usize>> {
        self.ranges(file, false)
    }

    /// Returns how many bytes were found, and how many there are.
    #[must_use]
    pub fn found_bytes(&self) -> (usize, usize) {
        let files = (0..self.files.len()).zip(&self.files);
        files.fold((0, 0), |(found, all), (at, file)| {
            let ranges = self.found(at).into_iter();
            let here: usize = ranges.flat_map(|lines| &file.bytes[lines]).sum();
            (found + here, all + file.bytes.iter().sum::<usize>())
        })
    }

    fn ranges(&self, file: usize, are_found: bool) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for (number, is_found) in self.states(file).into_iter().enumerate() {
            match ranges.last_mut() {
                _ if is_found != are_found => {}
                Some(last) if last.end == number => last.end += 1,
                _ => ranges.push(number..number + 1),
            }
        }
        ranges
    }

    /// Returns whether each line of a file was found.
    fn states(&self, file: usize) -> Vec<bool> {
        let Some(file) = self.files.get(file) else {
            return Vec::new();
        };
        let mut states = vec![true; file.bytes.len()];
        let (mut done, mut is_found) = (0, true);
        for line in &self.lines[file.lines.clone()] {
            // Lines without words between two others are found if both are.
            states[done..line.number].fill(is_found && line.is_found);
            states[line.number] = line.is_found;
            (done, is_found) = (line.number + 1, line.is_found);
        }
        states[done..].fill(is_found);
        states
    }
}

impl Words {
    /// Returns the words of a line, if it has any.
    fn of(line: &str) -> Option<Self> {
        let mut hasher = DefaultHasher::new();
        let (mut count, mut is_inside) = (0, false);
        for char in line.chars() {
            if char.is_alphanumeric() {
                if !is_inside {
                    count += 1;
                    ' '.hash(&mut hasher);
                }
                char.hash(&mut hasher);
            }
            is_inside = char.is_alphanumeric();
        }
        (count > 0).then(|| Self {
            hash: hasher.finish(),
            count,
        })
    }
}

/// Splits a line that starts with its number, from 0 here: `12<tab>text`, `12→text`,
/// `12: text`, `12| text`, `12-text`, and with a path before it `path:12:text`.
fn numbered(line: &str) -> Option<(usize, &str)> {
    let at_start = |line: &'_ str| -> Option<(usize, usize)> {
        let digits = line.trim_start();
        let end = digits.find(|c: char| !c.is_ascii_digit())?;
        let number: usize = digits[..end].parse().ok()?;
        let mark = digits[end..].chars().next()?;
        let length = line.len() - digits.len() + end + mark.len_utf8();
        let is_mark = matches!(mark, '\t' | '→' | ':' | '|' | '-');
        is_mark.then_some((number.checked_sub(1)?, length))
    };
    if let Some((number, length)) = at_start(line) {
        return Some((number, &line[length..]));
    }
    line.match_indices([':', '-']).find_map(|(mark, sign)| {
        let rest = &line[mark + sign.len()..];
        let is_digit = rest.starts_with(|c: char| c.is_ascii_digit());
        let (number, length) = is_digit.then(|| at_start(rest)).flatten()?;
        rest[..length]
            .ends_with(sign)
            .then_some((number, &rest[length..]))
    })
}

#[cfg(test)]
#[expect(
    clippy::single_range_in_vec_init,
    clippy::cast_precision_loss,
    reason = "lines are ranges, and shares of short texts are compared"
)]
mod tests;
