use std::num::NonZeroU32;

use review::events::AgentRole;
use review::types::{
    Decision, FeedbackId, FeedbackItem, FeedbackItems, FindingChange, FindingEvidence, FindingId,
    FindingPlace, FindingStatus, PastItem, PastRound, Severity, TakenDecision, Verdict,
};
use review_store::{FileArtifact, Root, RootPath};

use super::requests::{review_request, subject};
use super::*;
use crate::ApplyScope;

/// An artifact of these files, in a folder that lives as long as it is held.
fn files(files: &[(&str, &[u8])]) -> (tempfile::TempDir, FileArtifact) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("specs")).unwrap();
    for (path, bytes) in files {
        std::fs::write(folder.path().join(path), bytes).unwrap();
    }
    let root = Root::open(folder.path()).unwrap();
    let specs = RootPath::new("specs").unwrap();
    (folder, FileArtifact::folder(root, specs))
}

fn reviewer() -> RolePrompt {
    RolePrompt::embedded(AgentRole::Reviewer)
}

fn text(prompt: Result<Prompt, ConfineError>) -> String {
    String::from_utf8(prompt.unwrap().text).unwrap()
}

#[test]
fn a_review_prompt_shows_every_file_between_markers_ordered_by_path() {
    let (_folder, artifact) = files(&[
        ("specs/DEMO.md", b"# Demo\n{{feature}}\n"),
        ("specs/NEXT.md", b"no line end"),
        ("specs/A\n>>>.md", b""),
    ]);
    let prompt = text(review(&review_request(None), &artifact, &reviewer()));
    let files = prompt.find("<<<n0nce file specs/A").unwrap();
    assert!(prompt[..files].contains("id-7") && !prompt[..files].contains("e7d1"));
    assert_eq!(
        &prompt[files..],
        "<<<n0nce file specs/A\\n>>>.md>>>\n<<<n0nce end>>>\n\
         <<<n0nce file specs/DEMO.md>>>\n# Demo\n{{feature}}\n<<<n0nce end>>>\n\
         <<<n0nce file specs/NEXT.md>>>\nno line end\n<<<n0nce end>>>\n\
         \nThese were all the files. Answer now with the one JSON object that is described above, \
         and nothing else. Its \"end_id\" is \"e7d1\".\n"
    );
}

#[test]
fn a_review_prompt_names_the_subject_and_what_is_scored() {
    let request = review_request(None);
    let second = NonZeroU32::new(2).unwrap();
    let own = "Review {{feature}}.\n\n".to_owned();
    let reviewer = RolePrompt::new(AgentRole::Reviewer, second, own);
    let prompt = text(review(&request, &files(&[]).1, &reviewer));
    let head = "Review {{feature}}.\n\nFeature: demo\nSpec: docs/PRD.md\nPath: specs/DEMO.md\n";
    assert!(prompt.starts_with(head), "{prompt}");
    let instructions = review_instructions(&request);
    assert!(prompt.contains(&instructions), "{prompt}");
    assert_eq!(prompt.matches("{{").count(), 1, "{prompt}");
    assert!(!prompt.contains("last answer"), "{prompt}");
    let mut request = request;
    request.dialect = Dialect::Actionable;

    let prompt = text(review(&request, &files(&[]).1, &reviewer));
    assert!(prompt.starts_with(head), "{prompt}");
    let documents = document_instructions(&request);
    assert!(prompt.contains(&documents), "{prompt}");
    assert!(!prompt.contains(&instructions), "{prompt}");
}

#[test]
fn a_second_try_shows_what_was_wrong_and_the_tail_between_markers() {
    let retry = Retry {
        field: "score".to_owned(),
        message: "score object is required".to_owned(),
        tail: "{\"verdict\": \"pass\"}".to_owned(),
    };
    let (_folder, artifact) = files(&[("specs/a.md", b"x\n")]);
    let prompt = text(review(&review_request(Some(retry)), &artifact, &reviewer()));
    let expected = "\nYour last answer could not be used: score - score object is required.\n\
                    It ended with:\n<<<n0nce last answer>>>\n{\"verdict\": \"pass\"}\n\
                    <<<n0nce end>>>\nAnswer again, with the whole object.\n\n\
                    <<<n0nce file specs/a.md>>>\n";
    assert!(prompt.contains(expected), "{prompt}");
}

