//! Comments of users on a run: waivers, approvals and guidance.

use serde_json::{Value, json};

use crate::scripted::{Scripted, mending};
use crate::support::Ran;

/// A reviewer who raises the same two things again and again, with scores that
/// would pass.
const STUBBORN: &str = r#"cat > "$HOME/prompt-$RALPH_ITERATION"
echo '{"verdict":"needs_revision","score":{"completeness":90,"consistency":90,"testability":90,"architecture":90},"feedback":[{"section":"Goal","issue":"nobody feeds the otter","suggestion":"feed it"},{"section":"Goal","issue":"the zebra is striped","suggestion":"paint it"}]}'"#;

/// A document that asks for one small change.
const DOCUMENT: &str = r#"{
  "id": "7d9f4f0e-6c1f-4c53-9d3e-0d7f2f6f7a10",
  "timestamp": "2026-01-25T15:00:00Z",
  "iteration": {"number": 1, "max": 3, "phase": "initial"},
  "target": {"type": "document", "path": "specs/DEMO.md"},
  "feedback_items": [{
    "aspect": "clarity",
    "severity": "minor",
    "issue": "The goal does not say who feeds the otter",
    "location": {"type": "section", "reference": "Goal"},
    "suggestion": {
      "action": "Name the keeper who feeds the otter",
      "rationale": "Readers then know whom to ask about it"
    }
  }],
  "overall_assessment": {
    "score": 0.7,
    "verdict": "refine",
    "summary": "One small thing is open: the goal does not say who feeds the otter."
  }
}"#;

/// A project with such a reviewer, and an applier who rejects everything but
/// writes a line.
fn stubborn() -> Scripted {
    let project = Scripted::new(&["true"]);
    project.reviewer(STUBBORN);
    let report = r#"echo '{"applied_feedback":{"items":[{"id":"goal-01","status":"rejected","explanation":"otters hunt"},{"id":"goal-02","status":"rejected","explanation":"zebras are"}]}}'"#;
    project.applier(&mending("", report));
    project
}

fn json(ran: Ran, code: i32) -> Value {
    ran.exits(code).json()
}

fn ralph(project: &Scripted, arguments: &[&str]) -> Ran {
    project.environment.ralph(arguments)
}

