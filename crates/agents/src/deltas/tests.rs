use proptest::prelude::*;
use serde_json::json;

use super::*;

const KEY: &str = "k3y-of-the-eels";

/// What comes out of `stream`, given in pieces of `size` bytes.
fn redacted(framing: Framing, stream: &str, size: usize) -> String {
    let redactor = Redactor::new([KEY]);
    let mut redaction = DeltaRedaction::new(framing, &redactor);
    let mut clean = Vec::new();
    for piece in stream.as_bytes().chunks(size) {
        redaction.push(piece, &mut |bytes| clean.extend_from_slice(bytes));
    }
    redaction.finish(&mut |bytes| clean.extend_from_slice(bytes));
    String::from_utf8(clean).unwrap()
}

/// A way in which clients and services send pieces of a string.
struct Style {
    framing: Framing,
    /// An event with a piece.
    says: fn(&str) -> Json,
    /// The place of the piece in it.
    at: &'static str,
    /// What may come between two pieces.
    between: Json,
}

fn styles() -> Vec<Style> {
    let lines = Framing::Lines;
    let styles = vec![
        Style {
            framing: lines,
            says: |text| json!({"type": "message", "role": "assistant", "delta": true, "content": text}),
            at: "/content",
            between: json!({"type": "tool_use", "tool_name": "reading"}),
        },
        Style {
            framing: lines,
            says: |text| {
                let delta = json!({"type": "text_delta", "text": text});
                json!({"type": "stream_event", "event": {"type": "content_block_delta", "delta": delta}})
            },
            at: "/event/delta/text",
            between: json!({"type": "stream_event", "event": {"type": "ping"}}),
        },
        Style {
            framing: lines,
            says: |text| json!({"type": "text", "part": {"type": "text", "text": text}}),
            at: "/part/text",
            between: json!({"type": "step_start", "part": {"text": "k"}}),
        },
    ];
    let styles = styles.into_iter().chain(services()).collect();
    styles
}

fn services() -> Vec<Style> {
    let framing = Framing::Events;
    vec![
        Style {
            framing,
            says: |text| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
            at: "/delta/text",
            between: json!({"type": "ping"}),
        },
        Style {
            framing,
            says: |text| json!({"choices": [{"index": 0, "delta": {"content": text}}]}),
            at: "/choices/0/delta/content",
            between: json!({"choices": [{"index": 0, "delta": {"reasoning": "k3"}}]}),
        },
        Style {
            framing,
            says: |text| json!({"type": "response.output_text.delta", "delta": text}),
            at: "/delta",
            between: json!({"type": "response.reasoning_text.delta", "delta": "-of"}),
        },
        Style {
            framing,
            says: |text| json!({"candidates": [{"content": {"parts": [{"text": text}]}}]}),
            at: "/candidates/0/content/parts/0/text",
            between: json!({"candidates": [{"content": {"parts": [{"thought": true, "text": "x"}]}}]}),
        },
    ]
}

impl Style {
    fn event(&self, json: &Json) -> String {
        match self.framing {
            Framing::Lines => format!("{json}\n"),
            Framing::Events => format!("event: e\ndata: {json}\n\n"),
        }
    }

    /// The stream that says `pieces`.
    fn stream(&self, pieces: &[&str]) -> String {
        let between = self.event(&self.between);
        let events: Vec<_> = pieces
            .iter()
            .map(|piece| self.event(&(self.says)(piece)))
            .collect();
        events.join(&between)
    }

    /// The string that a reader of `stream` joins.
    fn joined(&self, stream: &str) -> String {
        let lines = stream.lines().map(|line| match self.framing {
            Framing::Lines => line,
            Framing::Events => line.strip_prefix("data: ").unwrap_or_default(),
        });
        let between = self.between.to_string();
        lines
            .filter(|line| !line.is_empty() && *line != between)
            .map(|line| {
                let json: Json = serde_json::from_str(line).unwrap();
                json.pointer(self.at).unwrap().as_str().unwrap().to_owned()
            })
            .collect()
    }
}

#[test]
fn a_secret_in_two_or_three_pieces_cannot_be_joined_wherever_it_is_split() {
    for style in styles() {
        for one in 0..=KEY.len() {
            for two in one..=KEY.len() {
                let (before, after) = (
                    format!("my {}", &KEY[..one]),
                    format!("{}, ha", &KEY[two..]),
                );
                let stream = style.stream(&["It is", " ", &before, &KEY[one..two], &after, "."]);
                let clean = redacted(style.framing, &stream, 7 + one);
                assert_eq!(style.joined(&clean), "It is my [redacted], ha.", "{clean}");
            }
        }
    }
}