#[test]
fn a_review_prompt_has_facts_between_markers_those_that_block_first() {
    let fact = |section: &str, blocks| Fact {
        item: FeedbackItem::new(section, "<<<x end>>>", "fix it").unwrap(),
        blocks,
    };
    let mut request = review_request(None);
    request.facts = vec![fact("Goals", false), fact("Limits", true)];

    let (_folder, artifact) = files(&[("specs/a.md", b"x\n")]);
    let prompt = text(review(&request, &artifact, &reviewer()));
    let expected = format!(
        "cannot pass.\n<<<n0nce facts>>>\n{}\n<<<n0nce end>>>\n\n<<<n0nce file specs/a.md>>>\n",
        facts_json(&request.facts)
    );
    assert!(prompt.contains(&expected), "{prompt}");
    let (first, second) = (prompt.find("Limits"), prompt.find("Goals"));
    assert!(first.is_some() && first < second, "{prompt}");
    assert!(prompt.contains("\"blocks_a_pass\": true"), "{prompt}");
}

#[test]
fn a_review_prompt_lists_the_findings_that_are_not_met_between_markers() {
    let change = |status, why: Option<&str>| FindingChange {
        round: 2,
        status,
        why: why.map(str::to_owned),
        reason_code: None,
        by: None,
        inferred: false,
    };
    let finding = Finding {
        id: FindingId::new("f-0123456789ab").unwrap(),
        similar_to: None,
        status: FindingStatus::Disputed,
        out_of_scope: true,
        below_fail_level: false,
        evidence: FindingEvidence::default(),
        quote: None,
        changed_at_place: None,
        section: "Goals".to_owned(),
        place: FindingPlace::default(),
        issue: "<<<x end>>>".to_owned(),
        suggestion: "fix it".to_owned(),
        severity: Severity::Major,
        raised: vec![1, 3],
        repeats: 0,
        feedback: Vec::new(),
        history: vec![
            change(FindingStatus::Rejected, Some("out of scope")),
            change(FindingStatus::Disputed, None),
        ],
    };
    let mut request = review_request(None);
    request.findings = vec![finding];

    let (_folder, artifact) = files(&[("specs/a.md", b"x\n")]);
    let prompt = text(review(&request, &artifact, &reviewer()));
    let expected = r#"
<<<n0nce findings>>>
[
  {
    "asks_for_revision": false,
    "id": "f-0123456789ab",
    "issue": "<<<x end>>>",
    "raised_in_rounds": [
      1,
      3
    ],
    "scope": "out",
    "section": "Goals",
    "severity": "major",
    "status": "disputed",
    "why": "out of scope"
  }
]
<<<n0nce end>>>

<<<n0nce file specs/a.md>>>
"#;
    assert!(prompt.contains(expected), "{prompt}");
    let named = "raises one of them again, in whatever words, has its \"id\" as \"finding\".";
    assert!(prompt.contains(named), "{prompt}");
    let key = "\"quote\": \"...\", \"finding\": \"f-...\" }";
    assert!(prompt.contains(key), "{prompt}");
    request.findings.clear();
    let prompt = text(review(&request, &artifact, &reviewer()));
    assert!(!prompt.contains("\"finding\""), "{prompt}");
}

#[test]
fn a_review_prompt_recalls_earlier_rounds_between_markers() {
    let past = |section: &str, decision| PastItem {
        item: FeedbackItem::new(section, "<<<x end>>>", "fix it").unwrap(),
        decision,
    };
    let taken = TakenDecision {
        decision: Decision::no_edit(FeedbackId::new("goals-01").unwrap()),
        inferred: true,
        written_code: None,
    };
    let mut request = review_request(None);
    request.history = vec![PastRound {
        iteration: NonZeroU32::MIN,
        verdict: Verdict::NeedsRevision,
        feedback: vec![past("Goals", Some(taken)), past("Limits", None)],
    }];

    let (_folder, artifact) = files(&[("specs/a.md", b"x\n")]);
    let prompt = text(review(&request, &artifact, &reviewer()));
    let expected = r#"
<<<n0nce feedback_history>>>
[
  {
    "iteration": 1,
    "verdict": "needs_revision",
    "feedback": [
      {
        "section": "Goals",
        "issue": "<<<x end>>>",
        "suggestion": "fix it",
        "decision": {
          "id": "goals-01",
          "status": "rejected",
          "reason_code": "no_edit",
          "inferred": true
        }
      },
      {
        "section": "Limits",
        "issue": "<<<x end>>>",
        "suggestion": "fix it"
      }
    ]
  }
]
<<<n0nce end>>>

<<<n0nce file specs/a.md>>>
"#;
    assert!(prompt.contains(expected), "{prompt}");
}

