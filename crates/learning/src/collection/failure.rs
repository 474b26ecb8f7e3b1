//! The words of a failed command: the test that failed, and how.

/// The number of lines after the first one of a failure that are kept.
const MAX_LINES: usize = 3;

/// What the first line of a failure holds that test runners and compilers report, the
/// most specific first.
const MARKS: [&str; 8] = [
    " panicked at ",
    "FAILED ",
    "--- FAIL: ",
    "● ",
    "not ok ",
    "Error: ",
    "error: ",
    "error[",
];

/// Returns what failed, from the end of the output of a command: the first line with the
/// most specific mark and what follows it up to a blank line, else the last line with
/// words; `None` for output without any.
pub(super) fn failure(output: &str) -> Option<String> {
    let lines: Vec<&str> = output.lines().map(str::trim).collect();
    let marked = |mark: &&str| lines.iter().position(|line| line.contains(*mark));
    let Some(first) = MARKS.iter().find_map(marked) else {
        let mut lines = lines.iter().rev();
        let line = lines.find(|line| line.chars().any(char::is_alphanumeric))?;
        return Some(without_measures(line));
    };
    let rest = lines[first + 1..].iter().copied();
    let rest = rest.skip_while(|line| line.is_empty());
    let is_message = |line: &&str| {
        let is_note = ["note: ", "stack backtrace", "at "];
        // `---` starts what TAP says of a test, such as how long it took.
        !matches!(*line, "" | "---") && !is_note.iter().any(|note| line.starts_with(note))
    };
    let message = rest.take_while(is_message).take(MAX_LINES);
    // pytest cuts a message to the width of a terminal, and has it whole in its own lines.
    let is_whole = |line: &&&str| line.starts_with("E   ") && lines[first].ends_with("...");
    let whole = lines.iter().find(is_whole).copied();
    let shown: Vec<_> = std::iter::once(lines[first])
        .chain(whole)
        .chain(message)
        .collect();
    Some(without_measures(&shown.join("; ")))
}

/// A line without what differs from run to run, in parentheses: durations, and the number of
/// a thread that panicked. Other numbers are of the failure.
fn without_measures(text: &str) -> String {
    let mut parts = text.split(" (");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let measured = part.split_once(')').filter(|(inner, rest)| {
            let seconds = inner.strip_suffix("ms").or(inner.strip_suffix('s'));
            seconds.map_or(rest.starts_with(" panicked at "), |number| {
                number.trim_end().parse::<f64>().is_ok()
            })
        });
        match measured {
            Some((_, rest)) => kept.push_str(rest),
            None => kept.extend([" (", part]),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_the_test_and_its_message() {
        for (output, expected) in [
            (
                "running 1 test\ntest a ... FAILED\n\n---- a stdout ----\n\nthread 'upload::retries' (71) panicked at src/a.rs:4:5:\nassertion `left == right` failed\n  left: 1\n right: 2\nnote: run with `RUST_BACKTRACE=1`\n",
                "thread 'upload::retries' panicked at src/a.rs:4:5:; assertion `left == right` failed; left: 1; right: 2",
            ),
            (
                "E   AssertionError: assert 1 == 2\n=== short test summary info ===\nFAILED tests/test_a.py::test_b - assert 1 == 2\n",
                "FAILED tests/test_a.py::test_b - assert 1 == 2",
            ),
            (
                "--- FAIL: TestUpload (0.00s)\n    --- FAIL: TestUpload/empty (0.00s)\n        upload_test.go:7: got 1, want 2\n\nFAIL\n",
                "--- FAIL: TestUpload; --- FAIL: TestUpload/empty; upload_test.go:7: got 1, want 2",
            ),
            (
                "  ● upload › retries\n\n    expect(received).toBe(expected)\n\n    Expected: 1\n",
                "● upload › retries; expect(received).toBe(expected)",
            ),
            (
                "ok 1 - a\nnot ok 2 - keeps the unit\n",
                "not ok 2 - keeps the unit",
            ),
            (
                "not ok 1 - retries\n  ---\n  duration_ms: 1.5\n  type: 'test'\n  ...\n",
                "not ok 1 - retries",
            ),
            (
                "error: f (...) ended (exit 2), not (0), not (2) (3 ms) (1.5s)\n",
                "error: f (...) ended (exit 2), not (0), not (2)",
            ),
            (
                "compared (12 files)\n3 are missing (0.42s)\n",
                "3 are missing",
            ),
            (
                "Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'unit'\n",
                "KeyError: 'unit'",
            ),
            (
                "   Compiling a\nerror[E0308]: mismatched types\n --> src/a.rs:1:1\n",
                "error[E0308]: mismatched types; --> src/a.rs:1:1",
            ),
            (
                "E   ValueError: no unit (of 3)\n=== short test summary info ===\nFAILED tests/test_a.py::test_b - Valu...\n",
                "FAILED tests/test_a.py::test_b - Valu...; E   ValueError: no unit (of 3)",
            ),
            (
                "test errors::empty ... ok\n0 errors\n2 checks (3 left) are red\n",
                "2 checks (3 left) are red",
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
