use super::*;

const SAMPLE: &str = "---
task: 1
---

# Cache `store`

Intro with `code` and [sizes](SIZES.md \"t\") and <https://a.b>.

## Backpressure

### Must Pass

| Test | Assertion |
|------|-----------|
| `TestPut` | keeps \\| value |
| Compilation | |

### Empty

<!-- ralph-ignore S1: filled in later -->

## Notes

```go
func x()
```
";

fn body() -> usize {
    SAMPLE.find("\n\n# Cache").unwrap() + 1
}

fn sample() -> Outline {
    Outline::parse_body(SAMPLE, body())
}

fn text(span: Span) -> &'static str {
    span.slice(SAMPLE).unwrap()
}

#[test]
fn headings_have_level_text_section_and_content() {
    let outline = sample();
    let seen: Vec<_> = outline
        .headings
        .iter()
        .map(|heading| {
            (
                heading.level,
                heading.text.as_str(),
                heading.parent,
                heading.has_content,
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            (1, "Cache store", None, true),
            (2, "Backpressure", Some(0), false),
            (3, "Must Pass", Some(1), true),
            (3, "Empty", Some(1), false),
            (2, "Notes", Some(0), true),
        ]
    );
    let backpressure = outline.headings.get(1).unwrap();
    assert!(text(backpressure.section).starts_with("## Backpressure"));
    assert!(text(backpressure.section).ends_with("-->\n\n"));
    assert_eq!(outline.headings.first().unwrap().section.end, SAMPLE.len());
}

#[test]
fn a_heading_path_does_not_include_the_title() {
    let outline = sample();
    let path = |needle: &str| {
        outline
            .heading_path(SAMPLE.find(needle).unwrap())
            .to_string()
    };
    assert_eq!(path("TestPut"), "Backpressure > Must Pass");
    assert_eq!(path("Intro"), "Cache store");
    assert_eq!(path("task: 1"), "");
    assert_eq!(path("func"), "Notes");
}

#[test]
fn a_second_title_is_in_the_path() {
    let outline = Outline::parse("# A\n\n# B\n\n## C\n\nx\n");
    assert_eq!(outline.heading_path(16).0, ["B", "C"]);
}

#[test]
fn is_below_tests_all_headings_above() {
    let outline = sample();
    let at = SAMPLE.find("TestPut").unwrap();
    assert!(outline.is_below(at, |heading| heading.text.as_str() == "Backpressure"));
    assert!(!outline.is_below(at, |heading| heading.text.as_str() == "Notes"));
    assert!(!outline.is_below(0, |_| true));
}

#[test]
fn front_matter_is_not_markdown() {
    assert_eq!(sample().headings.len(), 5);
    assert_eq!(Outline::parse(SAMPLE).headings.len(), 6);
}

#[test]
fn links_and_code_have_spans_in_the_whole_source() {
    let outline = sample();
    let links: Vec<_> = outline
        .links
        .iter()
        .map(|link| (link.kind, link.target.as_str(), text(link.span)))
        .collect();
    assert_eq!(
        links,
        [
            (LinkKind::Inline, "SIZES.md", "[sizes](SIZES.md \"t\")"),
            (LinkKind::Auto, "https://a.b", "<https://a.b>"),
        ]
    );
    let codes: Vec<_> = outline
        .code_spans
        .iter()
        .map(|code| (code.text.as_str(), text(code.span)))
        .collect();
    assert_eq!(
        codes,
        [
            ("store", "`store`"),
            ("code", "`code`"),
            ("TestPut", "`TestPut`")
        ]
    );
}

#[test]
fn references_and_images_are_links() {
    let outline = Outline::parse("[a][b] ![c](d.png)\n\n[b]: /u\n");
    let links: Vec<_> = outline
        .links
        .iter()
        .map(|link| (link.kind, link.target.as_str()))
        .collect();
    assert_eq!(
        links,
        [(LinkKind::Reference, "/u"), (LinkKind::Image, "d.png")]
    );
}

/// The code of a cell, with its backticks.
fn codes(cell: &Cell) -> Vec<&'static str> {
    cell.codes.iter().map(|code| text(code.span)).collect()
}

