//! Questions about the artifact, which show whether a reviewer received it.

use std::fmt::Write as _;

use review_test_support::http_server::{Part, Request, Server, stream};
use serde_json::{Value as Json, json};

use crate::scripted::{PASS, REVISE, Scripted};
use crate::support::TestEnvironment;

/// A spec with a place for each question.
const LONG: &str = "# Gateway

## Sessions

The gateway keeps every session in a ring of twelve shards. A shard holds at most nine thousand
sessions, ordered by the moment of their latest request. Expired sessions leave their shard
within four seconds, and the freed memory returns to the shared pool of buffers. When a shard
overflows, its oldest entries spill to disk, where they wait until their owner comes back or
until nightly cleaning removes them. Spilled entries keep their identity, so that cookies stay
valid across restarts of single machines.

## Quota

A request without a session receives a fresh one, unless its client exceeded the quota of
seventy requests a minute. Counters of clients decay by half each quarter of an hour, so a
patient client recovers without any help of an operator. Partners may buy larger quotas, which
finance books monthly; their counters live in a separate table with stricter locking. Requests
from internal probes never touch counters, because probes would starve small tenants during
incidents.

## Audit

The audit trail records every refusal together with the address of its client and the quota.
Records older than ninety days move to cold storage, where only auditors can look them up.
Exports happen every Sunday after midnight, compressed and signed by two independent keys.
Whoever loses a key rotates both within one working day, then informs security by telephone.
";

/// Prints what the artifact in the file `$1` says after each place in `$HOME/sent`, as the
/// fields of an object.
const LOOK_UP: &str = r#"look_up() {
  tr '\n' ' ' < "$1" | tr -s ' ' > "$HOME/flat"
  sed -n 's/^\([1-6]\): "\(.*\)"$/\1|\2/p' "$HOME/sent" | while IFS='|' read -r number cue; do
    words=$(awk -v cue="$cue" '{
      at = index($0, cue)
      if (at) { split(substr($0, at + length(cue)), word, " "); print word[1], word[2], word[3], word[4], word[5] }
    }' "$HOME/flat")
    printf '"%s":"%s",' "$number" "$words"
  done
}
"#;

/// Says a verdict with the answers in `$READING`.
fn saying(answer: &str) -> String {
    let answer = answer.strip_suffix('}').unwrap();
    format!("printf '%s' '{answer},\"reading\":{{'; printf '%s}}}}' \"${{READING%,}}\"")
}

/// A reviewer that looks the places up in its prompt, as `then` keeps it.
fn looking_up(then: &str, answer: &str) -> String {
    format!(
        "cat > \"$HOME/sent\"\n{LOOK_UP}\
         sed '1,/places>>>/d' \"$HOME/sent\" | sed '1,/end>>>/d' > \"$HOME/artifact\"\n\
         {then}\nREADING=$(look_up \"$HOME/artifact\")\n{}",
        saying(answer)
    )
}

fn project() -> Scripted {
    let project = Scripted::new(&[]);
    std::fs::remove_dir_all(project.environment.root().join("tasks")).unwrap();
    project.write("specs/DEMO.md", LONG);
    project
}

fn report(project: &Scripted, policy: &str, code: i32) -> Json {
    let run = ["--no-apply", "--format", "json", "--reading", policy];
    project.run(&run).run().exits(code).json()
}

#[test]
fn a_program_that_finds_the_places_in_its_prompt_counts_where_reading_is_required() {
    let project = project();
    project.reviewer(&looking_up("", PASS));
    let passed = report(&project, "require", 0);
    let reading = &passed["iterations"][0]["reading"];
    assert_eq!(reading["state"], "answered", "{reading:#}");
    assert_eq!(reading["answers"], json!({"asked": 6, "right": 6}));
    assert_eq!(
        reading["why"],
        "6 of 6 questions about the text got the right answer"
    );
    assert_eq!(project.calls(), ["review 1"]);
    let shown = project.environment.ralph(["report", "latest"]).stdout;
    assert!(shown.contains("    reading answered: 6 of 6 "), "{shown}");
    assert!(shown.contains("text delivered in 1 of 1 round"), "{shown}");
}

