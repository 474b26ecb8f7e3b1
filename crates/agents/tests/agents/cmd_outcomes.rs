use std::time::Duration;

use review::types::{FailedBy, Failure, LimitKind, Missing, ModelId};
use review::{ReviewAnswer, Reviewer};
use review_agents::{AgentContext, RoleAgent};
use review_process::{Limits, Redactor};

use crate::support::{Project, answer, program, report, review_request, sh};

const VERDICT: &str = r#"echo '{"verdict":"pass"}'"#;

fn limited(project: &Project, limit: impl FnOnce(&mut Limits)) -> AgentContext {
    let mut context = project.context();
    limit(&mut context.limits);
    context
}

async fn failure(agent: &RoleAgent) -> (Failure, String) {
    let error = answer(agent).await.unwrap_err();
    assert_eq!((error.usage, &error.session), (None, &None));
    (error.failure, error.message)
}

#[tokio::test]
async fn what_a_program_writes_is_its_answer_byte_for_byte() {
    let project = Project::new();
    let agent = sh(r"printf '\377{}\r\n'", project.context());
    let mut answer = agent.review(review_request()).await.unwrap();
    let sent = answer.sent.take().unwrap();
    assert_eq!(sent.read.map(|read| read.read), Some(0));
    let by = ModelId {
        backend: "cmd".to_owned(),
        model: None,
        prompt: Some("review/v10 reviewer/v1".to_owned()),
    };
    let expected = ReviewAnswer {
        by,
        ..ReviewAnswer::text(b"\xff{}\r\n".to_vec())
    };
    assert_eq!(answer, expected);
}

#[tokio::test]
async fn messages_are_no_part_of_an_answer() {
    let project = Project::new();
    let script = format!("echo before >&2; {VERDICT}; echo after >&2");
    let agent = sh(&script, project.context());
    assert_eq!(answer(&agent).await.unwrap(), "{\"verdict\":\"pass\"}\n");
}

#[tokio::test]
async fn nothing_is_an_answer_too() {
    let project = Project::new();
    for script in ["", "echo"] {
        let agent = sh(script, project.context());
        assert_eq!(answer(&agent).await.unwrap().trim(), "");
    }
}

#[tokio::test]
async fn a_prompt_that_is_not_read_is_not_an_error() {
    let project = Project::new();
    project.write(crate::support::SPEC, vec![b'x'; 1 << 20]);
    let agent = sh(VERDICT, project.context());
    assert_eq!(answer(&agent).await.unwrap(), "{\"verdict\":\"pass\"}\n");
}

#[tokio::test]
async fn a_program_may_write_a_megabyte_before_it_reads_one() {
    let project = Project::new();
    project.write(crate::support::SPEC, vec![b'x'; 1 << 20]);
    let script = "head -c 1048576 /dev/zero | tr '\\0' y; wc -c";
    let agent = sh(script, project.context());
    let answer = answer(&agent).await.unwrap();
    let (written, read) = answer.split_at(1 << 20);
    assert_eq!(written.trim_start_matches('y'), "");
    assert!(read.trim().parse::<usize>().unwrap() > 1 << 20, "{read}");
}

#[tokio::test]
async fn a_status_other_than_0_is_a_failure_whatever_was_written() {
    let project = Project::new();
    let agent = sh(
        &format!("{VERDICT}; echo 'no luck' >&2; exit 3"),
        project.context(),
    );
    let message = "`sh` ended with exit status 3; its standard error ended with:\nno luck";
    let expected = (FailedBy::Status(3).into(), message.to_owned());
    assert_eq!(failure(&agent).await, expected);
}

#[tokio::test]
async fn a_failure_quotes_the_end_of_long_messages() {
    let project = Project::new();
    let script = "head -c 100000 /dev/zero | tr '\\0' x >&2; printf '\\nthe end\\n' >&2; exit 1";
    let agent = sh(script, project.context());
    let message = "`sh` ended with exit status 1; its standard error ended with:\nthe end";
    let expected = (FailedBy::Status(1).into(), message.to_owned());
    assert_eq!(failure(&agent).await, expected);
}

