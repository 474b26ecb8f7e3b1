//! Reviews that an agent asks for: one at a time, by what is committed.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use review_agents::Backend;
use review_config::FILE_NAME;
use review_engine::learn::CONFIG_FILE;
use review_process::{Sink, Stop, Stream, git};
use review_store::read_named;
use serde_json::{Value as Json, json};
use tokio::sync::watch;

use super::server::{Server, refused, text_of};
use super::tools::Work;
use crate::context::Context;
use crate::error::CommandError;
use crate::runtime::Runtime;

/// What decides about a review, as it was committed when the server started: an agent that
/// changes it gets no review by it.
pub(super) struct Trust {
    root: PathBuf,
    /// Why no review is started at all.
    refusal: Option<String>,
    /// The contents of the files that decide, by their paths in the root; `None` for one that
    /// is not there.
    files: BTreeMap<String, Option<Vec<u8>>>,
}

/// Where learned prompts of the reviewer are.
const PROMPTS: &str = ".aiwg/.prompts/reviewer";

/// What a person does about a file that decides.
const LOOK: &str = "and decides about reviews: a person looks at it, commits it, and starts the \
                    server again";

impl Trust {
    /// Reads what decides.
    ///
    /// # Errors
    /// When the configuration cannot be used, or is not that of the root.
    pub(super) fn new(context: &mut Context, runtime: &Runtime) -> Result<Self, CommandError> {
        let given = context.given_options();
        if given.iter().any(|option| option == "--config") {
            let error = CommandError::new("with --allow review, --config cannot be used");
            return Err(error.hint("put it into ralph.toml: reviews go by what is committed"));
        }
        let root = context.current_root();
        let settings = context.settings(&root, &[])?;
        let mut paths: Vec<_> = [FILE_NAME, CONFIG_FILE].map(str::to_owned).into();
        for backend in settings.reviewer.iter() {
            if let Backend::Cmd(line) | Backend::Acp(line) = backend {
                let words = line.args().iter().map(String::as_str);
                let words = std::iter::once(line.program()).chain(words);
                paths.extend(words.filter_map(|word| inside(&root, word)));
            }
        }
        paths.extend(prompts(&root));
        let groups = runtime.groups();
        let git = git::Folder::new(&root, runtime.stop(), &groups);
        let files = paths.into_iter().map(|path| {
            let committed = runtime.finish(git.file_at(&git::Commit::head(), &path));
            (path, committed)
        });
        let mut trust = Self {
            refusal: None,
            files: files.collect(),
            root,
        };
        let run = context.environment.variable("RALPH_RUN");
        trust.refusal = if let Some(run) = run {
            let run = run.to_string_lossy();
            Some(format!(
                "this is a call of run {run}, which has its own reviewer"
            ))
        } else if settings.review.check.is_some() {
            let text = "review.check decides as well, and is a command that an agent can change: a \
                        person starts the review with `ralph run` or `ralph review`";
            Some(text.to_owned())
        } else {
            trust.changed().map(|path| {
                format!("{path} is not as it was committed when the server started, {LOOK}")
            })
        };
        Ok(trust)
    }

    /// Why no review may be started.
    fn refusal(&self) -> Option<String> {
        self.refusal.clone().or_else(|| {
            let path = self.changed()?;
            Some(format!("{path} changed since the server started, {LOOK}"))
        })
    }

    /// The first file that is not as it was committed.
    fn changed(&self) -> Option<String> {
        let now = prompts(&self.root);
        let mut paths = self.files.keys().chain(&now);
        let is_changed = |path: &&String| {
            let committed = self.files.get(*path).and_then(Option::as_ref);
            read_named(&self.root.join(path)).ok().as_ref() != committed
        };
        paths.find(is_changed).cloned()
    }
}

/// The paths of the learned prompts of the reviewer.
fn prompts(root: &Path) -> Vec<String> {
    let folder = std::fs::read_dir(root.join(PROMPTS));
    let names = folder.into_iter().flatten().flatten();
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    names.map(|name| format!("{PROMPTS}/{name}")).collect()
}

/// The path in the root of a file that a word of a command names.
fn inside(root: &Path, word: &str) -> Option<String> {
    let path = root.join(word);
    let is_plain = |part: Component<'_>| !matches!(part, Component::ParentDir);
    let (root, path) = match path.components().all(is_plain) {
        true => (root.to_owned(), path),
        false => (root.canonicalize().ok()?, path.canonicalize().ok()?),
    };
    let found = path.is_file().then(|| path.strip_prefix(&root))?.ok()?;
    let parts = found.components().filter(|part| *part != Component::CurDir);
    parts.collect::<PathBuf>().to_str().map(str::to_owned)
}

/// The reviews of a server: one at a time.
pub(super) struct Reviews {
    trust: Trust,
    latest: RefCell<Option<Review>>,
    /// Whether none is started any more.
    is_closed: Cell<bool>,
}

