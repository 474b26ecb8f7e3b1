//! Comments of users on a run: waivers, approvals and guidance.

use serde_json::{Value, json};

use crate::scripted::{Scripted, fixing};
use crate::support::{Ran, short};

/// A reviewer who raises the same two things again and again, with scores that
/// would pass.
const STUBBORN: &str = r#"cat > "$HOME/prompt-$RALPH_ITERATION"
echo '{"verdict":"needs_revision","score":{"completeness":90,"consistency":90,"testability":90,"architecture":90},"feedback":[{"section":"Goal","issue":"no one feeds the otter","suggestion":"feed it"},{"section":"Goal","issue":"the zebra is striped","suggestion":"paint it"}]}'"#;

/// A project with such a reviewer, and an applier who rejects everything but
/// writes a line.
fn stubborn() -> Scripted {
    let project = Scripted::new(&["true"]);
    project.reviewer(STUBBORN);
    let report = r#"echo '{"applied_feedback":{"items":[{"id":"goal-01","status":"rejected","explanation":"otters hunt"},{"id":"goal-02","status":"rejected","explanation":"zebras are"}]}}'"#;
    project.applier(&fixing("", report));
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
        "--set",
        "review.patience=9",
        "--format",
        "json",
    ];
    let report = json(project.run(&run).run(), 1);
    assert_eq!(report["block_code"], "disputed", "{report:#}");
    report
}