#[tokio::test]
async fn a_signal_kills_the_answer() {
    let project = Project::new();
    let agent = sh(&format!("{VERDICT}; kill -9 $$"), project.context());
    let message = "`sh` was ended by signal 9; it wrote nothing to its standard error";
    let expected = (FailedBy::Signal(9).into(), message.to_owned());
    assert_eq!(failure(&agent).await, expected);
}

#[tokio::test]
async fn a_program_that_is_not_done_in_time_hangs() {
    let project = Project::new();
    let limit = Duration::from_millis(40);
    let context = limited(&project, |limits| limits.wall = Some(limit));
    let agent = sh(&format!("{VERDICT}; exec tail -f /dev/null"), context);
    let message = "`sh` was not done after 40ms and was ended; \
                   `agent.call_timeout` gives it more; it wrote nothing to its standard error";
    let hung = Failure::Hung {
        limit: LimitKind::Wall,
        after_ms: 40,
    };
    assert_eq!(failure(&agent).await, (hung, message.to_owned()));
}

#[tokio::test]
async fn a_program_that_says_nothing_for_long_hangs() {
    let project = Project::new();
    let limit = Duration::from_millis(40);
    let context = limited(&project, |limits| limits.idle = Some(limit));
    let agent = sh("exec tail -f /dev/null", context);
    let message = "`sh` said nothing for 40ms and was ended; \
                   `agent.idle_timeout` gives it more; it wrote nothing to its standard error";
    let hung = Failure::Hung {
        limit: LimitKind::Idle,
        after_ms: 40,
    };
    assert_eq!(failure(&agent).await, (hung, message.to_owned()));
}

#[tokio::test]
async fn an_answer_over_the_limit_is_not_read_in_part() {
    let project = Project::new();
    let context = limited(&project, |limits| {
        limits.capture = 1000;
        limits.overflow = review_process::Overflow::KeepTail;
    });
    let agent = sh(
        &format!("{VERDICT}; head -c 100000 /dev/zero; {VERDICT}"),
        context,
    );
    let message = "`sh` wrote more than 1000 bytes, which is not read; \
                   it wrote nothing to its standard error";
    let expected = (Failure::Truncated { limit: Some(1000) }, message.to_owned());
    assert_eq!(failure(&agent).await, expected);
}

/// What may still become a secret is held back to the end, when it is too late
/// to end the program for it.
#[tokio::test]
async fn an_answer_that_its_last_bytes_make_too_large_is_not_read_either() {
    let project = Project::new();
    let mut context = limited(&project, |limits| limits.capture = 8);
    context.redactor = Redactor::new(["secret-value"]);
    let agent = sh("printf 12345secret", context);
    let message = "`sh` wrote more than 8 bytes, which is not read; \
                   it wrote nothing to its standard error";
    let expected = (Failure::Truncated { limit: Some(8) }, message.to_owned());
    assert_eq!(failure(&agent).await, expected);
}

#[tokio::test]
async fn a_missing_program_is_named() {
    let project = Project::new();
    let agent = program("no-such-judge --fast", project.context());
    let message = "program \"no-such-judge\" was not found; check its spelling and PATH";
    let spawn_failed = Failure::SetupFailed {
        missing: Some(Missing::Program("no-such-judge".to_owned())),
    };
    assert_eq!(failure(&agent).await, (spawn_failed, message.to_owned()));
}

#[tokio::test]
async fn no_agent_is_asked_about_an_artifact_that_cannot_be_read() {
    let project = Project::new();
    std::fs::remove_file(project.path("root/specs/DEMO.md")).unwrap();
    let agent = sh("touch asked", project.context());
    let (failed, message) = failure(&agent).await;
    assert_eq!(failed, Failure::SetupFailed { missing: None });
    let spec = project.path("root/specs/DEMO.md");
    let start = format!("`sh` was not started: {} cannot be read: ", spec.display());
    assert!(message.starts_with(&start), "{message}");
    assert!(!project.path("root/asked").exists());
}

#[tokio::test]
async fn an_applier_fails_as_a_reviewer_does() {
    let project = Project::new();
    let error = report(&sh("exit 4", project.context())).await.unwrap_err();
    assert_eq!(error.failure, FailedBy::Status(4).into());
    assert_eq!(
        error.message,
        "`sh` ended with exit status 4; it wrote nothing to its standard error"
    );
}
