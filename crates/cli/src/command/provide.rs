//! `ralph provide`.

use std::io::Read as _;

use clap::Args;
use review::NoSink;
use review::schema::afp::ErrorCode;
use review_agents::Chain;
use review_agents::provider::{MAX_REQUEST, Moments, messages, refused};
use review_config::Setting;
use review_engine::learn::active_prompts;
use review_engine::{EngineError, Provided, RunSettings, Target};
use review_types::{ExitCode, SessionId};

use crate::clock::now;
use crate::context::Context;
use crate::error::{CommandError, CommandResult, OrContext};
use crate::world::World;

#[derive(Debug, Args)]
pub(crate) struct ProvideArgs {
    /// The session that the request goes on with; a first request needs none.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Print the response object alone, without the lines around it.
    #[arg(long)]
    raw: bool,
    /// The reviewer: builtin, a client such as claude or opencode, http:PROFILE, or
    /// cmd:PROGRAM ARGS; several with commas between them are asked in turn, the next
    /// when the previous one gives no answer.
    #[arg(long, value_name = "BACKEND[,BACKEND]")]
    reviewer: Option<Chain>,
}

impl ProvideArgs {
    /// What the options say in place of the configuration.
    pub(crate) fn overrides(&self) -> Option<Setting> {
        Setting::of_option("--reviewer", "reviewer", self.reviewer.as_ref())
    }
}

/// Why there is no answer of a session.
struct Failed {
    code: ErrorCode,
    error: CommandError,
}

impl From<CommandError> for Failed {
    fn from(error: CommandError) -> Self {
        let code = ErrorCode::InternalError;
        Self { code, error }
    }
}

impl From<EngineError> for Failed {
    fn from(error: EngineError) -> Self {
        Self::from(CommandError::from(error))
    }
}

/// Carries out `provide`: the request on standard input, its answer on standard
/// output. A failure on the way is an answer too.
pub(crate) fn run(context: &mut Context, args: ProvideArgs) -> CommandResult {
    let start = now();
    let (request, is_read) = match read_request() {
        Ok(request) => (request, Ok(())),
        Err(error) => (Vec::new(), Err(error)),
    };
    let provided = is_read
        .map_err(Failed::from)
        .and_then(|()| provided(context, &args, &request));
    let (provided, ended) = match provided {
        Ok(Answer::Provided(provided)) => (provided, Ok(ExitCode::Passed)),
        Ok(Answer::Interrupted(code)) => return Ok(code),
        Err(Failed { code, error }) => {
            let is_request = code == ErrorCode::InvalidRequest;
            let provided = Provided {
                session: session_of(&args)?,
                response: refused(&request, code, error.message()),
                warnings: Vec::new(),
            };
            let ended = if is_request {
                Ok(ExitCode::Passed)
            } else {
                Err(error)
            };
            (provided, ended)
        }
    };
    let Provided {
        session,
        response,
        warnings,
    } = provided;
    for warning in warnings {
        context.streams.warn(&warning);
    }
    if args.raw {
        let line = format!("{response}\n");
        context.streams.print_raw(line.as_bytes())?;
        return ended;
    }
    let end = now();
    for message in messages(&session, &request, &response, Moments { start, end }) {
        context.streams.print_json(&message)?;
    }
    ended
}

/// What became of a request.
enum Answer {
    Provided(Provided),
    Interrupted(ExitCode),
}

/// Works on a request in its session.
fn provided(context: &mut Context, args: &ProvideArgs, request: &[u8]) -> Result<Answer, Failed> {
    let session = named(args)?;
    let root = context.current_root();
    let settings = context.settings(&root, args.overrides().as_slice())?;
    let state = context.state(&settings, &root, false)?;
    // What is reviewed is known when the request is read.
    let nothing = Target::File {
        path: String::new(),
    };
    let mut run = RunSettings::of(&settings, nothing);
    run.prompts = active_prompts(&root, &settings).map_err(CommandError::from)?;
    let world = World::new(context)?;
    let provided = world.block_on(
        &context.environment,
        &root,
        state,
        &NoSink,
        async |project| {
            // Held on the stack, it would be larger than all else there.
            Box::pin(review_engine::provide(project, run, session, request)).await
        },
    )?;
    match provided {
        Ok(provided) => Ok(Answer::Provided(provided)),
        Err(EngineError::Interrupted(_)) => Ok(Answer::Interrupted(world.interrupted())),
        Err(error) => Err(error.into()),
    }
}

/// The session that the request names.
fn named(args: &ProvideArgs) -> Result<Option<SessionId>, Failed> {
    let named = args.session.as_deref().map(str::parse::<SessionId>);
    named.transpose().map_err(|error| Failed {
        code: ErrorCode::InvalidRequest,
        error: CommandError::new(format!("session: {error}")),
    })
}

/// The session that an answer without one is given in: the one that the request names,
/// where it can be named.
fn session_of(args: &ProvideArgs) -> Result<SessionId, CommandError> {
    let named = args.session.as_deref().and_then(|name| name.parse().ok());
    match named {
        Some(session) => Ok(session),
        None => SessionId::new("ses_none").map_err(CommandError::from),
    }
}

/// Reads standard input, and one byte more than a request may have.
fn read_request() -> Result<Vec<u8>, CommandError> {
    let mut request = Vec::new();
    let read = std::io::stdin()
        .lock()
        .take(MAX_REQUEST as u64 + 1)
        .read_to_end(&mut request);
    read.context("cannot read the request")?;
    Ok(request)
}
