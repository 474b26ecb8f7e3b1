//! What is read of a client's output in addition to the answer.

use proptest::prelude::*;
use review_agents::{
    Client, Consumption, Fault, Observed, StopReason, StreamLimits, StreamState, ToolEnd, UsageSpan,
};

use serde_json::json;

use crate::transcripts::{cases, seen, transcript};

fn tools(seen: &Observed) -> Vec<(&str, ToolEnd)> {
    let listed = seen.tools.listed().iter();
    listed.map(|tool| (tool.tool.as_str(), tool.end)).collect()
}

#[test]
fn steps_of_opencode_add_up() {
    let seen = seen(Client::Opencode, "answer");
    let expected = Consumption {
        input: 187,
        cache_read: 30,
        cache_write: 7,
        output: 35,
        cost_micro_usd: Some(12_500),
        span: UsageSpan::Call,
    };
    assert_eq!(seen.usage, Some(expected));
    assert_eq!(seen.session.as_deref(), Some("ses_1"));
    assert_eq!(tools(&seen), [("read", ToolEnd::Completed)]);
    assert_eq!((seen.retries, seen.unread_lines), (0, 0));
    assert_eq!(seen.terminal, Some(StopReason::Stop));
}

#[test]
fn figures_of_codex_are_those_of_its_session() {
    let seen = seen(Client::Codex, "answer");
    let expected = Consumption {
        input: 200,
        cache_read: 50,
        cache_write: 4,
        output: 40,
        cost_micro_usd: None,
        span: UsageSpan::Session,
    };
    assert_eq!(seen.usage, Some(expected));
    assert_eq!(seen.session.as_deref(), Some("th-1"));
    assert_eq!(seen.warnings, ["Model metadata not found."]);
    let ran = "command_execution";
    assert_eq!(
        tools(&seen),
        [
            (ran, ToolEnd::Completed),
            (ran, ToolEnd::Failed),
            ("file_change", ToolEnd::Completed)
        ]
    );
}

#[test]
fn claude_names_its_model_at_the_start_or_by_its_work() {
    for (case, model) in [("stream", "chosen"), ("answer", "large")] {
        let seen = seen(Client::Claude, case);
        assert_eq!(seen.model.as_deref(), Some(model), "{case}");
        let expected = Consumption {
            input: 143,
            cache_read: 40,
            cache_write: 3,
            output: 20,
            cost_micro_usd: Some(2_000),
            span: UsageSpan::Call,
        };
        assert_eq!(seen.usage, Some(expected), "{case}");
        assert_eq!(seen.session.as_deref(), Some("5e55-1"));
    }
    let seen = seen(Client::Claude, "stream");
    assert_eq!(
        tools(&seen),
        [("Read", ToolEnd::Completed), ("Grep", ToolEnd::Failed)]
    );
    assert_eq!(seen.unread_lines, 1);
}

/// What is observed of a client that prints these lines and then exits.
fn printed(client: Client, lines: &[serde_json::Value]) -> Observed {
    let mut reader = client.reader(StreamLimits::default());
    for line in lines {
        reader.stdout(format!("{line}\n").as_bytes());
    }
    reader.finish()
}

#[test]
fn messages_of_claude_count_once_until_the_result_counts_all() {
    let usage = |input: u64, output: u64| json!({"input_tokens": input, "output_tokens": output, "cache_read_input_tokens": 7});
    let begin = |id| json!({"type": "stream_event", "event": {"type": "message_start", "message": {"id": id, "usage": usage(100, 1)}}});
    let part = |id| json!({"type": "assistant", "message": {"id": id, "model": "<synthetic>", "content": [], "usage": usage(100, 1)}});
    let delta = json!({"type": "stream_event", "event": {"type": "message_delta", "usage": {"output_tokens": 50}}});
    let text =
        json!({"type": "stream_event", "event": {"type": "content_block_delta", "index": 0}});
    let result = |is_error, input, output| {
        json!({"type": "result", "is_error": is_error, "result": "said", "total_cost_usd": 0.5,
            "usage": {"input_tokens": input, "output_tokens": output}})
    };
    let messages = [
        begin("a"),
        text,
        part("a"),
        part("a"),
        delta.clone(),
        begin("b"),
        delta,
    ];
    let counted = |cost_micro_usd| Consumption {
        input: 214,
        cache_read: 14,
        output: 100,
        cost_micro_usd,
        ..Consumption::default()
    };
    let told = Consumption {
        input: 9,
        output: 8,
        cost_micro_usd: Some(500_000),
        ..Consumption::default()
    };
    for (end, expected) in [
        (None, Some(counted(None))),
        (Some(result(false, 9, 8)), Some(told)),
        (Some(result(true, 9, 8)), Some(told)),
        (Some(result(true, 0, 0)), Some(counted(Some(500_000)))),
        (Some(result(false, 0, 0)), None),
    ] {
        let lines: Vec<_> = messages.iter().cloned().chain(end).collect();
        let seen = printed(Client::Claude, &lines);
        assert_eq!(seen.usage, expected, "{:?}", lines.last());
        assert_eq!(seen.model, None);
    }
}

