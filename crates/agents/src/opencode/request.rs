//! The request object of the Agent Feedback Protocol that opencode is asked
//! with.

use std::num::NonZeroU32;

use review::ReviewRequest;
use review::prompt::item_rules;
use review::schema::afp::{
    Artifact, FeedbackRequest, MediaType, ProtocolVersion, ReviewAsk, ReviewRetry,
};
use review::types::{FeedbackItem, Finding, MemoryKey};
use review_store::{ConfineError, FileArtifact, Reader};
use serde_json::Value;

use crate::prompts::{Prompt, RolePrompt, sha256};

/// The form of the request and its version.
const FORM: &str = "afp-review/v5";

/// Asks for a review of `artifact`: the first request of a session, or a
/// follow-up in one.
pub(crate) fn request(
    request: &ReviewRequest,
    artifact: &FileArtifact,
    role: &RolePrompt,
) -> Result<Prompt, ConfineError> {
    let follow_up = request.follow_up.as_ref();
    let asked = FeedbackRequest {
        protocol_version: ProtocolVersion::V1_2,
        iteration: follow_up.map_or(NonZeroU32::MIN, |follow_up| follow_up.iteration),
        artifact: artifact_of(artifact)?,
        applied_feedback: follow_up.map(|follow_up| follow_up.applied_feedback.clone()),
        review: Some(ask(request, role)),
    };
    Ok(Prompt {
        label: role.label(FORM),
        text: written(&asked, &request.memory_key),
    })
}

/// The request as JSON, with the previous rounds in the field of the user's name.
#[expect(
    clippy::expect_used,
    reason = "a request consists of strings, numbers and arrays"
)]
fn written(request: &FeedbackRequest, memory_key: &MemoryKey) -> Vec<u8> {
    const JSON: &str = "strings, numbers and arrays always have a JSON form";
    let usual = MemoryKey::default();
    if *memory_key == usual {
        return serde_json::to_vec(request).expect(JSON);
    }
    let mut json = serde_json::to_value(request).expect(JSON);
    let review = json.get_mut("review").and_then(Value::as_object_mut);
    if let Some(review) = review
        && let Some(rounds) = review.remove(usual.as_str())
    {
        review.insert(memory_key.to_string(), rounds);
    }
    json.to_string().into_bytes()
}

fn ask(request: &ReviewRequest, role: &RolePrompt) -> ReviewAsk {
    let (mut facts, others): (Vec<_>, Vec<_>) = request.facts.iter().partition(|fact| fact.blocks);
    facts.extend(others);
    let facts = facts.into_iter().map(|fact| fact.item.clone());
    let open = |finding: &&Finding| finding.counts() && finding.blocks();
    let found = request.findings.iter().filter(open).filter_map(|finding| {
        FeedbackItem::new(&*finding.section, &*finding.issue, &*finding.suggestion).ok()
    });
    ReviewAsk {
        review_id: request.review_id.clone(),
        instructions: Some(format!("{}\n{}", role.text(), item_rules(request))),
        criteria: request.criteria.iter().cloned().collect(),
        open_findings: facts.chain(found).collect(),
        feedback_history: request.history.clone(),
        guidance: request.guidance.clone(),
        retry: request.retry.as_ref().map(|retry| ReviewRetry {
            field: retry.field.clone(),
            message: retry.message.clone(),
            tail: retry.tail.clone(),
        }),
        end_id: Some(request.end_id.clone()),
    }
}

/// The files as one artifact: several are joined, each after a line that names
/// it.
fn artifact_of(artifact: &FileArtifact) -> Result<Artifact, ConfineError> {
    let mut reader = Reader::new(artifact.root());
    let paths = artifact.paths()?;
    let mut content = String::new();
    for path in &paths {
        let text = reader.read(path.as_str())?;
        if paths.len() > 1 {
            if !content.is_empty() && !content.ends_with('\n') {
                content.push('\n');
            }
            let name = path.as_str().escape_debug();
            content.push_str(&format!("<!-- file: {name} -->\n"));
        }
        content.push_str(&String::from_utf8_lossy(&text));
    }
    let only = match &*paths {
        [only] => only.as_str(),
        _ => "",
    };
    Ok(Artifact {
        media_type: media_type(only),
        artifact_ref: Some(sha256(&content)),
        content,
    })
}

