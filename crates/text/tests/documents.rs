//! What is found of the documents of this repository: quotes in any typography, and nothing
//! that an independent search does not find; and what tools printed of them.
//!
//! `INVENTED_QUOTES=1000000 cargo test --release -p review-text --test documents -- --nocapture`
//! looks for as many invented quotes.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]
#![expect(
    clippy::disallowed_methods,
    reason = "the environment says how many quotes to invent"
)]
#![expect(
    clippy::cast_precision_loss,
    reason = "shares of short texts are compared"
)]

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use review_text::{LineMatcher, QuoteIndex, QuoteMatch};

/// The number of invented quotes if none is given.
const INVENTED: usize = 20_000;

/// A document, and what an independent search knows of it.
struct Document {
    text: String,
    index: QuoteIndex,
    /// Its words as they are written, and as a reader sees them, each with spaces around.
    written: String,
    seen: String,
    /// The words of its lines of prose.
    lines: Vec<Vec<String>>,
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}

static WORD: LazyLock<Regex> = LazyLock::new(|| regex(r"\p{L}+|\p{N}+"));
static TARGET: LazyLock<Regex> = LazyLock::new(|| regex(r"\]\([^)\n]*\)"));
static TAG: LazyLock<Regex> = LazyLock::new(|| regex(r"<[A-Za-z/!][^>\n]*>"));
static LIST_NUMBER: LazyLock<Regex> = LazyLock::new(|| regex(r"(?m)^[ \t>]*[0-9]+[.)] "));

fn words(text: &str) -> Vec<String> {
    let found = WORD.find_iter(text);
    found.map(|word| word.as_str().to_lowercase()).collect()
}

/// The words of a text with spaces around each, so that a chain of words is a part of it.
fn spaced(words: &[String]) -> String {
    format!(" {} ", words.join(" "))
}

impl Document {
    fn new(text: String) -> Self {
        let without_numbers = LIST_NUMBER.replace_all(&text, "\n");
        let without_targets = TARGET.replace_all(&without_numbers, "]");
        let seen = TAG.replace_all(&without_targets, " ");
        let lines = seen.lines().map(words).filter(|line| line.len() >= 12);
        Self {
            index: QuoteIndex::new([&*text]),
            written: spaced(&words(&text)),
            seen: spaced(&words(&seen)),
            lines: lines.collect(),
            text,
        }
    }

    fn has(&self, quote: &[String]) -> bool {
        let chain = spaced(quote);
        self.written.contains(&chain) || self.seen.contains(&chain)
    }

    fn finds(&self, quote: &str) -> bool {
        matches!(self.index.locate(quote), QuoteMatch::Found(_))
    }
}

/// The Markdown files below a folder that hold ASCII alone, but those of builds and of
/// hidden folders.
fn markdown(folder: &Path, found: &mut Vec<Document>) {
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && name != "target" {
            markdown(&path, found);
        } else if name.ends_with(".md") {
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            let document = Document::new(text);
            found.extend(Some(document).filter(|one| one.text.is_ascii() && one.lines.len() > 8));
        }
    }
}

static DOCUMENTS: LazyLock<Vec<Document>> = LazyLock::new(|| {
    let mut found = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    markdown(&root, &mut found);
    assert!(found.len() > 20, "{}", found.len());
    found
});

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn pick<'t, T>(&mut self, among: &'t [T]) -> &'t T {
        &among[self.below(among.len())]
    }

    /// Six to twelve words that follow each other in a line of a document.
    fn passage<'d>(&mut self, document: &'d Document) -> &'d [String] {
        let line = self.pick(&document.lines);
        let length = 6 + self.below(7);
        let start = self.below(line.len() - length + 1);
        &line[start..start + length]
    }

    /// Words of which each often follows the one before somewhere in the document.
    fn invented(&mut self, document: &Document) -> Vec<String> {
        let length = 4 + self.below(5);
        let mut chain: Vec<String> = Vec::new();
        while chain.len() < length {
            let line = self.pick(&document.lines);
            let run = 1 + self.below(4);
            let start = self.below(line.len());
            let end = line.len().min(start + run);
            chain.extend_from_slice(&line[start..end]);
        }
        chain.truncate(length);
        chain
    }
}

#[test]
fn no_invented_quote_is_found_that_an_independent_search_does_not_find() {
    let count = std::env::var("INVENTED_QUOTES").map_or(INVENTED, |count| count.parse().unwrap());
    let mut random = Random(1);
    let mut found = 0;
    for _ in 0..count {
        let document = random.pick(&DOCUMENTS);
        let quote = random.invented(document);
        if document.finds(&quote.join(" ")) {
            found += 1;
            assert!(document.has(&quote), "{quote:?}");
        }
    }
    println!("{found} of {count} invented quotes occur in their document");
    assert!(found > count / 1_000, "the search has something to find");
}

