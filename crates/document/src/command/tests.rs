use super::*;

fn words(text: &str) -> Vec<Vec<String>> {
    Script::parse(text)
        .commands()
        .iter()
        .map(|command| command.words.iter().map(|w| w.text.to_string()).collect())
        .collect()
}

fn joints(text: &str) -> Vec<Joint> {
    let script = Script::parse(text);
    script.commands().iter().map(|c| c.joint).collect()
}

#[test]
fn quotes_escapes_and_continuations_make_one_word() {
    let cases: &[(&str, &[&[&str]])] = &[
        ("go test ./...", &[&["go", "test", "./..."]]),
        (
            "a 'b c' \"d \\\" e\" f\\ g",
            &[&["a", "b c", "d \" e", "f g"]],
        ),
        ("a'b'\"c\"d", &[&["abcd"]]),
        ("a \\\n  b", &[&["a", "b"]]),
        ("a \\\n\\\n b", &[&["a", "b"]]),
        ("a \"$(b \")\" c)\" d", &[&["a", "$(b \")\" c)", "d"]]),
        ("a ${x y} `b c` $", &[&["a", "${x y}", "`b c`", "$"]]),
        ("a # b\nc#d", &[&["a"], &["c#d"]]),
        ("a > out 2>&1 < in b", &[&["a", "b"]]),
        ("cat <<EOF\nnot a command\nEOF\nb", &[&["cat"], &["b"]]),
        ("a <<< 'x y'; b", &[&["a"], &["b"]]),
        ("a '' \"\\n\"", &[&["a", "", "\\n"]]),
        ("a \"b\\\nc\\é\" \"d\\", &[&["a", "bc\\é", "d\\"]]),
        ("", &[]),
        (" ; && ", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(words(text), *expected, "{text:?}");
    }
}

#[test]
fn joints_describe_how_commands_follow_each_other() {
    use Joint::{And, Background, Or, Pipe, Start, Then};
    let cases: &[(&str, &[Joint])] = &[
        (
            "a && b || c; d | e |& f",
            &[Start, And, Or, Then, Pipe, Pipe],
        ),
        ("a\nb\n\nc", &[Start, Then, Then]),
        ("a &&\n b |\n c", &[Start, And, Pipe]),
        ("a & b", &[Start, Background]),
        ("\n\na", &[Start]),
        ("(a; b) && c", &[Start, Then, And]),
        ("a && (b; c)", &[Start, And, Then]),
    ];
    for (text, expected) in cases {
        assert_eq!(joints(text), *expected, "{text:?}");
    }
    assert!(Script::parse("a | b").has_pipeline());
    assert!(!Script::parse("a || b").has_pipeline());
}

#[test]
fn spans_are_in_the_source() {
    let text = "CI=1 go test './x y' >log && echo ok";
    let script = Script::parse(text);
    let [first, second] = script.commands() else {
        panic!("two commands");
    };
    assert_eq!(first.span.slice(text), Some("CI=1 go test './x y' >log"));
    assert_eq!(first.assignments[0].text, "CI=1");
    assert_eq!(first.words[2].span.slice(text), Some("'./x y'"));
    assert_eq!(first.redirects[0].target.text, "log");
    assert!(first.redirects[0].writes);
    assert_eq!(second.joint_span.slice(text), Some("&&"));
    assert_eq!(second.span.slice(text), Some("echo ok"));
}

#[test]
fn compound_scripts_are_recognized() {
    for text in [
        "for f in *; do x; done",
        "case x in",
        "select x",
        "function x",
        "a ) b",
        "(a)",
        "if a; then b; fi",
        "{ a; }",
    ] {
        assert!(Script::parse(text).is_compound, "{text:?}");
    }
    for text in ["a 'b", "a \"b", "a $(b", "a `b", "cat <<E\nx"] {
        assert!(Script::parse(text).is_unfinished, "{text:?}");
    }
    let script = Script::parse("a $x *.go plain '*'");
    let literal: Vec<_> = script.commands()[0]
        .words
        .iter()
        .map(Word::is_literal)
        .collect();
    assert_eq!(literal, [true, false, false, true, true]);
    assert!(Script::parse("! a").commands()[0].negated);
    assert!(!script.is_compound && !script.is_unfinished);
}

#[test]
fn programs_are_found_after_wrappers() {
    let cases = [
        ("env -u X CI=1 go test", "go"),
        ("timeout -k 5 60 pytest -x", "pytest"),
        ("python3 -m pytest tests", "pytest"),
        ("poetry run pytest", "pytest"),
        ("uv run --with x pytest", "pytest"),
        ("npx --yes vitest run", "vitest"),
        ("pnpm exec jest", "jest"),
        ("yarn jest", "jest"),
        ("sudo -u me time ./bin/run.sh", "run.sh"),
        ("command -v go", "command"),
        ("npm test", "npm"),
        ("CI_2=1 _x= npm test", "npm"),
        ("2x=1 npm", "2x=1"),
        ("a-b=1 npm", "a-b=1"),
        ("env", "env"),
    ];
    for (text, name) in cases {
        let script = Script::parse(text);
        let program = script.commands()[0].program().unwrap();
        assert_eq!(program.name, name, "{text:?}");
    }
    assert_eq!(Script::parse("A=1").commands()[0].program(), None);
}

/// Returns the filters, packages and paths of the only command, each joined by spaces.
fn meaning(text: &str) -> (Runner, String, String, String, bool) {
    let script = Script::parse(text);
    let [run] = &script.invocations[..] else {
        panic!("{text:?} is one command");
    };
    let texts = |words: &[Word<'_>]| {
        let texts: Vec<_> = words.iter().map(|word| &*word.text).collect();
        texts.join(" ")
    };
    let filters: Vec<_> = run.filters.iter().map(|filter| &*filter.text).collect();
    (
        run.runner,
        filters.join(" "),
        texts(&run.packages),
        texts(&run.paths),
        run.opaque,
    )
}

#[test]
fn test_runners_have_filter_package_and_paths() {
    use Runner::{
        Build, CargoNextest, CargoTest, GoTest, Jest, Mocha, Other, PackageScript, Pytest, Vitest,
    };
    let cases = [
        (
            "cargo test -p review schema",
            CargoTest,
            "schema",
            "review",
            "",
            false,
        ),
        (
            "cargo +nightly t --package=a -- x y --nocapture",
            CargoTest,
            "x y",
            "a",
            "",
            false,
        ),
        (
            "cargo test --test api -j 2 x",
            CargoTest,
            "x",
            "",
            "",
            false,
        ),
        (
            "cargo test --manifest-path a/Cargo.toml",
            CargoTest,
            "",
            "",
            "a/Cargo.toml",
            false,
        ),
        (
            "cargo test x -- --skip y --test-threads 1",
            CargoTest,
            "x",
            "",
            "",
            true,
        ),
        ("cargo test x -- --skip=y", CargoTest, "x", "", "", true),
        ("cargo test --no-run", Build, "", "", "", false),
        ("cargo -q test x", CargoTest, "x", "", "", false),
        ("cargo test \"$F\"", CargoTest, "$F", "", "", true),
        (
            "cargo nextest run -p a x",
            CargoNextest,
            "x",
            "a",
            "",
            false,
        ),
        (
            "cargo nextest run -E 'test(x)'",
            CargoNextest,
            "",
            "",
            "",
            true,
        ),
        (
            "cargo clippy -p a -- -D warnings",
            Build,
            "",
            "a",
            "",
            false,
        ),
        ("cargo xtask ci", Other, "", "", "", false),
        ("cargo run -p a x -- -p b", Other, "", "a", "", false),
        ("cargo clippy -p a -- -p b", Build, "", "a", "", false),
        ("cargo", Other, "", "", "", false),
        (
            "go test ./a/... -run Schema -v",
            GoTest,
            "Schema",
            "./a/...",
            "",
            false,
        ),
        (
            "go test -count=1 -run='A|B' ./a ./b",
            GoTest,
            "A|B",
            "./a ./b",
            "",
            false,
        ),
        (
            "go test -timeout 5s -args -run X",
            GoTest,
            "",
            "",
            "",
            false,
        ),
        (
            "go test -run X -bench . ./...",
            GoTest,
            "X",
            "./...",
            "",
            true,
        ),
        ("go test -c ./a", Build, "", "./a", "", false),
        (
            "gotestsum --format dots -- -run X ./a",
            GoTest,
            "X",
            "./a",
            "",
            false,
        ),
        ("go vet ./...", Build, "", "./...", "", false),
        ("go run ./cmd/x", Other, "", "", "", false),
        (
            "pytest tests/test_a.py -k 'x and not y' -n 4",
            Pytest,
            "x and not y",
            "",
            "tests/test_a.py",
            false,
        ),
        (
            "pytest tests/test_a.py::test_x",
            Pytest,
            "",
            "",
            "tests/test_a.py::test_x",
            true,
        ),
        ("pytest -m slow", Pytest, "", "", "", true),
        (
            "npx vitest run src/a.test.ts -t 'parses'",
            Vitest,
            "parses",
            "",
            "src/a.test.ts",
            false,
        ),
        (
            "npx jest --testNamePattern=x -c j.js",
            Jest,
            "x",
            "",
            "",
            false,
        ),
        ("mocha -g x test/a.js", Mocha, "x", "", "test/a.js", false),
        ("mocha --fgrep x --invert", Mocha, "x", "", "", true),
        ("npm test -- -t x", PackageScript, "", "", "", true),
        ("npm run build:prod", Build, "", "", "", true),
        ("pnpm --filter a typecheck", Build, "", "", "", true),
    ];
    for (text, runner, filters, packages, paths, opaque) in cases {
        let expected = (
            runner,
            filters.to_owned(),
            packages.to_owned(),
            paths.to_owned(),
            opaque,
        );
        assert_eq!(meaning(text), expected, "{text:?}");
    }
}

#[test]
fn it_is_known_whether_a_runner_runs_tests() {
    let cases = [
        ("cargo test", RunsTests::Yes),
        ("go test", RunsTests::Yes),
        ("make check", RunsTests::Perhaps),
        ("just ci", RunsTests::Perhaps),
        ("./scripts/ci.sh", RunsTests::Perhaps),
        ("bash ci.sh", RunsTests::Perhaps),
        ("npm test", RunsTests::Perhaps),
        ("docker build .", RunsTests::Perhaps),
        ("go build ./...", RunsTests::No),
        ("test -f x", RunsTests::No),
        ("tsc --noEmit", RunsTests::No),
    ];
    for (text, expected) in cases {
        let script = Script::parse(text);
        let runs = &script.invocations;
        assert_eq!(runs[0].runner.runs_tests(), expected, "{text:?}");
    }
}

#[test]
fn filters_have_their_option_and_their_value() {
    let cases = [
        (
            "go test -run 'A|B' ./x",
            "-run 'A|B'",
            "'A|B'",
            FilterKind::GoRun,
        ),
        ("go test -run=A ./x", "-run=A", "A", FilterKind::GoRun),
        ("cargo test a::b", "a::b", "a::b", FilterKind::PathContains),
        ("cargo test a -- --exact", "a", "a", FilterKind::PathIs),
        (
            "cargo nextest run -- a --exact",
            "a",
            "a",
            FilterKind::PathIs,
        ),
        ("pytest -k x", "-k x", "x", FilterKind::PytestExpression),
        ("vitest -t x", "-t x", "x", FilterKind::TitleMatches),
        ("mocha -g x", "-g x", "x", FilterKind::TitleMatches),
        ("mocha -f x", "-f x", "x", FilterKind::TitleContains),
    ];
    for (text, option, value, kind) in cases {
        let script = Script::parse(text);
        let runs = &script.invocations;
        let filter = &runs[0].filters[0];
        assert_eq!(filter.span.slice(text), Some(option), "{text:?}");
        assert_eq!(filter.value.slice(text), Some(value), "{text:?}");
        assert_eq!(filter.kind, kind, "{text:?}");
    }
}

#[test]
fn folders_follow_cd() {
    let folder = |text: &str| {
        let script = Script::parse(text);
        let runs = &script.invocations;
        runs.last().map(|run| run.folder.clone()).unwrap()
    };
    let below = |path: &str| Folder::Below(path.to_owned());
    assert_eq!(folder("go test"), below(""));
    assert_eq!(folder("cd a && cd ./b/../c && x"), below("a/c"));
    assert_eq!(folder("go test -C a ./..."), below("a"));
    for text in [
        "cd .. && x",
        "cd /a && x",
        "cd $D && x",
        "cd - && x",
        "cd && x",
        "(cd a; x); y",
    ] {
        assert_eq!(folder(text), Folder::Unknown, "{text:?}");
    }
    assert_eq!(Folder::Unknown.join("a"), None);
    assert_eq!(below("a").join("~/b"), None);
    let longest = "a".repeat(256);
    assert_eq!(folder(&format!("cd {longest}; x")), below(&longest));
    assert_eq!(folder(&format!("cd {longest}a; x")), Folder::Unknown);
}

#[test]
fn vacuous_scripts_are_reported_with_the_responsible_part() {
    let cases = [
        ("true", "true"),
        (":", ":"),
        ("echo done && exit 0", "echo done && exit 0"),
        ("cd x && sleep 5", "cd x && sleep 5"),
        ("bash -c 'exit 0'", "bash -c 'exit 0'"),
        ("go test ./... || true", "|| true"),
        ("go test ./...; true", "; true"),
        ("go test ./... ; echo done", "; echo done"),
        ("go test ./...\nexit 0", "\nexit 0"),
        ("go test && echo ok || echo bad", "|| echo bad"),
        ("go test || true && echo ok", "|| true && echo ok"),
        ("set -e; go test || :", "|| :"),
        ("go test ./... &", "&"),
        ("x & sleep 1", "x & sleep 1"),
        ("x && y & wait", "x && y & wait"),
        ("x; y & true", "; y & true"),
        ("true || x", "true || x"),
        ("exit 0; x", "exit 0; x"),
        ("true; exit", "true; exit"),
        ("x || exit 256", "|| exit 256"),
        ("x; cd ..", "; cd .."),
        ("cd x || exit 1; y || true", "|| true"),
        ("set +e; x; true", "; true"),
        ("echo x | true", "echo x | true"),
        ("exec true", "exec true"),
    ];
    let shells = [
        "exec sh -c 'x || true'",
        "sh -c \"x || true\"",
        "cd a && bash -lc 'x; exit 0'",
        "sh -c 'sh -c \"x || true\"'",
        "/bin/sh -c 'x || true'",
        "timeout 60 sh -c 'x || true'",
        "sh -c \"x \\\"a\\\" || true\"",
        "bash --norc -c 'x; true'",
        "bash +e -o pipefail -c 'x; true'",
    ];
    let shells = shells.map(|text| (text, text));
    for (text, span) in cases.into_iter().chain(shells) {
        let found = Script::parse(text).vacuous().map(Vacuous::span);
        assert_eq!(
            found.and_then(|found| found.slice(text)),
            Some(span),
            "{text:?}"
        );
    }
    assert_eq!(
        Script::parse("x || true").vacuous(),
        Some(Vacuous::Tail(Span::new(2, 9)))
    );
    assert_eq!(
        Script::parse("true").vacuous(),
        Some(Vacuous::Whole(Span::new(0, 4)))
    );
    assert_eq!(
        Script::parse("x &").vacuous(),
        Some(Vacuous::Background(Span::new(2, 3)))
    );
}

#[test]
fn scripts_that_can_fail_are_not_vacuous() {
    for text in [
        "",
        "cd x",
        "go test ./...",
        "go test && echo ok",
        "echo ok && go test",
        "set -e; go test; echo done",
        "set -euo pipefail\ngo test\necho done",
        "go test; exit $?",
        "go test || exit 1",
        "go test || echo bad && exit 1",
        "! true",
        "echo x | grep y",
        "go test | echo",
        "sleep 1 & go test",
        "true 'open",
        "go test; exit",
        "x || exit",
        "X=$(x) && echo ok",
        "cd a && cd b",
        "export A=1",
        "true < file",
        "true > $(x) < y",
        "> log",
        "./true",
        "bin/sh -c 'true'",
        "$X || $Y",
        "npx echo",
        "exec x; true",
        "x || exec y",
        "trap 'exit 1' ERR; x; true",
        "return 0",
        "wait 1",
        "(x)",
        "(exit 1)",
        "{ x; y; }",
        "{ exit 1; }; true",
        "(x || true) && y",
        "x && (y || true)",
        "! (x; true)",
        "if x; then y; fi",
        "if x; then true; else false; fi",
        "if x; then true; elif y; then exit 1; fi; true",
        "for i in 1 2; do x && exit 0; done; exit 1",
        "for f in a b; do test -f $f || exit 1; done",
        "until x; do sleep 1; done",
        "while x; do true; done",
        "case $x in a) true;; esac",
        "case x in (a) y;; esac || true",
        "f() { true; }",
        "f () { true; }; f",
        "function f { true; }",
        "((x || true))",
        "((a)); true",
        "[[ -n $x || true ]]",
        "a=(x); true",
        "diff <(x) <(y) || true",
        "x || true &&",
        "(x || true",
        "{ x || true",
        "x || true )",
        "x || true; }",
        "if x; then true",
        "if x; true; fi",
        "for x; true; done",
        "(x) y || true",
        "(x) A=1 || true",
        "{ x || true; } fi",
        "sh -ec 'x; true'",
        "bash -o errexit -c 'x; true'",
        "sh -c 'x'",
        "sh -c 'true",
        "sh -c \"$X || true\"",
        "sh 'x || true'",
        "sh -c",
        "sh x -c true",
        "sh -- -c true",
        "sh --norc x -c true",
        "set -o errexit; x; true",
        "set -e -- a; x; true",
        "A=1 if true",
        "x || exit $Y",
        "x || exit a b",
        "bash -c 'go test'",
        "bash run.sh true",
        "bash -c \"$X\"",
        "exit 1",
    ] {
        assert_eq!(Script::parse(text).vacuous(), None, "{text:?}");
    }
}

#[test]
fn a_script_with_groups_conditions_or_loops_may_fail() {
    for text in [
        "(x) || true",
        "{ x; true; }",
        "{ x || true; }; y || true",
        "if x; then true; fi; exit 0",
        "for f in a; do x; done || true",
        "sh -c '(x) || true'",
    ] {
        assert_eq!(Script::parse(text).vacuous(), None, "{text:?}");
    }
}

#[test]
fn the_nesting_of_shells_is_limited() {
    let wrapped = |text: &str| {
        let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
        format!("sh -c \"{escaped}\"")
    };
    let mut text = "true".to_owned();
    for _ in 0..8 {
        text = wrapped(&text);
    }
    assert!(Script::parse(&text).vacuous().is_some());
    assert_eq!(Script::parse(&wrapped(&text)).vacuous(), None);
}

#[test]
fn the_launched_program_must_be_in_the_path() {
    let cases = [
        ("env A=1 timeout 60 go test", Some("go")),
        ("sudo -u me /bin/true", Some("/bin/true")),
        ("npx vitest", Some("npx")),
        ("time poetry run pytest", Some("poetry")),
        ("python3 -m pytest", Some("python3")),
        ("A=1", None),
    ];
    for (text, launched) in cases {
        let script = Script::parse(text);
        let word = script.commands()[0].launched();
        assert_eq!(word.map(|word| &*word.text), launched, "{text:?}");
    }
}

#[test]
fn programs_that_the_shell_looks_up_are_listed() {
    let cases: &[(&str, &[&str])] = &[
        ("for f in a; do x $f; done && y", &["x", "y"]),
        ("[[ -n a ]] && test -f b && echo c; :", &[]),
        ("bin/x && ./y && $Z && a*", &[]),
        ("(x | y) || { z; }", &["x", "y", "z"]),
        ("f() { x; }; f", &[]),
        ("case $x in a) y;; esac", &[]),
        ("'' a", &[]),
        ("A=1 make", &["make"]),
    ];
    for (text, expected) in cases {
        let script = Script::parse(text);
        let programs = script.programs();
        let names: Vec<_> = programs.map(|word| &*word.text).collect();
        assert_eq!(names, *expected, "{text:?}");
    }
}

#[test]
fn recipes_that_must_exist_are_listed() {
    let cases: &[(&str, &[&str], &str)] = &[
        ("just ci", &["ci"], ""),
        ("just a=b ci fast", &["ci"], ""),
        ("just", &[], ""),
        ("just -f x ci", &[], ""),
        ("just web/ci", &[], ""),
        ("just web::ci", &[], ""),
        ("just $X", &[], ""),
        ("make -j 4 a b X=1", &["a", "b"], ""),
        ("cd a && make -C b test", &["test"], "a/b"),
        ("make --directory=b test", &["test"], "b"),
        ("make -f x.mk test", &[], ""),
        ("make $X", &[], ""),
        ("npm run build -- --watch", &["build"], ""),
        ("npm run-script -s build", &["build"], ""),
        ("npm --prefix web run build", &["build"], "web"),
        ("npm --prefix=web run build", &["build"], "web"),
        ("cd web && pnpm test", &["test"], "web"),
        ("npm test -- -t x", &["test"], ""),
        ("npm run build --if-present", &[], ""),
        ("npm run build -w a", &[], ""),
        ("npm run $X", &[], ""),
        ("npm install", &[], ""),
        ("npm run", &[], ""),
        ("pnpm build", &[], ""),
        ("yarn run build", &["build"], ""),
        ("yarn run tsc", &[], ""),
        ("yarn build", &[], ""),
        ("bun run build", &[], ""),
        ("bun test", &[], ""),
    ];
    for (text, expected, folder) in cases {
        let script = Script::parse(text);
        let runs = &script.invocations;
        let run = &runs[runs.len() - 1];
        let names: Vec<_> = run.recipes.iter().map(|word| &*word.text).collect();
        assert_eq!(names, *expected, "{text:?}");
        if !expected.is_empty() {
            assert_eq!(run.folder, Folder::Below((*folder).to_owned()), "{text:?}");
        }
    }
}

#[test]
fn needed_paths_are_relative_to_the_root() {
    use PathKind::{Any, GoPackage, NodePattern, Python};
    let cases: &[(&str, &[(&str, PathKind)])] = &[
        (
            "go test ./internal/x/... ./cmd/y",
            &[("internal/x", GoPackage), ("cmd/y", GoPackage)],
        ),
        ("go build ./...", &[]),
        ("go test example.com/x", &[]),
        ("cd a && go vet ./b", &[("a", Any), ("a/b", GoPackage)]),
        (
            "pytest tests/test_a.py::test_x -k y",
            &[("tests/test_a.py", Python)],
        ),
        (
            "vitest run src/a.test.ts a",
            &[("src/a.test.ts", NodePattern)],
        ),
        (
            "cargo test --manifest-path a/Cargo.toml",
            &[("a/Cargo.toml", Any)],
        ),
        (
            "test -f a.css && grep -q '\\-x' a.css",
            &[("a.css", Any), ("a.css", Any)],
        ),
        ("[ -d a ]", &[("a", Any)]),
        ("grep -rn -A 2 x y", &[]),
        ("bash scripts/ci.sh x", &[("scripts/ci.sh", Any)]),
        ("bash -c 'x'", &[]),
        ("./ci.sh", &[("ci.sh", Any)]),
        ("wc -l < a.txt", &[("a.txt", Any)]),
        ("go build ./... && ./app --help", &[]),
        ("npm run build && test -f dist/a.js", &[]),
        ("echo x > a && cat a", &[]),
        ("echo x >> a && cat a", &[]),
        ("echo x 2>&1 && cat a", &[("a", Any)]),
        ("! test -f a", &[]),
        (
            "test ! -f a && [ ! -d b ] && test ! -e c -a -f d",
            &[("d", PathKind::Any)],
        ),
        ("test -f a -o -f b", &[]),
        ("test -f a || touch a", &[]),
        ("cat /etc/hosts $x *.md", &[]),
        ("(cat a)", &[]),
    ];
    for (text, expected) in cases {
        let script = Script::parse(text);
        let paths = script.paths();
        let seen: Vec<_> = paths.iter().map(|path| (&*path.path, path.kind)).collect();
        assert_eq!(seen, *expected, "{text:?}");
    }
}

proptest::proptest! {
    #[test]
    fn any_input_is_parsed_without_losing_its_spans(
        text in "[-a'\"$`(){}|&;<>#\\\\ \n=!\u{e9}]{0,60}",
    ) {
        let script = Script::parse(&text);
        for command in script.commands() {
            for word in &command.words {
                proptest::prop_assert!(word.span.slice(&text).is_some());
                proptest::prop_assert!(command.span.start <= word.span.start);
                proptest::prop_assert!(word.span.end <= command.span.end);
            }
        }
        if let Some(vacuous) = script.vacuous() {
            proptest::prop_assert!(vacuous.span().slice(&text).is_some());
        }
        proptest::prop_assert_eq!(script.invocations.len(), script.commands().len());
        for path in script.paths() {
            proptest::prop_assert!(path.span.slice(&text).is_some());
        }
    }
}
