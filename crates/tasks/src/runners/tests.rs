use super::*;

fn count(text: &str) -> Option<u64> {
    let mut counter = TestCounter::default();
    counter.push(Stream::Stdout, text.as_bytes());
    counter.finish()
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
fn go_test_is_counted_where_it_lists_its_tests() {
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
        (Some(3), "Ran 3 tests in 0.001s\n\nOK (skipped=1)\n"),
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
    let mut counter = TestCounter::default();
    counter.push(Stream::Stdout, b"2 passed in 0.01s\n  1 passing (3ms)");
    counter.push(Stream::Stderr, b"Tests:       4 passed, 4 total");
    assert_eq!(counter.finish(), Some(7));
}

#[test]
fn outputs_that_take_turns_do_not_tear_each_others_lines() {
    let mut counter = TestCounter::default();
    counter.push(Stream::Stdout, b"2 pas");
    counter.push(Stream::Stderr, b"warning: unused\n");
    counter.push(Stream::Stdout, b"sed in 0.01s\n");
    assert_eq!(counter.finish(), Some(2));
}

#[test]
fn counts_beyond_any_reason_do_not_overflow() {
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
