use std::sync::Arc;

use proptest::prelude::*;

use super::*;

fn count(text: &str) -> Option<u64> {
    let mut counter = TestReader::default();
    counter.push(Stream::Stdout, text.as_bytes());
    counter.finish().tests_run
}

fn assert_counts(table: &[(Option<u64>, &str)]) {
    for (tests, text) in table {
        assert_eq!(count(text), *tests, "{text}");
    }
}

#[test]
fn cargo_test_is_counted() {
    assert_counts(&[
        (
            Some(6),
            "
running 3 tests
test schema::a ... ok
test schema::b ... ok
test schema::c ... FAILED

test result: FAILED. 2 passed; 1 failed; 4 ignored; 0 measured; 7 filtered out; finished in 0.02s

     Running tests/loop.rs (target/debug/deps/loop-0123456789abcdef)

running 0 tests

test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests demo

running 3 tests
...
test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.31s
",
        ),
        (
            Some(0),
            "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 5 filtered out; finished in 0.00s\n",
        ),
        (
            Some(0),
            "test result: ok. 0 passed; 0 failed; 3 ignored; 0 measured; 0 filtered out\n",
        ),
        (
            Some(2),
            "test result: \x1b[32mok\x1b(B\x1b[m. 1 passed; 0 failed; 0 ignored; 1 measured; 0 filtered out; finished in 4.20s\r\n",
        ),
        (None, "running 3 tests\n"),
        (None, "test result: I do not know.\ntest result: ok\n"),
        (
            None,
            "   Compiling demo v0.1.0\n    Finished `test` profile\n",
        ),
    ]);
}

#[test]
fn cargo_nextest_is_counted() {
    assert_counts(&[
        (
            Some(3),
            "
────────────
 Nextest run ID 5f0a with nextest profile: default
    Starting 3 tests across 2 binaries (5 tests skipped)
        PASS [   0.004s] demo tests::a
        FAIL [   0.004s] demo tests::b

--- STDOUT:              demo tests::b ---

running 1 test
test tests::b ... FAILED

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 2 filtered out; finished in 0.00s

────────────
     Summary [   0.007s] 3 tests run: 2 passed, 1 failed, 5 skipped
",
        ),
        (
            Some(4),
            "    Starting 1 test across 1 binary\n     Summary [   0.005s] 1 test run: 1 passed, 0 skipped\n\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
        ),
        (
            Some(4),
            "     Summary [  12.300s] 4/10 tests run: 3 passed (1 slow), 1 failed, 0 skipped\n",
        ),
        (
            Some(0),
            "    Starting 0 tests across 1 binary (5 tests skipped)\n     Summary [   0.000s] 0 tests run: 0 passed, 5 skipped\nerror: no tests to run\n",
        ),
        (None, "     Summary [   0.000s] nothing of ours\n"),
    ]);
}

#[test]
fn go_test_is_counted_if_it_lists_its_tests() {
    assert_counts(&[
        (
            Some(3),
            "
=== RUN   TestA
=== RUN   TestA/empty
--- PASS: TestA (0.00s)
    --- PASS: TestA/empty (0.00s)
=== RUN   TestB
    b_test.go:12: needs a database
--- SKIP: TestB (0.00s)
PASS
ok  \texample.com/demo/a\t0.005s
testing: warning: no tests to run
PASS
ok  \texample.com/demo/b\t0.003s [no tests to run]
?   \texample.com/demo/c\t[no test files]
=== RUN   TestC
--- PASS: TestC (0.00s)
=== RUN   ExampleD
--- FAIL: ExampleD (0.00s)
FAIL
FAIL\texample.com/demo/d\t0.010s
FAIL
",
        ),
        (
            Some(0),
            "=== RUN   TestB\n--- SKIP: TestB (0.00s)\nPASS\nok  \texample.com/a\t0.005s\n",
        ),
        (Some(1), "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\n"),
        (Some(0), "testing: warning: no tests to run\nPASS\n"),
        (
            Some(1),
            "FAIL\texample.com/a [build failed]\n=== RUN   TestB\n--- PASS: TestB (0.00s)\nok  \texample.com/b\t0.005s\n",
        ),
    ]);
}

#[test]
fn go_test_without_v_is_not_counted_unless_no_package_has_a_test() {
    assert_counts(&[
        (
            None,
            "ok  \texample.com/a\t0.005s\nok  \texample.com/b\t(cached) [no tests to run]\n",
        ),
        (None, "ok  \texample.com/a\t(cached)\n"),
        (
            None,
            "ok  \texample.com/a\t0.005s\tcoverage: 61.2% of statements\n",
        ),
        (
            None,
            "--- FAIL: TestA (0.00s)\n    a_test.go:7: no\nFAIL\nFAIL\texample.com/a\t0.004s\nFAIL\n",
        ),
        (
            Some(0),
            "ok  \texample.com/a\t0.005s [no tests to run]\n?   \texample.com/b\t[no test files]\nok  \texample.com/c\t(cached) [no tests to run]\n",
        ),
        (Some(0), "?   \texample.com/b\t[no test files]\n"),
        (None, "?   \tis this a question\n"),
        (
            None,
            "ok  \texample.com/a\t0.005s\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 2 filtered out\n",
        ),
        (
            Some(2),
            "ok  \texample.com/a\t0.005s\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 2 filtered out\n",
        ),
    ]);
}

