//! The calls of Temporal that are made.

use std::cell::Cell;
use std::env;
use std::error::Error;
use std::fs;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use temporalio_protos::temporal::api::common::v1::{ActivityType, Payloads, RetryPolicy};
use temporalio_protos::temporal::api::enums::v1::{
    ActivityIdConflictPolicy, ActivityIdReusePolicy,
};
use temporalio_protos::temporal::api::failure::v1::failure::FailureInfo;
use temporalio_protos::temporal::api::failure::v1::{ApplicationFailureInfo, Failure};
use temporalio_protos::temporal::api::taskqueue::v1::TaskQueue;
use temporalio_protos::temporal::api::workflowservice::v1::workflow_service_client::WorkflowServiceClient;
use temporalio_protos::temporal::api::workflowservice::v1::{
    DescribeActivityExecutionRequest, DescribeActivityExecutionResponse as Described,
    GetSystemInfoRequest, PollActivityTaskQueueRequest, PollActivityTaskQueueResponse,
    RecordActivityTaskHeartbeatRequest, RequestCancelActivityExecutionRequest,
    RespondActivityTaskCompletedRequest, RespondActivityTaskFailedRequest,
    StartActivityExecutionRequest, TerminateActivityExecutionRequest,
};
use tokio::time::{Instant, sleep};
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Identity, Uri};
use tonic::{Code, Request, Response, Status};

use crate::activity_id::ActivityId;
use crate::args::{EngineArgs, Timeouts};
use crate::step::STEP;

/// The first version of the server that has activities without a workflow.
const FIRST: (u32, u32) = (1, 32);

/// How long a call may take that waits for nothing but a server that has much to do.
const SHORT: Duration = Duration::from_secs(30);

/// How long it may take until a server answers at all.
const CONNECTS: Duration = Duration::from_secs(10);

/// How often workers say at least that they go on.
const PULSE: Duration = Duration::from_secs(10);

/// How long a call may take that waits for something to happen.
const LONG: Duration = Duration::from_secs(70);

/// How long a worker waits for a step before it asks again. One that drains waits as long,
/// since a poll that is given up may have been answered.
const POLL: Duration = Duration::from_secs(10);

/// The pause before a call is made again.
const PAUSE: Duration = Duration::from_millis(500);

/// An attempt may take as long as it says that it goes on.
const ENDLESS: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// How often a step is given to its worker.
pub(crate) const ATTEMPTS: i32 = 3;

/// What is kept.
const KEPT: &str = "kept.1";

/// For calls that are made until they are answered.
pub(crate) const FOREVER: Duration = Duration::MAX;

pub(crate) type Client = WorkflowServiceClient<InterceptedService<Channel, Credentials>>;

/// A server.
pub(crate) struct Engine {
    client: Client,
    url: Uri,
    pub(crate) namespace: String,
    pub(crate) project: String,
    pub(crate) identity: String,
    /// How long the server may be away.
    patience: Duration,
    /// Whether it is, as far as users know.
    is_away: Cell<bool>,
    pub(crate) timeouts: Timeouts,
}

/// What is known of a step.
#[derive(Default)]
pub(crate) struct Known {
    run: String,
    token: Vec<u8>,
}

impl Engine {
    /// Prepares for a server, which need not be there yet.
    pub(crate) fn new(
        args: &EngineArgs,
        project: String,
        identity: String,
        patience: Duration,
    ) -> Result<Self, String> {
        let key = env::var("RALPH_ENGINE_KEY").ok();
        let is_tls = args.engine.scheme_str() == Some("https");
        let host = args.engine.host().unwrap_or_default();
        let address = host.trim_matches(['[', ']']).parse();
        let is_loopback =
            host == "localhost" || address.is_ok_and(|address: IpAddr| address.is_loopback());
        if !is_tls && key.is_some() {
            return Err("a key is sent to https:// alone; see RALPH_ENGINE_KEY".to_owned());
        }
        if !is_tls && !is_loopback {
            eprintln!("warning: {} is not encrypted", args.engine);
        }
        let mut endpoint = Channel::builder(args.engine.clone())
            .connect_timeout(CONNECTS)
            .http2_keep_alive_interval(Duration::from_secs(30))
            .keep_alive_timeout(Duration::from_secs(15));
        if is_tls {
            endpoint = endpoint
                .tls_config(tls(args)?)
                .map_err(|error| cause_of(&error))?;
        }
        let credentials = Credentials::new(key.as_deref(), &args.namespace)?;
        Ok(Self {
            client: WorkflowServiceClient::with_interceptor(endpoint.connect_lazy(), credentials),
            url: args.engine.clone(),
            namespace: args.namespace.clone(),
            project,
            identity,
            patience,
            is_away: Cell::new(false),
            timeouts: args.timeouts,
        })
    }

