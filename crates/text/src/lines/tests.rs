use proptest::prelude::*;

use super::*;

/// Words of generated documents; the first ones are used most.
const WORDS: [&str; 48] = [
    "the", "a", "of", "is", "to", "and", "in", "each", "index", "request", "limit", "value",
    "server", "node", "file", "user", "time", "error", "state", "key", "record", "queue", "log",
    "token", "page", "cache", "client", "batch", "lock", "retry", "path", "size", "order", "owner",
    "write", "read", "group", "entry", "job", "zone", "shard", "event", "plan", "rate", "step",
    "mode", "rule", "hash",
];

/// A generator of documents.
struct Source(u64);

impl Source {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn words(&mut self, count: usize) -> String {
        let words = (0..count).map(|_| match self.below(12) {
            0 => self.below(500).to_string(),
            1..=5 => WORDS[self.below(12)].to_owned(),
            _ => WORDS[self.below(WORDS.len())].to_owned(),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// A specification with headings, paragraphs, lists, tables and code.
    fn document(&mut self) -> String {
        let mut text = "# Specification\n\n".to_owned();
        for section in 1..5 + self.below(30) {
            let title = 1 + self.below(4);
            text += &format!("## {section}. {}\n\n", self.words(title));
            match self.below(5) {
                0 => (0..3 + self.below(5)).for_each(|_| {
                    let length = 3 + self.below(9);
                    text += &format!("- {}\n", self.words(length));
                }),
                1 => {
                    text += "| key | value |\n|---|---|\n";
                    (0..2 + self.below(6)).for_each(|_| {
                        text += &format!("| {} | {} |\n", self.words(1), self.words(2));
                    });
                }
                2 => text += "```rust\nfn main() {\n}\n```\n",
                _ => (0..1 + self.below(4)).for_each(|_| {
                    let length = 8 + self.below(40);
                    text += &format!("{}.\n", self.words(length));
                }),
            }
            text += "\n";
        }
        text
    }
}

/// The forms in which tools print the lines of a file from `first` on.
const FORMS: [fn(usize, &str) -> String; 6] = [
    |number, line| format!("{number:>6}\t{line}\n"),
    |number, line| format!("{number:>6}→{line}\n"),
    |number, line| format!("{number}: {line}\n"),
    |_, line| format!("{line}\n"),
    |number, line| format!("specs/S.md:{number}:{line}\n"),
    |number, line| format!("{number:05}| {line}\n"),
];

fn printed(text: &str, lines: Range<usize>, form: fn(usize, &str) -> String) -> String {
    let shown = text.lines().enumerate().skip(lines.start).take(lines.len());
    shown.map(|(number, line)| form(number + 1, line)).collect()
}

fn share(found: (usize, usize)) -> f64 {
    found.0 as f64 / found.1 as f64
}

#[test]
fn a_file_that_is_printed_whole_is_found_in_every_form() {
    let mut source = Source(1);
    for _ in 0..100 {
        let text = source.document();
        for (name, form) in FORMS.into_iter().enumerate() {
            for file in [None, Some(0)] {
                let mut lines = LineMatcher::new([&*text]);
                lines.find(&printed(&text, 0..usize::MAX, form), file);
                let share = share(lines.found_bytes());
                assert!(share >= 0.99, "form {name}: {share}\n{text}");
            }
        }
    }
}

#[test]
fn half_of_a_file_is_found_within_a_hundredth() {
    let mut source = Source(2);
    for _ in 0..100 {
        let text = source.document() + &source.document() + &source.document();
        let lines: Vec<_> = text.split_inclusive('\n').collect();
        let half = lines.len() / 2;
        let bytes = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
        for (part, range) in [
            (&lines[..half], 0..half),
            (&lines[half..], half..lines.len()),
        ] {
            let expected = bytes(part) as f64 / text.len() as f64;
            for form in FORMS {
                let mut matcher = LineMatcher::new([&*text]);
                matcher.find(&printed(&text, range.clone(), form), Some(0));
                let share = share(matcher.found_bytes());
                assert!(
                    (share - expected).abs() <= 0.01,
                    "{share} {expected}\n{text}"
                );
            }
        }
    }
}

#[test]
fn another_document_shows_hardly_any_line_of_a_file() {
    let mut source = Source(3);
    let mut shares: Vec<_> = (0..200)
        .map(|_| {
            let (text, other) = (source.document(), source.document());
            let mut lines = LineMatcher::new([&*text]);
            lines.find(&other, None);
            share(lines.found_bytes())
        })
        .collect();
    shares.sort_by(f64::total_cmp);
    assert!(shares[190] <= 0.03, "{shares:?}");
}

#[test]
fn lines_are_found_in_runs_or_alone_where_nothing_else_says_the_same() {
    let text =
        "# Demo\n\nIt is built at night by one job.\n\n## Limits\n\nNone.\n\n## Notes\n\nNone.\n";
    let runs = |shown: &str| {
        let mut lines = LineMatcher::new([text]);
        lines.find(shown, None);
        lines.found(0)
    };
    for (shown, expected) in [
        ("", vec![]),
        ("It is built at night by one job.", vec![2..3]),
        ("3:It is built at night by one job.", vec![2..3]),
        ("It is built at day by one job.", vec![]),
        ("None.", vec![]),
        ("## Limits\n\nNone.", vec![]),
        ("## Limits\n\nNone.\n\n## Notes\n", vec![4..9]),
        (text, vec![0..11]),
    ] {
        assert_eq!(runs(shown), expected, "{shown:?}");
    }
}

#[test]
fn a_short_line_is_found_by_the_number_before_it_where_its_file_is_known() {
    let text = "# Demo\n\nNone.\n\n# End\n\nNone.\n";
    let mut lines = LineMatcher::new([text, "# Other\n\nNone.\n"]);
    lines.find("7\tNone.\n", None);
    assert_eq!(lines.found(0), []);
    lines.find("7\tNone.\n", Some(0));
    assert_eq!((lines.found(0), lines.missing(0)), (vec![6..7], vec![0..6]));
    assert_eq!(lines.found(1), []);
}

#[test]
fn a_repeated_part_is_found_where_its_number_says() {
    let part = "## Part\n\nOne limit.\nTwo limits.\nNo more.\n\n";
    let text = part.repeat(5);
    let mut lines = LineMatcher::new([&*text]);
    lines.find(&printed(&text, 12..18, FORMS[0]), Some(0));
    assert_eq!(lines.found(0), [12..17]);
}

#[test]
fn lines_found_before_stay_found() {
    let mut lines = LineMatcher::new(["one\ntwo\n\nthree\n"]);
    lines.mark(0, 0..2);
    lines.mark(7, 0..2);
    assert_eq!((lines.found(0), lines.missing(0)), (vec![0..2], vec![2..4]));
    assert_eq!(lines.found_bytes(), (8, 15));
}

#[test]
fn the_number_of_a_line_is_split_off() {
    for (line, expected) in [
        ("12\ttext", Some((11, "text"))),
        ("    12→text", Some((11, "text"))),
        ("12: text", Some((11, " text"))),
        ("00012| text", Some((11, " text"))),
        ("specs/S.md:12:text", Some((11, "text"))),
        ("my-specs/S-1.md-12-text", Some((11, "text"))),
        ("12", None),
        ("0\ttext", None),
        ("12. text", None),
        ("at 12:30 o'clock", None),
        ("99999999999999999999999\tx", None),
    ] {
        assert_eq!(numbered(line), expected, "{line}");
    }
}

proptest! {
    #[test]
    fn any_text_is_found_in_itself(text in "([a-c#1:]{0,3}[ \t]?[a-c]{0,2}\n){0,40}") {
        let mut lines = LineMatcher::new([&*text]);
        lines.find(&text, None);
        prop_assert_eq!(lines.missing(0), Vec::<Range<usize>>::new());
    }

    #[test]
    fn any_output_is_taken(text in "\\PC{0,80}", shown in "[\\PC\n]{0,80}") {
        let mut lines = LineMatcher::new([&*text]);
        lines.find(&shown, Some(0));
        let (found, all) = lines.found_bytes();
        prop_assert!(found <= all && all == text.len());
    }
}
