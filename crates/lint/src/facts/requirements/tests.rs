use super::*;

fn document(text: &str) -> Document {
    Document::parse("specs/A.md", DocumentRole::Spec, text)
}

/// The ids and statements of a document's requirements.
fn read(document: &Document) -> Vec<(&str, Form, &str)> {
    let found = Requirements::of(document).unwrap();
    let entry = |found: &Requirement<'_>| {
        let id = found
            .id
            .map_or("", |id| id.span.slice(&document.source).unwrap());
        (id, found.form, found.text.slice(&document.source).unwrap())
    };
    found.list.iter().map(entry).collect()
}

#[test]
fn requirements_are_items_paragraphs_headings_and_rows() {
    let text = "# Store\n\n1. **FR-1**: Reads\n   twice.\n\nR2. Writes.\n\n### FR-3 Locks\n\nThe store locks.\n\n### FR-4: Opens\n\n- now\n\n| Id | Requirement | Test |\n|---|---|---|\n| FR-5 | Closes | a |\n| new | Ends | b |\n";
    assert_eq!(
        read(&document(text)),
        [
            ("FR-1", Form::Text, "Reads\n   twice."),
            ("R2", Form::Text, "Writes."),
            ("FR-3", Form::Heading, "The store locks."),
            ("FR-4", Form::Heading, "Opens"),
            ("FR-5", Form::Row, " Closes "),
        ]
    );
}

#[test]
fn each_line_of_a_paragraph_may_define_one() {
    let text = "**FR-1**: Reads\nand writes.\n**FR-2**: Locks.\nFR-3: counts on.\n";
    assert_eq!(
        read(&document(text)),
        [
            ("FR-1", Form::Text, "Reads\nand writes."),
            ("FR-2", Form::Text, "Locks.\nFR-3: counts on."),
        ]
    );
    for text in [
        "- **FR-1**: Reads.\n  **FR-2**: Locks.\n",
        "**FR-1: Reads.**\n**FR-2: Locks.**\n",
    ] {
        let expected = [("FR-1", "Reads."), ("FR-2", "Locks.")];
        let found = document(text);
        let found = read(&found);
        let seen: Vec<_> = found.iter().map(|&(id, _, said)| (id, said)).collect();
        assert_eq!(seen, expected, "{text}");
    }
}

#[test]
fn items_without_an_id_count_in_requirement_sections() {
    let text = "# A\n\n- no\n\n## Requirements\n\nintro\n\n- one\n  - two\n\n## Design\n\n- no\n";
    assert_eq!(
        read(&document(text)),
        [("", Form::Text, "one"), ("", Form::Text, "two")]
    );
}

#[test]
fn an_unknown_prefix_counts_in_requirement_sections() {
    let text = "# A\n\n- AUTH-1: no\n\n## Requirements\n\n- **AUTH-2**: yes\n- **AC-1**: no\n\n## Test coverage\n\n- **FR-1**: no\n";
    assert_eq!(
        read(&document(text)),
        [
            ("AUTH-2", Form::Text, "yes"),
            ("", Form::Text, "**AC-1**: no"),
        ]
    );
}

#[test]
fn a_table_that_only_refers_to_requirements_states_none() {
    for head in [
        "| Requirement | Test |",
        "| Id | Requirement ids |",
        "| Id | Test |",
    ] {
        let text = format!("# A\n\n{head}\n|---|---|\n| FR-1 | Reads |\n");
        assert_eq!(read(&document(&text)), [], "{head}");
    }
}

#[test]
fn a_heading_with_other_requirements_below_it_is_its_own_statement() {
    let text = "### FR-1 Input\n\n**FR-1.1**: Reads.\n\n### FR-2\n\n### Next\n\nText.\n";
    assert_eq!(
        read(&document(text)),
        [
            ("FR-1", Form::Heading, "Input"),
            ("FR-1.1", Form::Text, "Reads."),
            ("FR-2", Form::Heading, ""),
        ]
    );
}

#[test]
fn plans_and_tasks_state_no_requirements() {
    for (role, states) in [
        (DocumentRole::Spec, true),
        (DocumentRole::Text, true),
        (DocumentRole::Plan, false),
        (DocumentRole::Task, false),
    ] {
        let document = Document::parse("a.md", role, "- FR-1: Reads.\n");
        assert_eq!(Requirements::of(&document).is_some(), states, "{role:?}");
    }
}

#[test]
fn the_section_of_a_requirement_is_the_heading_above_its_id() {
    let document = document("- FR-1: a\n\n# A\n\n## Requirements\n\n- FR-2: b\n");
    let found = Requirements::of(&document).unwrap();
    let seen: Vec<_> = found.list.iter().map(|r| (r.heading, r.section)).collect();
    assert_eq!(
        seen,
        [(None, Section::Other), (Some(1), Section::Requirements)]
    );
    assert_eq!(found.with_id().count(), 2);
}

#[test]
fn the_number_of_requirements_is_limited() {
    let document = document(&"- FR-1: a\n".repeat(MAX_LISTED + 1));
    assert_eq!(Requirements::of(&document).unwrap().list.len(), MAX_LISTED);
}