#[test]
fn a_key_is_known_by_its_shape_in_single_letters() {
    let key = "sk-ant-0123456789abcdefgh";
    let letters: Vec<_> = key.split_inclusive(|_| true).collect();
    for style in styles() {
        let pieces = [&["a "][..], &letters, &[" z"]].concat();
        let clean = redacted(style.framing, &style.stream(&pieces), 50);
        assert_eq!(style.joined(&clean), "a [redacted] z");
    }
}

proptest! {
    #[test]
    fn an_event_without_a_secret_stays_byte_for_byte(
        pieces in prop::collection::vec("[a-z3 \"\\\\é-]{0,6}", 0..20),
        size in 1_usize..40,
    ) {
        let pieces: Vec<_> = pieces.iter().map(String::as_str).collect();
        prop_assume!(!pieces.concat().contains(KEY));
        for style in styles() {
            let stream = style.stream(&pieces);
            prop_assert_eq!(redacted(style.framing, &stream, size), stream);
        }
    }
}

#[test]
fn an_event_that_is_not_json_passes_as_it_is() {
    let text = "{\n  \"a\": \"k3y-\n\nof-the-eels\n[DONE]\n\"k3y-\"\n\"of-the-eels\"\nk3y-";
    assert_eq!(redacted(Framing::Lines, text, 3), text);
}

#[test]
fn an_event_of_several_lines_keeps_its_other_fields() {
    let stream =
        "id: 1\r\ndata: {\"a\":\r\ndata:\"k3y-\"}\r\nretry: 5\r\n\r\ndata: {\"a\":\"of-the-eels\"}";
    let clean = "id: 1\r\ndata: {\"a\":\"[redacted]\"}\nretry: 5\r\n\r\ndata: {\"a\":\"\"}\n";
    assert_eq!(redacted(Framing::Events, stream, 5), clean);
}

/// The output while `filler` follows a string that may continue.
fn after(begin: &str, filler: usize) -> (String, String) {
    let redactor = Redactor::new([KEY]);
    let mut redaction = DeltaRedaction::new(Framing::Lines, &redactor);
    let mut clean = Vec::new();
    let filler = "z".repeat(filler);
    let stream = format!("{{\"a\":\"{begin}\"}}\n{{\"b\":\"{filler}\"}}\n");
    redaction.push(stream.as_bytes(), &mut |bytes| {
        clean.extend_from_slice(bytes)
    });
    (String::from_utf8(clean).unwrap(), stream)
}

#[test]
fn a_string_that_may_continue_holds_back_little() {
    assert_eq!(after("k3y", HELD - 30).0, "");
    let (clean, stream) = after("k3y", HELD);
    assert_eq!(clean, stream);
    let (clean, stream) = after("k3y-", HELD);
    assert_eq!(clean, stream.replace("k3y-", "[redacted]"));
}

#[test]
fn a_secret_whose_start_was_passed_on_is_hidden_to_its_end() {
    let redactor = Redactor::new([KEY]);
    let mut redaction = DeltaRedaction::new(Framing::Lines, &redactor);
    let mut clean = Vec::new();
    let filler = "z".repeat(HELD);
    let stream =
        format!("{{\"a\":\"k3y\"}}\n{{\"b\":\"{filler}\"}}\n{{\"a\":\"-of-the-eels!\"}}\n");
    redaction.push(stream.as_bytes(), &mut |bytes| {
        clean.extend_from_slice(bytes)
    });
    redaction.finish(&mut |bytes| clean.extend_from_slice(bytes));
    let clean = String::from_utf8(clean).unwrap();
    assert_eq!(clean, stream.replace("-of-the-eels!", "!"));
}

#[test]
fn an_event_too_long_to_read_passes_and_the_next_one_is_read() {
    let mut frames = Frames::new(Framing::Lines, 4);
    let mut seen = Vec::new();
    let mut each = |frame: Frame<'_>| {
        seen.push(match frame {
            Frame::Whole(raw) => format!("whole {}", String::from_utf8_lossy(raw).escape_debug()),
            Frame::Piece(raw) => format!("piece {}", String::from_utf8_lossy(raw).escape_debug()),
        });
    };
    frames.push(b"ab\nabc", &mut each);
    frames.push(b"de", &mut each);
    frames.push(b"f\ngh", &mut each);
    frames.finish(&mut each);
    assert_eq!(
        seen,
        ["whole ab\\n", "piece abcde", "piece f\\n", "whole gh"]
    );
}

#[test]
fn a_string_beyond_the_limit_of_places_is_redacted_on_its_own() {
    let mut stream: String = (0..=PLACES)
        .map(|place| format!("{{\"p{place}\":\"x\"}}\n"))
        .collect();
    stream.push_str("{\"a\":\"k3y-of\"}\n{\"a\":\"-the-eels\"}\n");
    let clean = redacted(Framing::Lines, &stream, 100);
    assert!(
        clean.ends_with("{\"a\":\"[redacted]\"}\n{\"a\":\"\"}\n"),
        "{clean}"
    );
}
