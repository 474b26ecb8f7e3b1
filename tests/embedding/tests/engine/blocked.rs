//! What is put right before a run goes on.

use review::NoSink;
use review_embedding_test::Workspace;
use review_engine::{ResumeRequest, resume};
use review_report::NextStep;
use review_report::run::{RunReport, Started};
use review_types::BlockCode;

use crate::support::{PASS, program, run};

fn project() -> Workspace {
    let spec = ("specs/DEMO.md", "# Demo\n\n## Goal\n\nA demo.\n");
    let workspace = Workspace::new(&[spec]).unwrap();
    let item = r#"{"section":"Goal","issue":"it is not fixed","suggestion":"fix it"}"#;
    let revise = PASS.replace("\"pass\"", "\"needs_revision\"");
    let revise = revise.replace("[]", &format!("[{item}]"));
    program(
        &workspace,
        "judge",
        &format!("cat >/dev/null\necho '{revise}'"),
    );
    let fix = "cat >/dev/null\necho more >> \"$RALPH_SPEC\"";
    program(&workspace, "fix", fix);
    workspace
}

/// What a report says to do next.
fn steps(mut report: RunReport) -> Vec<NextStep> {
    report.suggest(Started {
        command: &[],
        folder: None,
        run: None,
        root: ".",
        options: &[],
        is_kept: true,
    });
    report.next
}

/// Checks that a run can go on once what its reason names is corrected.
fn is_to_be_corrected(report: RunReport, named: &str) {
    let reason = &report.block_reason;
    assert!(reason.contains(named), "{reason}");
    let run = report.run.as_ref().unwrap().short().to_owned();
    let text = format!("correct what the reason names, then `ralph resume {run}`");
    assert_eq!(steps(report), [NextStep::by_hand(text)]);
}

#[tokio::test]
async fn a_program_that_is_missing_is_put_there_before_the_run_goes_on() {
    let config = "reviewer = \"cmd:judge\"\napplier = \"cmd:fix\"\nreview.max_iterations = 2\n";
    for (missing, code) in [
        ("judge", BlockCode::ReviewerFailed),
        ("fix", BlockCode::ApplierFailed),
    ] {
        let workspace = project();
        let bin = workspace.bin();
        std::fs::rename(bin.join(missing), bin.join("kept")).unwrap();
        let report = run(&workspace, config).await;
        assert_eq!(report.block_code, Some(code));
        let id = report.run.clone().unwrap();
        is_to_be_corrected(report, missing);
        std::fs::rename(bin.join("kept"), bin.join(missing)).unwrap();
        let project = workspace.project(&NoSink).unwrap();
        let dir = project.state.run(&id);
        let resumed = resume(&project, dir, ResumeRequest::default());
        let resumed = Box::pin(resumed).await.unwrap().finished;
        assert_eq!(resumed.block_code, Some(BlockCode::MaxIterations));
    }
}

#[tokio::test]
async fn a_key_that_is_missing_is_set_before_the_run_goes_on() {
    let config = "reviewer = \"http:local\"\n[http.local]\napi = \"chat_completions\"\n\
                  base_url = \"http://127.0.0.1:9\"\nmodel = \"m-1\"\nkey_env = \"NO_SUCH_KEY\"\n";
    let report = run(&project(), config).await;
    assert_eq!(report.block_code, Some(BlockCode::ReviewerFailed));
    is_to_be_corrected(report, "NO_SUCH_KEY");
}
