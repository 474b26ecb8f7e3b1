//! What a run needs, and what is wrong with it.

use std::path::Path;
use std::process::Command;

use review::NoSink;
use review_config::Config;
use review_embedding_test::Workspace;
use review_engine::doctor::Doctor;
use review_report::doctor::{CheckState, Diagnosis};

use crate::support::program;

/// The diagnosis of a project by its configuration, with this value of PATH in place of the
/// usual one, of the program at a path.
async fn diagnosed(
    workspace: &Workspace,
    config: &str,
    search_path: Option<&Path>,
    own: Option<&Path>,
) -> Diagnosis {
    let mut project = workspace.project(&NoSink).unwrap();
    if let Some(path) = search_path {
        project.env.insert("PATH".into(), path.into());
    }
    let config: Config = workspace.config(config).unwrap();
    let (root, state) = (workspace.root(), workspace.root().join(".ralph-review"));
    let doctor = Doctor {
        root: &root,
        nested: &[],
        folder: &root,
        env: &project.env,
        program: own,
        version: project.version,
        engine: None,
        groups: project.groups.clone(),
        stop: project.stop.clone(),
    };
    doctor.diagnose(Ok((&config, &state))).await
}

/// State, message and hint of the check of a name.
fn check<'d>(diagnosis: &'d Diagnosis, name: &str) -> Option<(CheckState, &'d str, &'d str)> {
    let mut checks = diagnosis.checks.iter();
    let check = checks.find(|check| check.name == name)?;
    let hint = check.hint.as_deref().unwrap_or_default();
    Some((check.state, &check.message, hint))
}

fn git(workspace: &Workspace, arguments: &[&str]) {
    let mut git = Command::new("git");
    let git = git.args(arguments).current_dir(workspace.root());
    let ended = git.env("HOME", workspace.home()).status().unwrap();
    assert!(ended.success());
}

#[tokio::test]
async fn a_folder_without_a_commit_has_no_branch_for_the_work_of_agents() {
    let workspace = Workspace::new(&[]).unwrap();
    let lost = "agents cannot implement tasks";
    let found = diagnosed(&workspace, "", None, None).await;
    let (state, message, _) = check(&found, "git").unwrap();
    assert_eq!(state, CheckState::Warning);
    assert_eq!(message, format!("this folder is in no repository: {lost}"));
    git(&workspace, &["init", "--quiet"]);
    let found = diagnosed(&workspace, "", None, None).await;
    let (state, message, _) = check(&found, "git").unwrap();
    assert_eq!(state, CheckState::Warning);
    assert_eq!(message, format!("the repository has no commit: {lost}"));
    let author = ["-c", "user.name=A", "-c", "user.email=a@b"];
    let commit = ["commit", "--quiet", "--allow-empty", "--message", "a"];
    git(&workspace, &[&author[..], &commit].concat());
    let found = diagnosed(&workspace, "", None, None).await;
    assert_eq!(check(&found, "git").unwrap().0, CheckState::Ok);
    assert!(found.usable);
}

#[tokio::test]
async fn the_setup_of_checkouts_is_proposed_from_lock_files() {
    let workspace = Workspace::new(&[("package-lock.json", "{}")]).unwrap();
    let found = diagnosed(&workspace, "", None, None).await;
    let expected = (
        CheckState::Warning,
        "checkouts of agents have what git tracks, and nothing installs the rest",
        "set `lane.setup = [\"npm ci\"]` in ralph.toml",
    );
    assert_eq!(check(&found, "setup"), Some(expected));
    let found = diagnosed(&workspace, "lane.setup = [\"npm ci\"]\n", None, None).await;
    assert_eq!(check(&found, "setup"), None);
}

#[tokio::test]
async fn what_a_run_can_do_without_is_a_warning() {
    let workspace = Workspace::new(&[]).unwrap();
    let found = diagnosed(&workspace, "", Some(&workspace.bin()), None).await;
    for (name, expected) in [
        ("bash", "not found; commands of tasks run in sh"),
        ("git", "not found; files are listed without it"),
    ] {
        let (state, message, _) = check(&found, name).unwrap();
        assert_eq!((state, message), (CheckState::Warning, expected));
    }
    assert!(found.usable);
}

#[tokio::test]
async fn a_backend_without_its_program_is_an_error() {
    let workspace = Workspace::new(&[]).unwrap();
    let config = "reviewer = \"cmd:./judge.sh\"\napplier = \"cmd:mender --all\"\n";
    let found = diagnosed(&workspace, config, None, None).await;
    assert!(!found.usable);
    let (state, message, _) = check(&found, "reviewer").unwrap();
    let missing = "cmd:./judge.sh: program ./judge.sh not found";
    assert_eq!((state, message), (CheckState::Error, missing));
    program(&workspace, "mender", "exit 0");
    let mender = workspace.bin().join("mender");
    std::fs::copy(&mender, workspace.root().join("judge.sh")).unwrap();
    let found = diagnosed(&workspace, config, None, None).await;
    let (state, message, _) = check(&found, "applier").unwrap();
    let place = format!("cmd:mender --all, found at {}", mender.display());
    assert_eq!((state, message), (CheckState::Ok, &*place));
    assert_eq!(check(&found, "reviewer").unwrap().0, CheckState::Ok);
    assert!(found.usable);
}