#[test]
fn tables_have_cells_with_their_code() {
    let outline = sample();
    let table = outline.tables.first().unwrap();
    assert_eq!(table.column(|head| head == "Assertion"), Some(1));
    let seen: Vec<Vec<_>> = table
        .rows
        .iter()
        .map(|row| {
            row.iter()
                .map(|cell| (cell.text.as_str(), codes(cell)))
                .collect()
        })
        .collect();
    assert_eq!(
        seen,
        [
            vec![("TestPut", vec!["`TestPut`"]), ("keeps | value", vec![])],
            vec![("Compilation", vec![]), ("", vec![])],
        ]
    );
}

#[test]
fn comments_are_found_in_blocks_and_lines() {
    let outline = sample();
    assert_eq!(
        outline.comments.first().unwrap().text,
        "ralph-ignore S1: filled in later"
    );
    let source = "a <!-- one --> b\n\n<!-- two\nlines --><!-- three -->\n\n`<!-- code -->`\n";
    let outline = Outline::parse(source);
    let texts: Vec<_> = outline.comments.iter().map(|c| c.text.as_str()).collect();
    assert_eq!(texts, ["one", "two\nlines", "three"]);
}

#[test]
fn code_blocks_know_whether_they_are_closed() {
    let cases = [
        ("```go\nx\n```\n", CodeKind::Fenced, "go", "x\n"),
        ("```go title=a\nx\n", CodeKind::Unclosed, "go", "x\n"),
        ("~~~\n```\n~~~\n", CodeKind::Fenced, "", "```\n"),
        ("~~~\n```\n", CodeKind::Unclosed, "", "```\n"),
        ("```\n```\n", CodeKind::Fenced, "", ""),
        ("```", CodeKind::Unclosed, "", ""),
        ("```\nx\n   ```\n", CodeKind::Fenced, "", "x\n"),
        ("> ```sh\n> x\n\ny\n", CodeKind::Unclosed, "sh", "x\n"),
        (
            "- a\n\n  ```sh\n  x\n  ```\n",
            CodeKind::Fenced,
            "sh",
            "x\n",
        ),
        ("a\n\n    x `\n", CodeKind::Indented, "", "x `\n"),
    ];
    for (source, kind, language, content) in cases {
        let outline = Outline::parse(source);
        let blocks: Vec<_> = outline.code_blocks.iter().collect();
        let [block] = blocks.as_slice() else {
            panic!("{source:?} has one block: {outline:?}");
        };
        assert_eq!(
            (block.kind, block.language.as_str()),
            (kind, language),
            "{source:?}"
        );
        assert_eq!(block.content.slice(source), Some(content), "{source:?}");
    }
}

#[test]
fn prose_is_neither_code_nor_comment() {
    let source = "# Head\n\nab `cd` **ef**\n\n```\ngh\n```\n<!-- ij -->\n";
    let outline = Outline::parse(source);
    let runs: Vec<_> = outline
        .prose
        .iter()
        .map(|run| run.slice(source).unwrap())
        .collect();
    assert_eq!(runs, ["Head", "ab ", " ", "ef"]);
}

#[test]
fn a_blank_document_has_nothing_but_comments_and_rules() {
    for source in ["", " \n\n", "<!-- x -->\n", "---\n"] {
        assert!(Outline::parse(source).is_blank(), "{source:?}");
    }
    for source in ["x", "# A", "<b>x</b>\n", "    code\n", "- \n"] {
        assert!(!Outline::parse(source).is_blank(), "{source:?}");
    }
}

#[test]
fn headings_in_quotes_and_lists_open_no_section() {
    let outline = Outline::parse("# A\n\n> # B\n\n- # C\n\n# D\n");
    let texts: Vec<_> = outline.headings.iter().map(|h| h.text.as_str()).collect();
    assert_eq!(texts, ["A", "D"]);
    assert!(outline.headings.first().unwrap().has_content);
}

#[test]
fn a_long_document_is_cut_at_a_character_boundary() {
    let source = "\u{e9}".repeat(OUTLINE_LIMIT / 2 + 5);
    let outline = Outline::parse_body(&source, 1);
    assert!(outline.is_cut);
    assert_eq!(outline.prose, [Span::new(0, OUTLINE_LIMIT)]);
    assert!(!Outline::parse("x").is_cut);
}

#[test]
fn hostile_input_costs_no_more_than_its_length() {
    for piece in ["[", ">", "<!--\n", "* ", "[a](", "|", "`", "&a;"] {
        let outline = Outline::parse(&piece.repeat(100_000));
        assert!(outline.links.is_empty(), "{piece:?}");
    }
}