#[test]
fn a_program_that_read_nothing_of_its_prompt_does_not_count_where_reading_is_required() {
    let wrong = format!(
        "cat > \"$HOME/sent\"\nREADING='\"1\":null,\"2\":\"the words behind it\",'\n{}",
        saying(PASS)
    );
    for (script, expected) in [
        (format!("echo '{PASS}'"), "read 0 of"),
        (
            wrong,
            "judge gave the right answer to none of 6 questions about the text",
        ),
    ] {
        let project = project();
        project.reviewer(&script);
        let report = report(&project, "require", 3);
        assert_eq!(report["block_code"], "unread", "{report:#}");
        let reason = report["block_reason"].as_str().unwrap();
        assert!(reason.contains(expected), "{reason}");
        assert_eq!(project.calls(), ["review 1", "review 1"]);
    }
}

#[test]
fn no_question_is_asked_where_reading_is_not_required_or_there_is_no_place() {
    for (spec, policy, code) in [
        (LONG, "ask", 0),
        (LONG, "off", 0),
        ("# Demo\n\n## Goal\n\nA demo.\n", "require", 3),
    ] {
        let project = project();
        project.write("specs/DEMO.md", spec);
        project.reviewer(&looking_up("", PASS));
        report(&project, policy, code);
        let sent = std::fs::read_to_string(project.outside("sent")).unwrap();
        assert!(!sent.contains("places>>>"), "{policy}: {sent}");
    }
}

#[test]
fn no_question_is_asked_that_another_spec_of_the_project_answers() {
    for (same, places) in [("The audit trail", 5), ("", 0)] {
        let project = project();
        let at = LONG.find("The audit trail").unwrap();
        let other = if same.is_empty() { LONG } else { &LONG[at..] };
        project.write("specs/OTHER.md", other);
        project.reviewer(&looking_up("", PASS));
        let code = if places > 0 { 0 } else { 3 };
        let run = ["--spec", "specs/DEMO.md", "--reading", "require"];
        let run = [&run[..], &["--no-apply", "--format", "json"]].concat();
        let report = project.run(&run).run().exits(code).json();
        let asked = &report["iterations"][0]["reading"]["answers"]["asked"];
        assert_eq!(asked.as_u64(), (places > 0).then_some(places), "{report:#}");
    }
}

#[test]
fn a_contradicted_review_is_asked_for_again_with_questions() {
    let project = project();
    let script = format!(
        "cat > \"$HOME/sent\"\n{LOOK_UP}\
         if grep -q 'places>>>' \"$HOME/sent\"\nthen READING=$(look_up \"$HOME/sent.old\"); END='\"x\"'\n\
         else cp \"$HOME/sent\" \"$HOME/sent.old\"; READING=; END=null; fi\n{}",
        saying(PASS).replacen("{\"verdict\"", "{\"end_id\":null,\"verdict\"", 1)
    );
    project.reviewer(&script);
    let passed = report(&project, "ask", 0);
    let reading = &passed["iterations"][0]["reading"];
    assert_eq!(reading["state"], "answered", "{passed:#}");
    assert_eq!(reading["ends"], false);
    assert_eq!(project.calls(), ["review 1", "review 1"]);
}

