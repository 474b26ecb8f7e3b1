//! What fixes do to links.

use review_lint::{Rule, Safety, Settings, lint};

use crate::support::{fixed_first, workspace};

fn mended(text: &str, up_to: Safety) -> String {
    let text = format!("# A\n\n{text}\n\n## Reads & writes\n\n1\n");
    let files = [("specs/A.md".to_owned(), text)];
    let paths = [
        "specs/done/B.md",
        "docs/C.md",
        "docs/old/README.md",
        "specs/a (1).md",
        "docs/with space.md",
    ];
    let settings = Settings {
        select: Some([Rule::BrokenLink].into()),
        ..Settings::default()
    };
    let report = lint(
        &workspace(&files, &paths.map(str::to_owned), &[]),
        &settings,
    );
    fixed_first(&files, report.findings(), up_to)
}

#[test]
fn a_target_is_replaced_where_it_is_written() {
    for (before, after) in [
        ("[b](B.md)", "[b](done/B.md)"),
        ("[b]( <B.md#x> \"t\" )", "[b]( <done/B.md#x> \"t\" )"),
        ("![b](/specs/B.md)", "![b](/specs/done/B.md)"),
        (
            "[![i](https://x.y/z.png)](B.md)",
            "[![i](https://x.y/z.png)](done/B.md)",
        ),
        ("[b](/Users/me/specs/done/B.md#x)", "[b](done/B.md#x)"),
        ("[c](/home/me/x/docs/C.md)", "[c](../docs/C.md)"),
        ("[c](../old/docs/C.md)", "[c](../docs/C.md)"),
        (
            "[w](old/docs/with%20space.md)",
            "[w](../docs/with%20space.md)",
        ),
        ("[c](~/x/docs/C.md)", "[c](../docs/C.md)"),
        ("[r](A.md?x=1#reads-writes)", "[r](A.md?x=1#reads--writes)"),
        ("[r](#reads-writes)", "[r](#reads--writes)"),
        ("[r](A.md#reads-writes)", "[r](A.md#reads--writes)"),
    ] {
        let expected = format!("# A\n\n{after}\n\n## Reads & writes\n\n1\n");
        assert_eq!(mended(before, Safety::Safe), expected, "{before}");
    }
}

#[test]
fn what_is_a_guess_waits_to_be_asked_for() {
    for (before, after) in [
        ("[c](C.md)", "[c](../docs/C.md)"),
        ("[r](../old/README.md)", "[r](../docs/old/README.md)"),
    ] {
        let text = |link: &str| format!("# A\n\n{link}\n\n## Reads & writes\n\n1\n");
        assert_eq!(mended(before, Safety::Safe), text(before));
        assert_eq!(mended(before, Safety::Unsafe), text(after));
    }
}

#[test]
fn what_has_no_single_place_is_left_alone() {
    for link in [
        "[b][b]\n\n[b]: B.md",
        "[b](B\\.md)",
        "[a](old/a%20(1).md)",
        "[d](D.md)",
        "[b](B.md?x=1#y)",
        "[r](#writes)",
    ] {
        let expected = format!("# A\n\n{link}\n\n## Reads & writes\n\n1\n");
        assert_eq!(mended(link, Safety::Unsafe), expected);
    }
}