    /// The queue of a worker.
    pub(crate) fn queue_of(&self, worker: &str) -> String {
        format!("ralph/{}/{worker}", self.project)
    }

    /// The queue that every worker polls, so that they can be listed. It has no tasks.
    pub(crate) fn roll(&self) -> String {
        format!("ralph/{}", self.project)
    }

    /// How often workers say that they go on.
    pub(crate) fn pulse(&self) -> Duration {
        PULSE.min(self.timeouts.heartbeat / 3)
    }

    /// Makes a call, and makes it again while the server is away.
    pub(crate) async fn call<R: Clone, T>(
        &self,
        limit: Duration,
        request: R,
        call: impl AsyncFn(&mut Client, Request<R>) -> Result<Response<T>, Status>,
    ) -> Result<T, Status> {
        let mut away_since = None;
        loop {
            let mut message = Request::new(request.clone());
            message.set_timeout(limit);
            let status = match call(&mut self.client.clone(), message).await {
                Ok(answer) => {
                    if self.is_away.replace(false) {
                        eprintln!("warning: the server can be reached again");
                    }
                    return Ok(answer.into_inner());
                }
                Err(status) => status,
            };
            let since = *away_since.get_or_insert_with(Instant::now);
            if !is_away(&status) || since.elapsed() >= self.patience {
                return Err(status);
            }
            if !self.is_away.replace(true) {
                eprintln!("warning: {}; trying again", self.sentence(&status));
            }
            sleep(PAUSE).await;
        }
    }

    /// The version of the server, which must have what is needed.
    pub(crate) async fn version(&self) -> Result<String, NoResult> {
        let info = self.call(SHORT, GetSystemInfoRequest {}, Client::get_system_info);
        let version = info
            .await
            .map_err(|status| self.no_result(&status))?
            .server_version;
        refuse_old(&version)?;
        Ok(version)
    }

    /// Has a worker carry out a step; `false` if it does or has already.
    pub(crate) async fn start(
        &self,
        id: &ActivityId,
        worker: &str,
        order: Payloads,
    ) -> Result<bool, Status> {
        let retry = RetryPolicy {
            initial_interval: time(Duration::from_secs(1)),
            backoff_coefficient: 1.0,
            maximum_attempts: ATTEMPTS,
            ..RetryPolicy::default()
        };
        let request = StartActivityExecutionRequest {
            task_queue: queue(&self.queue_of(worker)),
            schedule_to_start_timeout: time(self.timeouts.to_start),
            start_to_close_timeout: time(ENDLESS),
            heartbeat_timeout: time(self.timeouts.heartbeat),
            retry_policy: Some(retry),
            ..self.activity(STEP, id, order)
        };
        self.started(request).await
    }

    /// Keeps lines by a name, for as long as results are kept: as the input of an activity that
    /// no worker carries out, so that no queue is needed.
    pub(crate) async fn keep(&self, id: &ActivityId, kept: Payloads) -> Result<(), Status> {
        let request = StartActivityExecutionRequest {
            task_queue: queue(&self.roll()),
            schedule_to_close_timeout: time(ENDLESS),
            start_delay: time(ENDLESS),
            ..self.activity(KEPT, id, kept)
        };
        self.started(request).await?;
        let request = TerminateActivityExecutionRequest {
            namespace: self.namespace.clone(),
            activity_id: id.to_string(),
            request_id: unique(),
            reason: "kept".to_owned(),
            ..TerminateActivityExecutionRequest::default()
        };
        let ended = self.call(SHORT, request, Client::terminate_activity_execution);
        unless_over(ended.await)
    }

    /// Returns what is kept by this name, if it is.
    pub(crate) async fn kept(&self, id: &ActivityId) -> Result<Option<Payloads>, Status> {
        let request = DescribeActivityExecutionRequest {
            namespace: self.namespace.clone(),
            activity_id: id.to_string(),
            include_input: true,
            ..DescribeActivityExecutionRequest::default()
        };
        let described = self.call(SHORT, request, Client::describe_activity_execution);
        match described.await {
            Ok(described) => Ok(described.input),
            Err(status) if status.code() == Code::NotFound => Ok(None),
            Err(status) => Err(status),
        }
    }

