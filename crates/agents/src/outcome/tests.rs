use std::time::Duration;

use review_types::LimitKind;

use super::*;
use crate::stream::RetryAfter;

/// The word of an outcome, and by what a program failed.
fn word(ending: &Ending, seen: &Observed, changed: &[String]) -> String {
    let call = CallEnd {
        ending,
        seen,
        exits: ExitCodes::Plain,
        changed,
        at: None,
    };
    match outcome(&call) {
        Ok(()) => "answer".to_owned(),
        Err(Failure::Failed { by }) => format!("{by:?}"),
        Err(failure) => failure.as_str().to_owned(),
    }
}

#[test]
fn the_first_rule_that_matches_is_the_outcome() {
    let exited = Ending::Exited(5);
    let changed = ["A.md".to_owned()];
    let mut seen = Observed {
        long_text: Some(1),
        long_line: Some(1),
        error: Some(ReportedError::new(Fault::Service, "").status(Some(401))),
        denied: true,
        stuck: true,
        terminal: Some(StopReason::Length),
        ..Observed::default()
    };
    seen.note_wrong_agent("a");
    let limit = Ending::Limit {
        limit: LimitKind::Wall,
        after: Duration::from_secs(1),
    };
    let not_started = Ending::NotStarted("p".to_owned());
    assert_eq!(word(&not_started, &seen, &changed), "setup_failed");
    assert_eq!(word(&limit, &seen, &changed), "hung");
    assert_eq!(word(&Ending::Signalled(2), &seen, &changed), "Signal(2)");
    assert_eq!(word(&Ending::Dismissed, &seen, &changed), "wrote_files");
    assert_eq!(word(&exited, &seen, &changed), "wrote_files");
    let mut next = |change: fn(&mut Observed)| {
        change(&mut seen);
        word(&exited, &seen, &[])
    };
    assert_eq!(next(|_| {}), "truncated");
    assert_eq!(next(|seen| seen.long_text = None), "setup_failed");
    assert_eq!(next(|seen| seen.wrong_agent = None), "auth_failed");
    assert_eq!(next(|seen| set_status(seen, 529)), "rate_limited");
    assert_eq!(next(|seen| set_status(seen, 500)), "permission_denied");
    assert_eq!(next(|seen| seen.denied = false), "model_error");
    assert_eq!(next(|seen| seen.error = None), "model_error");
    assert_eq!(next(|seen| seen.stuck = false), "truncated");
    assert_eq!(
        next(|seen| seen.terminal = Some(StopReason::Refusal)),
        "refused"
    );
    assert_eq!(
        next(|seen| seen.terminal = Some(StopReason::Stop)),
        "Silence"
    );
    assert_eq!(next(|seen| seen.text = Some("t".to_owned())), "Protocol");
    assert_eq!(next(|seen| seen.long_line = None), "Status(5)");
    assert_eq!(word(&Ending::Exited(0), &seen, &[]), "answer");
}

fn set_status(seen: &mut Observed, status: u16) {
    seen.error.as_mut().unwrap().status = Some(status);
}

#[test]
fn a_client_that_was_ended_after_its_answer_has_answered() {
    let complete = Observed {
        text: Some("t".to_owned()),
        terminal: Some(StopReason::Stop),
        ..Observed::default()
    };
    let limit = Ending::Limit {
        limit: LimitKind::Idle,
        after: Duration::from_secs(1),
    };
    for ending in [limit, Ending::Signalled(9), Ending::Dismissed] {
        assert_eq!(word(&ending, &complete, &[]), "answer");
    }
    let refused = Observed {
        error: Some(ReportedError::new(Fault::Request, "no such session")),
        ..complete
    };
    assert_eq!(word(&Ending::Signalled(9), &refused, &[]), "Signal(9)");
    assert_eq!(word(&Ending::Exited(0), &refused, &[]), "Protocol");
}

#[test]
fn the_size_of_an_output_that_we_ended_is_its_limit() {
    let seen = Observed::default();
    let call = CallEnd {
        ending: &Ending::TooLarge(7),
        seen: &seen,
        exits: ExitCodes::Plain,
        changed: &[],
        at: None,
    };
    assert_eq!(outcome(&call), Err(Failure::Truncated { limit: Some(7) }));
}

#[test]
fn a_wait_starts_when_it_is_asked_for_or_when_the_call_ended() {
    let (early, late) = (Timestamp::from_unix_ms(0), Timestamp::from_unix_ms(5_000));
    let wait = RetryAfter::In(Duration::from_secs(1));
    for (told, ended, expected) in [
        (Some(early), Some(late), Some(1_000)),
        (None, Some(late), Some(6_000)),
        (None, None, None),
    ] {
        let mut error = ReportedError::new(Fault::Service, "slow").status(Some(429));
        (error.retry_after, error.at) = (Some(wait), told);
        let seen = Observed {
            error: Some(error),
            ..Observed::default()
        };
        let call = CallEnd {
            ending: &Ending::Exited(1),
            seen: &seen,
            exits: ExitCodes::Plain,
            changed: &[],
            at: ended,
        };
        let retry_at = expected.map(Timestamp::from_unix_ms);
        assert_eq!(
            outcome(&call),
            Err(Failure::RateLimited {
                retry_at,
                of_plan: false
            })
        );
    }
}

#[test]
fn an_exit_code_stands_for_a_status_only_where_it_can() {
    for (code, status) in [
        (144, Some(400)),
        (255, Some(511)),
        (17, Some(529)),
        (143, None),
        (256, None),
        (16, None),
        (18, None),
        (0, None),
        (-112, None),
    ] {
        assert_eq!(ExitCodes::HttpStatus.http_status(code), status, "{code}");
        assert_eq!(ExitCodes::Plain.http_status(code), None, "{code}");
    }
    let answered = Observed {
        text: Some("t".to_owned()),
        terminal: Some(StopReason::Stop),
        ..Observed::default()
    };
    let call = CallEnd {
        ending: &Ending::Exited(145),
        seen: &answered,
        exits: ExitCodes::HttpStatus,
        changed: &[],
        at: None,
    };
    assert_eq!(outcome(&call), Err(FailedBy::Status(145).into()));
}