#[test]
fn a_model_of_claude_has_its_name_without_its_window() {
    let init = json!({"type": "system", "subtype": "init", "model": "large[1m]"});
    let message = json!({"type": "assistant", "message": {"model": "large"}});
    let result = json!({"type": "result", "modelUsage": {"large[1m]": {"outputTokens": 1}}});
    for line in [init, message, result] {
        let seen = printed(Client::Claude, &[line]);
        assert_eq!(seen.model.as_deref(), Some("large"));
    }
}

#[test]
fn figures_of_gemini_are_summed_over_its_models() {
    let answer = seen(Client::Gemini, "answer");
    assert_eq!(answer.session.as_deref(), Some("9e-1"));
    assert_eq!(answer.model.as_deref(), Some("flash"));
    let expected = Consumption {
        input: 115,
        cache_read: 10,
        cache_write: 0,
        output: 25,
        cost_micro_usd: None,
        span: UsageSpan::Call,
    };
    assert_eq!(answer.usage, Some(expected));
    assert_eq!(
        answer.stderr_tail,
        "Ripgrep is not available. Falling back to GrepTool.\n"
    );
    assert_eq!(tools(&answer), [("read_file", ToolEnd::Completed)]);
}

#[test]
fn a_failed_tool_of_gemini_is_listed_once() {
    let failed = seen(Client::Gemini, "tool-failed");
    assert_eq!(tools(&failed), [("replace", ToolEnd::Failed)]);
}

#[test]
fn the_session_of_gemini_is_known_before_its_answer() {
    for case in ["client-cut", "terminated", "status-401"] {
        let session = seen(Client::Gemini, case).session;
        assert_eq!(session.as_deref(), Some("9e-1"), "{case}");
    }
}

#[test]
fn an_error_that_did_not_make_gemini_fail_is_a_warning() {
    let warnings = |case| seen(Client::Gemini, case).warnings;
    let expected = [
        "Loop detected, stopping execution",
        "Maximum session turns exceeded",
    ];
    assert_eq!(warnings("warned"), expected);
    let expected = ["The model response was blocked due to safety settings."];
    assert_eq!(warnings("filtered"), expected);
    assert_eq!(warnings("answer").len(), 0);
}

#[test]
fn an_answer_without_counted_tokens_has_an_unknown_cost() {
    assert_eq!(seen(Client::Claude, "zero-usage").usage, None);
    let empty = seen(Client::Claude, "empty").usage.unwrap();
    assert_eq!((empty.input, empty.output), (0, 0));
}

#[test]
fn tools_that_were_not_allowed_are_listed_by_name() {
    for (client, case, tool) in [
        (Client::Opencode, "rejected", "edit"),
        (Client::Opencode, "rejected-then-text", "write"),
        (Client::Claude, "denied", "Write"),
        (Client::Codex, "declined", "command_execution"),
    ] {
        let seen = seen(client, case);
        assert_eq!(tools(&seen), [(tool, ToolEnd::Denied)], "{client} {case}");
        assert_eq!((seen.tools.total(), seen.tools.denied()), (1, 1));
    }
    let seen = seen(Client::Claude, "denied-then-text");
    let expected = [("Read", ToolEnd::Completed), ("Edit", ToolEnd::Denied)];
    assert_eq!(tools(&seen), expected);
    assert!(!seen.denied);
}

#[test]
fn a_client_that_asks_again_is_counted() {
    for (client, case, retries) in [
        (Client::Opencode, "step-repeated", 1),
        (Client::Opencode, "second-stop", 0),
        (Client::Claude, "status-500", 1),
        (Client::Codex, "reconnected", 1),
        (Client::Codex, "error-without-end", 0),
        (Client::Gemini, "status-500", 1),
    ] {
        assert_eq!(seen(client, case).retries, retries, "{client} {case}");
    }
}