#[tokio::test]
async fn a_state_folder_that_is_a_file_is_an_error() {
    let workspace = Workspace::new(&[(".ralph-review", "")]).unwrap();
    let found = diagnosed(&workspace, "", None, None).await;
    let (state, message, _) = check(&found, "state folder").unwrap();
    assert_eq!(state, CheckState::Error);
    let (start, cause) = message.split_once(": ").unwrap();
    let folder = workspace.root().join(".ralph-review");
    assert_eq!(start, format!("{} cannot be created", folder.display()));
    assert!(!cause.contains(": "), "{message}");
}

#[tokio::test]
async fn a_foreign_ralph_that_comes_first_is_a_warning() {
    let workspace = Workspace::new(&[]).unwrap();
    program(&workspace, "ralph", "exit 0");
    let first = workspace.bin().join("ralph");
    let own = diagnosed(&workspace, "", None, Some(&first)).await;
    assert_eq!(check(&own, "path"), None);
    program(&workspace, "own", "exit 0");
    let other = workspace.bin().join("own");
    let found = diagnosed(&workspace, "", None, Some(&other)).await;
    let (state, message, _) = check(&found, "path").unwrap();
    let foreign = format!("another ralph comes first on PATH: {}", first.display());
    assert_eq!((state, message), (CheckState::Warning, &*foreign));
}

const YAML: &str = ".aiwg/agent-learning.yaml";
const VALID: &str = "version: 1.0.0\nfeedback_collection: {}\nlearning_pipeline: {}\n";

#[tokio::test]
async fn it_is_told_by_what_is_learned() {
    let workspace = Workspace::new(&[]).unwrap();
    let both = format!("by [learning] in ralph.toml; {YAML} is not read");
    let by_file = format!("by {YAML}");
    for (file, config, state, message) in [
        (
            "",
            "",
            CheckState::Ok,
            "off: no table [learning] in ralph.toml",
        ),
        (VALID, "", CheckState::Ok, &by_file),
        (VALID, "[learning]\n", CheckState::Warning, &both),
    ] {
        if !file.is_empty() {
            workspace.write(YAML, file).unwrap();
        }
        let found = diagnosed(&workspace, config, None, None).await;
        let (got, told, _) = check(&found, "learning").unwrap();
        assert_eq!((got, told), (state, message));
    }
}

#[tokio::test]
async fn nonsense_about_learning_is_an_error_with_its_lines_and_pointers() {
    let text = "version: 1.0.0\nfeedback_collection:\n  storage_path: ../../etc\nlearning_pipeline:\n  analysis:\n    min_samples: -5\n    pattern_detection:\n      frequency_threshold: 7\n    clustering:\n      algorithm: dbscan\n";
    let workspace = Workspace::new(&[(YAML, text)]).unwrap();
    let found = diagnosed(&workspace, "", None, None).await;
    let (state, message, _) = check(&found, "learning").unwrap();
    assert_eq!(state, CheckState::Error);
    let lines: Vec<_> = message
        .lines()
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    let places = [6, 8, 10].map(|line| format!("{YAML}:{line}:"));
    assert_eq!(lines, places, "{message}");
    let pointer = "/learning_pipeline/analysis/min_samples expected an integer from 1, found -5";
    assert!(message.contains(pointer), "{message}");
    let outside = VALID.replace("{}\nl", "{storage_path: ../../etc}\nl");
    workspace.write(YAML, &outside).unwrap();
    let found = diagnosed(&workspace, "", None, None).await;
    let (_, message, _) = check(&found, "learning").unwrap();
    let outside =
        "/feedback_collection/storage_path a path must be below the root, got \"../../etc\"";
    assert!(message.contains(outside), "{message}");
}

#[tokio::test]
async fn a_template_of_lessons_that_is_not_there_is_named() {
    let workspace = Workspace::new(&[]).unwrap();
    let with = |template: &str| {
        let template = format!("{{lesson_extraction: {{template: \"{template}\"}}}}");
        VALID.replace(
            "learning_pipeline: {}",
            &format!("learning_pipeline: {template}"),
        )
    };
    workspace.write(YAML, &with("prompts/lesson.md")).unwrap();
    let found = diagnosed(&workspace, "", None, None).await;
    let (state, message, _) = check(&found, "learning").unwrap();
    assert_eq!(state, CheckState::Error);
    assert!(message.contains("prompts/lesson.md"), "{message}");
    workspace
        .write("prompts/lesson.md", "Write a lesson.")
        .unwrap();
    let found = diagnosed(&workspace, "", None, None).await;
    assert_eq!(check(&found, "learning").unwrap().0, CheckState::Ok);
    // The instructions themselves are no file.
    workspace.write(YAML, &with("Teach it.")).unwrap();
    let found = diagnosed(&workspace, "", None, None).await;
    assert_eq!(check(&found, "learning").unwrap().0, CheckState::Ok);
}