#[test]
fn answers_from_the_version_before_do_not_count_in_the_next_round() {
    for (kept, code, calls) in [
        ("true", 0, 2),
        (
            "if [ -e \"$HOME/first\" ]; then cp \"$HOME/first\" \"$HOME/artifact\"; \
             else cp \"$HOME/artifact\" \"$HOME/first\"; fi",
            3,
            3,
        ),
    ] {
        let project = project();
        let judge = format!(
            "if grep -q fifteen \"$RALPH_SPEC\"\nthen {}\nelse {}\nfi",
            saying(PASS),
            saying(REVISE)
        );
        let script = looking_up(kept, "{}");
        let (script, _) = script.rsplit_once("printf '%s' '").unwrap();
        project.reviewer(&format!("{script}{judge}"));
        project.applier(
            "cat > /dev/null\nsed 's/ninety days move/fifteen weeks or more travel/' \"$RALPH_SPEC\" \
             > \"$HOME/new\"; cp \"$HOME/new\" \"$RALPH_SPEC\"",
        );
        let run = ["--no-tasks", "--format", "json", "--reading", "require"];
        let report = project.run(&run).run().exits(code).json();
        let calls_of_reviewer = project
            .calls()
            .iter()
            .filter(|call| call.starts_with("review"))
            .count();
        assert_eq!(calls_of_reviewer, calls, "{report:#}");
        let first = &report["iterations"][0]["reading"];
        assert_eq!(first["state"], "answered", "{report:#}");
        if code == 0 {
            let second = &report["iterations"][1]["reading"];
            assert_eq!(second["answers"], json!({"asked": 6, "right": 6}));
            continue;
        }
        assert_eq!(report["block_code"], "unread", "{report:#}");
        let reason = report["block_reason"].as_str().unwrap();
        let expected = "and the one about what changed since the last review did not";
        assert!(reason.contains(expected), "{reason}");
    }
}

/// A stream of Chat Completions that says `text` and counts too few tokens.
fn chat(text: &str) -> Vec<Part> {
    let said =
        json!({"model": "m-1", "choices": [{"delta": {"content": text}, "finish_reason": "stop"}]});
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": 20}});
    stream(&format!(
        "data: {said}\n\ndata: {usage}\n\ndata: [DONE]\n\n"
    ))
}

/// The answers to the questions of a prompt, from the prompt itself.
fn answers(prompt: &str) -> Option<Json> {
    let (_, rest) = prompt.split_once(" places>>>\n")?;
    let (places, files) = rest.split_once("\n<<<")?;
    let files: Vec<_> = files.split_whitespace().collect();
    let files = files.join(" ");
    let mut answers = json!({});
    for place in places.lines() {
        let (number, cue) = place.split_once(": ")?;
        let cue: String = serde_json::from_str(cue).unwrap();
        let (_, after) = files.split_once(&cue)?;
        let words: Vec<_> = after.split_whitespace().take(4).collect();
        answers[number] = json!(words.join(" "));
    }
    Some(answers)
}

/// The prompt of a request of Chat Completions.
pub(crate) fn prompt(request: &Request) -> String {
    let body: Json = serde_json::from_str(&request.body).unwrap();
    let mut prompt = String::new();
    for message in body["messages"].as_array().unwrap() {
        let _ = write!(
            prompt,
            "{}",
            message["content"].as_str().unwrap_or_default()
        );
    }
    prompt
}

#[test]
fn a_service_that_counts_tokens_wrongly_counts_once_it_answers_questions() {
    let server = Server::answering(|_, request| {
        let mut answer: Json = serde_json::from_str(PASS).unwrap();
        if let Some(answers) = answers(&prompt(request)) {
            answer["reading"] = answers;
        }
        chat(&answer.to_string())
    });
    for (policy, calls) in [("ask", 2), ("require", 1)] {
        let environment = TestEnvironment::new();
        environment.write("specs/DEMO.md", LONG);
        let profile = format!(
            "[http.local]\napi = \"chat_completions\"\nbase_url = \"{}\"\nmodel = \"m-1\"\n\
             key_env = \"EELS\"\n",
            server.url()
        );
        environment.write("ralph.toml", profile);
        let run = [
            "run",
            "--reviewer",
            "http:local",
            "--no-apply",
            "--no-tasks",
            "--format",
            "json",
            "--reading",
            policy,
        ];
        let before = server.asked().len();
        let ran = environment.command(run).env("EELS", "k3y").run();
        let report = ran.exits(0).json();
        assert_eq!(server.asked().len() - before, calls, "{report:#}");
        let reading = &report["iterations"][0]["reading"];
        assert_eq!(reading["state"], "answered", "{reading:#}");
        let body: Json = serde_json::from_str(&server.asked().last().unwrap().body).unwrap();
        let schema = &body["response_format"]["json_schema"]["schema"]["properties"];
        assert!(
            schema.is_null() || schema["reading"].is_object(),
            "{body:#}"
        );
    }
}
