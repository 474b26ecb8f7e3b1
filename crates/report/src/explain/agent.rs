//! How a call to an agent ends without an answer.

use review_types::{Failure, LimitKind};

/// One of each kind; their data does not matter here.
pub(super) fn failures() -> [Failure; 18] {
    [
        Failure::RateLimited { retry_at: None },
        Failure::Offline { after_ms: None },
        Failure::PermissionDenied,
        Failure::AuthFailed,
        Failure::ModelError { status: None },
        Failure::Refused,
        Failure::Truncated,
        Failure::EmptyAnswer,
        Failure::Failed { status: 1 },
        Failure::Hung {
            limit: LimitKind::Wall,
            after_ms: 0,
        },
        Failure::Killed { signal: 0 },
        Failure::SpawnFailed {
            program: String::new(),
        },
        Failure::SetupFailed,
        Failure::ProtocolError,
        Failure::WrongAgent {
            asked: String::new(),
            got: None,
        },
        Failure::Unread,
        Failure::ReviewerWrote { paths: Vec::new() },
        Failure::TooLarge { limit: 0 },
    ]
}

/// What a kind means in one sentence, and what to do about it.
pub(super) const fn explain(failure: &Failure) -> (&'static str, &'static str) {
    match failure {
        Failure::RateLimited { .. } => (
            "The model's service wants fewer calls.",
            "The run waits as long as its own time allows.\n",
        ),
        Failure::Offline { .. } => (
            "The model's service could not be reached.",
            "No connection could be made, or the agent only reported that it waits for the\n\
             network, for longer than `agent.connect_timeout`. The next reviewer of the chain is\n\
             asked at once; the last one is tried again after a pause, up to four calls.\n",
        ),
        Failure::PermissionDenied => (
            "The agent was not allowed to do what it tried.",
            "Look at the permissions that the agent runs with.\n",
        ),
        Failure::AuthFailed => (
            "The credentials were refused.",
            "Log the agent in, or pass its key: `agent.pass_env` names the variables that it\n\
             sees.\n",
        ),
        Failure::ModelError { .. } => (
            "The model or its service failed.",
            "The message says with what. `ralph resume latest` asks again.\n",
        ),
        Failure::Refused => (
            "The model declined to answer.",
            "Its last words are in the log of the call.\n",
        ),
        Failure::Truncated => (
            "The answer hit a length limit.",
            "A cut answer is never read. Raise the limit of the agent.\n",
        ),
        Failure::EmptyAnswer => (
            "The call ended well and said nothing.",
            "Nothing is not a verdict. Its error output is in the log of the call.\n",
        ),
        Failure::Failed { .. } => (
            "The program ended with a status other than 0.",
            "Whatever it printed does not count. Its error output is in the log of the call.\n",
        ),
        Failure::Hung { .. } => (
            "A limit of the call ran out.",
            "Either the whole call took too long (`--call-timeout`) or nothing was printed for\n\
             too long (`--idle-timeout`). The program and all it had started were ended.\n",
        ),
        Failure::Killed { .. } => (
            "The program was ended by a signal.",
            "The report names the signal. SIGKILL often means that memory ran out.\n",
        ),
        Failure::SpawnFailed { .. } => (
            "The program could not be started.",
            "`ralph doctor` looks for the programs of the configured backends.\n",
        ),
        Failure::SetupFailed => (
            "Something that the call needs cannot be used.",
            "The message says what: a file of the artifact that is missing or outside the root,\n\
             the configuration of a client, or a prompt that is larger than the model reads.\n",
        ),
        Failure::ProtocolError => (
            "The agent's stream broke its own protocol.",
            "The stream is in the log of the call.\n",
        ),
        Failure::WrongAgent { .. } => (
            "Another agent answered than the one asked.",
            "A misspelt agent name makes some clients use another agent. Check the name.\n",
        ),
        Failure::Unread => (
            "The text that a reviewer judged was not delivered to it.",
            "What shows it is in the report: the bytes that it read of its prompt, the tokens that\n\
             the service counted, or the mark at the end of the prompt. Its answer does not count.\n",
        ),
        Failure::ReviewerWrote { .. } => (
            "A reviewer changed files.",
            "A reviewer may only read. Its answer does not count.\n",
        ),
        Failure::TooLarge { .. } => (
            "The answer is larger than is read.",
            "At most 16 MiB are read; a part of an answer is never taken for the whole.\n",
        ),
    }
}