    fn activity(
        &self,
        kind: &str,
        id: &ActivityId,
        input: Payloads,
    ) -> StartActivityExecutionRequest {
        StartActivityExecutionRequest {
            namespace: self.namespace.clone(),
            identity: self.identity.clone(),
            request_id: unique(),
            activity_id: id.to_string(),
            activity_type: Some(ActivityType {
                name: kind.to_owned(),
            }),
            input: Some(input),
            id_reuse_policy: ActivityIdReusePolicy::AllowDuplicateFailedOnly.into(),
            id_conflict_policy: ActivityIdConflictPolicy::UseExisting.into(),
            ..StartActivityExecutionRequest::default()
        }
    }

    async fn started(&self, request: StartActivityExecutionRequest) -> Result<bool, Status> {
        let started = self.call(SHORT, request, Client::start_activity_execution);
        match started.await {
            Ok(started) => Ok(started.started),
            Err(status) if status.code() == Code::AlreadyExists => Ok(false),
            Err(status) => Err(status),
        }
    }

    /// Waits until a step has gone on after what is known of it.
    pub(crate) async fn follow(
        &self,
        id: &ActivityId,
        known: &mut Known,
    ) -> Result<Described, Status> {
        let request = DescribeActivityExecutionRequest {
            namespace: self.namespace.clone(),
            activity_id: id.to_string(),
            run_id: known.run.clone(),
            include_outcome: true,
            include_heartbeat_details: true,
            long_poll_token: known.token.clone(),
            ..DescribeActivityExecutionRequest::default()
        };
        let described = self.call(LONG, request, Client::describe_activity_execution);
        let described = described.await?;
        // An answer for want of news has no token.
        if !described.long_poll_token.is_empty() {
            known.run.clone_from(&described.run_id);
            known.token.clone_from(&described.long_poll_token);
        }
        Ok(described)
    }

    /// Asks for an activity to be cancelled, if it is not over.
    pub(crate) async fn cancel(&self, id: &ActivityId) -> Result<(), Status> {
        let request = RequestCancelActivityExecutionRequest {
            namespace: self.namespace.clone(),
            activity_id: id.to_string(),
            request_id: unique(),
            ..RequestCancelActivityExecutionRequest::default()
        };
        let asked = self.call(SHORT, request, Client::request_cancel_activity_execution);
        unless_over(asked.await)
    }

    /// Waits for a task of a queue; `None` after a while without one.
    pub(crate) async fn poll(
        &self,
        name: &str,
        identity: &str,
    ) -> Result<Option<PollActivityTaskQueueResponse>, Status> {
        let request = PollActivityTaskQueueRequest {
            namespace: self.namespace.clone(),
            task_queue: queue(name),
            identity: identity.to_owned(),
            ..PollActivityTaskQueueRequest::default()
        };
        let task = self.call(POLL, request, Client::poll_activity_task_queue);
        Ok(Some(task.await?).filter(|task| !task.task_token.is_empty()))
    }

    /// Says that a task goes on; `false` if it is not to, since it was cancelled, given to
    /// another worker, or is over.
    pub(crate) async fn heartbeat(
        &self,
        token: &[u8],
        details: Option<Payloads>,
    ) -> Result<bool, Status> {
        let request = RecordActivityTaskHeartbeatRequest {
            task_token: token.to_vec(),
            details,
            namespace: self.namespace.clone(),
            ..RecordActivityTaskHeartbeatRequest::default()
        };
        let recorded = self.call(SHORT, request, Client::record_activity_task_heartbeat);
        match recorded.await {
            Ok(answer) => Ok(!answer.cancel_requested),
            Err(status) if status.code() == Code::NotFound => Ok(false),
            Err(status) => Err(status),
        }
    }

    /// Hands in the result of a task, unless it is over.
    pub(crate) async fn complete(&self, token: &[u8], result: Payloads) -> Result<(), Status> {
        let request = RespondActivityTaskCompletedRequest {
            task_token: token.to_vec(),
            result: Some(result),
            namespace: self.namespace.clone(),
            ..RespondActivityTaskCompletedRequest::default()
        };
        let answer = self.call(SHORT, request, Client::respond_activity_task_completed);
        unless_over(answer.await)
    }

