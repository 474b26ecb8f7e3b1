//! Properties that hold for any text.

use proptest::prelude::*;
use review_lint::{Safety, Settings, lint};

use crate::support::{fixed_files, workspace};

/// Lines that rules look for, in any order.
fn any_text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("---\n".to_owned()),
        Just("task: 1\n".to_owned()),
        Just("depends_on: [1, 2]\n".to_owned()),
        "backpressure: \"?(go test -run|cargo test|pytest -k|npx vitest -t|cd|true) [a-zA-Z|(\\['&;/.]{0,12}\"?\n",
        Just("# Must Pass\n".to_owned()),
        Just("## Deliverables\n".to_owned()),
        Just("## Files to Create\n".to_owned()),
        "[ │├└─\u{a0}\u{2003}]{0,6}[a./\u{e9}]{0,4}[ \t]*(# CREATE|# MODIFY|\\(new\\))?\n",
        "- (Create:|Modify:|\\[ \\])? ?[`\\[(a./\u{e9}:]{0,5}go`?\n",
        Just("| File | Action |\n|---|---|\n| `a.go` | Create |\n".to_owned()),
        Just("## TBD\n".to_owned()),
        Just("| Test |\n|---|\n".to_owned()),
        "\\| `[Ta:/_ ]{0,8}` \\|\n",
        Just("```go\n".to_owned()),
        Just("```\n".to_owned()),
        Just("<!-- ralph-ignore S2: x -->\n".to_owned()),
        Just("**Parent spec**: `/specs/A.md`\n".to_owned()),
        "(- |### |1\\. )(\\*\\*|\\[|`)?(FR|R|AC)-?[0-9]{1,2}(\\*\\*|\\]|`)?[:. ]? ?[A-Z]?[a-z\u{e9} ,]{0,12}\n",
        "(When|If|While|The) [a-z\u{e9} ]{0,6}(, |, then )?the store (shall|should) [a-z\u{e9}(.]{0,9}\n",
        Just("## Requirements\n".to_owned()),
        Just("| Metric | Target |\n|---|---|\n".to_owned()),
        "\\| [a-z]{1,4} \\| [0-9<.s%\u{e9}]{0,4} \\|\n",
        "(TBD|TODO:|to be decided|[a-z\u{e9} ]){0,4}\n",
        "[-#|`<>!\\[\\]()~\u{e9} \r\n]{0,20}",
    ];
    proptest::collection::vec(line, 0..20).prop_map(|lines| lines.concat())
}

fn files(texts: &[String]) -> Vec<(String, String)> {
    let names = [
        "specs/A.md",
        "tasks/web/IMPLEMENTATION_PLAN.md",
        "tasks/web/01-a.md",
        "tasks/web/02-b.md",
    ];
    names
        .iter()
        .map(|name| (*name).to_owned())
        .zip(texts.iter().cloned())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_gives_a_report_with_valid_positions(texts in proptest::collection::vec(any_text(), 4)) {
        let paths = ["src/a.go".to_owned(), "src/b.py".to_owned()];
        let workspace = workspace(&files(&texts), &paths, &["b".to_owned()]);
        let settings = Settings::default();
        let report = lint(&workspace, &settings);
        for finding in report.findings() {
            let document = workspace.document(&finding.path).unwrap();
            prop_assert!(finding.span.slice(&document.source).is_some());
            prop_assert!(!finding.suggestion.trim().is_empty());
            prop_assert!(finding.message.ends_with('.'), "{}", finding.message);
            if let Some(fix) = &finding.fix {
                for edit in &fix.edits {
                    prop_assert!(edit.span.slice(&document.source).is_some());
                }
            }
        }
        for (_, score) in report.scores().iter() {
            prop_assert!(score.get() <= 100);
        }
        prop_assert_eq!(report.review().is_ok(), report.verdict().is_some());
        let ids: std::collections::BTreeSet<_> = report.findings().iter().map(|f| &f.id).collect();
        prop_assert_eq!(ids.len(), report.findings().len());
        prop_assert_eq!(lint(&workspace, &settings), report);
    }

    #[test]
    fn safe_fixes_never_add_findings(text in any_text()) {
        let before = files(&[text]);
        let report = lint(&workspace(&before, &[], &[]), &Settings::default());
        let (after, applied) = fixed_files(&before, report.findings(), Safety::Safe);
        let again = lint(&workspace(&after, &[], &[]), &Settings::default());
        if !applied.is_empty() {
            prop_assert!(again.findings().len() < report.findings().len());
        }
    }

    #[test]
    fn a_further_mark_never_raises_a_score(count in 1_usize..30) {
        let score = |count: usize| {
            let text = format!("# A\n\n{}", "TBD\n\n".repeat(count));
            let report = lint(&workspace(&files(&[text]), &[], &[]), &Settings::default());
            report.scores().get("completeness")
        };
        prop_assert!(score(count + 1) <= score(count));
    }
}