/// The ids, issues and statuses of the findings of the latest run.
fn listed(project: &Scripted) -> Vec<(String, String, String)> {
    let list = ["findings", "list", "--format", "json"];
    let list = json(ralph(project, &list), 0);
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    let mut findings: Vec<_> = list["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (text(one, "issue"), text(one, "status"), text(one, "id")))
        .collect();
    findings.sort();
    findings
}

/// Runs a loop whose people disagree until it ends.
fn disputed(project: &Scripted) -> Value {
    let run = [
        "--max-iterations",
        "10",
        "--patience",
        "0",
        "--format",
        "json",
    ];
    let report = json(project.run(&run).run(), 1);
    assert_eq!(report["block_code"], "disputed", "{report:#}");
    report
}

#[test]
fn a_finding_has_the_severity_that_its_reviewer_says() {
    let project = stubborn();
    let grave = r#""suggestion":"feed it","severity":"critical""#;
    project.reviewer(&STUBBORN.replace(r#""suggestion":"feed it""#, grave));
    disputed(&project);
    let list = ["findings", "list", "--format", "json"];
    let list = json(ralph(&project, &list), 0);
    let mut severities: Vec<_> = list["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["issue"].as_str().unwrap(),
                one["severity"].as_str().unwrap(),
            )
        })
        .collect();
    severities.sort_unstable();
    let expected = [
        ("nobody feeds the otter", "critical"),
        ("the zebra is striped", "major"),
    ];
    assert_eq!(severities, expected);
}

#[test]
fn findings_are_listed_and_shown_with_what_became_of_them() {
    let project = stubborn();
    disputed(&project);
    let findings = listed(&project);
    let said: Vec<_> = findings
        .iter()
        .map(|(issue, status, _)| (&**issue, &**status))
        .collect();
    assert_eq!(
        said,
        [
            ("nobody feeds the otter", "disputed"),
            ("the zebra is striped", "disputed")
        ]
    );
    let id = &findings[0].2;
    let shown = ralph(&project, &["findings", "show", id]).exits(0).stdout;
    assert!(
        shown.starts_with(&format!("{id}  major  disputed")),
        "{shown}"
    );
    assert!(shown.contains("round 1: rejected: otters hunt"), "{shown}");
    let report = ["report", "latest"];
    let told = ralph(&project, &report).exits(0).stdout;
    let counts = "\nfindings: 2 major; 2 disputed\n";
    assert!(told.contains(counts), "{told}");
    let rates = "feedback of cmd:judge\n  followed 0 %, 0 of 2 (target > 90 %, missed)\n";
    assert!(told.contains(rates), "{told}");
    let told = json(
        ralph(&project, &["report", "latest", "--format", "json"]),
        0,
    );
    assert_eq!(told["feedback"]["escalation_rate"]["count"], 1);
    let list = ralph(&project, &["findings", "list"]).exits(0).stdout;
    assert!(
        list.contains("disputed  Goal: nobody feeds the otter"),
        "{list}"
    );
    let unknown = ralph(&project, &["findings", "show", "f-000000000000"]).exits(2);
    assert!(
        unknown.stderr.contains("no finding f-000000000000"),
        "{}",
        unknown.stderr
    );
}

#[test]
fn what_persons_waive_lets_the_artifact_pass_in_their_names() {
    let project = stubborn();
    disputed(&project);
    for (_, _, id) in listed(&project) {
        let waive = ["findings", "waive", &id, "--by", "ann", "--why", "it is so"];
        let told = ralph(&project, &waive).exits(0);
        assert!(told.stdout.contains("ralph resume "), "{}", told.stdout);
    }
    let report = json(project.resume(&["--format", "json"]).run(), 0);
    assert_eq!(report["outcome"], "approved", "{report:#}");
    let statuses: Vec<_> = listed(&project)
        .into_iter()
        .map(|(_, status, _)| status)
        .collect();
    assert_eq!(statuses, ["waived", "waived"]);
    assert_eq!(project.calls().last().unwrap(), "review 4");
    let again = project.run(&["--format", "json"]).run();
    assert_eq!(json(again, 0)["outcome"], "approved");
    let gate = |arguments: &[&str], code| {
        let report = json(
            ralph(
                &project,
                &[&["gate", "--format", "json"], arguments].concat(),
            ),
            code,
        );
        report["specs"][0]["review"].clone()
    };
    let refused = gate(&["--reviewer", "cmd:judge"], 1);
    let reason = refused["reason"].as_str().unwrap();
    assert!(reason.contains("the zebra is striped"), "{reason}");
    let told = "the approval by ann counts only with gate.allow_approved = true";
    assert!(reason.ends_with(told), "{reason}");
    project.write("ralph.toml", "[gate]\nallow_approved = true\n");
    let counted = gate(&["--offline"], 0);
    assert_eq!(counted["name"], "approval by ann");
    assert_eq!(counted["status"], "recorded");
}

/// A reviewer who raises these issues of one section in each round, with scores
/// that would pass.
fn raising(issues: &[&str]) -> String {
    let feedback = issues
        .iter()
        .map(|issue| json!({"section": "Goal", "issue": issue, "suggestion": "say it"}));
    let answer = json!({
        "verdict": "needs_revision",
        "score": {"completeness": 85, "consistency": 85, "testability": 85, "architecture": 85},
        "feedback": feedback.collect::<Vec<_>>(),
    });
    format!("cat <<'ANSWER'\n{answer}\nANSWER")
}

fn waive(project: &Scripted, id: &str) {
    let waive = ["findings", "waive", id, "--by", "ann", "--why", "it is so"];
    ralph(project, &waive).exits(0);
}

#[test]
fn findings_in_the_same_words_but_for_a_name_or_a_number_are_counted_each() {
    for issues in [
        &[
            "FR-1 has no acceptance criterion",
            "FR-2 has no acceptance criterion",
            "FR-3 has no acceptance criterion",
        ][..],
        &[
            "`shorten` does not say which error it raises",
            "`resolve` does not say which error it raises",
        ],
        &[
            "A timeout of 30 s is not justified",
            "A timeout of 60 s is not justified",
        ],
        &[
            "The upload endpoint lacks a size limit",
            "The download endpoint lacks a rate limit",
        ],
    ] {
        let project = Scripted::new(&["true"]);
        project.reviewer(&raising(issues));
        project.applier("true");
        let report = json(project.run(&["--format", "json"]).run(), 1);
        assert_eq!(report["block_code"], "no_change", "{report:#}");
        let mut said: Vec<_> = listed(&project)
            .into_iter()
            .map(|(issue, status, _)| (issue, status))
            .collect();
        said.sort();
        let mut expected: Vec<_> = issues
            .iter()
            .map(|issue| ((*issue).to_owned(), "open".to_owned()))
            .collect();
        expected.sort();
        assert_eq!(said, expected);
    }
}

#[test]
fn a_waiver_of_one_finding_covers_no_other_one() {
    let issues = [
        "FR-1 has no acceptance criterion",
        "FR-2 has no acceptance criterion",
        "FR-3 has no acceptance criterion",
    ];
    let project = Scripted::new(&["true"]);
    project.reviewer(&raising(&issues));
    project.applier("true");
    project.run(&[]).run().exits(1);
    waive(&project, &listed(&project)[0].2);
    let resume = ["--max-iterations", "9", "--format", "json"];
    let report = json(project.resume(&resume).run(), 1);
    assert_eq!(report["outcome"], "not_passed", "{report:#}");
    let statuses = |project: &Scripted| -> Vec<_> {
        let findings = listed(project).into_iter();
        findings.map(|(_, status, _)| status).collect()
    };
    assert_eq!(statuses(&project), ["waived", "open", "open"]);
    let reworded = [issues[0], "There is no acceptance criterion for FR-1 yet"];
    project.reviewer(&raising(&reworded));
    let report = json(project.resume(&resume).run(), 1);
    assert_eq!(report["outcome"], "not_passed", "{report:#}");
    project.reviewer(&raising(&issues));
    for (_, status, id) in listed(&project) {
        if status != "waived" {
            waive(&project, &id);
        }
    }
    let report = json(project.resume(&resume).run(), 0);
    assert_eq!(report["outcome"], "approved", "{report:#}");
}

#[test]
fn what_is_upheld_goes_to_the_applier_again() {
    let project = stubborn();
    disputed(&project);
    let otter = listed(&project).remove(0).2;
    let uphold = [
        "findings", "uphold", &otter, "--by", "bob", "--why", "feed it",
    ];
    ralph(&project, &uphold).exits(0);
    let zebra = listed(&project).remove(1).2;
    let waive = [
        "findings", "waive", &zebra, "--by", "bob", "--why", "it is so",
    ];
    ralph(&project, &waive).exits(0);
    project.applier("cat > \"$HOME/asked\"\necho fed >> \"$RALPH_SPEC\"");
    project.reviewer(&STUBBORN.replace(
        "echo '",
        "if grep -q fed \"$RALPH_SPEC\"; then sed -n p \"$HOME/pass\"; exit; fi\necho '",
    ));
    std::fs::write(project.outside("pass"), crate::scripted::PASS).unwrap();
    let report = json(project.resume(&["--format", "json"]).run(), 0);
    assert_eq!(report["outcome"], "passed", "{report:#}");
    let asked = std::fs::read_to_string(project.outside("asked")).unwrap();
    assert!(asked.contains("nobody feeds the otter"), "{asked}");
    assert!(!asked.contains("\"the zebra is striped\""), "{asked}");
}

#[test]
fn an_approval_ends_a_blocked_run_and_nothing_else_is_asked() {
    let project = stubborn();
    disputed(&project);
    project.forget_calls();
    let approve = ["approve", "latest", "--by", "ann", "--format", "json"];
    let report = json(ralph(&project, &approve), 0);
    assert_eq!(report["outcome"], "approved");
    assert_eq!(report["next"], json!([]));
    assert_eq!(project.calls(), [""; 0]);
    let shown = ralph(&project, &["report", "latest"]).exits(0).stdout;
    assert!(shown.contains("approved by ann"), "{shown}");
    let gate = ["gate", "--from-run", "latest", "--format", "json"];
    assert_eq!(json(ralph(&project, &gate), 1)["outcome"], "not_passed");
    project.resume(&[]).run().exits(0);
    assert_eq!(project.calls(), [""; 0]);
}

#[test]
fn the_gate_counts_an_approval_where_that_is_allowed() {
    let project = stubborn();
    disputed(&project);
    let approve = ["approve", "latest", "--by", "ann"];
    ralph(&project, &approve).exits(0);
    let record = project
        .environment
        .read(".ralph-review/records/specs%2FDEMO.md.json");
    let record: Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["approved_by"], "ann");
    assert_eq!(record["verdict"], "needs_revision");
    assert_eq!(record["reviewer"]["backend"], "cmd");
    let gate = |arguments: &[&str], code| {
        let report = json(
            ralph(
                &project,
                &[&["gate", "--format", "json"], arguments].concat(),
            ),
            code,
        );
        let review = &report["specs"][0]["review"];
        let text = |key: &str| review[key].as_str().unwrap().to_owned();
        (text("name"), text("status"), text("reason"))
    };
    let told = "the approval by ann counts only with gate.allow_approved = true";
    let (_, status, reason) = gate(&["--offline"], 3);
    assert_eq!(status, "unproven");
    assert!(reason.ends_with(told), "{reason}");
    let (name, status, reason) = gate(&["--reviewer", "cmd:judge"], 1);
    assert_eq!((&*name, &*status), ("review by cmd:judge", "failed"));
    assert!(reason.contains("nobody feeds the otter"), "{reason}");
    assert!(reason.ends_with(told), "{reason}");
    let from_run = record["run"].as_str().unwrap();
    let (_, status, reason) = gate(&["--from-run", from_run], 1);
    assert_eq!(status, "failed");
    assert!(
        reason.contains("ended as approved, which counts only with gate.allow_approved"),
        "{reason}"
    );
    project.write("ralph.toml", "[gate]\nallow_approved = true\n");
    for arguments in [&[][..], &["--offline"], &["--from-run", from_run]] {
        let approved = (
            "approval by ann".to_owned(),
            "recorded".to_owned(),
            String::new(),
        );
        assert_eq!(gate(arguments, 0), approved);
    }
    project.write("specs/DEMO.md", "# Demo\n\n## Goal\n\nAnother demo.\n");
    let (_, status, reason) = gate(&["--offline"], 3);
    assert_eq!(status, "unproven");
    assert_eq!(reason, "no recorded pass belongs to this artifact");
}

