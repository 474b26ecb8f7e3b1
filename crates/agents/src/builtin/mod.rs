//! The embedded rules as reviewer and as applier: no network, no key, no
//! model.

mod fixes;

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::sync::Arc;

use async_trait::async_trait;
use review::{
    AnswerContent, Applier, ApplyReport, ApplyRequest, Fact, FactFinder, ReviewAnswer,
    ReviewRequest, Reviewer,
};
use review_document::workspace::Workspace;
use review_lint::{NothingChecked, Settings, Severity, lint};
use review_store::{ConfineError, Lookup, Overlay, workspace};
use review_types::{AgentError, ModelId, Usage, plural};

use crate::caller::{NoAnswer, setup_failed};
use crate::row::{BackendKind, BackendRow};
use crate::{AgentContext, Checkout};
use fixes::FixedFile;

/// The name of the backend.
pub(crate) const NAME: &str = "builtin";

/// What it is like.
pub(crate) const ROW: BackendRow = BackendRow {
    name: NAME,
    kind: BackendKind::Embedded,
    implementer: false,
    needs: "nothing",
    install: None,
    variables: &[],
    writes: &[],
};

/// The most facts that a reviewer is given, the most severe first.
const MAX_FACTS: usize = 200;

/// The embedded rules, as reviewer and as applier.
///
/// As reviewer they look at the project again in each round. As applier they
/// make those changes that are safe without being understood, and leave
/// everything else. To any other reviewer they can tell what they find as facts.
pub struct BuiltinAgent {
    settings: Settings,
    context: Arc<AgentContext>,
    checkout: Arc<Checkout>,
}

impl BuiltinAgent {
    /// The rules that `settings` selects, for the artifact of `checkout`.
    pub fn new(settings: Settings, context: Arc<AgentContext>, checkout: Arc<Checkout>) -> Self {
        Self {
            settings,
            context,
            checkout,
        }
    }

    fn workspace(&self) -> Result<Workspace, ConfineError> {
        let path = self.context.env.get(OsStr::new("PATH"));
        let lookup = Lookup {
            state: &self.context.run.state(),
            path: path.map(OsString::as_os_str),
            tracked: &[],
            overlay: &Overlay::default(),
        };
        workspace(&self.checkout.artifact, lookup)
    }

    fn look(&self) -> Result<AnswerContent, NoAnswer> {
        let workspace = self.workspace().map_err(not_done)?;
        Ok(match lint(&workspace, &self.settings).review() {
            Ok(review) => AnswerContent::Review(review),
            Err(NothingChecked) => AnswerContent::NothingChecked {
                needs: "a Markdown file, or a unit with task files".to_owned(),
            },
        })
    }

    fn fix(&self) -> Result<String, NoAnswer> {
        let workspace = self.workspace().map_err(not_done)?;
        let files = fixes::safe_fixes(workspace, &self.settings);
        for file in &files {
            file.write(self.checkout.root()).map_err(not_done)?;
        }
        Ok(report(&files))
    }
}

fn report(files: &[FixedFile]) -> String {
    let line = |file: &FixedFile| {
        let findings = plural(file.findings, "finding", "findings");
        format!("fixed {findings} in {}\n", file.path)
    };
    match files {
        [] => "no finding has a safe fix\n".to_owned(),
        files => files.iter().map(line).collect(),
    }
}

fn by() -> ModelId {
    ModelId {
        backend: NAME.to_owned(),
        model: None,
        prompt: None,
    }
}

/// The rules are no program: what stops them is that their work cannot start.
fn not_done(error: impl Display) -> NoAnswer {
    setup_failed(format!("{NAME}: {error}"))
}

#[async_trait]
impl Reviewer for BuiltinAgent {
    async fn review(&self, _: ReviewRequest) -> Result<ReviewAnswer, AgentError> {
        let content = self.look().map_err(|error| *error)?;
        Ok(ReviewAnswer {
            usage: Some(Usage::NOTHING),
            ..ReviewAnswer::new(content, by())
        })
    }
}

#[async_trait]
impl FactFinder for BuiltinAgent {
    async fn facts(&self) -> Result<Vec<Fact>, AgentError> {
        let workspace = self.workspace().map_err(|error| *not_done(error))?;
        let report = lint(&workspace, &self.settings);
        let facts = report.items().map(|(finding, item)| Fact {
            item,
            blocks: finding.severity == Severity::Error,
        });
        Ok(facts.take(MAX_FACTS).collect())
    }
}

#[async_trait]
impl Applier for BuiltinAgent {
    async fn apply(&self, _: ApplyRequest) -> Result<ApplyReport, AgentError> {
        let fixed = self.fix().map_err(|error| *error)?;
        Ok(ApplyReport {
            text: fixed.into_bytes(),
            by: by(),
            usage: Some(Usage::NOTHING),
            ..ApplyReport::done()
        })
    }
}
