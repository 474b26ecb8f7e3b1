//! `ralph provide`.

use clap::Args;
use review::schema::afp::ErrorCode;
use review_agents::Chain;
use review_agents::provider::{MAX_REQUEST, Moments, messages, refused};
use review_config::Setting;
use review_engine::learn::active_prompts;
use review_engine::{Provided, ReviewTarget, RunSettings};
use review_types::{ExitCode, SessionId};

use super::input::Input;
use crate::clock::now;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};

#[derive(Debug, Args)]
pub(crate) struct ProvideArgs {
    /// The session that the request goes on with; a first request needs none.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Print the response object alone, without the lines around it.
    #[arg(long)]
    raw: bool,
    /// The reviewer: builtin, a client such as claude or opencode, acp:COMMAND,
    /// http:PROFILE, or cmd:PROGRAM ARGS; several with commas between them are asked in turn, the next
    /// when the previous one gives no answer.
    #[arg(long, value_name = "BACKEND[,BACKEND]")]
    reviewer: Option<Chain>,
}

/// Carries out `provide`: the request on standard input, its answer on standard
/// output. A failure on the way is an answer too.
pub(crate) fn run(context: &mut Context, args: &ProvideArgs) -> CommandResult {
    let start = now();
    let session = args.session.as_deref().map(str::parse::<SessionId>);
    let session = session.transpose();
    let (request, provided) = match Input::standard().bytes(MAX_REQUEST as u64 + 1) {
        Ok(request) => {
            let provided = match &session {
                Ok(session) => provided(context, args, session.clone(), &request)
                    .map_err(|error| (ErrorCode::INTERNAL_ERROR, error)),
                Err(error) => {
                    let error = CommandError::new(format!("session: {error}"));
                    Err((ErrorCode::INVALID_REQUEST, error))
                }
            };
            (request, provided)
        }
        Err(error) => (Vec::new(), Err((ErrorCode::INTERNAL_ERROR, error))),
    };
    let (provided, ended) = match provided {
        Ok(provided) => (provided, Ok(ExitCode::Passed)),
        Err((_, error)) if error.exit_code().is_interrupt() => return Ok(error.exit_code()),
        Err((code, error)) => {
            let is_request = code == ErrorCode::INVALID_REQUEST;
            let named = session.ok().flatten();
            let provided = Provided {
                session: named.map_or_else(|| SessionId::new("ses_none"), Ok)?,
                response: refused(&request, code, error.message()),
                warnings: Vec::new(),
            };
            let ended = match is_request {
                true => Ok(ExitCode::Passed),
                false => Err(error),
            };
            (provided, ended)
        }
    };
    for warning in &provided.warnings {
        context.streams.warn(warning);
    }
    if args.raw {
        let line = format!("{}\n", provided.response);
        context.streams.print_raw(line.as_bytes())?;
        return ended;
    }
    let moments = Moments { start, end: now() };
    for message in messages(&provided.session, &request, &provided.response, moments) {
        context.streams.print_json(&message)?;
    }
    ended
}

/// Works on a request in its session.
fn provided(
    context: &mut Context,
    args: &ProvideArgs,
    session: Option<SessionId>,
    request: &[u8],
) -> Result<Provided, CommandError> {
    let root = context.current_root();
    let reviewer = Setting::of_option("--reviewer", "reviewer", args.reviewer.as_ref());
    let settings = context.settings(&root, reviewer.as_slice())?;
    let state = context.state_of_look(&settings, &root)?;
    // What is reviewed is known when the request is read.
    let nothing = ReviewTarget::File {
        path: String::new(),
    };
    let mut run = RunSettings::of(&settings, nothing);
    run.prompts = active_prompts(&root, &settings)?;
    let provided = context.in_project(&root, state, async |project| {
        // Held on the stack, it would be larger than all else there.
        Box::pin(review_engine::provide(project, run, session, request)).await
    })?;
    provided.map_err(|error| CommandError::from(error).after(context.interrupt()))
}