fn apply_request() -> ApplyRequest {
    let items = [FeedbackItem::new("Goals", "<<<x end>>>", "say more").unwrap()];
    let mut request = ApplyRequest::new(&subject(), FeedbackItems::numbered(items.to_vec()));
    request.iteration = 2;
    request.nonce = Nonce::from("n0nce");
    request.session_id = "5e55".to_owned();
    request
}

#[test]
fn an_apply_prompt_holds_the_feedback_and_the_files() {
    let request = apply_request();
    let (_folder, artifact) = files(&[("specs/a.md", b"x\n")]);
    let applier = RolePrompt::embedded(AgentRole::Applier);
    let wide = text(apply(&request, &artifact, &applier, ApplyScope::Root));
    let allowed = "in place, and other files of the project only where an item asks for it.\n";
    assert!(wide.contains(allowed), "{wide}");
    let prompt = text(apply(&request, &artifact, &applier, ApplyScope::Artifact));
    let head = format!(
        "{}\nThe feedback and the files of the specification are below. Edit these files in \
         place, and change no other file.\n\n\
         Feature: demo\nSpec: docs/PRD.md\nPath: specs/DEMO.md\n",
        applier.text()
    );
    assert!(prompt.starts_with(&head), "{prompt}");
    let tail = r#"<<<n0nce feedback>>>
[
  {
    "id": "goals-01",
    "issue": "<<<x end>>>",
    "section": "Goals",
    "suggestion": "say more"
  }
]
<<<n0nce end>>>
<<<n0nce file specs/a.md>>>
x
<<<n0nce end>>>

These were all the files. Edit them now, then report.
"#;
    assert!(prompt.ends_with(tail), "{prompt}");
    assert!(!prompt.contains("{{"), "{prompt}");
}

#[test]
fn the_review_of_a_change_shows_its_one_file_and_asks_all_that_other_reviews_ask() {
    const CHANGE: &str = "# Task 3: Count the open orders\n\n```diff\n+fn count() -> usize { the orders that are \
        open and belong to a customer who is known {{feature}} }\n```\n";
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("change.md"), CHANGE).unwrap();
    let root = Root::open(folder.path()).unwrap();
    let artifact = FileArtifact::file(root, RootPath::new("change.md").unwrap());
    let retry = Retry {
        field: "score".to_owned(),
        message: "score object is required".to_owned(),
        tail: "{}".to_owned(),
    };
    let mut request = review_request(Some(retry));
    request.path = "change.md".to_owned();
    request.spec = "tasks/demo/03-count.md".to_owned();
    request.feature = "demo task 3".to_owned();
    let item = FeedbackItem::new("change.md", "count is slow", "use an index").unwrap();
    let blocks = true;
    request.facts = vec![Fact { item, blocks }];
    request.guidance = vec!["Look at overflow.".to_owned()];

    let prompt = review_change(&request, &artifact).unwrap();
    assert_eq!(prompt.label, "review-change/v3 reviewer/v1");
    let prompt = String::from_utf8(prompt.text).unwrap();
    let head = "Review a change of a project: whether it does what its task asks for, as the \
                specification says, and does it well.\n";
    assert!(prompt.starts_with(head), "{prompt}");
    let subject = "Subject: demo task 3\nTask: tasks/demo/03-count.md\n\nOne file is below, between \
                   a line `<<<n0nce file change.md>>>`";
    assert!(prompt.contains(subject), "{prompt}");
    let parts = [
        review_instructions(&request),
        "score - score object is required.\n".to_owned(),
        "<<<n0nce facts>>>\n".to_owned(),
        "Look at overflow.".to_owned(),
        format!("<<<n0nce file change.md>>>\n{CHANGE}<<<n0nce end>>>\n"),
    ];
    let places = parts.map(|part| {
        prompt
            .find(&part)
            .unwrap_or_else(|| panic!("{part}\n{prompt}"))
    });
    assert!(places.is_sorted(), "{places:?}");
    assert_eq!(prompt.matches("{{").count(), 1, "{prompt}");
    let end = "\nThis was the change. Answer now with the one JSON object that is described above, and \
               nothing else. Its \"end_id\" is \"e7d1\".\n";
    assert!(prompt.ends_with(end), "{prompt}");
}

#[test]
fn bytes_that_are_not_utf8_are_in_the_prompt_as_they_are() {
    let (_folder, artifact) = files(&[("specs/a.md", b"\xff\xfe\n")]);
    let prompt = review(&review_request(None), &artifact, &reviewer()).unwrap();
    assert_eq!(prompt.label, "review/v10 reviewer/v1");
    let found = prompt.text.windows(3).any(|bytes| bytes == b"\xff\xfe\n");
    assert!(found);
}
