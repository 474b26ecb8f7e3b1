use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::span::Position;

fn kind(text: &str) -> YamlErrorKind {
    parse(text).expect_err(text).kind
}

fn hint(text: &str) -> Option<String> {
    parse(text).expect_err(text).hint
}

#[test]
fn a_tree_keeps_values_order_and_byte_spans() {
    let text = "b: [1, two]\né: {x: ~}\n";
    let tree = parse(text).expect("valid");
    assert_eq!(
        tree.root.to_json(),
        json!({"b": [1, "two"], "é": {"x": null}})
    );
    let spans: Vec<_> = tree
        .root
        .entries()
        .iter()
        .map(|entry| entry.value.place.span.slice(text).expect("inside"))
        .collect();
    assert_eq!(spans, ["[1, two]", "{x: ~}"]);
    assert_eq!(
        tree.root.entries()[1].value.place.position,
        Position { line: 2, column: 4 }
    );
}

#[test]
fn a_part_of_a_file_has_the_places_of_the_file() {
    let text = "---\ntask: 2\n---\n";
    let tree = parse_within(text, Span::new(4, 12), 2).expect("valid");
    let task = &tree.root.entries()[0].value;
    assert_eq!(task.place.span, Span::new(10, 11));
    assert_eq!(task.place.position, Position { line: 2, column: 7 });
}

#[test]
fn input_without_a_node_is_null() {
    for text in ["", "\n", "# only a comment\n"] {
        assert!(parse(text).expect(text).root.is_null(), "{text:?}");
    }
}

#[test]
fn quotes_tags_and_blocks_make_a_string() {
    let tree = parse("a: '1'\nb: \"true\"\nc: !!str 7\nd: |\n  ~\n").expect("valid");
    assert_eq!(
        tree.root.to_json(),
        json!({"a": "1", "b": "true", "c": "7", "d": "~\n"})
    );
    let styles: Vec<_> = tree
        .root
        .entries()
        .iter()
        .filter_map(|entry| entry.value.scalar())
        .map(|scalar| scalar.style)
        .collect();
    assert_eq!(
        styles,
        [
            Style::SingleQuoted,
            Style::DoubleQuoted,
            Style::Plain,
            Style::Block
        ]
    );
}

#[test]
fn numbers_that_json_lacks_become_strings() {
    let tree = parse("[.inf, 1.5]").expect("valid");
    assert_eq!(tree.root.to_json(), json!([".inf", 1.5]));
}

#[test]
fn comments_are_kept_with_their_places() {
    let text = "# head\na: echo x #y\n";
    let tree = parse(text).expect("valid");
    let comments: Vec<_> = tree
        .comments
        .iter()
        .map(|comment| (&*comment.text, comment.place.span.slice(text)))
        .collect();
    assert_eq!(comments, [(" head", Some("# head")), ("y", Some("#y"))]);
}

#[test]
fn a_duplicate_key_is_an_error_at_its_second_place() {
    let error = parse("a: 1\nz: 0\nb:\n  c: 1\nz: 2\na: 2\n").expect_err("duplicate");
    assert_eq!(
        error.kind,
        YamlErrorKind::DuplicateKey {
            key: "z".to_owned(),
            first_line: 2
        }
    );
    assert_eq!(error.place.position, Position { line: 5, column: 1 });
    assert_eq!(error.to_string(), "duplicate key \"z\", first in line 2");
}

#[test]
fn aliases_are_refused_with_or_without_an_anchor() {
    assert_eq!(kind("a: &x 1\nb: *x\n"), YamlErrorKind::Alias);
    assert_eq!(kind("paths: *.rs\n"), YamlErrorKind::Alias);
    assert!(hint("a: *x\n").is_some_and(|hint| hint.contains("quotes")));
}

#[test]
fn a_key_must_be_a_scalar() {
    assert_eq!(kind("[a]: b\n"), YamlErrorKind::KeyNotScalar);
}

#[test]
fn a_second_document_is_refused() {
    assert_eq!(kind("a: 1\n---\nb: 2\n"), YamlErrorKind::SeveralDocuments);
}

#[test]
fn nesting_stops_at_the_limit() {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(parse(&deep(64)).is_ok());
    assert_eq!(kind(&deep(65)), YamlErrorKind::TooDeep { limit: 64 });
    assert_eq!(kind(&deep(100_000)), YamlErrorKind::TooDeep { limit: 64 });
    let block: String = (0..200)
        .map(|level| format!("{}a:\n", " ".repeat(level)))
        .collect();
    assert_eq!(kind(&block), YamlErrorKind::TooDeep { limit: 64 });
}

#[test]
fn a_hint_shows_how_to_quote() {
    for (text, expected) in [
        (
            "backpressure: echo a: b\n",
            Some("put the value in quotes: backpressure: 'echo a: b'"),
        ),
        (
            "x: 1\ncmd: it's a: b\n",
            Some("put the value in quotes: cmd: 'it''s a: b'"),
        ),
        (
            "cmd: `date`\n",
            Some("put the value in quotes: cmd: '`date`'"),
        ),
        ("depends_on: [#1, #2]\n", Some("write depends_on: [1, 2]")),
        ("a: 'x\n", None),
    ] {
        assert_eq!(hint(text).as_deref(), expected, "{text}");
    }
}

#[test]
fn a_long_list_and_many_comments_are_read() {
    let list = (1..5000)
        .map(|n| n.to_string())
        .collect::<Vec<_>>()
        .join(", ");
    let comments = "# note\n".repeat(5000);
    let text = format!("{comments}depends_on: [{list}]\n");
    let tree = parse(&text).expect("valid");
    assert_eq!(tree.comments.len(), 5000);
    assert_eq!(tree.root.to_json()["depends_on"][4998], json!(4999));
}

fn assert_inside(node: &Node, text: &str) {
    assert!(node.place.span.slice(text).is_some(), "{node:?}");
    match &node.value {
        Value::Scalar(_) => {}
        Value::Sequence(items) => items.iter().for_each(|item| assert_inside(item, text)),
        Value::Mapping(entries) => entries.iter().for_each(|entry| {
            assert!(entry.key_place.span.slice(text).is_some(), "{entry:?}");
            assert_inside(&entry.value, text);
        }),
    }
}

proptest! {
    #[test]
    fn any_input_gives_a_tree_inside_it_or_an_error(
        text in r#"([a-c:\[\]{}#&*!|>'"%@`,\-?~ \t\r\n\u{e9}\u{feff}]|: |- |\n  ){0,60}"#,
    ) {
        if let Ok(tree) = parse(&text) {
            assert_inside(&tree.root, &text);
        }
    }

    #[test]
    fn any_characters_give_no_panic(text in "\\PC{0,80}") {
        if let Ok(tree) = parse(&text) {
            assert_inside(&tree.root, &text);
        }
    }
}
