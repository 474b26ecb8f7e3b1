//! What libraries log, on standard error.

#![expect(
    clippy::disallowed_methods,
    reason = "the log writes to standard error from wherever it is"
)]

use tracing_subscriber::filter::LevelFilter;

/// Shows warnings, with `verbosity` 1 also notes and with 2 everything;
/// nothing but errors when `quiet`. The first call counts.
pub(crate) fn show_log(quiet: bool, verbosity: u8) {
    let level = match (quiet, verbosity) {
        (true, _) => LevelFilter::ERROR,
        (false, 0) => LevelFilter::WARN,
        (false, 1) => LevelFilter::INFO,
        (false, _) => LevelFilter::DEBUG,
    };
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_target(false)
        .without_time()
        .finish();
    // A subscriber that is there already goes on.
    let _ = tracing::subscriber::set_global_default(subscriber);
}