#[test]
fn a_pass_on_record_is_not_replaced_by_an_approval() {
    let project = stubborn();
    disputed(&project);
    std::fs::write(project.outside("pass"), crate::scripted::PASS).unwrap();
    let pass = project.outside("pass").display().to_string();
    let reviewer = format!("cat {pass}");
    ralph(&project, &["gate", "--reviewer-cmd", &reviewer]).exits(0);
    ralph(&project, &["approve", "latest", "--by", "ann"]).exits(0);
    ralph(&project, &["gate", "--offline"]).exits(0);
}

#[test]
fn guidance_is_heeded_from_the_next_round_on() {
    let project = stubborn();
    disputed(&project);
    let guide = ["guide", "latest", "Keep the table of error codes."];
    ralph(&project, &guide).exits(0);
    project.resume(&["--max-iterations", "4"]).run().exits(1);
    let prompt = std::fs::read_to_string(project.outside("prompt-4")).unwrap();
    let told = "guidance>>>\nKeep the table of error codes.\n";
    assert!(prompt.contains(told), "{prompt}");
    let silent = ralph(&project, &["guide", "latest", "  "]).exits(2);
    assert!(
        silent
            .stderr
            .contains("TEXT must have from 1 to 16384 bytes"),
        "{silent:#?}"
    );
    ralph(&project, &["approve", "latest", "--by", ""]).exits(2);
    ralph(&project, &["approve", "latest", "--by", "ann"]).exits(0);
    let late = ralph(&project, &guide).exits(2).stderr;
    let message = " is finished (approved); guidance not recorded\n";
    assert!(late.contains(message), "{late}");
}