    /// Says that a task has failed, unless it is over.
    pub(crate) async fn fail(&self, token: &[u8], failed: Failed) -> Result<(), Status> {
        let info = ApplicationFailureInfo {
            non_retryable: !failed.is_tried_again,
            details: failed.details,
            ..ApplicationFailureInfo::default()
        };
        let request = RespondActivityTaskFailedRequest {
            task_token: token.to_vec(),
            failure: Some(Failure {
                message: failed.why,
                failure_info: Some(FailureInfo::ApplicationFailureInfo(info)),
                ..Failure::default()
            }),
            namespace: self.namespace.clone(),
            ..RespondActivityTaskFailedRequest::default()
        };
        let answer = self.call(SHORT, request, Client::respond_activity_task_failed);
        unless_over(answer.await)
    }

    /// Why a task has failed after this.
    pub(crate) fn failed(&self, status: &Status) -> Failed {
        Failed::at_last(self.sentence(status))
    }

    /// Why a command has no result after this.
    pub(crate) fn no_result(&self, status: &Status) -> NoResult {
        NoResult {
            why: self.sentence(status),
            is_away: is_away(status),
        }
    }

    /// What went wrong, for users.
    pub(crate) fn sentence(&self, status: &Status) -> String {
        let (namespace, message) = (&self.namespace, status.message());
        match status.code() {
            _ if is_away(status) => {
                let why = status.source().map_or(message.to_owned(), cause_of);
                format!("the server cannot be reached: {why}")
            }
            Code::NotFound if message.contains("amespace") => format!(
                "there is no namespace {namespace}; help: temporal operator namespace create \
                 --address {} --namespace {namespace} --retention 7d",
                self.url
                    .authority()
                    .map_or("", |authority| authority.as_str()),
            ),
            Code::Unauthenticated | Code::PermissionDenied => format!(
                "the server refuses: {message}; help: --tls-cert, --tls-key, RALPH_ENGINE_KEY"
            ),
            code => format!("the server answers {code:?}: {message}"),
        }
    }
}

/// Why a command has no result.
pub(crate) struct NoResult {
    pub(crate) why: String,
    /// Whether the server did not answer.
    pub(crate) is_away: bool,
}

impl<T: Into<String>> From<T> for NoResult {
    fn from(why: T) -> Self {
        Self {
            why: why.into(),
            is_away: false,
        }
    }
}

/// Why a task has failed.
pub(crate) struct Failed {
    pub(crate) why: String,
    pub(crate) is_tried_again: bool,
    /// The lines that its run gets although it failed.
    pub(crate) details: Option<Payloads>,
}

impl Failed {
    /// A failure after which another attempt may do better.
    pub(crate) fn for_now(why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            is_tried_again: true,
            details: None,
        }
    }

    /// A failure that the run is to know at once.
    pub(crate) fn at_last(why: String) -> Self {
        Self {
            why,
            is_tried_again: false,
            details: None,
        }
    }
}

/// What is sent with each call.
#[derive(Clone)]
pub(crate) struct Credentials {
    key: Option<MetadataValue<Ascii>>,
    namespace: MetadataValue<Ascii>,
}

impl Credentials {
    fn new(key: Option<&str>, namespace: &str) -> Result<Self, String> {
        let key = key.map(|key| {
            let mut value: MetadataValue<Ascii> = format!("Bearer {key}")
                .parse()
                .map_err(|_| "RALPH_ENGINE_KEY is not a valid key".to_owned())?;
            value.set_sensitive(true);
            Ok::<_, String>(value)
        });
        let namespace = namespace.parse();
        Ok(Self {
            key: key.transpose()?,
            namespace: namespace.map_err(|_| "the namespace is not a valid name".to_owned())?,
        })
    }
}

impl Interceptor for Credentials {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        let metadata = request.metadata_mut();
        metadata.insert("temporal-namespace", self.namespace.clone());
        if let Some(key) = &self.key {
            metadata.insert("authorization", key.clone());
        }
        Ok(request)
    }
}

