//! The words of a failed command: the test that failed, and how.

/// The number of lines of a message that are kept.
const MAX_LINES: usize = 3;

/// A form in which test runners and compilers report a failure.
type Form = fn(&[&str]) -> Option<String>;

/// The forms, the most specific first.
const FORMS: [Form; 8] = [panic, pytest, go, jest, tap, exception, compiler, last_line];

/// Returns what failed, from the end of the output of a command; `None` for output
/// without words.
pub(super) fn failure(output: &str) -> Option<String> {
    let lines: Vec<&str> = output.lines().map(str::trim_end).collect();
    FORMS.iter().find_map(|form| form(&lines))
}

/// `thread 'NAME' panicked at FILE:1:2:` and its message, as Rust prints it.
fn panic(lines: &[&str]) -> Option<String> {
    let at = lines
        .iter()
        .position(|line| line.contains(" panicked at "))?;
    let (thread, place) = lines[at].split_once(" panicked at ")?;
    let name = thread.split('\'').nth(1).unwrap_or("a thread");
    // Older versions print the message in place of the location.
    let message = match place
        .strip_prefix('\'')
        .and_then(|rest| rest.split_once("\',"))
    {
        Some((message, _)) => message.to_owned(),
        None => message_of(&lines[at + 1..]),
    };
    said(name, &message)
}

/// `FAILED FILE::TEST - MESSAGE`, as pytest prints it.
fn pytest(lines: &[&str]) -> Option<String> {
    let mut failed = lines.iter().filter_map(|line| line.strip_prefix("FAILED "));
    let failed = failed.find(|line| line.contains("::"))?;
    let (name, summary) = failed.split_once(" - ").unwrap_or((failed, ""));
    let mut details = lines.iter().filter_map(|line| line.strip_prefix("E   "));
    let message = match summary.is_empty() || summary.ends_with("...") {
        true => details.next().unwrap_or(summary),
        false => summary,
    };
    said(name, message)
}

/// `--- FAIL: NAME (0.00s)` and its message, as Go prints it.
fn go(lines: &[&str]) -> Option<String> {
    let is_failed = |line: &str| line.trim_start().starts_with("--- FAIL: ");
    // The innermost test is the last one before the message.
    let first = lines.iter().position(|line| is_failed(line))?;
    let count = lines[first..]
        .iter()
        .take_while(|line| is_failed(line))
        .count();
    let at = first + count - 1;
    let name = lines[at].trim_start().strip_prefix("--- FAIL: ")?;
    let name = name.split(" (").next().unwrap_or(name);
    said(name, &message_of(&lines[at + 1..]))
}

/// `● SUITE › NAME` and its message, as jest prints it.
fn jest(lines: &[&str]) -> Option<String> {
    let name = |line: &str| line.trim_start().strip_prefix("● ").map(str::to_owned);
    let at = lines.iter().position(|line| name(line).is_some())?;
    let rest = &lines[at + 1..];
    let rest = &rest[rest
        .iter()
        .take_while(|line| line.trim().is_empty())
        .count()..];
    said(&name(lines[at])?, &message_of(rest))
}

/// `not ok 2 - NAME`, as TAP has it.
fn tap(lines: &[&str]) -> Option<String> {
    let mut lines = lines.iter().map(|line| line.trim_start());
    let line = lines.find_map(|line| line.strip_prefix("not ok "))?;
    let name = line.split_once(" - ").map_or(line, |(_, name)| name);
    said(name, "not ok")
}

/// `ValueError: MESSAGE`, the end of a trace of Python or JavaScript.
fn exception(lines: &[&str]) -> Option<String> {
    let is_type = |word: &str| {
        let is_name = word
            .chars()
            .all(|c| c.is_alphanumeric() || c == '.' || c == '_');
        is_name && (word.ends_with("Error") || word.ends_with("Exception"))
    };
    let mut lines = lines.iter().rev().map(|line| line.trim());
    let thrown = lines.find(|line| {
        let name = line.split_once(':').map_or(*line, |(name, _)| name);
        is_type(name.strip_prefix("Uncaught ").unwrap_or(name))
    })?;
    Some(thrown.to_owned())
}

/// `error: MESSAGE` or `error[E0308]: MESSAGE`.
fn compiler(lines: &[&str]) -> Option<String> {
    let mut lines = lines.iter().map(|line| line.trim());
    let line = lines.find(|line| {
        let word = line.split([':', '[', ' ']).next().unwrap_or_default();
        word.eq_ignore_ascii_case("error") || line.contains(" error: ")
    })?;
    Some(line.to_owned())
}

fn last_line(lines: &[&str]) -> Option<String> {
    let mut lines = lines.iter().rev().map(|line| line.trim());
    let line = lines.find(|line| line.chars().any(char::is_alphanumeric))?;
    Some(line.to_owned())
}

/// The lines of a message, up to a blank line or notes of the runner.
fn message_of(lines: &[&str]) -> String {
    let is_message = |line: &&str| {
        let line = line.trim();
        let is_note = ["note: ", "stack backtrace", "FAIL", "---", "at "];
        !line.is_empty() && !is_note.iter().any(|note| line.starts_with(note))
    };
    let lines = lines.iter().map(|line| line.trim());
    let lines = lines.take_while(is_message).take(MAX_LINES);
    lines.collect::<Vec<_>>().join("; ")
}

fn said(name: &str, message: &str) -> Option<String> {
    let (name, message) = (name.trim(), message.trim());
    match message.is_empty() {
        true => Some(format!("{name} failed")),
        false => Some(format!("{name}: {message}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_the_test_and_its_message() {
        for (output, expected) in [
            (
                "running 1 test\ntest a ... FAILED\n\n---- a stdout ----\n\nthread 'upload::retries' (71) panicked at src/a.rs:4:5:\nassertion `left == right` failed\n  left: 1\n right: 2\nnote: run with `RUST_BACKTRACE=1`\n",
                "upload::retries: assertion `left == right` failed; left: 1; right: 2",
            ),
            (
                "thread 'main' panicked at 'no timeout is set', src/a.rs:4:5\n",
                "main: no timeout is set",
            ),
            (
                "E   AssertionError: assert 1 == 2\n=== short test summary info ===\nFAILED tests/test_a.py::test_b - assert 1 == 2\n1 failed in 0.1s\n",
                "tests/test_a.py::test_b: assert 1 == 2",
            ),
            (
                "E   ValueError: no unit\nFAILED tests/test_a.py::test_b - Valu...\n",
                "tests/test_a.py::test_b: ValueError: no unit",
            ),
            (
                "--- FAIL: TestUpload (0.00s)\n    --- FAIL: TestUpload/empty (0.00s)\n        upload_test.go:7: got 1, want 2\nFAIL\n",
                "TestUpload/empty: upload_test.go:7: got 1, want 2",
            ),
            (
                "  ● upload › retries\n\n    expect(received).toBe(expected)\n\n    Expected: 1\n",
                "upload › retries: expect(received).toBe(expected)",
            ),
            (
                "ok 1 - a\nnot ok 2 - keeps the unit\n",
                "keeps the unit: not ok",
            ),
            (
                "Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'unit'\n",
                "KeyError: 'unit'",
            ),
            (
                "   Compiling a\nerror[E0308]: mismatched types\n --> src/a.rs:1:1\n",
                "error[E0308]: mismatched types",
            ),
            (
                "checking\nthe header is missing\n\n---\n",
                "the header is missing",
            ),
        ] {
            assert_eq!(failure(output).as_deref(), Some(expected), "{output}");
        }
        assert_eq!(failure("\n---\n"), None);
    }
}