proptest::proptest! {
    #[test]
    fn every_span_is_inside_the_source(source in "[-#|`<>!a\\[\\]()~\u{e9} \n]{0,80}", body in 0usize..90) {
        let outline = Outline::parse_body(&source, body);
        let spans = outline.headings.iter().flat_map(|h| [h.span, h.section])
            .chain(outline.links.iter().map(|link| link.span))
            .chain(outline.code_blocks.iter().flat_map(|block| [block.span, block.content]))
            .chain(outline.code_spans.iter().map(|code| code.span))
            .chain(outline.tables.iter().map(|table| table.span))
            .chain(outline.comments.iter().map(|comment| comment.span))
            .chain(outline.prose.iter().copied());
        for span in spans {
            proptest::prop_assert!(span.slice(&source).is_some(), "{span:?} of {source:?}");
        }
    }
}

#[test]
fn paragraphs_are_text_blocks_and_the_text_of_list_items() {
    let source = "# T\n\nOne *a*\ntwo.\n\n- **x** `y`\n  - in [z](w)\n\n1. loose\n\n   more\n\n- ```\n  code\n  ```\n  behind\n\n> quoted\n\n| cell |\n|---|\n| c |\n\n<p>html</p>\n\n- <!-- c -->\n\nend <b>\n";
    let outline = Outline::parse(source);
    let seen: Vec<_> = outline
        .paragraphs
        .iter()
        .map(|paragraph| (paragraph.span.slice(source).unwrap(), paragraph.opens_item))
        .collect();
    assert_eq!(
        seen,
        [
            ("One *a*\ntwo.", false),
            ("**x** `y`", true),
            ("in [z](w)", true),
            ("loose", true),
            ("more", false),
            ("behind", false),
            ("quoted", false),
            ("end <b>", false),
        ]
    );
}

#[test]
fn prose_is_neither_code_nor_markup() {
    let source = "One `two` *three* [four](five).\n";
    let outline = Outline::parse(source);
    for (word, expected) in [
        ("One", true),
        ("two", false),
        ("three", true),
        ("*three", false),
        ("four", true),
        ("five", false),
        (".", true),
    ] {
        let start = source.find(word).unwrap();
        let span = Span::new(start, start + word.len());
        assert_eq!(outline.is_prose(span), expected, "{word}");
    }
}

#[test]
fn things_that_start_inside_a_span_are_found() {
    let outline = Outline::parse("[a](a) [b](b) [c](c)\n");
    let targets = |span: Span| -> String {
        let links = inside(&outline.links, span, |link| link.span);
        links.iter().map(|link| link.target.as_str()).collect()
    };
    assert_eq!(targets(Span::new(0, 7)), "a");
    assert_eq!(targets(Span::new(1, 8)), "b");
    assert_eq!(targets(Span::new(0, 99)), "abc");
    assert_eq!(targets(Span::new(15, 99)), "");
}

#[test]
fn the_text_of_a_heading_or_cell_is_complete_around_code_and_links() {
    let source = "# A `b` [c](d) <!-- e --> f\n\n| `g` [h](i) j |\n|---|\n";
    let outline = Outline::parse(source);
    assert_eq!(outline.headings.first().unwrap().text, "A b c  f");
    let cell = outline.tables.first().unwrap().header.first().unwrap();
    assert_eq!(cell.text.as_str(), "g h j");
    let codes: Vec<_> = outline
        .code_spans
        .iter()
        .map(|code| code.text.as_str())
        .collect();
    assert_eq!(codes, ["b", "g"]);
    let targets: Vec<_> = outline
        .links
        .iter()
        .map(|link| link.target.as_str())
        .collect();
    assert_eq!(targets, ["d", "i"]);
}

#[test]
fn ranges_outside_code_are_whole_lines() {
    let stretches = |source: &'static str, body: usize| -> Vec<&str> {
        let outline = Outline::parse_body(source, body);
        let stretches = outline.outside_code(source, body);
        stretches.filter_map(|span| span.slice(source)).collect()
    };
    let source = "---\n---\na\n```\nb\n```\nc\n- ```\n  d\n  ```\ne";
    assert_eq!(stretches(source, 8), ["a\n", "c\n", "e"]);
    assert_eq!(stretches("```\na\n```", 0), ["", ""]);
    assert_eq!(stretches("a\n\n```\nb\n", 0), ["a\n\n", ""]);
    assert_eq!(stretches("a\n\n    b\n\nc\n", 0), ["a\n\n", "\nc\n"]);
    assert_eq!(stretches("", 0), [""]);
}
