//! `ralph serve`.

use std::cell::RefCell;
use std::convert::Infallible;
use std::io;
use std::net::Ipv4Addr;
use std::path::Path;
use std::time::Duration;

use clap::Args;
use futures_util::stream::{self, BoxStream, FuturesUnordered, StreamExt as _};
use http_body_util::{BodyExt as _, Full, StreamBody, combinators::UnsyncBoxBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use review::NoSink;
use review_engine::{ChangeOf, Follower, Replay};
use review_flow::Seed;
use review_report::html::{self, Delivery};
use review_store::RunDir;
use review_types::{ExitCode, hex};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::spawn_blocking;

use super::report::{MAX_LISTED, listed, run_page};
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::runs::{FoundRun, replay};
use crate::runtime::Runtime;

/// The most connections at a time; others wait.
const MAX_CONNECTIONS: usize = 32;
/// The most bytes of the head of a request.
const MAX_HEAD: usize = 8 * 1024;
/// The time that a client has to send it.
const PATIENCE: Duration = Duration::from_secs(10);
/// The bytes of the token in each address, of which no other program knows.
const TOKEN: usize = 16;

/// What renews the page of a run.
const SCRIPT: &str = include_str!("serve.js");

/// Show runs in a browser of this computer.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The port [default: a free one].
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
}

type Body = UnsyncBoxBody<Bytes, Infallible>;

/// Carries out `serve`.
pub(crate) fn run(context: &mut Context, args: &ServeArgs) -> CommandResult {
    // A command fails here where it would fail for each request.
    context.runs()?;
    let runtime = Runtime::new(context)?;
    let token = random()?;
    runtime.finish(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).await;
        let listener = listener.map_err(|error| cannot_listen(args.port, error))?;
        let port = listener
            .local_addr()
            .map_err(|error| cannot_listen(args.port, error))?
            .port();
        let address = format!("http://127.0.0.1:{port}/{token}/");
        context.streams.print(&format!(
            "{address}  (this computer only; Ctrl-C ends it)\n"
        ))?;
        let server = Server {
            context: RefCell::new(context),
            runtime: &runtime,
            token,
        };
        let mut stop = runtime.stop();
        tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop != review_process::Stop::Run) => {}
            never = server.serve(&listener) => match never {},
        }
        Ok(ExitCode::Passed)
    })
}

/// Random letters that cannot be guessed.
fn random() -> Result<String, CommandError> {
    Ok(hex(&Seed::random()?.as_bytes()[..TOKEN]))
}

fn cannot_listen(port: u16, error: io::Error) -> CommandError {
    let message = format!("cannot listen on port {port}");
    let error = CommandError::new(message).source(error);
    error.hint("--port 0 picks a free one")
}

struct Server<'a> {
    context: RefCell<&'a mut Context>,
    runtime: &'a Runtime,
    token: String,
}

/// An answer without a page.
type Refusal = (StatusCode, String);