#[test]
fn an_error_is_reported_in_the_words_of_the_client() {
    for (client, case, fault, message) in [
        (Client::Opencode, "status-429", Fault::Service, "slow"),
        (
            Client::Opencode,
            "unknown-model",
            Fault::Service,
            "UnknownError",
        ),
        (
            Client::Opencode,
            "unknown-session",
            Fault::Request,
            "Error: Session not found",
        ),
        (
            Client::Opencode,
            "no-input",
            Fault::Request,
            "Error: You must provide a message or a command",
        ),
        (
            Client::Claude,
            "unknown-session",
            Fault::Request,
            "No conversation found with session ID: 0",
        ),
        (
            Client::Claude,
            "session-in-use",
            Fault::Request,
            "Error: Session ID 0 is already in use.",
        ),
        (
            Client::Claude,
            "no-input",
            Fault::Request,
            "Error: Input must be provided either through stdin or as an argument",
        ),
        (
            Client::Claude,
            "unknown-option",
            Fault::Request,
            "error: unknown option '--nope'",
        ),
        (
            Client::Codex,
            "unknown-session",
            Fault::Request,
            "Error: thread/resume: thread/resume failed: no rollout found for thread id 0",
        ),
        (
            Client::Codex,
            "usage",
            Fault::Request,
            "error: unexpected argument '--nope' found",
        ),
        (
            Client::Gemini,
            "unknown-session",
            Fault::Request,
            "Error resuming session: Invalid session identifier \"0\".",
        ),
        (
            Client::Gemini,
            "untrusted",
            Fault::Request,
            "Gemini CLI is not running in a trusted directory.",
        ),
        (
            Client::Gemini,
            "no-input",
            Fault::Request,
            "No input provided via stdin.",
        ),
        (
            Client::Gemini,
            "unknown-format",
            Fault::Request,
            r#"Argument: output-format, Given: "stream-json", Choices: "text", "json""#,
        ),
        (
            Client::Claude,
            "structured-retries",
            Fault::Service,
            "no valid output; after 5 attempts",
        ),
        (
            Client::Claude,
            "error-subtype",
            Fault::Service,
            "error_during_execution",
        ),
        (
            Client::Codex,
            "cut",
            Fault::Service,
            "stream disconnected before completion",
        ),
        (
            Client::Gemini,
            "garbage",
            Fault::Service,
            "[API Error: Incomplete JSON segment at the end]",
        ),
    ] {
        let error = seen(client, case).error.unwrap();
        let told = (error.fault, error.message.as_str());
        assert_eq!(told, (fault, message), "{case}");
    }
    let error = seen(Client::Opencode, "status-429").error.unwrap();
    assert_eq!(error.retryable, Some(true));
}

#[test]
fn lines_that_are_no_events_are_counted_and_harm_nothing() {
    assert_eq!(seen(Client::Opencode, "noise").unread_lines, 3);
    assert_eq!(seen(Client::Opencode, "cut-off-line").unread_lines, 1);
    for (case, lines) in [("words-before", 1), ("answer", 0), ("nulls", 0)] {
        assert_eq!(seen(Client::Gemini, case).unread_lines, lines, "{case}");
    }
}

#[test]
fn a_reader_reports_when_no_answer_can_follow() {
    for (client, case, state) in [
        (Client::Opencode, "answer", StreamState::Ended),
        (Client::Opencode, "step-after-stop", StreamState::Open),
        (Client::Opencode, "status-500", StreamState::Ended),
        (
            Client::Opencode,
            "three-empty-steps-then-text",
            StreamState::Hopeless,
        ),
        (Client::Opencode, "empty-steps-apart", StreamState::Ended),
        (Client::Claude, "retrying", StreamState::Open),
        (Client::Claude, "length", StreamState::Ended),
        (Client::Codex, "no-end", StreamState::Open),
        (Client::Codex, "declined", StreamState::Ended),
        (Client::Gemini, "answer", StreamState::Ended),
        (Client::Gemini, "client-cut", StreamState::Open),
        (Client::Gemini, "status-500", StreamState::Ended),
    ] {
        let mut reader = client.reader(StreamLimits::default());
        assert_eq!(reader.state(), StreamState::Open);
        reader.stdout(&transcript(client, case).stdout);
        assert_eq!(reader.state(), state, "{client} {case}");
    }
}

#[test]
fn an_answer_or_a_line_over_its_limit_is_reported_and_not_kept() {
    for client in Client::ALL {
        let answer = transcript(client, "answer");
        let text = seen(client, "answer").text.unwrap().len();
        let limits = |line, text| StreamLimits { line, text };
        let read = |limits| answer.seen(client, limits);
        let line = answer.stdout.len();
        assert_eq!(read(limits(line, text)).long_text, None, "{client}");
        let long = read(limits(line, text - 1));
        assert_eq!(long.long_text, Some(text as u64 - 1), "{client}");
        assert_eq!((long.text, long.long_line), (None, None), "{client}");
        assert_eq!(read(limits(line, 8)).long_text, Some(8), "{client}");
        let long = read(limits(20, text));
        assert_eq!((long.long_line, long.text), (Some(20), None), "{client}");
        let mut reader = client.reader(limits(20, text));
        reader.stdout(&answer.stdout);
        assert_eq!(reader.state(), StreamState::Hopeless, "{client}");
    }
}

