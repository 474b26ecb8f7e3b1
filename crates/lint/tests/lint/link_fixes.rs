//! The effect of fixes on links.

use review_lint::{Rule, Safety, Settings, lint};

use crate::support::{fixed_first, workspace};

fn fixed(text: &str, up_to: Safety) -> String {
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
fn a_target_is_replaced_in_place() {
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
        assert_eq!(fixed(before, Safety::Safe), expected, "{before}");
    }
}

#[test]
fn a_guess_is_an_unsafe_fix() {
    for (before, after) in [
        ("[c](C.md)", "[c](../docs/C.md)"),
        ("[r](../old/README.md)", "[r](../docs/old/README.md)"),
    ] {
        let text = |link: &str| format!("# A\n\n{link}\n\n## Reads & writes\n\n1\n");
        assert_eq!(fixed(before, Safety::Safe), text(before));
        assert_eq!(fixed(before, Safety::Unsafe), text(after));
    }
}

#[test]
fn an_ambiguous_target_has_no_fix() {
    for link in [
        "[b][b]\n\n[b]: B.md",
        "[b](B\\.md)",
        "[a](old/a%20(1).md)",
        "[d](D.md)",
        "[b](B.md?x=1#y)",
        "[r](#writes)",
    ] {
        let expected = format!("# A\n\n{link}\n\n## Reads & writes\n\n1\n");
        assert_eq!(fixed(link, Safety::Unsafe), expected);
    }
}