/// The media type of a file; that of Markdown for several.
#[expect(clippy::expect_used, reason = "the names of this list are legal")]
fn media_type(path: &str) -> MediaType {
    let extension = path
        .rsplit_once('.')
        .map_or("md", |(_, extension)| extension);
    let name = match extension {
        "json" => "application/json",
        "yaml" | "yml" => "application/yaml",
        "toml" => "application/toml",
        "txt" => "text/plain",
        _ => "text/markdown",
    };
    MediaType::new(name).expect("a type and a subtype")
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "tests make the files that they need"
)]
mod tests {
    use review::events::AgentRole;
    use review::types::{
        Decision, Decisions, FeedbackId, FeedbackItems, FindingEvidence, FindingId, FindingPlace,
        FindingStatus, PastItem, PastRound, Severity, TakenDecision, Verdict,
    };
    use review::{Fact, FollowUp, Retry};
    use review_store::{Root, RootPath};
    use serde_json::json;

    use super::*;
    use crate::prompts::requests::review_request;

    fn artifact_at(files: &[(&str, &[u8])]) -> (tempfile::TempDir, FileArtifact) {
        let folder = tempfile::tempdir().unwrap();
        for (path, bytes) in files {
            std::fs::write(folder.path().join(path), bytes).unwrap();
        }
        let root = Root::open(folder.path()).unwrap();
        let artifact = match files {
            [(only, _)] => FileArtifact::file(root, RootPath::new(only).unwrap()),
            _ => FileArtifact::folder(root, RootPath::new(".").unwrap()),
        };
        (folder, artifact)
    }

    fn asked(request_: &ReviewRequest, files: &[(&str, &[u8])]) -> Value {
        let (_folder, artifact) = artifact_at(files);
        let role = RolePrompt::embedded(AgentRole::Reviewer);
        let prompt = request(request_, &artifact, &role).unwrap();
        assert_eq!(prompt.label, "afp-review/v5 reviewer/v1");
        let read = review::schema::afp::read_request(&prompt.text);
        assert!(read.is_ok(), "{read:?}");
        serde_json::from_slice(&prompt.text).unwrap()
    }

    #[test]
    fn a_first_request_has_the_artifact_and_what_is_scored() {
        let mut asked = asked(&review_request(None), &[("a.md", b"# A\n")]);
        let review = asked["review"].take();
        assert_eq!(
            asked,
            json!({
                "protocol_version": "1.2",
                "iteration": 1,
                "artifact": {
                    "media_type": "text/markdown",
                    "content": "# A\n",
                    "artifact_ref": "aa1237b773c38dbddef583c4868aaea7a44c5237ea7923aecca5513764b42d80",
                },
                "review": null,
            })
        );
        assert_eq!(review["review_id"], "id-7");
        assert_eq!(review["criteria"][0]["name"], "completeness");
        assert_eq!(review["criteria"][0]["min_score"], 70);
        let role = RolePrompt::embedded(AgentRole::Reviewer);
        let instructions = review["instructions"].as_str().unwrap();
        assert!(instructions.starts_with(role.text()), "{instructions}");
        let rules = [
            "So only critical and major items ask for a revision.\n",
            "The quote of an item is 6 to 20 words of the files that show the issue",
        ];
        for rule in rules {
            assert!(instructions.contains(rule), "{instructions}");
        }
        assert_eq!(review["end_id"], "e7d1");
        assert_eq!(review.as_object().unwrap().len(), 4);
    }

    #[test]
    fn several_files_are_joined_each_after_its_name() {
        let asked = asked(
            &review_request(None),
            &[("a.md", b"# A"), ("b.md", b"\xff\n"), ("c.md", b"")],
        );
        assert_eq!(
            asked["artifact"]["content"],
            "<!-- file: a.md -->\n# A\n<!-- file: b.md -->\n\u{fffd}\n<!-- file: c.md -->\n"
        );
        assert_eq!(asked["artifact"]["media_type"], "text/markdown");
    }

