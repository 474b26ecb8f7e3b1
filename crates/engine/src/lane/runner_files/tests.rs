use super::*;

struct Files(Vec<(&'static str, &'static str)>);

impl reach::ReadBefore for Files {
    async fn read(&self, path: &str) -> Option<String> {
        let mut files = self.0.iter();
        let found = files.find(|(name, _)| *name == path);
        found.map(|(_, text)| (*text).to_owned())
    }
}

fn reach(command: &str, files: Vec<(&'static str, &'static str)>) -> Reach {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.expect("a runtime");
    runtime.block_on(Reach::of(&[command.to_owned()], &Files(files)))
}

/// How a change of a file concerns the runners of a command.
fn effect(reach: &Reach, path: &str, contents: [Option<&str>; 2]) -> RunnerEffect {
    let contents = contents.map(|content| content.map(str::as_bytes));
    match RunnerFile::find(path, reach) {
        Some(file) => file.effect(path, contents, reach),
        None => RunnerEffect::None,
    }
}

#[test]
fn the_table_is_valid_and_names_each_language() {
    let table: Result<BTreeMap<String, Language>, _> = toml::from_str(include_str!("table.toml"));
    let table = table.expect("a valid table");
    let languages: Vec<_> = table.keys().map(String::as_str).collect();
    assert_eq!(languages, ["node", "other", "python", "rust"]);
}

#[test]
fn files_and_modules_that_configure_or_replace_a_runner_are_known_by_name() {
    let reach = Reach::default();
    for (path, expected) in [
        ("conftest.py", true),
        ("a/b/conftest.py", true),
        ("pytest.ini", true),
        ("tox.ini", true),
        ("sitecustomize.py", true),
        ("pytest.py", true),
        ("pytest/__init__.py", true),
        ("tests/unittest/case.py", true),
        ("_pytest/x.cpython-312-x86_64-linux-gnu.so", true),
        ("unittest/main.cpp", false),
        ("app/pytest_helpers.py", false),
        ("jest.config.ts", true),
        ("web/.mocharc.yml", true),
        (".npmrc", true),
        ("node_modules/.bin/jest", true),
        ("web/node_modules/vitest/index.js", true),
        ("node_modules/left-pad/index.js", false),
        ("src/jest/index.js", false),
        (".cargo/config.toml", true),
        ("kit/.cargo/config", true),
        (".config/nextest.toml", true),
        ("Cargo.lock", false),
        ("src/lib.rs", false),
        ("Makefile", false),
    ] {
        assert_eq!(RunnerFile::find(path, &reach).is_some(), expected, "{path}");
    }
}

#[test]
fn of_a_mixed_file_only_the_values_of_some_keys_count() {
    use RunnerEffect::{Alone, None, WithOthers};
    let cargo = "[package]\nname = \"a\"\n";
    let npm = "{\"scripts\": {\"test\": \"jest\", \"lint\": \"x\"}, \"devDependencies\": {\"jest\": \"1\"}}";
    let python = "[project]\nname = \"a\"\n[tool.pytest.ini_options]\naddopts = \"-q\"\n";
    let ini = "[metadata]\nname = a\n[tool:pytest]\naddopts = -q\n";
    for (path, before, after, expected) in [
        (
            "Cargo.toml",
            cargo,
            "package = {name = 'a'} # other\n",
            None,
        ),
        (
            "Cargo.toml",
            cargo,
            "[package]\nname = \"a\"\n[dependencies]\nb = \"1\"\n",
            None,
        ),
        (
            "Cargo.toml",
            cargo,
            "[package]\nname = \"a\"\nautotests = false\n",
            Alone,
        ),
        (
            "Cargo.toml",
            cargo,
            "[package]\nname = \"a\"\n[[test]]\nname = \"a\"\npath = \"x/a.rs\"\n[dependencies]\nb = \"1\"\n",
            WithOthers,
        ),
        (
            "Cargo.toml",
            cargo,
            "[package]\nname = \"a\"\n[patch.crates-io]\nb = {path = \"b\"}\n",
            Alone,
        ),
        (
            "kit/Cargo.toml",
            cargo,
            "[package]\nname = \"a\"\n[lib]\nharness = false\n",
            Alone,
        ),
        ("Cargo.toml", cargo, "[package\n", Alone),
        (
            "package.json",
            npm,
            "{\"devDependencies\": {\"jest\": \"2\", \"b\": \"1\"}, \"scripts\": {\"lint\": \"y\", \"test\": \"jest\"}}",
            None,
        ),
        (
            "package.json",
            npm,
            "{\"scripts\": {\"test\": \"true\", \"lint\": \"x\"}, \"devDependencies\": {\"jest\": \"1\"}}",
            Alone,
        ),
        (
            "package.json",
            npm,
            "{\"scripts\": {\"test\": \"jest\", \"lint\": \"x\", \"pretest\": \"./fake\"}, \"devDependencies\": {\"jest\": \"1\"}}",
            Alone,
        ),
        (
            "package.json",
            npm,
            "{\"scripts\": {\"test\": \"jest\", \"lint\": \"x\"}, \"devDependencies\": {\"jest\": \"file:./fake\"}}",
            WithOthers,
        ),
        (
            "package.json",
            npm,
            "{\"scripts\": {\"test\": \"jest\", \"lint\": \"x\"}, \"jest\": {\"testMatch\": []}, \"devDependencies\": {\"jest\": \"1\"}}",
            Alone,
        ),
        (
            "pyproject.toml",
            python,
            "[project]\nname = \"a\"\ndependencies = [\"b\"]\n[tool.pytest.ini_options]\naddopts = \"-q\"\n",
            None,
        ),
        (
            "pyproject.toml",
            python,
            "[project]\nname = \"a\"\n[tool.pytest.ini_options]\naddopts = \"--co\"\n",
            Alone,
        ),
        (
            "setup.cfg",
            ini,
            "[tool:pytest]\naddopts: -q\n[metadata]\nname = b\n",
            None,
        ),
        (
            "setup.cfg",
            ini,
            "[metadata]\nname = a\n[tool:pytest]\naddopts = -q\n  --co\n",
            Alone,
        ),
    ] {
        let reach = reach("npm test", vec![("package.json", npm)]);
        let found = effect(&reach, path, [Some(before), Some(after)]);
        assert_eq!(found, expected, "{path}: {after}");
    }
}

