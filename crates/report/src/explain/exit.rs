//! The exit codes.

use review_types::ExitCode;

/// What a code means in one sentence, and more about it.
pub(super) const fn explain(code: ExitCode) -> (&'static str, &'static str) {
    match code {
        ExitCode::Passed => (
            "Passed.",
            "Every check that was asked for was carried out and says yes.\n",
        ),
        ExitCode::NotPassed => (
            "Not passed: a verdict, a task or a check says no.",
            "A reviewer wants a revision and the loop ended without one that passes, a\n\
             task's command failed or ran out of time, or `lint` found something. The\n\
             report names what, and what to do next.\n",
        ),
        ExitCode::Error => (
            "Usage, configuration, lock, input or output.",
            "The command could not be carried out as it was given: a wrong option, a\n\
             configuration that cannot be used, a file that cannot be read or written,\n\
             another run that holds the lock, or an artifact that another program changed\n\
             during the run. Nothing was decided about the artifact.\n",
        ),
        ExitCode::NoVerdict => (
            "No verdict.",
            "Nothing was decided: the reviewer or applier could not be run or failed, its\n\
             answers stayed malformed, or no rule of the embedded reviewer had anything\n\
             to look at. This is never a pass and never a refusal.\n",
        ),
        ExitCode::Nothing => (
            "Nothing was selected.",
            "A filter matched nothing, so nothing was checked. A spec without tasks is\n\
             reviewed and does not end so.\n",
        ),
        ExitCode::Limit => (
            "A limit was reached.",
            "The run's own limit of time, calls, tokens or cost ended it. A call over its\n\
             own limit ends with 3 instead. Raise the limit and resume the run.\n",
        ),
        ExitCode::Tampered => (
            "Tamper, or a configuration that is not trusted.",
            "What decides was changed by what is decided on.\n",
        ),
        ExitCode::Interrupted => (
            "Interrupted by SIGINT.",
            "A user pressed Ctrl-C. Running programs were ended, the journal is kept,\n\
             and `ralph resume latest` goes on.\n",
        ),
        ExitCode::HungUp => (
            "Ended by SIGHUP.",
            "The terminal was closed. Running programs were ended, the journal is kept,\n\
             and `ralph resume latest` goes on. Under `nohup` a run is not ended.\n",
        ),
        ExitCode::Terminated => (
            "Ended by SIGTERM.",
            "The system or a supervisor ended the run. Running programs were ended, the\n\
             journal is kept, and `ralph resume latest` goes on.\n",
        ),
    }
}