#[test]
fn what_was_rejected_and_not_raised_again_is_not_called_fixed() {
    let project = stubborn();
    let once = crate::scripted::once(&format!(
        "cat > /dev/null\necho '{}'; exit",
        crate::scripted::REVISE
    ));
    project.reviewer(&format!(
        "{once}\ncat > /dev/null\necho '{}'",
        crate::scripted::PASS
    ));
    let ran = project.run(&[]).run().exits(0);
    let counts = "\nfindings: 1 rejected and not raised again\n";
    assert!(ran.stdout.contains(counts), "{}", ran.stdout);
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
            ("no one feeds the otter", "disputed"),
            ("the zebra is striped", "disputed")
        ]
    );
    let id = &findings[0].2;
    let shown = ralph(&project, &["findings", "show", id]).exits(0).stdout;
    assert!(
        shown.starts_with(&format!("{id}  major  disputed")),
        "{shown}"
    );
    let decided = "    - round: 1\n      status: rejected\n      why: otters hunt\n";
    assert!(shown.contains(decided), "{shown}");
    let report = ["report", "latest"];
    let told = ralph(&project, &report).exits(0).stdout;
    let counts = "\nfindings: not fixed: 2 major; 2 disputed\n";
    assert!(told.contains(counts), "{told}");
    let rates = "feedback of cmd:judge\n  followed 0 %, 0 of 2 (target > 90 %)\n";
    assert!(told.contains(rates), "{told}");
    let told = json(
        ralph(&project, &["report", "latest", "--format", "json"]),
        0,
    );
    assert_eq!(told["feedback"]["escalation_rate"]["count"], 1);
    let list = ralph(&project, &["findings", "list"]).exits(0).stdout;
    assert!(
        list.contains("disputed  Goal: no one feeds the otter"),
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
    let counted = gate(&["--offline"], 0);
    assert_eq!(counted["name"], "approved by ann");
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
fn a_waiver_covers_similar_words_where_the_reviewer_names_the_finding() {
    let project = Scripted::new(&["true"]);
    project.reviewer(&raising(&[
        "The retry of a failed upload has no upper limit",
    ]));
    project.applier("true");
    project.run(&[]).run().exits(1);
    let waived = listed(&project).remove(0).2;
    waive(&project, &waived);
    let again = raising(&["No upper limit is given for the retry of a failed upload"]);
    project.reviewer(&again);
    project.resume(&["--max-iterations", "9"]).run().exits(1);
    let (_, status, similar) = listed(&project).remove(0);
    assert_eq!(status, "open");
    let lines = list(&project);
    let line = lines.iter().find(|line| line.starts_with(&*similar));
    let line = line.unwrap();
    assert!(line.contains("  open      Goal: "), "{line}");
    assert!(line.ends_with(&format!(", similar to {waived}")), "{line}");
    let named = format!("\"finding\":\"{waived}\",\"section\"");
    project.reviewer(&again.replace("\"section\"", &named));
    ralph(&project, &["guide", "latest", "Be brief"]).exits(0);
    let resume = ["--max-iterations", "9", "--format", "json"];
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
    assert!(asked.contains("no one feeds the otter"), "{asked}");
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
    let gated = json(ralph(&project, &gate), 0);
    assert_eq!(gated["specs"][0]["review"]["name"], "approved by ann");
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
    let from_run = record["run"].as_str().unwrap();
    for arguments in [&[][..], &["--offline"], &["--from-run", from_run]] {
        let approved = (
            "approved by ann".to_owned(),
            "recorded".to_owned(),
            String::new(),
        );
        assert_eq!(gate(arguments, 0), approved);
    }
    let status = ralph(&project, &["status", "--format", "json"])
        .exits(0)
        .json();
    let spec = &status["specs"][0];
    assert_eq!(spec["approved_by"], "ann", "{status:#}");
    assert_eq!(spec["reviewed"], false, "{status:#}");
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
    ralph(
        &project,
        &["gate", "--reviewer", &format!("cmd:{reviewer}")],
    )
    .exits(0);
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

/// The lines of `ralph findings list`.
fn list(project: &Scripted) -> Vec<String> {
    let list = ralph(project, &["findings", "list"]).exits(0).stdout;
    list.lines().map(str::to_owned).collect()
}

#[test]
fn a_review_that_applies_nothing_has_findings_that_can_be_decided() {
    let project = Scripted::new(&["true"]);
    project.reviewer(&raising(&[
        "FR-1 has no acceptance criterion",
        "The name is too long",
    ]));
    let run = ["--no-apply", "--no-tasks", "--format", "json"];
    let report = json(project.run(&run).run(), 1);
    assert_eq!(report["finding_counts"]["status"]["open"], 2, "{report:#}");
    let issues: Vec<_> = listed(&project).into_iter().map(|one| one.0).collect();
    assert_eq!(
        issues,
        ["FR-1 has no acceptance criterion", "The name is too long"]
    );
    let ids: Vec<_> = listed(&project).into_iter().map(|one| one.2).collect();
    let waive = ["findings", "waive", &ids[0], "--by", "ann", "--why", "so"];
    let told = ralph(&project, &waive).exits(0).stdout;
    assert_eq!(
        told,
        format!(
            "waived {}: FR-1 has no acceptance criterion\n\
             it counts in the next run of specs/DEMO.md\n",
            ids[0]
        )
    );
    project.applier("true");
    project.run(&[]).run().exits(1);
    let after: Vec<_> = listed(&project)
        .into_iter()
        .map(|one| (one.2, one.1))
        .collect();
    let (first, second) = (ids[0].clone(), ids[1].clone());
    assert_eq!(
        after,
        [(first, "waived".to_owned()), (second, "open".to_owned())]
    );
}

#[test]
fn a_run_that_does_not_follow_findings_says_so_in_their_list() {
    let project = Scripted::new(&["true"]);
    project.reviewer(&raising(&["The name is too long"]));
    project
        .run(&["--no-apply", "--set", "review.patience=0"])
        .run()
        .exits(1);
    let list = list(&project).join("\n");
    assert!(
        list.contains("does not follow findings, since review.patience is 0"),
        "{list}"
    );
}

#[test]
fn a_waiver_says_what_it_does_and_shows_at_once_that_it_waits_for_the_next_round() {
    let project = stubborn();
    disputed(&project);
    let report = ralph(&project, &["report", "latest", "--format", "json"]);
    let run = json(report, 0)["run"].as_str().unwrap().to_owned();
    let (otter, zebra) = (listed(&project).remove(0).2, listed(&project).remove(1).2);
    let decide = |word: &str, id: &str| {
        let words = ["findings", word, id, "--by", "ann", "--why", "it is so"];
        ralph(&project, &words).exits(0).stdout
    };
    let effect = format!(
        "it counts from the next round on\nnext:\ngo on with the run:\nralph resume {}\n",
        short(&run)
    );
    assert_eq!(
        decide("waive", &otter),
        format!("waived {otter}: no one feeds the otter\n{effect}")
    );
    assert_eq!(
        decide("uphold", &zebra),
        format!("upheld {zebra}: the zebra is striped\n{effect}")
    );
    for (id, status) in [(&otter, "waived  "), (&zebra, "open    ")] {
        let lines = list(&project);
        let line = lines.iter().find(|line| line.starts_with(&**id)).unwrap();
        assert!(line.contains(&format!("  {status}  Goal: ")), "{line}");
        assert!(line.ends_with(", from the next round on, by ann"), "{line}");
    }
    let shown = ralph(&project, &["findings", "show", &otter])
        .exits(0)
        .stdout;
    let pending = "\n  from_the_next_round_on:\n    by: ann\n";
    assert!(shown.contains(pending), "{shown}");
    let list_json = ["findings", "list", "--format", "json"];
    let pending = json(ralph(&project, &list_json), 0)["pending"].clone();
    let decision = |id: &str, status: &str| json!({"finding": id, "status": status, "by": "ann", "why": "it is so"});
    assert_eq!(
        pending,
        json!([decision(&otter, "waived"), decision(&zebra, "open")])
    );
    // The text that the waiver is about stays as it is.
    project.applier("true");
    let resumed = project
        .resume(&["--max-iterations", "4"])
        .run()
        .exits(1)
        .stdout;
    let mark = format!("\n  waived by ann {otter}: no one feeds the otter\n");
    assert!(resumed.contains(&mark), "{resumed}");
    let report = ralph(&project, &["report", "latest"]).exits(0).stdout;
    assert!(report.contains(&mark), "{report}");
    assert_eq!(json(ralph(&project, &list_json), 0)["pending"], json!([]));
    let lines = list(&project);
    let line = lines.iter().find(|line| line.starts_with(&*otter)).unwrap();
    assert!(
        line.contains("  waived    Goal: no one feeds the otter  raised"),
        "{line}"
    );
}

#[test]
fn the_beginning_of_an_id_is_enough_for_a_finding() {
    let project = Scripted::new(&["true"]);
    let issues: Vec<_> = (1..=20)
        .map(|n| format!("FR-{n} has no acceptance criterion"))
        .collect();
    project.reviewer(&raising(
        &issues.iter().map(String::as_str).collect::<Vec<_>>(),
    ));
    project.run(&["--no-apply"]).run().exits(1);
    let ids: Vec<_> = listed(&project).into_iter().map(|one| one.2).collect();
    assert_eq!(ids.len(), 20);
    let id = &ids[0];
    for short in [&id[..], &id[..12], &id[2..], &id[2..12]] {
        let shown = ralph(&project, &["findings", "show", short])
            .exits(0)
            .stdout;
        assert!(shown.starts_with(&**id), "{short}: {shown}");
    }
    // Of 20 ids two start with the same of 16 digits.
    let digit = |id: &&String| id.as_bytes()[2];
    let twice = ids
        .iter()
        .find(|id| ids.iter().filter(|one| digit(one) == digit(id)).count() > 1);
    let short = &twice.unwrap()[..3];
    let refused = ralph(&project, &["findings", "show", short])
        .exits(2)
        .stderr;
    let message = format!("error: \"{short}\" is ambiguous; it matches {short}");
    assert!(refused.starts_with(&message), "{refused}");
    for wrong in ["f-", "", "f-0123456789abc", "xyz"] {
        let refused = ralph(&project, &["findings", "show", wrong])
            .exits(2)
            .stderr;
        assert!(
            refused.contains("must be the id of a finding"),
            "{wrong}: {refused}"
        );
    }
}

#[test]
fn the_user_of_the_computer_decides_where_no_name_is_given() {
    let project = stubborn();
    disputed(&project);
    let id = listed(&project).remove(0).2;
    let waive = ["findings", "waive", &id, "--why", "it is so"];
    let refused = ralph(&project, &waive).exits(2).stderr;
    assert!(
        refused.contains("the user who decides is not known"),
        "{refused}"
    );
    assert!(
        refused.contains("hint: say who you are with --by NAME"),
        "{refused}"
    );
    let ran = project.environment.command(waive).env("USER", "cat").run();
    ran.exits(0);
    let list = list(&project).join("\n");
    assert!(list.contains(", from the next round on, by cat"), "{list}");
    let approve = ["approve", "latest", "--format", "json"];
    let approved = project
        .environment
        .command(approve)
        .env("USER", "cat")
        .run();
    assert_eq!(json(approved, 0)["outcome"], "approved");
    let shown = ralph(&project, &["report", "latest"]).exits(0).stdout;
    assert!(shown.contains("approved by cat"), "{shown}");
}

#[test]
fn a_run_of_the_gate_is_never_the_latest() {
    let project = stubborn();
    ralph(&project, &["gate", "--reviewer", "cmd:judge"]).exits(1);
    for command in [&["report", "latest"] as &[&str], &["resume", "latest"]] {
        let none = ralph(&project, command).exits(2).stderr;
        let message =
            "no run \"latest\" in [ROOT]/.ralph-review: those of `ralph gate` do not count";
        assert!(none.contains(message), "{none}");
    }
    let report = disputed(&project);
    let run = report["run"].as_str().unwrap();
    ralph(&project, &["gate", "--reviewer", "cmd:judge"]).exits(1);
    let runs = json(ralph(&project, &["report", "--format", "json"]), 0);
    let by_gate: Vec<_> = runs["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["by_gate"].as_bool().unwrap())
        .collect();
    assert_eq!(by_gate, [true, false, true]);
    assert_eq!(runs["runs"][1]["run"], run);
    let shown = json(
        ralph(&project, &["report", "latest", "--format", "json"]),
        0,
    );
    assert_eq!(shown["run"], run);
    let findings = json(
        ralph(&project, &["findings", "list", "--format", "json"]),
        0,
    );
    assert_eq!(findings["run"], run);
    let id = listed(&project).remove(0).2;
    let waive = ["findings", "waive", &id, "--by", "ann", "--why", "so"];
    let told = ralph(&project, &waive).exits(0).stdout;
    assert!(
        told.ends_with(&format!("ralph resume {}\n", short(run))),
        "{told}"
    );
    let guided = ralph(&project, &["guide", "latest", "Be kind."])
        .exits(0)
        .stdout;
    assert!(guided.contains(short(run)), "{guided}");
    let resumed = project.resume(&["--format", "json"]).run().json();
    assert_eq!(resumed["run"], run);
    let approve = ["approve", "latest", "--by", "ann", "--format", "json"];
    assert_eq!(json(ralph(&project, &approve), 0)["run"], run);
    let unknown = ralph(&project, &["report", "last"]).exits(2).stderr;
    assert!(
        unknown.contains("hint: `latest` is the newest run"),
        "{unknown}"
    );
}
