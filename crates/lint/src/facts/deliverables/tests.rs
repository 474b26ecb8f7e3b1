use review_document::workspace::DocumentRole;

use super::*;
use DeliverableKind::{Create, Modify, Unsaid};

/// The files of a task: path, kind and line.
fn files(text: &str) -> Vec<(String, DeliverableKind, String)> {
    let document = Document::parse("t.md", DocumentRole::Task, text);
    let found = Deliverables::of(&document).files.into_iter();
    found
        .map(|file| {
            let line = file.span.slice(text).expect("a place").to_owned();
            (file.path.into_owned(), file.kind, line)
        })
        .collect()
}

fn seen(text: &str) -> Vec<(String, DeliverableKind)> {
    let found = files(text).into_iter();
    found.map(|(path, kind, _)| (path, kind)).collect()
}

fn file(path: &str, kind: DeliverableKind) -> (String, DeliverableKind) {
    (path.to_owned(), kind)
}

#[test]
fn a_tree_lists_files_with_their_marks() {
    let text = "---\ntask: 1\n---\n# T\n\n## Deliverables\n\n### Files to Create/Modify\n\n```\nweb/\n├── a.go   # CREATE: x\n├── b.go   # MODIFY\n├── Notes  # Worker\n├── *.go\n└── c/\n```\n";
    let found = files(text);
    assert_eq!(
        found,
        [
            ("web/a.go", Create, "a.go   # CREATE: x"),
            ("web/b.go", Modify, "b.go   # MODIFY"),
            ("web/Notes", Unsaid, "Notes  # Worker"),
        ]
        .map(|(path, kind, line)| (path.to_owned(), kind, line.to_owned()))
    );
}

#[test]
fn headings_give_the_action_of_unmarked_files() {
    let text = "# T\n\n## Files to Create\n\n```\na.go\nMakefile\nsome words\nb.go  # MODIFY\n```\n\n## Files to Modify\n\n```text\nx/\n└── c.go\n```\n";
    assert_eq!(
        seen(text),
        [
            file("a.go", Create),
            file("Makefile", Create),
            file("b.go", Modify),
            file("x/c.go", Modify),
        ]
    );
}

#[test]
fn elsewhere_a_line_of_a_tree_needs_a_mark() {
    let block = "```\nx/\n├── a.go  # NEW\n└── b.go\nc.go  # NEW\n```\n";
    for head in ["# T", "# T\n\n## Deliverables\n\n### Layout"] {
        let text = format!("{head}\n\n{block}");
        assert_eq!(seen(&text), [file("x/a.go", Create)], "{head}");
    }
    let code = block.replacen("```", "```go", 1);
    assert_eq!(seen(&format!("# T\n\n## Deliverables\n\n{code}")), []);
}

#[test]
fn lists_below_headings_and_marked_items_count() {
    let text = "# T\n\n- Create: `a.go`\n- `b.go`\n\n## Deliverables\n\n- `c.go`: x\n- Update `d.go`\n- words\n\n```\n- e.go\n```\n\n### Logic\n\n- `f.go`\n- Modify: `g.go`\n";
    assert_eq!(
        seen(text),
        [
            file("a.go", Create),
            file("c.go", Unsaid),
            file("d.go", Modify),
            file("e.go", Unsaid),
            file("g.go", Modify),
        ]
    );
}

#[test]
fn tables_with_a_file_column_count() {
    let text = "# T\n\n## Files\n\n| # | File | Action | Why |\n|---|---|---|---|\n| 1 | `a.go` | Create | x |\n| 2 | b.go | modified |\n| 3 | `c.go` | see d | y |\n| 4 | words | Create | z |\n\n| Test |\n|---|\n| `d.go` |\n\n## Other\n\n| File |\n|---|\n| `e.go` |\n";
    assert_eq!(
        seen(text),
        [
            file("a.go", Create),
            file("b.go", Modify),
            file("c.go", Unsaid)
        ]
    );
    assert!(files(text)[0].2.contains("`a.go` | Create | x"));
}

#[test]
fn a_file_counts_once_with_its_first_action() {
    let text = "# T\n\n## Deliverables\n\n- `a.go`\n- `b.go`\n- Create: `a.go`\n- Modify: `a.go`\n- `b.go`: again\n";
    assert_eq!(
        files(text),
        [
            ("a.go", Create, "Create: `a.go`"),
            ("b.go", Unsaid, "`b.go`"),
        ]
        .map(|(path, kind, line)| (path.to_owned(), kind, line.to_owned()))
    );
}

#[test]
fn the_number_of_files_is_limited() {
    use std::fmt::Write as _;
    let mut text = "# Files\n\n".to_owned();
    for number in 0..MAX_FILES + 5 {
        writeln!(text, "- a{number}.go").expect("a string");
    }
    text.push_str("\n- Create: a1.go\n");
    let found = seen(&text);
    assert_eq!(found.len(), MAX_FILES);
    assert_eq!(found[1], file("a1.go", Create));
}

#[test]
fn the_headings_of_functions_and_deliverables_are_found() {
    let text = "# T\n\n## Deliverables\n\n### Functions to Implement\n\nx\n";
    let document = Document::parse("t.md", DocumentRole::Task, text);
    let found = Deliverables::of(&document);
    let line = |span: Option<Span>| span.and_then(|span| span.slice(text)).map(str::trim_end);
    assert_eq!(line(found.functions), Some("### Functions to Implement"));
    assert_eq!(line(found.heading), Some("## Deliverables"));
    assert_eq!(
        line(found.section),
        Some(text["# T\n\n".len()..].trim_end())
    );
}

#[test]
fn items_directly_after_code_count_and_items_in_code_do_not() {
    let text = "# T\n\n## Files to Create\n\n- `a.go`\n```go\n- `b.go`\n```\n- `c.go`\n\n> ```go\n> - `d.go`\n\n- `e.go`\n";
    let names = ["a.go", "c.go", "e.go"];
    assert_eq!(seen(text), names.map(|name| file(name, Create)));
    let open = "# T\n\n## Files to Create\n\n- `a.go`\n\n```go\n\u{e9}\n- b.go \u{e9}";
    assert_eq!(seen(open), [file("a.go", Create)]);
}

#[test]
fn marked_items_count_below_any_heading() {
    let text = ": x\n- Create: `a.go`\n- New: none\n# T\n+ Modify: `b.go`: more\n- `c.go`: c\n\n```\n- Create: `d.go`\n```\n\n* Update: `e.go`";
    let expected = [
        file("a.go", Create),
        file("b.go", Modify),
        file("e.go", Modify),
    ];
    assert_eq!(seen(text), expected);
    let below = "# T\n\n- `a.go`\n\n## Files\n\n- `b.go`\n\n## Notes\n\n- `c.go`\n";
    assert_eq!(seen(below), [file("b.go", Unsaid)]);
}