impl Server<'_> {
    /// Accepts connections while there is room for them.
    async fn serve(&self, listener: &TcpListener) -> Infallible {
        let mut connections = FuturesUnordered::new();
        loop {
            let has_room = connections.len() < MAX_CONNECTIONS;
            tokio::select! {
                accepted = listener.accept(), if has_room => {
                    if let Ok((stream, _)) = accepted {
                        connections.push(self.connection(stream));
                    }
                }
                Some(()) = connections.next(), if !connections.is_empty() => {}
            }
        }
    }

    async fn connection(&self, stream: TcpStream) {
        let service = service_fn(async |request: Request<Incoming>| {
            Ok::<_, Infallible>(self.answer(&request).await)
        });
        let served = http1::Builder::new()
            .timer(TokioTimer::new())
            .keep_alive(false)
            .header_read_timeout(PATIENCE)
            .max_buf_size(MAX_HEAD)
            .serve_connection(TokioIo::new(stream), service);
        // A client that goes away, or speaks another protocol, gets no report.
        let _ = served.await;
    }

    async fn answer(&self, request: &Request<Incoming>) -> Response<Body> {
        let (nonce, answer) = match random() {
            Ok(nonce) => (nonce.clone(), self.page(request, &nonce).await),
            Err(error) => (String::new(), Err(failure(error.message()))),
        };
        let (status, kind, body) = match answer {
            Ok((kind, body)) => (StatusCode::OK, kind, body),
            Err((status, text)) => (status, "text/plain; charset=utf-8", whole(text)),
        };
        let policy = format!(
            "default-src 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; \
             connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        );
        let mut response = Response::new(body);
        *response.status_mut() = status;
        let headers = [
            (header::CONTENT_TYPE, kind),
            (header::CONTENT_SECURITY_POLICY, &policy),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::REFERRER_POLICY, "no-referrer"),
            (header::CACHE_CONTROL, "no-store"),
            (
                HeaderName::from_static("cross-origin-resource-policy"),
                "same-origin",
            ),
        ];
        for (name, value) in headers {
            if let Ok(value) = HeaderValue::from_str(value) {
                response.headers_mut().insert(name, value);
            }
        }
        response
    }

    /// The page that a request is for, with its type.
    async fn page(
        &self,
        request: &Request<Incoming>,
        nonce: &str,
    ) -> Result<(&'static str, Body), Refusal> {
        const PAGE: &str = "text/html; charset=utf-8";
        let path = self.allowed(request)?;
        match path.split('/').collect::<Vec<_>>()[..] {
            [""] => Ok((PAGE, whole(self.list(nonce).await?))),
            ["runs", id] => Ok((PAGE, whole(self.run(id, nonce).await?))),
            ["runs", id, "events"] => Ok(("text/event-stream", changes(self.find(id)?))),
            _ => Err(refusal(StatusCode::NOT_FOUND, "page not found")),
        }
    }

    /// What of the address is after the token, where the request is one of a user who has it.
    fn allowed<'r>(&self, request: &'r Request<Incoming>) -> Result<&'r str, Refusal> {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            let text = "nothing can be changed here; pages show the commands to copy";
            return Err(refusal(StatusCode::METHOD_NOT_ALLOWED, text));
        }
        let host = request.headers().get(header::HOST);
        let host = host.and_then(|host| host.to_str().ok()).unwrap_or_default();
        if !is_of_this_computer(host) {
            let text = "not a name of this computer";
            return Err(refusal(StatusCode::MISDIRECTED_REQUEST, text));
        }
        let path = request.uri().path().trim_start_matches('/');
        let (token, path) = path.split_once('/').unwrap_or((path, ""));
        match is_same(token, &self.token) {
            true => Ok(path),
            false => Err(refusal(
                StatusCode::FORBIDDEN,
                "the address that `ralph serve` printed has what is missing here",
            )),
        }
    }

    fn runs(&self) -> Result<Vec<(String, RunDir)>, Refusal> {
        self.context
            .borrow_mut()
            .runs()
            .map_err(|error| failure(error.message()))
    }

    fn find(&self, id: &str) -> Result<RunDir, Refusal> {
        let mut runs = self.runs()?.into_iter();
        let found = runs.find(|(_, dir)| dir.id().as_str() == id);
        found
            .map(|(_, dir)| dir)
            .ok_or_else(|| refusal(StatusCode::NOT_FOUND, "run not found"))
    }

    async fn list(&self, nonce: &str) -> Result<String, Refusal> {
        let runs = self.runs()?;
        let list = spawn_blocking(move || listed(runs.iter().take(MAX_LISTED))).await;
        let list = list.map_err(failure)?;
        Ok(html::list(&list, Delivery::Served { nonce, script: "" }))
    }

    async fn run(&self, id: &str, nonce: &str) -> Result<String, Refusal> {
        let dir = self.find(id)?;
        let read = dir.clone();
        let replay = spawn_blocking(move || replay(&read).map_err(|error| error.message()));
        let replay = replay.await.map_err(failure)?.map_err(failure)?;
        let diff = self.diff(&dir, &replay).await;
        let found = FoundRun {
            dir,
            replay,
            name: None,
        };
        let report = found.report(&self.context.borrow());
        let script = if found.dir.is_live() { SCRIPT } else { "" };
        Ok(run_page(
            &found.replay,
            &report,
            diff,
            Delivery::Served { nonce, script },
        ))
    }

    async fn diff(&self, dir: &RunDir, replay: &Replay) -> Result<String, String> {
        let root = Path::new(&replay.input.root);
        let project = {
            let context = self.context.borrow();
            self.runtime
                .project(&context.environment, root, dir.state(), &NoSink)
        };
        let project = project.map_err(|error| error.message())?;
        let diff = replay.diff(&project, ChangeOf::Run).await;
        diff.map_err(|error| CommandError::from(error).message())
    }
}

/// Whether the name in a request is one of this computer, with any port: a page of another
/// site whose name was made to lead here has that name.
fn is_of_this_computer(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    ["127.0.0.1", "localhost"].contains(&name)
}

/// Whether two tokens are the same, in a time that says nothing of where they differ.
fn is_same(given: &str, token: &str) -> bool {
    let differences = given.bytes().zip(token.bytes());
    let differences = differences.fold(0, |all, (given, byte)| all | (given ^ byte));
    given.len() == token.len() && differences == 0
}

fn refusal(status: StatusCode, text: &str) -> Refusal {
    (status, format!("{text}\n"))
}

fn failure(error: impl std::fmt::Display) -> Refusal {
    refusal(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string())
}

fn whole(text: String) -> Body {
    Full::new(Bytes::from(text)).boxed_unsync()
}

/// An event each time that a run went on.
fn changes(dir: RunDir) -> Body {
    let events: BoxStream<'static, _> = stream::unfold(Follower::new(dir), async |mut run| {
        run.changed().await;
        let event = Bytes::from_static(b"event: changed\ndata: \n\n");
        Some((Ok(Frame::data(event)), run))
    })
    .boxed();
    StreamBody::new(events).boxed_unsync()
}