/// A review that was started.
#[derive(Clone)]
struct Review {
    progress: watch::Receiver<Progress>,
    stop: watch::Sender<Stop>,
}

/// How far a review is.
#[derive(Clone, Default)]
struct Progress {
    /// Its run, once that has started.
    run: Option<String>,
    /// The last event of its run.
    event: String,
    /// What it wrote to standard error, once it has ended.
    ended: Option<String>,
}

impl Reviews {
    pub(super) fn new(trust: Trust) -> Self {
        Self {
            trust,
            latest: RefCell::default(),
            is_closed: Cell::new(false),
        }
    }

    /// Starts a review and waits for it. Returns what reports it, once it has ended.
    ///
    /// # Errors
    /// The result of a call that does not end with a report: the review goes on, or could
    /// not be started.
    pub(super) async fn start(
        &self,
        server: &Rc<Server>,
        work: Work,
        wait: Duration,
        mut cancelled: watch::Receiver<bool>,
    ) -> Result<Work, Json> {
        if let Some(why) = self.trust.refusal() {
            return Err(refused(&why));
        }
        if self.is_closed.get() {
            return Err(refused("the server has ended"));
        }
        if let Some(review) = self.under_way() {
            return Err(review.report());
        }
        let review = Review::start(server, work);
        self.latest.replace(Some(review.clone()));
        tokio::select! {
            () = review.wait(wait) => {}
            Ok(_) = cancelled.wait_for(|cancelled| *cancelled) => self.interrupt().await,
        }
        let progress = review.progress.borrow().clone();
        match (progress.ended, progress.run) {
            (None, _) => Err(review.report()),
            (Some(_), Some(run)) => Ok(Work::report(run)),
            (Some(told), None) => Err(refused(&told)),
        }
    }

    /// Waits for a run, if it is that of a review under way. Returns how far that is, if
    /// it has not ended by then.
    pub(super) async fn wait_for(&self, run: &str, wait: Duration) -> Option<Json> {
        let review = self.under_way()?;
        let is_meant = run == "latest" || review.progress.borrow().run.as_deref() == Some(run);
        if is_meant {
            review.wait(wait).await;
        }
        (is_meant && review.is_under_way()).then(|| review.report())
    }

    /// Interrupts what is under way, which can be resumed, and starts nothing any more.
    pub(super) fn close(&self) {
        self.is_closed.set(true);
        if let Some(review) = self.under_way() {
            review.stop.send_replace(Stop::Stop);
        }
    }

    /// Interrupts what is under way, and waits until it has ended.
    pub(super) async fn interrupt(&self) {
        if let Some(mut review) = self.under_way() {
            review.stop.send_replace(Stop::Stop);
            drop(review.progress.wait_for(|now| now.ended.is_some()).await);
        }
    }

    fn under_way(&self) -> Option<Review> {
        self.latest.borrow().clone().filter(Review::is_under_way)
    }
}

impl Review {
    fn start(server: &Rc<Server>, work: Work) -> Self {
        let (sender, progress) = watch::channel(Progress::default());
        let (stop, stopped) = watch::channel(Stop::Run);
        let server = Rc::clone(server);
        tokio::task::spawn_local(async move {
            let mut events = Events {
                progress: &sender,
                line: Vec::new(),
            };
            let ended = server.ralph(&work, "--format=jsonl", stopped, Some(&mut events));
            let told = match ended.await {
                Ok(ended) => text_of(ended.stderr.into_complete()),
                Err(error) => error.to_string(),
            };
            sender.send_modify(|progress| progress.ended = Some(told));
        });
        Self { progress, stop }
    }

    fn is_under_way(&self) -> bool {
        self.progress.borrow().ended.is_none()
    }

    /// Waits for its end, at most so long.
    async fn wait(&self, most: Duration) {
        let mut progress = self.progress.clone();
        let ended = progress.wait_for(|progress| progress.ended.is_some());
        drop(tokio::time::timeout(most, ended).await);
    }

    /// The result of a call that did not wait for its end.
    fn report(&self) -> Json {
        let Progress { run, event, .. } = self.progress.borrow().clone();
        let name = run.as_deref().unwrap_or("latest");
        let text = format!("a review is going on ({event}); `status` with run {name} waits for it");
        let object = json!({"run": run, "outcome": null, "progress": event});
        json!({"content": [{"type": "text", "text": text}], "structuredContent": object})
    }
}

/// Reads the events of a run as they come.
struct Events<'a> {
    progress: &'a watch::Sender<Progress>,
    line: Vec<u8>,
}

impl Sink for Events<'_> {
    fn write(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        if stream == Stream::Stderr {
            return Ok(());
        }
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let event: Json = serde_json::from_slice(&self.line).unwrap_or_default();
                self.line.clear();
                if let (Some(run), Some(event)) = (event["run"].as_str(), event["type"].as_str()) {
                    self.progress.send_modify(|progress| {
                        progress.run = Some(run.to_owned());
                        event.clone_into(&mut progress.event);
                    });
                }
            }
        }
        Ok(())
    }
}
