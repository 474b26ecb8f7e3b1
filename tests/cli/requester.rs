//! `ralph run --reviewer opencode` as a requester of the Agent Feedback
//! Protocol, with `ralph provide` in the place of opencode.

use std::fs;

use serde_json::{Value, json};

use crate::scripted::Scripted;
use crate::support::Ran;

/// What the provider asks: it wants two things, then one, then nothing. It
/// keeps each prompt.
const JUDGE: &str = r#"prompt=$(cat)
printf '%s' "$prompt" > "$HOME/judged-$(ls "$HOME" | grep -c judged)"
low='{"completeness":60,"consistency":90,"testability":90,"architecture":90}'
good='{"completeness":90,"consistency":90,"testability":90,"architecture":90}'
limits='{"section":"Limits","issue":"no number","suggestion":"say 10 MB"}'
goal='{"section":"Goal","issue":"too vague","suggestion":"name it"}'
id=$(printf %s "$prompt" | sed -n 's/.*"review_id" is "\([^"]*\)".*/\1/p')
answer() { printf '{"review_id":"%s","verdict":"%s","score":%s,"feedback":[%s]}' "$id" "$1" "$2" "$3"; }
case $prompt in
*"fixed 2"*) answer pass "$good" "" ;;
*"fixed 1"*) answer needs_revision "$low" "$goal" ;;
*) answer needs_revision "$low" "$limits,$goal" ;;
esac"#;

/// An opencode that hands its request to `ralph provide`, in the session that
/// it receives, and keeps how it was called and what it was asked.
fn opencode(before: &str) -> String {
    format!(
        r#"session=
args="$*"
while [ $# -gt 0 ]; do case $1 in --session) session=$2; shift ;; esac; shift; done
n=$(ls "$HOME" | grep -c request-)
cat > "$HOME/request-$n"
echo "$args" > "$HOME/args-$n"
{before}
cd "$HOME"
env -u RALPH_RUN '{ralph}' provide --root "$HOME" --state-dir "$HOME/.provider" \
    --reviewer cmd:judge ${{session:+--session "$session"}} < "$HOME/request-$n""#,
        ralph = env!("CARGO_BIN_EXE_ralph"),
    )
}

/// An applier that fixes the goal and decides on the limits, where it is asked for them.
const MEND: &str = r#"prompt=$(cat)
sed -i "s/A demo./A demo, fixed $RALPH_ITERATION./; s/fixed 1./fixed $RALPH_ITERATION./" specs/DEMO.md
case $prompt in *limits-01*)
echo '{"applied_feedback":{"items":[{"id":"limits-01","status":"rejected","reason_code":"out_of_scope"}]}}'
esac"#;

fn project(before: &str) -> Scripted {
    let project = Scripted::new(&["grep -q Demo specs/DEMO.md"]);
    project.environment.program("judge", JUDGE);
    project.environment.program("opencode", &opencode(before));
    project.applier(MEND);
    project
}

fn run(project: &Scripted, arguments: &[&str]) -> Ran {
    let agents = ["run", "--reviewer", "opencode", "--applier", "cmd:fix"];
    let command = [&agents, arguments].concat();
    project.environment.command(command).run()
}

fn kept(project: &Scripted, name: &str) -> String {
    fs::read_to_string(project.outside(name)).unwrap()
}

fn request(project: &Scripted, number: usize) -> Value {
    serde_json::from_str(&kept(project, &format!("request-{number}"))).unwrap()
}

#[test]
fn three_iterations_of_requester_and_provider_lead_to_a_pass() {
    let project = project("");
    let report = run(&project, &["--format", "json"]).exits(0).json();
    assert_eq!(report["outcome"], "passed");
    assert_eq!(report["iterations"].as_array().unwrap().len(), 3);
    assert_eq!(report["score"]["completeness"], 90);

    let first = request(&project, 0);
    assert_eq!(first["iteration"], 1);
    assert_eq!(first.get("applied_feedback"), None);
    let content = first["artifact"]["content"].as_str().unwrap();
    assert!(
        content.starts_with("<!-- file: specs/DEMO.md -->\n# Demo\n"),
        "{content}"
    );
    assert!(
        content.contains("<!-- file: tasks/demo/01-step.md -->\n---\n"),
        "{content}"
    );
    assert!(!kept(&project, "args-0").contains("--session"));

    let second = request(&project, 1);
    assert_eq!(second["iteration"], 2);
    assert_eq!(
        second["applied_feedback"]["items"],
        json!([
            {"id": "limits-01", "status": "rejected", "reason_code": "out_of_scope"},
            {"id": "goal-02", "status": "accepted"},
        ])
    );
    assert_ne!(second["review"]["review_id"], first["review"]["review_id"]);
    let third = request(&project, 2);
    assert_eq!(third["iteration"], 3);
    assert_eq!(
        third["applied_feedback"]["items"],
        json!([{"id": "goal-02", "status": "accepted"}])
    );
    let session = |number: usize| {
        let args = kept(&project, &format!("args-{number}"));
        let (_, session) = args.trim().split_once("--session ").unwrap();
        session.to_owned()
    };
    assert_eq!(session(1), session(2));
    assert!(session(1).starts_with("ses_"));

    let judged = kept(&project, "judged-2");
    assert!(
        judged.contains("\"reason_code\": \"out_of_scope\""),
        "{judged}"
    );
    assert!(judged.contains("\"inferred\": true"), "{judged}");
}

