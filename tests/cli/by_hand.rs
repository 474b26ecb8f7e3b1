//! What a user writes between a run and its resume stays.

use serde_json::Value;

use crate::scripted::Scripted;
use crate::support::Ran;

const SPEC: &str = "# Demo\n\n## A\n\n- a: open\n\n## B\n\n- b: open\n\n## C\n\n- c: open\n";

/// A reviewer who wants every point decided that is open.
const REVIEWER: &str = r#"cat > /dev/null
items=; score=95
for point in a b c; do
  if grep -q "^- $point: open" specs/DEMO.md; then
    section=$(echo "$point" | tr abc ABC)
    items="$items,{\"section\":\"$section\",\"issue\":\"$point is open and has to be decided here\",\"suggestion\":\"decide $point\"}"
    score=$((score - 15))
  fi
done
verdict=needs_revision; if [ -z "$items" ]; then verdict=pass; fi
for name in completeness consistency testability architecture; do scores="$scores,\"$name\":$score"; done
echo "{\"verdict\":\"$verdict\",\"score\":{${scores#,}},\"feedback\":[${items#,}]}"
"#;

/// An applier who decides the last point once and opens it again ever after.
const APPLIER: &str = r#"cat > /dev/null
if grep -q "^- c: open" specs/DEMO.md && ! grep -q x specs/DEMO.md; then
  sed -i 's/c: open/c: done/' specs/DEMO.md
else
  sed -i 's/c: done/c: open/' specs/DEMO.md
fi
echo x >> specs/DEMO.md
"#;

fn stopped() -> Scripted {
    let project = Scripted::new(&["true"]);
    project.write("specs/DEMO.md", SPEC);
    project.reviewer(REVIEWER);
    project.applier(APPLIER);
    let report = json(project.run(&["--format", "json"]).run());
    assert_eq!(report["best"]["iteration"], 2, "{report:#}");
    project
}

fn json(ran: Ran) -> Value {
    ran.exits(1).json()
}

fn spec(project: &Scripted) -> String {
    project.environment.read("specs/DEMO.md")
}

fn status<'r>(report: &'r Value, issue: &str) -> &'r Value {
    let ledger = report["ledger"].as_array().unwrap();
    let is_it = |one: &&Value| one["issue"].as_str().unwrap().starts_with(issue);
    &ledger.iter().find(is_it).unwrap()["status"]
}

#[test]
fn an_edit_by_hand_before_a_resume_is_not_overwritten_by_an_earlier_round() {
    let project = stopped();
    let edited = spec(&project).replace("a: open", "a: decided by hand");
    project.write("specs/DEMO.md", edited);
    let resume = ["--max-iterations", "12", "--format", "json"];
    let report = json(project.resume(&resume).run());
    let left = spec(&project);
    assert!(left.contains("- a: decided by hand\n"), "{left}");
    let best = report["best"]["iteration"].as_u64().unwrap();
    assert!(best > 4, "a round before the edit: {report:#}");
    assert_eq!(status(&report, "a is open"), "fixed");
    assert_eq!(status(&report, "b is open"), "open");
}

#[test]
fn a_finding_whose_text_was_edited_by_hand_is_asked_about_as_an_open_question() {
    let project = stopped();
    let keep = "if [ -e \"$HOME/asked\" ]; then cat > /dev/null; else cat > \"$HOME/asked\"; fi";
    project.reviewer(&REVIEWER.replacen("cat > /dev/null", keep, 1));
    let edited = spec(&project).replace("a: open", "a: open, see the minutes");
    project.write("specs/DEMO.md", edited);
    project.resume(&["--max-iterations", "12"]).run().exits(1);
    let asked = std::fs::read_to_string(project.outside("asked")).unwrap();
    let question =
        "\"why\": \"a user changed the artifact there: check whether this still applies\"";
    for (point, is_asked) in [("a", true), ("b", false)] {
        let issue = format!("\"issue\": \"{point} is open");
        let (_, finding) = asked.rsplit_once(&issue).unwrap();
        let (finding, _) = finding.split_once('}').unwrap();
        assert_eq!(finding.contains(question), is_asked, "{point}: {finding}");
    }
    assert!(spec(&project).contains("a: open, see the minutes"));
}

#[test]
fn an_edit_by_hand_after_an_interrupt_stays() {
    let project = Scripted::new(&["true"]);
    project.write("specs/DEMO.md", SPEC);
    project.reviewer(REVIEWER);
    project.applier(
        "cat > /dev/null; echo half >> specs/DEMO.md; kill -INT $PPID; exec tail -f /dev/null",
    );
    project.run(&[]).run().exits(130);
    assert_eq!(spec(&project), SPEC, "what the applier did is undone");
    let edited = SPEC.replace("a: open", "a: decided by hand");
    project.write("specs/DEMO.md", &edited);
    project.applier("cat > /dev/null; sed -i 's/[bc]: open/done/' specs/DEMO.md");
    let report = project.resume(&["--format", "json"]).run().exits(2).json();
    assert_eq!(report["block_code"], "artifact_changed", "{report:#}");
    assert_eq!(spec(&project), edited);
    project.resume(&[]).run().exits(0);
    assert!(spec(&project).contains("- a: decided by hand\n"));
}
