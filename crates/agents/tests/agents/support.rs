//! A project in a temporary folder, and the requests of a loop over it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use review::events::LiveEvents;
use review::types::{AgentError, FeedbackItem, FeedbackItems, RunId, TaskNumber};
use review::{Allowance, AnswerContent, Applier, ApplyRequest, ReviewRequest, Reviewer, Subject};
use review_agents::{
    Agent, AgentContext, Backend, BriefFile, Checkout, CmdAgent, ImplementRequest, RoleAgent,
    TaskBrief,
};
use review_flow::{ManualClock, Nonce, Step, StepName};
use review_process::{Groups, Limits, Redactor, Stop};
use review_store::{FileArtifact, Root, RootPath, RunDir, StateDir};
use tokio::sync::watch;

pub(crate) const SPEC: &str = "specs/DEMO.md";

/// A project with one spec, and a switch that stops what runs there.
pub(crate) struct Project {
    folder: tempfile::TempDir,
    pub(crate) run: RunDir,
    pub(crate) stopper: watch::Sender<Stop>,
}

impl Project {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["root/specs", "programs"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let state = StateDir::open(&folder.path().join("state")).unwrap();
        let project = Self {
            run: state.create_run(&RunId::new("run-1").unwrap()).unwrap(),
            stopper: watch::Sender::new(Stop::Run),
            folder,
        };
        project.write(SPEC, "# Demo\n");
        project
    }

    /// A path below the temporary folder, which holds `root` and `programs`.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path("root").join(path), text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path("root").join(path)).unwrap()
    }

    pub(crate) fn context(&self) -> AgentContext {
        AgentContext {
            apply_scope: review_agents::ApplyScope::default(),
            programs: self.path("programs"),
            run: self.run.clone(),
            env: environment(&[("PATH", &std::env::var("PATH").unwrap())]),
            pass_env: Vec::new(),
            prompts: review_agents::RolePrompts::default(),
            models: review_agents::Models::default(),
            limits: Limits {
                grace: Duration::from_millis(500),
                ..Limits::default()
            },
            clock: Arc::new(ManualClock::default()),
            deadline: None,
            redactor: Redactor::default(),
            groups: Groups::default(),
            sandbox: None,
            live: LiveEvents::default(),
            trace_parent: None,
            stop: self.stopper.subscribe(),
        }
    }

    /// The logs of all calls by the names of their files.
    pub(crate) fn logs(&self) -> BTreeMap<String, String> {
        let Ok(entries) = std::fs::read_dir(self.run.path().join("logs")) else {
            return BTreeMap::new();
        };
        entries
            .map(|entry| {
                let entry = entry.unwrap();
                let text = std::fs::read(entry.path()).unwrap();
                let name = entry.file_name().into_string().unwrap();
                (name, String::from_utf8(text).unwrap())
            })
            .collect()
    }

    /// Whether a call has made the file `begun`.
    pub(crate) fn has_started(&self) -> bool {
        self.path("root/begun").exists()
    }
}

pub(crate) fn environment(variables: &[(&str, &str)]) -> BTreeMap<OsString, OsString> {
    let variables = variables.iter();
    variables
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

/// The checkout of the project in which `context` is.
pub(crate) fn checkout(context: &AgentContext) -> Checkout {
    let root = Root::open(&context.programs.with_file_name("root")).unwrap();
    let artifact = FileArtifact::file(root, RootPath::new(SPEC).unwrap());
    let variables = vec![
        ("RALPH_SPEC".into(), Some(SPEC.into())),
        ("RALPH_UNIT_DIR".into(), None),
    ];
    Checkout::new(Arc::new(artifact), context.run.child_slot(), variables)
}

/// An agent in the roles of a loop over the project of `context`.
pub(crate) fn in_roles(
    agent: impl Agent + 'static,
    backend: Backend,
    context: &Arc<AgentContext>,
) -> RoleAgent {
    let checkout = Arc::new(checkout(context));
    RoleAgent::new(Box::new(agent), backend, Arc::clone(context), checkout)
}

/// The program of a command line.
pub(crate) fn program(line: &str, context: AgentContext) -> RoleAgent {
    program_in(line, &Arc::new(context))
}

/// The same in a context that others see.
pub(crate) fn program_in(line: &str, context: &Arc<AgentContext>) -> RoleAgent {
    let agent = CmdAgent::new(line.parse().unwrap(), Arc::clone(context));
    in_roles(agent, format!("cmd:{line}").parse().unwrap(), context)
}

/// A shell that runs `script`.
pub(crate) fn sh(script: &str, context: AgentContext) -> RoleAgent {
    program(&shell_words::join(["sh", "-c", script]), context)
}

/// What the reviewer wrote, or why that does not count.
pub(crate) async fn answer(reviewer: &RoleAgent) -> Result<String, AgentError> {
    match reviewer.review(review_request()).await?.content {
        AnswerContent::Text(text) => Ok(String::from_utf8(text).unwrap()),
        other => panic!("a program answers in text, not {other:?}"),
    }
}

/// What the applier wrote, or why that does not count.
pub(crate) async fn report(applier: &RoleAgent) -> Result<String, AgentError> {
    let report = applier.apply(apply_request()).await?;
    Ok(String::from_utf8(report.text).unwrap())
}

fn subject() -> Subject {
    Subject::new("demo", "docs/PRD.md", SPEC)
}

pub(crate) fn review_request() -> ReviewRequest {
    let mut request = ReviewRequest::new(&subject());
    request.iteration = 2;
    request.review_id = "id-7".to_owned();
    request.nonce = Nonce::from("n0nce");
    request.session_id = "5e55".to_owned();
    request.step = step("review-2.1");
    request
}

pub(crate) fn apply_request() -> ApplyRequest {
    let items = [FeedbackItem::new("Demo", "is empty", "write it").unwrap()];
    let mut request = ApplyRequest::new(&subject(), FeedbackItems::numbered(items.to_vec()));
    request.iteration = 2;
    request.nonce = Nonce::from("n0nce");
    request.session_id = "5e55".to_owned();
    request.step = step("apply-2");
    request
}

/// The second attempt of a task.
pub(crate) fn implement_request() -> ImplementRequest<'static> {
    let file = |path, text: &'static str| BriefFile {
        path,
        text: text.as_bytes(),
        is_part: false,
    };
    ImplementRequest {
        brief: TaskBrief {
            number: TaskNumber::new(3).unwrap(),
            title: "Demo",
            file: file("tasks/demo/03-demo.md", "# Demo\n"),
            spec: file(SPEC, "# Spec\n"),
            unit_dir: "tasks/demo",
            commands: &[],
            must_pass: &[],
            attempt: 2,
            is_interrupted: false,
            rejection: None,
            guidance: &[],
        },
        nonce: Nonce::from("n0nce"),
        session_id: "5e55".to_owned(),
        allowance: Allowance::default(),
        step: Step::alone(StepName::new("task", 3, "work-2")),
    }
}

fn step(name: &str) -> Step {
    Step::alone(StepName::new("review", 0, name))
}