#[test]
fn a_finding_matters_as_its_reviewer_says() {
    let severities = |project: &Scripted| -> Vec<String> {
        let list = ["findings", "list", "--format", "json"];
        let list = json(ralph(project, &list), 0);
        let findings = list["findings"].as_array().unwrap().iter();
        let mut said: Vec<_> = findings
            .map(|one| one["severity"].as_str().unwrap().to_owned())
            .collect();
        said.sort();
        said.dedup();
        said
    };
    let ruled = Scripted::new(&["true"]);
    ruled.write("specs/DEMO.md", "# Demo\n\n## Goal\n\nTODO.\n");
    ruled.applier(&mending("", ""));
    let run = ["run", "--reviewer", "builtin", "--applier-cmd", "mend"];
    ralph(&ruled, &[&run[..], &["--max-iterations", "2"]].concat()).exits(1);
    let said = severities(&ruled);
    assert!(said.contains(&"critical".to_owned()), "{said:?}");

    let graded = stubborn();
    graded.write("ralph.toml", "[review]\ndialect = \"actionable\"\n");
    graded.reviewer(&format!("cat >/dev/null\ncat <<'END'\n{DOCUMENT}\nEND"));
    graded.run(&["--max-iterations", "2"]).run().exits(1);
    assert_eq!(severities(&graded), ["minor"]);
    let folder = graded.journal();
    let written = folder.parent().unwrap().join("feedback/001.json");
    let written: Value = serde_json::from_slice(&std::fs::read(written).unwrap()).unwrap();
    assert_eq!(written["feedback_items"][0]["severity"], "minor");
    let derived = written["derived"].as_array().unwrap();
    assert!(!derived.contains(&json!("/feedback_items/0/severity")));
}
