use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use review_process::{Command, Environment, SpawnError, SpawnFault, find_program};
use review_test_support::program::write_program;

use crate::support::run_alone;

fn file(folder: &Path, name: &str, mode: u32, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    path
}

async fn error(command: Command) -> SpawnError {
    run_alone(command).await.unwrap_err()
}

#[tokio::test]
async fn a_missing_program_is_named() {
    let only = Environment::Only(vec![("PATH".into(), "/nowhere:/bin".into())]);
    let none = Environment::Only(Vec::new());
    let inherited = Environment::Inherit { set: Vec::new() };
    for env in [only, none, inherited] {
        let mut command = Command::new("no-such-reviewer", ".");
        command.env = env;
        let error = error(command).await;
        assert!(matches!(error.cause, SpawnFault::NotFound), "{error:?}");
        let text = "program \"no-such-reviewer\" was not found; check its spelling and PATH";
        assert_eq!(error.to_string(), text);
        assert_eq!(error.program, Path::new("no-such-reviewer"));
    }
    let error = error(Command::new("./no/such", ".")).await;
    assert!(matches!(error.cause, SpawnFault::NotFound));
}

#[tokio::test]
async fn every_other_error_states_its_cause() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let plain = file(folder, "plain", 0o644, "#!/bin/sh\n");
    let [orphan, text] = ["orphan", "text"].map(|name| folder.join(name));
    write_program(&orphan, "#!/no/such/interpreter\n");
    write_program(&text, "just text\n");

    let denied = error(Command::new(&plain, folder)).await;
    assert_eq!(denied.program, plain);
    assert!(matches!(denied.cause, SpawnFault::NotExecutable));
    let folder_as_program = error(Command::new(folder, folder)).await;
    assert!(matches!(folder_as_program.cause, SpawnFault::NotExecutable));
    let no_interpreter = error(Command::new(&orphan, folder)).await;
    assert!(matches!(no_interpreter.cause, SpawnFault::NoInterpreter));
    let unknown = error(Command::new(&text, folder)).await;
    assert!(matches!(unknown.cause, SpawnFault::UnknownFormat));
    let missing = folder.join("missing");
    let no_folder = error(Command::new("sh", &missing)).await;
    assert!(matches!(no_folder.cause, SpawnFault::NoFolder(cwd) if cwd == missing));
    let large = error(Command::new("sh", folder).args(["x".repeat(4_000_000)])).await;
    assert!(
        matches!(large.cause, SpawnFault::TooManyArguments),
        "{large:?}"
    );
}

#[tokio::test]
async fn a_relative_path_is_relative_to_the_working_directory() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/bin/sh", folder.path().join("mine")).unwrap();
    let command = Command::new("./mine", folder.path()).args(["-c", "echo found"]);
    let ended = run_alone(command).await.unwrap();
    assert_eq!(ended.stdout.text(), "found\n");
}

#[tokio::test]
async fn a_name_is_looked_up_in_the_path_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/bin/sh", folder.path().join("mine")).unwrap();
    let variables = vec![
        ("PATH".into(), "/nowhere".into()),
        ("PATH".into(), folder.path().into()),
    ];
    let both = [
        Environment::Only(variables.clone()),
        Environment::Inherit { set: variables },
    ];
    for env in both {
        let mut command = Command::new("mine", ".").args(["-c", "echo found"]);
        command.env = env;
        let ended = run_alone(command).await.unwrap();
        assert_eq!(ended.stdout.text(), "found\n");
    }
}

#[test]
fn a_program_is_the_first_executable_file_in_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for name in ["a", "b", "c", "c/tool"] {
        fs::create_dir(folder.join(name)).unwrap();
    }
    file(&folder.join("a"), "tool", 0o644, "");
    let tool = file(&folder.join("b"), "tool", 0o755, "");
    let path = std::env::join_paths([folder.join("c"), folder.join("a"), folder.join("b")]);
    let path = path.unwrap();
    let find = |program: &str, path: Option<&OsStr>| find_program(Path::new(program), path, folder);

    assert_eq!(find("tool", Some(&path)), Some(tool.clone()));
    assert_eq!(find("tool", Some(OsStr::new("b"))), Some(tool.clone()));
    assert_eq!(find("b/tool", None), Some(tool.clone()));
    assert_eq!(find(tool.to_str().unwrap(), None), Some(tool));
    assert_eq!(find("a/tool", Some(&path)), None);
    assert_eq!(find("other", Some(&path)), None);
    assert_eq!(find("tool", None), None);
}