#[test]
fn a_resumed_run_goes_on_in_its_session() {
    let kill = "if [ $n = 1 ] && ! [ -e \"$HOME/mark\" ]; then : > \"$HOME/mark\"; rm \"$HOME/request-1\"; kill -9 $PPID; exit; fi";
    let project = project(kill);
    run(&project, &[]);
    let resumed = project.resume(&["--format", "json"]).run().exits(0).json();
    assert_eq!(resumed["outcome"], "passed");
    assert_eq!(request(&project, 1)["iteration"], 2);
    assert!(kept(&project, "args-1").contains("--session ses_"));
}

#[test]
fn a_session_that_the_provider_lost_begins_anew() {
    let forget = "if [ $n = 1 ]; then rm -r \"$HOME/.provider/sessions\"; fi";
    let project = project(forget);
    let report = run(&project, &["--format", "json"]).exits(0).json();
    assert_eq!(report["outcome"], "passed");
    let asked: Vec<_> = (0..4)
        .map(|n| request(&project, n)["iteration"].clone())
        .collect();
    assert_eq!(asked, [1, 2, 1, 2]);
    let anew = request(&project, 2);
    assert_eq!(anew.get("applied_feedback"), None);
    let history = &anew["review"]["feedback_history"][0];
    assert_eq!(history["feedback"].as_array().unwrap().len(), 2);
    assert!(!kept(&project, "args-2").contains("--session"));
}

#[test]
fn a_foreign_requester_need_not_repeat_what_the_provider_said() {
    let project = Scripted::new(&["true"]);
    project.environment.program("judge", JUDGE);
    let ask = |iteration: u32, more: Value, session: &[&str]| {
        let mut request = json!({
            "protocol_version": "1.2",
            "iteration": iteration,
            "artifact": {"media_type": "text/markdown", "content": "# A demo\n"},
        });
        request
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let arguments = [&["provide", "--reviewer", "cmd:judge"], session].concat();
        let command = project.environment.command(arguments);
        command.stdin(request.to_string().as_bytes()).run().exits(0)
    };
    let first = ask(1, json!({}), &[]);
    let line: Value = serde_json::from_str(first.stdout.lines().next().unwrap()).unwrap();
    let session = line["sessionID"].as_str().unwrap();
    let applied = json!({"applied_feedback": {"items": [
        {"id": "limits-01", "status": "rejected", "explanation": "no limit exists"},
    ]}});
    ask(2, applied, &["--session", session]);
    assert!(!kept(&project, "judged-0").contains("last rounds of this review"));
    let judged = kept(&project, "judged-1");
    assert!(
        judged.contains("\"explanation\": \"no limit exists\""),
        "{judged}"
    );
    assert!(judged.contains("\"issue\": \"too vague\""), "{judged}");
}

#[test]
fn a_round_of_settled_items_alone_keeps_the_session_and_reports_their_decisions() {
    let project = project("");
    let judge = r#"prompt=$(cat)
id=$(printf %s "$prompt" | sed -n 's/.*"review_id" is "\([^"]*\)".*/\1/p')
n=$(ls "$HOME" | grep -c judged); : > "$HOME/judged-$n"
score='{"completeness":90,"consistency":90,"testability":90,"architecture":90}'
item='{"section":"Limits","issue":"no number","suggestion":"say 10 MB","severity":"major"}'
verdict=needs_revision
[ "$n" = 2 ] && { verdict=pass; item=; }
printf '{"review_id":"%s","verdict":"%s","score":%s,"feedback":[%s]}' "$id" $verdict "$score" "$item""#;
    project.environment.program("judge", judge);
    let report = run(&project, &["--format", "json"]).exits(0).json();
    assert_eq!(report["iterations"].as_array().unwrap().len(), 3);
    let rejected = json!([
        {"id": "limits-01", "status": "rejected", "reason_code": "out_of_scope"},
    ]);
    for number in [1, 2] {
        let request = request(&project, number);
        assert_eq!(request["iteration"], number + 1);
        assert_eq!(request["applied_feedback"]["items"], rejected);
        assert!(kept(&project, &format!("args-{number}")).contains("--session ses_"));
    }
}
