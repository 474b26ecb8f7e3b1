use std::os::unix::fs::symlink;
use std::sync::Arc;

use review::types::{AgentError, Failure, ModelId, UnitId, Usage, Verdict};
use review::{AnswerContent, Applier, Reviewer};
use review_agents::BuiltinAgent;
use review_lint::Settings;
use review_store::{FileArtifact, RootPath};

use crate::support::{Project, SPEC, apply_request, checkout, review_request};

fn rules(project: &Project) -> BuiltinAgent {
    of(Settings::default(), project)
}

fn of(settings: Settings, project: &Project) -> BuiltinAgent {
    let context = Arc::new(project.context());
    let checkout = Arc::new(checkout(&context));
    BuiltinAgent::new(settings, context, checkout)
}

fn by() -> ModelId {
    ModelId {
        backend: "builtin".to_owned(),
        model: None,
        prompt: None,
    }
}

async fn verdict(agent: &BuiltinAgent) -> Verdict {
    let answer = agent.review(review_request()).await.unwrap();
    assert_eq!(
        (answer.by, answer.session, answer.usage),
        (by(), None, Some(Usage::NOTHING))
    );
    match answer.content {
        AnswerContent::Review(review) => review.verdict(),
        other => panic!("the rules give a review, not {other:?}"),
    }
}

async fn report(agent: &BuiltinAgent) -> String {
    let report = agent.apply(apply_request()).await.unwrap();
    assert_eq!(
        (report.by, report.session, report.usage),
        (by(), None, Some(Usage::NOTHING))
    );
    String::from_utf8(report.text).unwrap()
}

#[tokio::test]
async fn the_rules_read_the_files_again_in_each_round() {
    let project = Project::new();
    let agent = rules(&project);
    project.write(SPEC, "# Demo\n\nThe limit is TBD.\n");
    assert_eq!(verdict(&agent).await, Verdict::NeedsRevision);
    project.write(SPEC, "# Demo\n\nThe limit is 3.\n");
    assert_eq!(verdict(&agent).await, Verdict::Pass);
}

#[tokio::test]
async fn rules_that_nothing_concerns_give_no_verdict() {
    let project = Project::new();
    let none_selected = Settings {
        select: Some([].into()),
        ..Settings::default()
    };
    let agent = of(none_selected, &project);
    let answer = agent.review(review_request()).await.unwrap();
    let needs = "a Markdown file, or a unit with task files".to_owned();
    assert_eq!(answer.content, AnswerContent::NothingChecked { needs });
}

#[tokio::test]
async fn a_finding_without_a_safe_fix_is_left_as_it_is() {
    let project = Project::new();
    let text = "# Demo\n\nThe limit is TBD.\n";
    project.write(SPEC, text);
    let said = report(&rules(&project)).await;
    assert_eq!(said, "no finding has a safe fix\n");
    assert_eq!(project.read(SPEC), text);
}

#[tokio::test]
async fn a_safe_fix_is_made_where_it_belongs() {
    let project = Project::new();
    project.write(SPEC, "# Demo\n\nThe limit is TBD.\n\n```sh\necho hi\n");
    let said = report(&rules(&project)).await;
    assert_eq!(said, "fixed 1 finding in specs/DEMO.md\n");
    assert_eq!(
        project.read(SPEC),
        "# Demo\n\nThe limit is TBD.\n\n```sh\necho hi\n```\n"
    );
}

#[tokio::test]
async fn the_files_of_a_unit_are_fixed_one_by_one() {
    let project = Project::new();
    let task = "---\ntask: 1\nbackpressure: test -d src\n---\n# One\n\n```sh\nls\n";
    std::fs::create_dir_all(project.path("root/tasks/demo")).unwrap();
    project.write("tasks/demo/01-one.md", task);
    project.write("tasks/demo/02-two.md", task.replace("task: 1", "task: 2"));
    project.write(SPEC, "# Demo\n\nText.\n");
    let context = Arc::new(project.context());
    let mut checkout = checkout(&context);
    checkout.artifact = Arc::new(FileArtifact::unit(
        checkout.root().clone(),
        UnitId::new("demo").unwrap(),
        RootPath::new("tasks/demo").unwrap(),
        Some(RootPath::new(SPEC).unwrap()),
    ));
    let agent = BuiltinAgent::new(Settings::default(), context, Arc::new(checkout));
    assert_eq!(
        report(&agent).await,
        "fixed 1 finding in tasks/demo/01-one.md\n\
         fixed 1 finding in tasks/demo/02-two.md\n"
    );
    assert_eq!(project.read("tasks/demo/01-one.md"), format!("{task}```\n"));
}

#[tokio::test]
async fn a_file_that_is_not_text_throughout_is_not_rewritten() {
    let project = Project::new();
    let bytes = b"# Demo\n\n```sh\necho hi\n\xff more\n";
    project.write(SPEC, bytes);
    let said = report(&rules(&project)).await;
    assert_eq!(said, "no finding has a safe fix\n");
    assert_eq!(
        std::fs::read(project.path("root/specs/DEMO.md")).unwrap(),
        bytes
    );
}

#[tokio::test]
async fn a_file_that_leads_out_of_the_root_is_no_verdict() {
    let project = Project::new();
    let secret = project.path("programs/secret.md");
    std::fs::write(&secret, "# Secret\n").unwrap();
    std::fs::remove_file(project.path("root/specs/DEMO.md")).unwrap();
    symlink(&secret, project.path("root/specs/DEMO.md")).unwrap();
    let agent = rules(&project);
    let message = format!(
        "builtin: specs/DEMO.md is a symbolic link to {}, which is outside the root",
        secret.display()
    );
    let expected = AgentError::new(Failure::SetupFailed { missing: None }, message);
    let reviewed = agent.review(review_request()).await;
    assert_eq!(reviewed.unwrap_err(), expected);
    let applied = agent.apply(apply_request()).await;
    assert_eq!(applied.unwrap_err(), expected);
}