#[test]
fn ninety_nine_of_a_hundred_quotes_are_found_without_markdown_and_in_any_typography() {
    const QUOTES: usize = 4_000;
    let typography = |quote: &[String], random: &mut Random| {
        let written = quote.iter().map(|word| match random.below(6) {
            0 => format!("**{word}** "),
            1 => format!("{}, ", word.to_uppercase()),
            2 => format!("`{word}`\n"),
            3 => format!("\u{201c}{word}\u{201d} "),
            4 => format!("{word}\u{a0}\u{2014} "),
            _ => format!("{word} "),
        });
        written.collect::<String>()
    };
    let mut random = Random(2);
    let (mut plain, mut typographic, mut looked) = (0, 0, 0);
    while looked < QUOTES {
        let document = random.pick(&DOCUMENTS);
        let quote = random.passage(document);
        if quote.iter().map(String::len).sum::<usize>() < 16 {
            continue;
        }
        looked += 1;
        plain += usize::from(document.finds(&quote.join(" ")));
        let quote = typography(quote, &mut random);
        typographic += usize::from(document.finds(&quote));
    }
    println!("of {looked} quotes: {plain} plain, {typographic} typographic");
    assert!(plain * 100 >= looked * 99, "{plain} of {looked}");
    assert!(
        typographic * 100 >= looked * 99,
        "{typographic} of {looked}"
    );
}

#[test]
fn a_quote_with_another_number_negation_or_order_is_found_only_where_it_occurs() {
    const QUOTES: usize = 4_000;
    let mut random = Random(3);
    let mut found = [0; 3];
    for _ in 0..QUOTES {
        let document = random.pick(&DOCUMENTS);
        let quote = random.passage(document).to_vec();
        let at = random.below(quote.len());
        let mut number = quote.clone();
        let digits = quote.iter().position(|word| word.parse::<u64>().is_ok());
        number[digits.unwrap_or(at)] = (1 + random.below(90)).to_string();
        let mut negated = quote.clone();
        match quote.iter().position(|word| word == "not" || word == "no") {
            Some(negation) => drop(negated.remove(negation)),
            None => negated.insert(at, "not".to_owned()),
        }
        let mut swapped = quote.clone();
        swapped.swap(at, (at + 1) % quote.len());
        for (kind, altered) in [number, negated, swapped].into_iter().enumerate() {
            if document.finds(&altered.join(" ")) {
                found[kind] += 1;
                assert!(document.has(&altered), "{quote:?} {altered:?}");
            }
        }
    }
    println!("of {QUOTES} quotes with another number, negation, order: {found:?} occur");
    assert!(found.iter().all(|found| found * 20 < QUOTES), "{found:?}");
}

/// The forms in which tools print the lines of a file.
const FORMS: [fn(usize, &str) -> String; 4] = [
    |number, line| format!("{number:>6}\t{line}\n"),
    |number, line| format!("{number:>6}\u{2192}{line}\n"),
    |number, line| format!("specs/S.md:{number}:{line}\n"),
    |_, line| format!("{line}\n"),
];

fn printed(text: &str, lines: Range<usize>, form: fn(usize, &str) -> String) -> String {
    let shown = text.lines().enumerate().skip(lines.start).take(lines.len());
    shown.map(|(number, line)| form(number + 1, line)).collect()
}

/// The share of a text that is found in what a tool printed.
fn share(text: &str, shown: &str, is_known: bool) -> f64 {
    let mut lines = LineMatcher::new([text]);
    lines.find(shown, is_known.then_some(0));
    let (found, all) = lines.found_bytes();
    found as f64 / all as f64
}

#[test]
fn a_document_that_a_tool_prints_is_found_whole_by_halves_and_in_no_other_document() {
    let mut others = Vec::new();
    let (mut least, mut most_off) = (1.0_f64, 0.0_f64);
    for (at, document) in DOCUMENTS.iter().enumerate() {
        let text = &document.text;
        let count = text.lines().count();
        let half: usize = text
            .split_inclusive('\n')
            .take(count / 2)
            .map(str::len)
            .sum();
        let expected = half as f64 / text.len() as f64;
        for form in FORMS {
            least = least.min(share(text, &printed(text, 0..count, form), true));
            let found = share(text, &printed(text, 0..count / 2, form), true);
            most_off = most_off.max((found - expected).abs());
        }
        let other = &DOCUMENTS[(at + 1) % DOCUMENTS.len()].text;
        others.push(share(text, other, false));
    }
    others.sort_by(f64::total_cmp);
    let p95 = others[others.len() * 95 / 100];
    println!(
        "{} documents: whole at least {least:.3}, halves off by {most_off:.3}, another p95 {p95:.3}",
        DOCUMENTS.len()
    );
    assert!(least >= 0.99, "{least}");
    assert!(most_off <= 0.01, "{most_off}");
    assert!(p95 <= 0.03, "{others:?}");
}