fn tls(args: &EngineArgs) -> Result<ClientTlsConfig, String> {
    let read = |option: &Option<PathBuf>, variable| {
        let path = option
            .clone()
            .or_else(|| env::var_os(variable).map(PathBuf::from));
        let bytes = path
            .map(|path| fs::read(&path).map_err(|error| format!("{}: {error}", path.display())));
        bytes.transpose()
    };
    let tls = match read(&args.tls_ca, "RALPH_ENGINE_TLS_CA")? {
        Some(authorities) => {
            ClientTlsConfig::new().ca_certificate(Certificate::from_pem(authorities))
        }
        None => ClientTlsConfig::new().with_native_roots(),
    };
    let certificate = read(&args.tls_cert, "RALPH_ENGINE_TLS_CERT")?;
    match (certificate, read(&args.tls_key, "RALPH_ENGINE_TLS_KEY")?) {
        (Some(certificate), Some(key)) => Ok(tls.identity(Identity::from_pem(certificate, key))),
        (None, None) => Ok(tls),
        _ => Err("--tls-cert and --tls-key go together".to_owned()),
    }
}

/// The first cause of an error.
fn cause_of(error: &(dyn Error + 'static)) -> String {
    error.source().map_or_else(|| error.to_string(), cause_of)
}

/// Whether a call may be answered later.
fn is_away(status: &Status) -> bool {
    // What is too long stays so.
    !status.message().contains("larger than")
        && matches!(
            status.code(),
            Code::Unavailable
                | Code::DeadlineExceeded
                | Code::Cancelled
                | Code::Aborted
                | Code::ResourceExhausted
                | Code::Internal
                | Code::Unknown
        )
}

/// To a task that is over there is nothing to add.
fn unless_over<T>(answer: Result<T, Status>) -> Result<(), Status> {
    match answer {
        Err(status) if status.code() != Code::NotFound => Err(status),
        _ => Ok(()),
    }
}

fn refuse_old(version: &str) -> Result<(), String> {
    let mut numbers = version.split('.').map(|number| number.parse().unwrap_or(0));
    let (major, minor) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    match (major, minor) < FIRST {
        true => Err(format!(
            "Temporal {major}.{minor} has no standalone activities; {}.{} is needed",
            FIRST.0, FIRST.1
        )),
        false => Ok(()),
    }
}

pub(crate) fn queue(name: &str) -> Option<TaskQueue> {
    Some(TaskQueue {
        name: name.to_owned(),
        ..TaskQueue::default()
    })
}

fn time<T: TryFrom<Duration>>(time: Duration) -> Option<T> {
    time.try_into().ok()
}

/// A name that nothing else has.
pub(crate) fn unique() -> String {
    let random = || RandomState::new().build_hasher().finish();
    format!("{:x}{:016x}", std::process::id(), random())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use tokio::time::advance;

    use super::*;
    use crate::args::{Args, Command};

    #[test]
    fn each_call_has_the_key_and_the_namespace() {
        let mut credentials = Credentials::new(Some("k1"), "ns").unwrap();
        let request = credentials.call(Request::new(())).unwrap();
        let sent = |name| request.metadata().get(name).unwrap().to_str().unwrap();
        assert_eq!(sent("authorization"), "Bearer k1");
        assert_eq!(sent("temporal-namespace"), "ns");
    }

    #[test]
    fn a_server_without_standalone_activities_is_refused() {
        for (version, refusal) in [
            ("1.32.0", None),
            ("1.32.0-152.3", None),
            ("2.0.0", None),
            (
                "1.30.1",
                Some("Temporal 1.30 has no standalone activities; 1.32 is needed"),
            ),
        ] {
            assert_eq!(refuse_old(version).err().as_deref(), refusal, "{version}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn patience_begins_when_the_server_is_away() {
        let args = "ralph-worker list --project p --engine http://127.0.0.1:1";
        let args = Args::parse_from(args.split(' '));
        let Some(Command::List(list)) = args.command else {
            panic!("{args:?}");
        };
        let patience = Duration::from_millis(100);
        let engine = Engine::new(&list.engine, list.project, String::new(), patience).unwrap();
        let calls = Cell::new(0);
        let answer = engine.call(SHORT, (), async |_, _| {
            calls.set(calls.get() + 1);
            if calls.get() == 1 {
                advance(2 * patience).await;
                return Err(Status::unavailable("away"));
            }
            Ok(Response::new(calls.get()))
        });
        assert_eq!(answer.await.unwrap(), 2);
        let never = engine.call(SHORT, (), async |_, _| {
            Err::<Response<()>, _>(Status::unavailable("away"))
        });
        assert_eq!(never.await.unwrap_err().code(), Code::Unavailable);
    }
}