#[test]
fn go_test_json_is_counted() {
    let event = |action: &str, rest: &str| {
        format!(
            r#"{{"Time":"2026-03-01T12:00:00Z","Action":"{action}","Package":"example.com/a"{rest}}}"#
        )
    };
    let some = [
        event("start", ""),
        event("run", r#","Test":"TestA""#),
        event(
            "output",
            r#","Test":"TestA","Output":"ok  \texample.com/x\t0.1s\n""#,
        ),
        event("pass", r#","Test":"TestA/empty","Elapsed":0"#),
        event("pass", r#","Test":"TestA","Elapsed":0"#),
        event("fail", r#","Test":"TestB","Elapsed":0.01"#),
        event("skip", r#","Test":"TestC","Elapsed":0"#),
        event("fail", r#","Elapsed":0.02"#),
    ];
    assert_eq!(count(&some.join("\n")), Some(2));
    let none = [
        event("start", ""),
        event(
            "output",
            r#","Output":"testing: warning: no tests to run\n""#,
        ),
        event("pass", r#","Elapsed":0.02"#),
    ];
    assert_eq!(count(&none.join("\n")), Some(0));
    assert_eq!(
        count(&event("dance", r#","Test":"TestA""#)),
        None,
        "no action of go"
    );
    assert_eq!(count(r#"{"Action":"pass","Test":"TestA"}"#), None);
}

#[test]
fn pytest_is_counted() {
    assert_counts(&[
        (
            Some(2),
            "
============================= test session starts ==============================
platform linux -- Python 3.12.3, pytest-8.1.1, pluggy-1.4.0
collected 3 items / 1 deselected / 2 selected

tests/test_a.py ..                                                       [100%]

======================= 2 passed, 1 deselected in 0.01s ========================
",
        ),
        (
            Some(5),
            "= 1 failed, 2 passed, 3 skipped, 1 xfailed, 1 xpassed, 1 error, 4 warnings in 0.12s =\n",
        ),
        (Some(2), "..\n2 passed in 0.01s\n"),
        (Some(2), "2 passed, 2 subtests passed in 0.01s\n"),
        (Some(1), "==== 1 passed in 0.01 seconds ====\n"),
        (
            Some(9),
            "====== 9 passed, 1 rerun in 61.20s (0:01:01) ======\n",
        ),
        (
            Some(1),
            "\x1b[32m======= \x1b[32m\x1b[1m1 passed\x1b[0m\x1b[32m in 0.01s\x1b[0m\x1b[32m =======\x1b[0m\n",
        ),
        (Some(0), "============ no tests ran in 0.01s ============\n"),
        (Some(0), "============ 3 deselected in 0.01s ============\n"),
        (Some(0), "============ 4 skipped in 0.03s ============\n"),
        (Some(0), "============ 1 error in 0.03s ============\n"),
        (
            Some(0),
            "========== 3 tests collected in 0.01s ==========\n",
        ),
        (
            Some(0),
            "=== 3/5 tests collected (2 deselected) in 0.01s ===\n",
        ),
        (Some(0), "=== no tests collected, 1 error in 0.05s ===\n"),
        (None, "3 apples eaten in 0.01s\n"),
        (None, "2 passed in a hurry\n"),
        (None, "2 passed in 3 days\n"),
        (None, "nothing in 1s\n"),
    ]);
}

#[test]
fn unittest_and_bun_are_counted() {
    assert_counts(&[
        (Some(2), "Ran 3 tests in 0.001s\n\nOK (skipped=1)\n"),
        (Some(0), "Ran 1 test in 0.001s\n\nOK (skipped=1)\n"),
        (
            Some(2),
            "Ran 4 tests in 0.001s\n\nFAILED (failures=1, skipped=2)\n",
        ),
        (Some(1), "Ran 1 test in 0.001s\n\nFAILED (failures=1)\n"),
        (Some(0), "Ran 0 tests in 0.000s\n\nNO TESTS RAN\n"),
        (
            Some(4),
            " 3 pass\n 1 fail\nRan 4 tests across 2 files. [12.00ms]\n",
        ),
        (Some(1), "Ran 1 test across 1 file. [1.00ms]\n"),
        (None, "Ran 3 tests in the rain\n"),
        (None, "Ran all test suites.\n"),
    ]);
}

#[test]
fn jest_is_counted() {
    assert_counts(&[
        (
            Some(3),
            "
PASS ./sum.test.js
  ✓ adds (2 ms)

Test Suites: 1 failed, 1 passed, 2 total
Tests:       1 failed, 1 skipped, 1 todo, 2 passed, 5 total
Snapshots:   0 total
Time:        0.5 s
Ran all test suites.
",
        ),
        (
            Some(2),
            "\x1b[1mTests:       \x1b[22m\x1b[1m\x1b[32m2 passed\x1b[39m\x1b[22m, 2 total\n",
        ),
        (Some(0), "Tests:       5 skipped, 5 total\n"),
        (Some(0), "Tests:       0 total\n"),
        (Some(0), "No tests found, exiting with code 0\n"),
        (None, "Tests: three passed, 3 total\n"),
        (None, "Tests: 3 passed\n"),
    ]);
}

#[test]
fn vitest_is_counted() {
    assert_counts(&[
        (
            Some(4),
            "
 ✓ test/a.test.ts (4 tests) 3ms

 Test Files  1 failed | 1 passed (2)
      Tests  1 failed | 2 passed | 1 expected fail | 1 skipped | 1 todo (6)
   Start at  12:00:00
   Duration  300ms
",
        ),
        (
            Some(2),
            "\x1b[2m      Tests \x1b[22m \x1b[1m\x1b[32m2 passed\x1b[39m\x1b[22m\x1b[90m (2)\x1b[39m\n",
        ),
        (Some(0), "      Tests  3 skipped (3)\n"),
        (Some(0), "      Tests  no tests\n"),
        (Some(0), "No test files found, exiting with code 0\n"),
        (None, "Tests are (3)\n"),
        (None, "Tests 3 passed (of three)\n"),
    ]);
}

#[test]
fn mocha_is_counted() {
    assert_counts(&[
        (
            Some(3),
            "

  sum
    ✔ adds
    1) fails

  2 passing (10ms)
  1 pending
  1 failing

  1) sum
",
        ),
        (Some(12), "  12 passing (2s)\n"),
        (Some(0), "  0 passing (1ms)\n"),
        (None, "  3 failing\n  3 passing cars\n"),
    ]);
}

#[test]
fn tap_and_node_are_counted() {
    assert_counts(&[
        (
            Some(3),
            "TAP version 14\n# Subtest: a\n    ok 1 - inner\n    1..1\nok 1 - a\nok 2 - b # SKIP no net\nnot ok 3 - c\nok 4\n1..4\n",
        ),
        (Some(0), "1..0 # skipped\n"),
        (
            Some(2),
            "TAP version 13\nok 1 - file\n1..1\n# tests 3\n# suites 1\n# pass 1\n# fail 1\n# cancelled 0\n# skipped 1\n# todo 0\n# duration_ms 41.2\n",
        ),
        (
            Some(4),
            "✔ adds (1ms)\nℹ tests 4\nℹ suites 0\nℹ pass 4\nℹ fail 0\nℹ duration_ms 41\n",
        ),
        (Some(0), "ℹ tests 0\nℹ pass 0\nℹ fail 0\n"),
        (
            Some(2),
            "TAP version 13\n# t\nok 1 a\nok 2 b\n\n1..2\n# tests 2\n# pass  2\n\n# ok\n",
        ),
        (
            None,
            "# pass 3\nok 1 - no plan\n1..x\n# tests\n# tests many\n",
        ),
    ]);
}

#[test]
fn the_summaries_of_all_runners_and_both_outputs_are_added_up() {
    let mut counter = TestReader::default();
    counter.push(Stream::Stdout, b"2 passed in 0.01s\n  1 passing (3ms)");
    counter.push(Stream::Stderr, b"Tests:       4 passed, 4 total");
    assert_eq!(counter.finish().tests_run, Some(7));
}

#[test]
fn a_runner_that_counts_the_tests_of_another_hides_no_test_of_a_third() {
    let prove = "Files=1, Tests=0,  0 wallclock secs\nResult: NOTESTS\n";
    let tap = "ok 1 - adds\nok 2 - subtracts\n1..2\n";
    assert_counts(&[
        (Some(0), prove),
        (Some(2), &format!("{prove}{tap}")),
        (
            Some(2),
            &format!("{tap}Files=1, Tests=2,  0 wallclock secs\n"),
        ),
        (None, "12 checks\n0 failures\n"),
    ]);
}

#[test]
fn interleaved_outputs_keep_their_lines() {
    let mut counter = TestReader::default();
    counter.push(Stream::Stdout, b"2 pas");
    counter.push(Stream::Stderr, b"warning: unused\n");
    counter.push(Stream::Stdout, b"sed in 0.01s\n");
    assert_eq!(counter.finish().tests_run, Some(2));
}

#[test]
fn huge_counts_do_not_overflow() {
    let most = u64::MAX;
    assert_counts(&[
        (
            Some(most),
            &format!("{most} passed, 9 failed in 0.01s\n{most} passed in 0.01s\n"),
        ),
        (None, "99999999999999999999 passed in 0.01s\n"),
    ]);
    assert_eq!(
        count(&format!("{most} passed in 1s\n  {most} passing (1s)\n")),
        Some(most)
    );
}

#[test]
fn an_output_without_any_summary_is_not_counted() {
    assert_counts(&[(None, ""), (None, "PASS\n"), (None, "all 3 tests passed\n")]);
}

fn word(marks: &Marks) -> &'static str {
    match () {
        () if marks.has(Marks::FAILED) => "failed",
        () if marks.has(Marks::PASSED) => "passed",
        () if marks.has(Marks::SKIPPED) => "skipped",
        () if marks.has(Marks::BEGUN) => "begun",
        () if marks.has(Marks::NEAR) => "near",
        () => "-",
    }
}

/// Returns the listed tests of an output, each with its mark, and the
/// runners that named all passed tests.
fn named(text: &str, listed: &[&str]) -> (Vec<&'static str>, Vec<(&'static str, bool)>) {
    let index = Arc::new(Listed::new(listed.iter().copied()));
    let mut reader = TestReader::new(&index);
    reader.push(Stream::Stdout, text.as_bytes());
    let observed = reader.finish();
    let absent = vec![Marks::default(); listed.len()];
    let marks = if observed.marks.is_empty() {
        &absent
    } else {
        &observed.marks
    };
    (marks.iter().map(word).collect(), observed.runners)
}

/// A reporter, whether it names all tests, its output, and the listed tests
/// with their marks.
type Named = (
    &'static str,
    bool,
    &'static str,
    &'static [(&'static str, &'static str)],
);

#[test]
fn listed_tests_are_found_in_the_output_of_every_runner() {
    let table: &[Named] = &[
        (
            "cargo test",
            true,
            CARGO,
            &[
                ("tests::a", "passed"),
                ("a", "passed"),
                ("demo::tests::a", "near"),
                ("c", "passed"),
                ("b", "skipped"),
                ("root_one", "passed"),
                ("gone", "-"),
            ],
        ),
        (
            "cargo test",
            false,
            "running 2 tests\n..\ntest result: ok. 2 passed; 0 failed; 0 ignored\n",
            &[("a", "-")],
        ),
        (
            "cargo test",
            false,
            "running 2 tests\nhellotest a ... ok\ntest b ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored\n",
            &[("a", "-"), ("b", "passed")],
        ),
        (
            "cargo test",
            true,
            "test m::sums::case_1_ab ... ok\ntest m::sums::case_2 ... FAILED\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n",
            &[("sums", "failed")],
        ),
        (
            "cargo test",
            true,
            "test a ... ok\ntest result: ok. 1 passed; 0 failed\ntest a ... FAILED\ntest result: FAILED. 0 passed; 1 failed\n",
            &[("a", "failed")],
        ),
        (
            "cargo nextest",
            true,
            NEXTEST,
            &[
                ("tests::a", "passed"),
                ("demo::it root_one", "passed"),
                ("root_one", "passed"),
                ("flaky", "passed"),
                ("b", "-"),
            ],
        ),
        (
            "cargo nextest",
            false,
            "    Starting 3 tests across 1 binary\n     Summary [   0.007s] 3 tests run: 3 passed, 0 skipped\n",
            &[("a", "-")],
        ),
        (
            "go test",
            true,
            "=== RUN   TestA\n=== RUN   TestA/sub_case\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/sub_case (0.00s)\n=== RUN   TestB\n--- SKIP: TestB (0.00s)\n=== RUN   TestC\nout--- PASS: TestC (0.00s)\nPASS\nok  \tx/a\t0.1s\n",
            &[
                ("TestA", "passed"),
                ("TestA/sub case", "passed"),
                ("a.TestA", "near"),
                ("TestB", "skipped"),
                ("TestC", "begun"),
                ("TestD", "-"),
            ],
        ),
        (
            "go test",
            true,
            "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \tx/a\t0.1s\n=== RUN   TestA\n--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tx/b\t0.1s\n",
            &[("TestA", "failed")],
        ),
        ("go test", false, "ok  \tx/a\t0.1s\n", &[("TestA", "-")]),
        (
            "go test",
            true,
            "{\"Action\":\"run\",\"Package\":\"x/a\",\"Test\":\"TestA\"}\n{\"Action\":\"pass\",\"Package\":\"x/a\",\"Test\":\"TestA\"}\n{\"Action\":\"skip\",\"Package\":\"x/a\",\"Test\":\"TestB\"}\n",
            &[("TestA", "passed"), ("TestB", "skipped"), ("TestC", "-")],
        ),
        (
            "pytest",
            true,
            PYTEST_VERBOSE,
            &[
                ("test_y", "passed"),
                ("tests/test_x.py::TestC::test_y[b c]", "passed"),
                ("TestC::test_y", "passed"),
                ("test_x.py::test_plain", "passed"),
                ("pkg/tests/test_x.py::test_plain", "near"),
                ("test_sk", "skipped"),
                ("test_xf", "failed"),
                ("test_xp", "passed"),
                ("test_reopen_keeps_links", "-"),
            ],
        ),
        (
            "pytest",
            true,
            PYTEST_SHORT,
            &[
                ("test_y", "passed"),
                ("test_plain", "passed"),
                ("test_xf", "failed"),
                ("test_sk", "-"),
            ],
        ),
        (
            "pytest",
            true,
            "[gw1] [ 50%] PASSED tests/test_x.py::test_a \n[gw0] [100%] SKIPPED tests/test_x.py::test_b \n=== 1 passed, 1 skipped in 0.02s ===\n",
            &[("test_a", "passed"), ("test_b", "skipped")],
        ),
        (
            "pytest",
            false,
            "..   [100%]\n2 passed in 0.02s\n",
            &[("test_a", "-")],
        ),
        (
            "pytest",
            true,
            "tests/test_x.py::test_y[a] PASSED [ 50%]\ntests/test_x.py::test_y[b] FAILED [100%]\n=== 1 failed, 1 passed in 0.02s ===\n",
            &[("test_y", "failed"), ("test_y[a]", "passed")],
        ),
        (
            "jest",
            true,
            JEST,
            &[
                ("sum > deep > adds two numbers", "passed"),
                ("adds two numbers", "passed"),
                ("two numbers", "-"),
                ("sum", "near"),
                ("root one", "passed"),
                ("never runs", "skipped"),
                ("later", "skipped"),
                ("adds 5 + 6", "-"),
            ],
        ),
        (
            "jest",
            false,
            "PASS j/other.test.js\nPASS j/sum.test.js\n\nTests:       2 skipped, 8 passed, 10 total\n",
            &[("root one", "-")],
        ),
        (
            "vitest",
            true,
            VITEST,
            &[
                ("sum > deep > adds two numbers", "passed"),
                ("vt/sum.test.mjs > root one", "passed"),
                ("sum.test.mjs > root one", "passed"),
                ("never runs", "skipped"),
                ("later", "skipped"),
                ("gone away", "-"),
            ],
        ),
        (
            "vitest",
            false,
            " ✓ vt/b.test.mjs (6 tests | 1 skipped) 2ms\n\n      Tests  5 passed | 1 skipped (6)\n",
            &[("root one", "-")],
        ),
        (
            "mocha",
            true,
            MOCHA,
            &[
                ("sum deep adds two numbers", "passed"),
                ("adds slowly", "passed"),
                ("never runs", "skipped"),
                ("root one", "passed"),
                ("gone away", "-"),
            ],
        ),
        (
            "mocha",
            false,
            "  ..,,..\n\n  4 passing (104ms)\n  2 pending\n",
            &[("root one", "-")],
        ),
        (
            "TAP",
            true,
            NODE_TAP,
            &[
                ("suite a > does this", "passed"),
                ("suite a", "passed"),
                ("skips that", "skipped"),
                ("needs # hash", "passed"),
                ("top > child", "passed"),
                ("todo one", "skipped"),
                ("gone away", "-"),
            ],
        ),
        (
            "node --test",
            true,
            NODE_SPEC,
            &[
                ("suite a > inner > deep one", "passed"),
                ("does this", "passed"),
                ("skips that", "skipped"),
                ("top > child", "passed"),
                ("todo one", "skipped"),
                ("gone away", "-"),
            ],
        ),
        (
            "TAP",
            true,
            "TAP version 14\n1..3\nok 1 - keeps links\nnot ok 2 - loses links\nok 3 - sends # SKIP no net\n",
            &[
                ("keeps links", "passed"),
                ("loses links", "failed"),
                ("sends", "skipped"),
            ],
        ),
        (
            "TAP",
            true,
            "TAP version 13\n# first thing\nok 1 is fine\n\n1..1\n# tests 1\n# pass  1\n\n# ok\n",
            &[("first thing", "begun"), ("is fine", "passed")],
        ),
        (
            "TAP",
            false,
            "# uploads\nok 1\n1..1\n",
            &[("uploads", "begun")],
        ),
        (
            "TAP",
            false,
            "ok 1\nok 2 - named\n1..2\n",
            &[("named", "passed"), ("other one", "-")],
        ),
        (
            "node --test",
            false,
            "......\nℹ tests 6\nℹ pass 6\nℹ fail 0\n",
            &[("root one", "-")],
        ),
    ];
    for (reporter, names_all, output, listed) in table {
        let names: Vec<_> = listed.iter().map(|(name, _)| *name).collect();
        let expected: Vec<_> = listed.iter().map(|(_, mark)| *mark).collect();
        let (marks, reporters) = named(output, &names);
        assert_eq!(reporters, [(*reporter, *names_all)], "{output}");
        assert_eq!(marks, expected, "{names:?} in {output}");
    }
}

const CARGO: &str = "
running 4 tests
test tests::b ... ignored, slow, net
test tests::a ... ok
test tests::prints ... ok
test tests::c - should panic ... ok

test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.06s

running 1 test
test root_one ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

running 1 test
test src/lib.rs - f (line 1) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";

const NEXTEST: &str = "
────────────
 Nextest run ID 6899ada9 with nextest profile: default
    Starting 4 tests across 2 binaries (1 test skipped)
        PASS [   0.004s] (1/4) demo tests::a
        PASS [   0.004s] demo tests::prints
  TRY 1 FAIL [   0.004s] demo tests::flaky
  TRY 2 PASS [   0.004s] demo tests::flaky
        PASS [   0.004s] (4/4) demo::it root_one
────────────
     Summary [   0.067s] 4 tests run: 4 passed (1 flaky), 1 skipped
   FLAKY 2/2 [   0.004s] demo tests::flaky
";

const PYTEST_VERBOSE: &str = "
collecting ... collected 8 items

tests/test_x.py::TestC::test_y[a] PASSED                                 [ 12%]
tests/test_x.py::TestC::test_y[b c] PASSED                               [ 25%]
tests/test_x.py::TestC::test_y[d::e] PASSED                              [ 37%]
tests/test_x.py::test_plain PASSED                                       [ 50%]
tests/test_x.py::test_sk SKIPPED (no - net)                              [ 62%]
tests/test_x.py::test_xf XFAIL                                           [ 75%]
tests/test_x.py::test_xp XPASS (soon)                                    [ 87%]
tests/test_x.py::test_printing PASSED                                    [100%]

============== 5 passed, 1 skipped, 1 xfailed, 1 xpassed in 0.02s ==============
";

const PYTEST_SHORT: &str = "
....sxX.                                                                 [100%]
=========================== short test summary info ============================
PASSED tests/test_x.py::TestC::test_y[a]
PASSED tests/test_x.py::TestC::test_y[b c]
PASSED tests/test_x.py::TestC::test_y[d::e]
PASSED tests/test_x.py::test_plain
PASSED tests/test_x.py::test_printing
SKIPPED [1] tests/test_x.py:6: no - net
XFAIL tests/test_x.py::test_xf
XPASS tests/test_x.py::test_xp
5 passed, 1 skipped, 1 xfailed, 1 xpassed in 0.02s
";

const JEST: &str = "
PASS j/sum.test.js
  ✓ root one (1 ms)
  sum
    ✓ adds 1 + 2
    ✓ adds 3 + 4
    ○ skipped never runs
    ✎ todo later
    deep
      ✓ adds two numbers (1 ms)

Test Suites: 1 passed, 1 total
Tests:       1 skipped, 1 todo, 4 passed, 6 total
";

const VITEST: &str = "
 RUN  v4.1.12 /tmp/rec/n

 \x1b[32m✓\x1b[39m vt/sum.test.mjs\x1b[2m > \x1b[22msum\x1b[2m > \x1b[22mdeep\x1b[2m > \x1b[22madds two numbers\x1b[32m 1\x1b[2mms\x1b[22m\x1b[39m
 ✓ vt/sum.test.mjs > sum > adds 1 + 2 0ms
 ↓ vt/sum.test.mjs > sum > never runs
 □ vt/sum.test.mjs > sum > later
 ✓ vt/sum.test.mjs > root one 0ms

 Test Files  1 passed (1)
      Tests  3 passed | 1 skipped | 1 todo (5)
";

const MOCHA: &str = "

  ✔ root one
  sum
    ✔ adds slowly (101ms)
    - never runs
    - pending one
    ✔ hook ok
    deep
      ✔ adds two numbers


  4 passing (104ms)
  2 pending
";

const NODE_TAP: &str = "
TAP version 13
# ok 9 - fake
# Subtest: suite a
    # Subtest: does this
    ok 1 - does this
      ---
      duration_ms: 0.646359
      ...
    # Subtest: skips that
    ok 2 - skips that # SKIP
    # Subtest: needs \\# hash
    ok 3 - needs \\# hash
    # Subtest: inner
        # Subtest: deep one
        ok 1 - deep one
        1..1
    ok 4 - inner
    1..4
ok 1 - suite a
  ---
  type: 'suite'
  ...
# Subtest: top
    # Subtest: child
    ok 1 - child
    1..1
ok 2 - top
# Subtest: todo one
ok 3 - todo one # TODO
1..3
# tests 7
# suites 2
# pass 5
# fail 0
# cancelled 0
# skipped 1
# todo 1
# duration_ms 182.257686
";

const NODE_SPEC: &str = "
▶ suite a
  ✔ does this (0.551224ms)
  ﹣ skips that (0.110421ms) # SKIP
  ✔ needs # hash (0.083703ms)
  ▶ inner
    ✔ deep one (0.823496ms)
  ✔ inner (0.927787ms)
✔ suite a (2.722556ms)
▶ top
  ✔ child (0.214084ms)
▶ top (1.415173ms)
✔ todo one (0.085082ms) # TODO
ℹ tests 7
ℹ suites 2
ℹ pass 5
ℹ fail 0
";

/// Generates lines that look like those of runners, and others.
fn any_line() -> impl Strategy<Value = String> {
    let known: Vec<String> = [
        CARGO,
        NEXTEST,
        PYTEST_VERBOSE,
        PYTEST_SHORT,
        JEST,
        VITEST,
        MOCHA,
        NODE_TAP,
        NODE_SPEC,
        "=== RUN   TestA\n--- PASS: TestA (0.00s)\nok  \tx\t0.1s",
    ]
    .iter()
    .flat_map(|text| text.lines().map(str::to_owned))
    .collect();
    prop_oneof![
        prop::sample::select(known.clone()),
        (
            prop::sample::select(known),
            any::<prop::sample::Index>(),
            ".{0,8}"
        )
            .prop_map(|(line, at, more)| {
                let cuts: Vec<_> = line
                    .char_indices()
                    .map(|(at, _)| at)
                    .chain([line.len()])
                    .collect();
                let (head, tail) = line.split_at(*at.get(&cuts));
                format!("{head}{more}{tail}")
            }),
        "[ \\[\\]():<>/.\"#✓▶a-]{0,40}",
    ]
}

proptest! {
    #[test]
    fn no_output_makes_the_reader_fail_and_the_cuts_between_chunks_do_not_matter(
        lines in prop::collection::vec(any_line(), 0..40),
        listed in prop::collection::vec("[a-zA-Z_:/ >\\[\\].]{0,20}", 0..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let text = lines.join("\n");
        let listed = Arc::new(Listed::new(listed.iter().map(String::as_str)));
        let mut whole = TestReader::new(&listed);
        whole.push(Stream::Stdout, text.as_bytes());
        let (head, tail) = text.as_bytes().split_at(cut.index(text.len() + 1));
        let mut parts = TestReader::new(&listed);
        parts.push(Stream::Stdout, head);
        parts.push(Stream::Stdout, tail);
        prop_assert_eq!(whole.finish(), parts.finish());
    }
}

#[test]
fn a_line_that_contradicts_the_count_names_no_test() {
    for output in [
        "test a ... ok\ntest later_test ... ignored\n\
             test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n\
             test later_test ... ok\n",
        "test a ... ok\ntest later_test ... loading ... ok\nok\n\
             test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
    ] {
        let listed = Arc::new(Listed::new(["later_test"]));
        let mut reader = TestReader::new(&listed);
        reader.push(Stream::Stdout, output.as_bytes());
        let observed = reader.finish();
        let passed = observed.marks.iter().any(|marks| marks.has(Marks::PASSED));
        assert!(!passed, "{output}");
        assert_eq!(observed.runners, [("cargo test", false)], "{output}");
    }
}

#[test]
fn tests_are_counted_while_they_run() {
    for (pieces, expected) in [
        (
            &[
                "running 2 tests\n",
                "test a ... ok\n",
                "test b ... ignored\ntest c ... FAILED\n",
                "test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out\n",
                "test d ... ok\n",
            ] as &[&str],
            [None, Some(1), Some(2), Some(2), Some(3_u64)].as_slice(),
        ),
        (
            &[
                "=== RUN   TestA\n",
                "--- PASS: TestA (0.00s)\n",
                "ok  \tdemo\t0.1s\n",
            ],
            [None, Some(1), Some(1)].as_slice(),
        ),
        (
            &["collected 3 items\n", "3 passed in 0.01s\n"],
            [None, Some(3)].as_slice(),
        ),
        (&["building\n"], [None].as_slice()),
    ] {
        let mut reader = TestReader::default();
        let counts = pieces.iter().map(|piece| {
            reader.push(Stream::Stdout, piece.as_bytes());
            reader.tests_so_far()
        });
        assert_eq!(counts.collect::<Vec<_>>(), expected, "{pieces:?}");
    }
}

/// The names of the tests in an output, with how each ended.
fn all_names(text: &str) -> serde_json::Value {
    let mut reader = TestReader::of_names();
    reader.push(Stream::Stdout, text.as_bytes());
    serde_json::to_value(reader.finish().names).unwrap()
}

#[test]
fn all_tests_of_a_run_are_named_as_their_runner_names_them() {
    use serde_json::json;
    let (passed, failed, skipped) = ([1, 0, 0], [0, 1, 0], [0, 0, 1]);
    for (output, run, tests) in [
        (
            "test store::keeps ... ok\ntest store::fails - should panic ... FAILED\n\
             test slow ... ignored, it is slow\ntest src/lib.rs - add (line 12) ... ok\n\
             test src/lib.rs - add (line 30) ... ok\n\
             test result: FAILED. 3 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out\n",
            4,
            json!({"store::keeps": passed, "store::fails": failed, "slow": skipped,
                   "src/lib.rs - add": [2, 0, 0]}),
        ),
        (
            "test works ... ok\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured\n\
             test works ... ok\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured\n",
            2,
            json!({"works": [2, 0, 0]}),
        ),
        (
            "    Starting 2 tests across 1 binary\n\
             \x20       PASS [   0.004s] (1/2) demo::it keeps\n\
             \x20       FAIL [   0.004s] (2/2) demo::it fails\n\
             \x20    Summary [   0.005s] 2 tests run: 1 passed, 1 failed, 0 skipped\n",
            2,
            json!({"demo::it keeps": passed, "demo::it fails": failed}),
        ),
        (
            "tests/test_a.py::test_one PASSED                    [ 20%]\n\
             tests/test_a.py::test_two SKIPPED (a reason that\ngoes on)          [ 40%]\n\
             tests/test_a.py::test_three[a - b] FAILED           [ 60%]\n\
             tests/test_a.py::TestC::test_four SKIPPED (no)      [ 80%]\n\
             tests/test_a.py::test_five XFAIL                    [100%]\n\
             PASSED tests/test_a.py::test_one\n\
             XFAIL tests/test_a.py::test_five\n\
             FAILED tests/test_a.py::test_three[a - b] - assert 1 - 1\n\
             ==== 1 failed, 1 passed, 2 skipped, 1 xfailed in 0.04s ====\n",
            3,
            json!({"tests/test_a.py::test_one": passed, "tests/test_a.py::test_two": skipped,
                   "tests/test_a.py::test_three[a - b]": failed,
                   "tests/test_a.py::TestC::test_four": skipped,
                   "tests/test_a.py::test_five": failed}),
        ),
        (
            "=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- SKIP: TestA/sub (0.00s)\n\
             PASS\nok  \tdemo\t0.01s\n",
            1,
            json!({"TestA": passed, "TestA/sub": skipped}),
        ),
        (
            "{\"Action\":\"pass\",\"Package\":\"demo\",\"Test\":\"TestA\"}\n",
            1,
            json!({"demo.TestA": passed}),
        ),
        (
            "ok 1 - adds\nok 2 - subtracts # SKIP later\nnot ok 3 - divides\n1..3\n",
            2,
            json!({"adds": passed, "subtracts": skipped, "divides": failed}),
        ),
        (
            " \u{2713} a.test.ts > sum > adds 3ms\n \u{2193} a.test.ts > sum > later\n\
             \x20     Tests  1 passed | 1 skipped (2)\n",
            1,
            json!({"a.test.ts > sum > adds": passed, "a.test.ts > sum > later": skipped}),
        ),
        (
            "PASS ./a.test.js\n  sum\n    \u{2713} adds (2 ms)\n    \u{25cb} skipped later\n\
             Tests:       1 skipped, 1 passed, 2 total\n",
            1,
            json!({"sum > adds": passed, "sum > later": skipped}),
        ),
        (
            "\u{2716} adds (18.2ms)\n  AssertionError: no\n\u{2714} zero (0.4ms)\n\
             \u{2139} tests 2\n\u{2139} suites 0\n\u{2139} pass 1\n\u{2139} fail 1\n\n\
             \u{2716} failing tests:\n\ntest at tests/a.test.js:2:1\n\u{2716} adds (18.2ms)\n\
             \x20 AssertionError: no\n\u{2714} other (1ms)\n\u{2139} tests 1\n\u{2139} suites 0\n\
             \u{2139} pass 1\n\u{2139} fail 0\n",
            3,
            json!({"adds": failed, "zero": passed, "other": passed}),
        ),
    ] {
        let expected = json!({"tests": tests, "run": run, "is_whole": true});
        assert_eq!(all_names(output), expected, "{output}");
    }
}

#[test]
fn a_file_that_cannot_be_loaded_is_no_test() {
    for output in [
        "test_a (unittest.loader._FailedTest.test_a) ... ERROR\n\
         Ran 1 test in 0.000s\n\nFAILED (errors=1)\n",
        "test_a (unittest.loader._FailedTest) ... ERROR\n\
         Ran 1 test in 0.000s\n\nFAILED (errors=1)\n",
        "setUpClass (tests.test_a.Works) ... ERROR\n\
         Ran 0 tests in 0.000s\n\nFAILED (errors=1)\n",
        "TAP version 13\n# Subtest: /app/a.test.mjs\nnot ok 1 - /app/a.test.mjs\n1..1\n\
         # tests 1\n# suites 0\n# pass 0\n# fail 1\n",
    ] {
        assert_eq!(
            all_names(output)["tests"],
            serde_json::json!({}),
            "{output}"
        );
    }
}

#[test]
fn a_run_that_names_only_some_tests_is_not_whole() {
    for output in [
        "running 2 tests\n..\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured\n",
        "Ran 3 tests in 0.001s\n\nOK\n",
        "test a ... ok\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured\n",
    ] {
        assert_eq!(all_names(output)["is_whole"], false, "{output}");
    }
}

fn fixture(name: &str) -> String {
    fixture_file(&format!("{name}.txt"))
}

fn fixture_file(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/runners");
    let file = format!("{folder}/{name}");
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"))
}

#[test]
fn a_run_of_no_test_is_known_by_the_words_of_each_runner() {
    for name in [
        "ctest",
        "googletest",
        "gotestsum",
        "maven",
        "gradle",
        "phpunit",
        "rspec",
        "rspec-filtered",
        "minitest",
        "swift",
        "dotnet",
        "deno",
        "exunit",
        "exunit-excluded",
        "prove",
        "prove-skipped",
        "tap",
        "playwright",
        "cypress",
        "busted",
        "zig",
        "nextest",
        "node",
        "node-spec",
        "node-filtered",
        "go",
        "unittest",
        "jest",
        "jest-skipped",
        "mocha",
        "vitest",
        "vitest-skipped",
    ] {
        assert_eq!(count(&fixture(&format!("{name}-none"))), Some(0), "{name}");
    }
}

#[test]
fn tests_of_recorded_runs_are_counted_and_named_if_their_runner_names_them() {
    for (file, runner, tests, names_all) in [
        ("cargo-ran", "cargo test", Some(1), true),
        ("trybuild-ran", "cargo test", Some(2), true),
        ("nextest-ran", "cargo nextest", Some(1), true),
        ("go-ran", "go test", Some(1), true),
        ("go-json-ran", "go test", Some(1), true),
        ("gotestsum-ran", "gotestsum", Some(3), false),
        ("gotestsum-verbose-ran", "go test", Some(3), true),
        ("pytest-classic-ran", "pytest", Some(4), true),
        ("pytest-count-ran", "pytest", Some(4), true),
        ("pytest-times-ran", "pytest", Some(4), true),
        ("pytest-progress-ran", "pytest", Some(4), true),
        ("xdist-classic-ran", "pytest", Some(4), true),
        ("xdist-count-ran", "pytest", Some(4), true),
        ("xdist-times-ran", "pytest", Some(4), true),
        ("xdist-progress-ran", "pytest", Some(4), true),
        ("unittest-ran", "unittest", Some(4), true),
        ("jest-ran", "jest", Some(3), true),
        ("vitest-ran", "vitest", Some(3), true),
        ("mocha-ran", "mocha", Some(3), true),
        ("cypress-ran", "mocha", Some(1), true),
        ("node-ran", "TAP", Some(2), true),
        ("node-and-file-ran", "TAP", Some(2), true),
        ("tap-ran", "TAP", Some(1), true),
        ("busted-tap-ran", "TAP", Some(1), true),
        ("prove-ran", "TAP", Some(2), true),
        ("playwright-ran", "playwright", Some(1), false),
        ("deno-ran", "deno", Some(1), false),
        ("ctest-ran", "ctest", Some(2), false),
        ("googletest-ran", "googletest", Some(2), false),
        ("maven-ran", "maven", Some(2), false),
        ("gradle-uncounted", "gradle", None, false),
        ("phpunit-ran", "phpunit", Some(2), false),
        ("phpunit-skipped-ran", "phpunit", Some(2), false),
        ("rspec-ran", "rspec", Some(1), false),
        ("minitest-ran", "minitest", Some(1), false),
        ("swift-uncounted", "swift", None, false),
        ("dotnet-ran", "dotnet", Some(3), false),
        ("exunit-ran", "exunit", Some(2), false),
        ("busted-ran", "busted", Some(1), false),
        ("zig-ran", "zig", Some(1), false),
    ] {
        let mut reader = TestReader::default();
        reader.push(Stream::Stdout, fixture(file).as_bytes());
        let observed = reader.finish();
        assert_eq!(observed.tests_run, tests, "{file}");
        assert_eq!(observed.runners, [(runner, names_all)], "{file}");
    }
}

#[test]
fn tests_of_recorded_runs_are_named_by_any_style_of_output() {
    let pytest = [
        ("test_divides", "passed"),
        ("test_y", "passed"),
        ("test_a.py::test_y[a b]", "passed"),
        ("test_y[c::d]", "passed"),
        ("TestC::test_in", "passed"),
        ("test_sk", "skipped"),
        ("test_uploads", "-"),
    ];
    let mut table: Vec<(String, &[(&str, &str)])> = Vec::new();
    for style in ["classic", "count", "times", "progress"] {
        table.push((format!("pytest-{style}-ran"), &pytest));
        table.push((format!("xdist-{style}-ran"), &pytest));
    }
    let others: [(&str, &[(&str, &str)]); 5] = [
        (
            "unittest-ran",
            &[
                ("test_adds", "passed"),
                ("ut.Sums.test_doc", "passed"),
                ("Sums.test_sub", "passed"),
                ("test_sk", "skipped"),
                ("test_xf", "failed"),
                ("test_uploads", "-"),
            ],
        ),
        (
            "go-json-ran",
            &[
                ("TestGreets/in german", "passed"),
                ("in german", "passed"),
                ("TestGreets/a<b", "passed"),
                ("demo.TestGreets", "passed"),
                ("TestSk", "skipped"),
                ("in french", "-"),
            ],
        ),
        (
            "nextest-ran",
            &[
                ("greets", "passed"),
                ("db-seed", "-"),
                ("uploads_file", "-"),
            ],
        ),
        (
            "trybuild-ran",
            &[("ui", "passed"), ("full", "-"), ("full.rs", "-")],
        ),
        (
            "node-and-file-ran",
            &[
                ("greets", "passed"),
                ("suite a > does this", "passed"),
                ("empty.test.mjs", "-"),
                ("uploads", "-"),
            ],
        ),
    ];
    table.extend(others.map(|(file, tests)| (file.to_owned(), tests)));
    for (file, tests) in table {
        let names: Vec<_> = tests.iter().map(|(name, _)| *name).collect();
        let expected: Vec<_> = tests.iter().map(|(_, mark)| *mark).collect();
        assert_eq!(
            named(&fixture(&file), &names).0,
            expected,
            "{file} {names:?}"
        );
    }
}

#[test]
fn the_page_of_runners_has_the_rows_of_the_table() {
    let page = include_str!("../../../../docs/reference/runners.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let rows: Vec<_> = rows
        .map(|row| {
            let mut cells = row.split(" | ");
            let name = cells.next().unwrap().trim_end_matches('`');
            (name, cells.next().unwrap() != "no")
        })
        .collect();
    let mut known: Vec<_> = test_runners()
        .iter()
        .map(|row| (row.name.as_str(), row.names_tests() || row.wraps.is_some()))
        .collect();
    known.dedup();
    let listed: Vec<_> = known.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        rows.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        listed
    );
    for ((name, named), (_, known)) in rows.iter().zip(&known) {
        let writes = page.contains(&format!("| `{name}` | in its JUnit file")) || *name == "busted";
        assert!(*named == *known || writes, "{name}");
    }
}

#[test]
fn the_tests_in_the_junit_file_of_a_runner_are_its_tests() {
    for (file, runner, tests) in [
        (
            "ctest",
            "ctest",
            &[("greets", "passed"), ("uploads", "-")] as &[_],
        ),
        (
            "gotestsum",
            "gotestsum",
            &[
                ("TestGreets/in german", "passed"),
                ("TestGreets/a<b", "passed"),
                ("demo.TestGreets", "passed"),
                ("TestSk", "skipped"),
                ("TestUploads", "-"),
            ],
        ),
        (
            "phpunit",
            "phpunit",
            &[
                ("ATest::testAdds", "passed"),
                ("testSk", "skipped"),
                ("testNo", "-"),
            ],
        ),
        (
            "pytest",
            "pytest",
            &[
                ("test_a.py::test_y[c::d]", "passed"),
                ("test_y", "passed"),
                ("test_a.py::TestC::test_in", "passed"),
                ("test_sk", "skipped"),
                ("test_uploads", "-"),
            ],
        ),
        (
            "vitest",
            "vitest",
            &[
                ("sum > deep > is deep", "passed"),
                ("v/sum.test.mjs > root one", "passed"),
                ("never runs", "skipped"),
                ("uploads", "-"),
            ],
        ),
        ("deno", "deno", &[("adds", "passed"), ("later", "skipped")]),
    ] {
        let names: Vec<_> = tests.iter().map(|(name, _)| *name).collect();
        let listed = Arc::new(Listed::new(names.iter().copied()));
        let row = test_runners()
            .iter()
            .find(|row| row.name == runner)
            .unwrap();
        let text = fixture_file(&format!("{file}.xml"));
        let mut observed = ObservedTests::default();
        observed.add_report(row, &text, &listed);
        let expected: Vec<_> = tests.iter().map(|(_, mark)| *mark).collect();
        let marks: Vec<_> = observed.marks.iter().map(word).collect();
        assert_eq!(marks, expected, "{file}");
        assert_eq!(observed.runners, [(runner, true)], "{file}");
        for cut in [&text[..text.len() * 2 / 3], "not XML", ""] {
            let mut observed = ObservedTests::default();
            observed.add_report(row, cut, &listed);
            assert_eq!(observed, ObservedTests::default(), "{file}");
        }
    }
}

#[test]
fn what_a_test_prints_is_no_test_of_its_junit_file() {
    let report = "<testsuite><testcase name=\"one\"><system-out><![CDATA[\
                  <testcase name=\"uploads\"/>]]></system-out><!-- <testcase name=\"two\"/> -->\
                  </testcase><testcase name=\"bad\"><failure message=\"1 > 2\"/></testcase></testsuite>";
    let listed = Arc::new(Listed::new(["one", "uploads", "two", "bad"]));
    let row = test_runners()
        .iter()
        .find(|row| row.name == "ctest")
        .unwrap();
    let mut observed = ObservedTests::default();
    observed.add_report(row, report, &listed);
    let marks: Vec<_> = observed.marks.iter().map(word).collect();
    assert_eq!(marks, ["passed", "-", "-", "failed"]);
    assert_eq!(observed.tests_run, Some(2));
}

#[test]
fn a_file_that_cannot_be_loaded_is_no_test_of_its_junit_file() {
    let pytest = |class: &str, message: &str| {
        format!(
            "<testsuites><testsuite><testcase classname=\"{class}\" name=\"test_b\">\
             <error message=\"{message}\">no module</error></testcase></testsuite></testsuites>"
        )
    };
    let vitest = |class: &str, name: &str| {
        format!(
            "<testsuites><testsuite><testcase classname=\"{class}\" name=\"{name}\">\
             <failure message=\"Cannot find module\"></failure></testcase></testsuite></testsuites>"
        )
    };
    for (runner, report, tests) in [
        ("pytest", pytest("", "collection failure"), 0),
        ("pytest", pytest("test_b", "failed on setup"), 1),
        ("vitest", vitest("v/b.test.mjs", "v/b.test.mjs"), 0),
        ("vitest", vitest("v/b.test.mjs", "loads b.test.mjs"), 1),
        ("ctest", vitest("b.test.js", "b.test.js"), 1),
    ] {
        let row = test_runners()
            .iter()
            .find(|row| row.name == runner)
            .unwrap();
        let mut observed = ObservedTests::default();
        let all = Arc::new(Listed::default().collecting());
        observed.add_report(row, &report, &all);
        assert_eq!(observed.names.count(), tests, "{report}");
        assert_eq!(observed.names.is_whole(), tests == 1, "{report}");
        let later = ObservedTests::default().names;
        assert_eq!(observed.names.changes_to(&later).gone.len() as u64, tests);
    }
}

#[test]
fn what_is_gone_and_what_is_new_is_known_by_name() {
    let names = |output: &str| {
        let mut reader = TestReader::of_names();
        reader.push(Stream::Stdout, output.as_bytes());
        reader.finish().names
    };
    let before = names("ok 1 - adds\nok 2 - subtracts\n1..2\n");
    let after = names("ok 1 - adds\nok 2 - divides\n1..2\n");
    let changes = before.changes_to(&after);
    assert_eq!(changes.gone, ["subtracts"]);
    assert_eq!(changes.new, ["divides"]);
}