    #[test]
    fn one_file_has_the_type_of_its_name() {
        for (name, expected) in [
            ("a.json", "application/json"),
            ("a.yaml", "application/yaml"),
            ("a.yml", "application/yaml"),
            ("a.toml", "application/toml"),
            ("a.txt", "text/plain"),
            ("a.md", "text/markdown"),
            ("LICENSE", "text/markdown"),
        ] {
            assert_eq!(media_type(name).as_str(), expected, "{name}");
        }
    }

    #[test]
    fn a_follow_up_reports_the_decisions_on_the_last_response() {
        let item = FeedbackItem::new("Goals", "open", "close").unwrap();
        let areas = FeedbackItems::numbered(vec![item.clone()]);
        let taken = TakenDecision {
            decision: Decision::accepted(FeedbackId::new("goals-01").unwrap()),
            inferred: true,
            written_code: None,
        };
        let decisions = Decisions::new(vec![taken.clone()]).unwrap();
        let fact = |section: &str, blocks| Fact {
            item: FeedbackItem::new(section, "is so", "fix").unwrap(),
            blocks,
        };
        let finding = |section: &str, status| Finding {
            id: FindingId::new("f-0123456789ab").unwrap(),
            similar_to: None,
            status,
            out_of_scope: false,
            below_fail_level: false,
            evidence: FindingEvidence::default(),
            quote: None,
            changed_at_place: None,
            section: section.to_owned(),
            place: FindingPlace::default(),
            issue: "is still there".to_owned(),
            suggestion: "fix".to_owned(),
            severity: Severity::Major,
            raised: vec![1],
            repeats: 0,
            feedback: Vec::new(),
            history: Vec::new(),
        };
        let retry = Retry {
            field: "json".to_owned(),
            message: "cut off".to_owned(),
            tail: "{".to_owned(),
        };
        let mut request = review_request(Some(retry));
        request.follow_up = Some(FollowUp {
            session: "ses_1".to_owned(),
            iteration: NonZeroU32::new(3).unwrap(),
            applied_feedback: decisions.reported(areas.iter().map(|(id, _)| id), |_| None),
            used: None,
        });
        request.facts = vec![fact("Later", false), fact("First", true)];
        request.findings = vec![
            finding("Waived", FindingStatus::Waived),
            finding("Fixed", FindingStatus::Fixed),
            finding("Disputed", FindingStatus::Disputed),
            finding("Rejected", FindingStatus::Rejected),
        ];
        request.history = vec![PastRound {
            iteration: NonZeroU32::MIN,
            verdict: Verdict::NeedsRevision,
            feedback: vec![PastItem {
                item,
                decision: Some(taken),
            }],
        }];
        request.guidance = vec!["keep it short".to_owned()];

        let asked = asked(&request, &[("a.md", b"# A\n")]);
        assert_eq!(asked["iteration"], 3);
        assert_eq!(
            asked["applied_feedback"],
            json!({"items": [{"id": "goals-01", "status": "accepted"}]})
        );
        let review = &asked["review"];
        assert_eq!(
            review["retry"],
            json!({"field": "json", "message": "cut off", "tail": "{"})
        );
        assert_eq!(review["guidance"], json!(["keep it short"]));
        let open = review["open_findings"].as_array().unwrap().iter();
        let open: Vec<_> = open.map(|item| item["section"].as_str().unwrap()).collect();
        assert_eq!(open, ["First", "Later", "Rejected"]);
        let history = &review["feedback_history"][0];
        assert_eq!(history["feedback"][0]["decision"]["inferred"], true);
        let mut renamed = request;
        renamed.memory_key = MemoryKey::new("rounds").unwrap();

        let (_folder, artifact) = artifact_at(&[("a.md", b"# A\n")]);
        let role = RolePrompt::embedded(AgentRole::Reviewer);
        let renamed = super::request(&renamed, &artifact, &role).unwrap();
        let renamed: Value = serde_json::from_slice(&renamed.text).unwrap();
        let mut usual = asked.clone();
        let fields = usual["review"].as_object_mut().unwrap();
        fields.remove("feedback_history");
        fields.insert("rounds".to_owned(), review["feedback_history"].clone());
        assert_eq!(renamed, usual);
    }
}