#[test]
fn a_new_mixed_file_counts_unless_it_is_of_a_new_package_of_cargo() {
    let reach = Reach::default();
    let pytest = "[tool.pytest.ini_options]\naddopts = \"--co\"\n";
    let found = effect(&reach, "pyproject.toml", [None, Some(pytest)]);
    assert_eq!(found, RunnerEffect::Alone);
    let cargo = "[package]\nname = \"b\"\nautotests = false\n";
    let found = effect(&reach, "b/Cargo.toml", [None, Some(cargo)]);
    assert_eq!(found, RunnerEffect::None);
}

#[test]
fn scripts_and_makefiles_are_followed_from_a_command() {
    let package = "{\"scripts\": {\"test\": \"npm run unit\", \"unit\": \"make -C sub check\"}}";
    let files = vec![
        ("web/package.json", package),
        (
            "web/sub/Makefile",
            "include lib.mk ../*.inc # all\ncheck:\n\t./x\n",
        ),
        ("web/sub/lib.mk", "-include local.mk\n"),
    ];
    let reach = reach("cd web && npm test", files);
    for (path, expected) in [
        ("web/sub/Makefile", true),
        ("web/sub/lib.mk", true),
        ("web/sub/local.mk", true),
        ("web/all.inc", true),
        ("web/Makefile", false),
        ("lib.mk", false),
    ] {
        assert_eq!(reach.is_makefile(path), expected, "{path}");
    }
    let mut scripts = reach.scripts("web");
    scripts.sort();
    let expected = ["posttest", "postunit", "pretest", "preunit", "test", "unit"];
    assert_eq!(scripts, expected);
    assert_eq!(reach.scripts(""), Vec::<String>::new());
}

#[test]
fn a_command_has_tests_if_files_that_it_names_or_finds_are_tests() {
    let has_tests = |path: &str, command: &str, files: &[&str]| {
        let file = RunnerFile::find(path, &Reach::default()).expect("a runner file");
        let files: Vec<_> = files.iter().map(PathBuf::from).collect();
        file.has_tests(&[command.to_owned()], &files)
    };
    for (path, command, files, expected) in [
        (
            "conftest.py",
            "python3 -m pytest -q",
            &["test_a.py"][..],
            true,
        ),
        ("conftest.py", "pytest -q test_a.py", &["test_a.py"], true),
        (
            "conftest.py",
            "pytest test_a.py::test_x",
            &["test_a.py"],
            true,
        ),
        ("conftest.py", "pytest test_new.py", &["test_a.py"], false),
        (
            "conftest.py",
            "pytest tests",
            &["tests/unit/test_a.py"],
            true,
        ),
        ("conftest.py", "pytest", &["app.py", "tests/a.rs"], false),
        (
            ".cargo/config.toml",
            "cargo test --test a",
            &["tests/a.rs"],
            true,
        ),
        (
            ".cargo/config.toml",
            "cargo test --test b",
            &["tests/a.rs"],
            false,
        ),
        (".cargo/config.toml", "cargo test", &["src/lib.rs"], true),
        (
            "web/.npmrc",
            "cd web && npm test",
            &["tests/a.test.js"],
            false,
        ),
        ("web/.npmrc", "cd web && npm test", &["web/a.test.js"], true),
    ] {
        assert_eq!(
            has_tests(path, command, files),
            expected,
            "{command} {files:?}"
        );
    }
}