/// Gives the bytes to a reader in pieces of the lengths `cuts`, over and over.
fn read(client: Client, stdout: &[u8], stderr: &[u8], cuts: &[usize]) -> Observed {
    let mut reader = client.reader(StreamLimits {
        line: 900,
        text: 70,
    });
    let mut lengths = cuts.iter().cycle();
    let mut next = |bytes: &mut &[u8]| {
        let length = (*lengths.next().unwrap()).min(bytes.len());
        let (piece, rest) = bytes.split_at(length);
        *bytes = rest;
        piece.to_vec()
    };
    let (mut out, mut err) = (stdout, stderr);
    while !out.is_empty() || !err.is_empty() {
        reader.stdout(&next(&mut out));
        let _ = reader.state();
        reader.stderr(&next(&mut err));
    }
    reader.finish()
}

/// A recording with some bytes exchanged, left out and doubled.
fn disturbed() -> impl Strategy<Value = (Client, Vec<u8>, Vec<u8>)> {
    let all: Vec<_> = Client::ALL
        .into_iter()
        .flat_map(|client| cases(client).into_iter().map(move |case| (client, case)))
        .collect();
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0..4, any::<u8>()), 0..6);
    (prop::sample::select(all), edits).prop_map(|((client, case), edits)| {
        let recorded = transcript(client, &case);
        let mut bytes = [recorded.stdout, recorded.stderr];
        for (at, kind, byte) in edits {
            let part = &mut bytes[at.index(2)];
            if part.is_empty() {
                continue;
            }
            let at = at.index(part.len());
            match kind {
                0 => part[at] = byte,
                1 => drop(part.remove(at)),
                2 => part.insert(at, byte),
                _ => part.truncate(at),
            }
        }
        let [stdout, stderr] = bytes;
        (client, stdout, stderr)
    })
}

proptest! {
    #[test]
    fn how_the_bytes_are_split_makes_no_difference(
        (client, stdout, stderr) in disturbed(),
        cuts in prop::collection::vec(1_usize..200, 1..8),
    ) {
        let whole = read(client, &stdout, &stderr, &[usize::MAX]);
        prop_assert_eq!(read(client, &stdout, &stderr, &cuts), whole);
    }

    #[test]
    fn any_bytes_can_be_read(
        client in prop::sample::select(Client::ALL.to_vec()),
        stdout in prop::collection::vec(any::<u8>(), 0..600),
        stderr in prop::collection::vec(any::<u8>(), 0..600),
    ) {
        let seen = read(client, &stdout, &stderr, &[7]);
        prop_assert_eq!(seen, read(client, &stdout, &stderr, &[usize::MAX]));
    }
}

#[test]
fn an_output_without_end_is_not_kept() {
    let long = "x".repeat(600);
    for (client, line) in [
        (
            Client::Opencode,
            format!(r#"{{"type":"tool_use","part":{{"messageID":"m1","tool":"{long}"}}}}"#),
        ),
        (
            Client::Claude,
            format!(
                r#"{{"type":"assistant","message":{{"content":[{{"type":"tool_use","id":"i","name":"{long}"}}]}}}}"#
            ),
        ),
        (
            Client::Codex,
            format!(r#"{{"type":"item.completed","item":{{"type":"error","message":"{long}"}}}}"#),
        ),
        (
            Client::Gemini,
            format!(r#"{{"type":"tool_use","tool_name":"{long}","tool_id":"{long}"}}"#),
        ),
    ] {
        let mut reader = client.reader(StreamLimits::default());
        for _ in 0..2_000 {
            reader.stdout(format!("{line}\n").as_bytes());
            reader.stderr(format!("auto-rejecting Error executing tool {long}\n").as_bytes());
        }
        let seen = reader.finish();
        let tools = seen.tools.listed().iter().map(|tool| tool.tool.len());
        let names: usize = tools.sum();
        let warnings: usize = seen.warnings.iter().map(String::len).sum();
        let kept = names + warnings + seen.stderr_tail.len();
        assert!(kept < 200_000, "{client}: {kept}");
        assert!(seen.stderr_tail.ends_with("x\n") && seen.stderr_tail.starts_with("auto"));
        let expected = match client {
            Client::Opencode => 2_000,
            Client::Claude => 2_000 - 256,
            Client::Codex | Client::Gemini => 0,
        };
        assert_eq!(seen.tools.total(), expected, "{client}");
    }
}
