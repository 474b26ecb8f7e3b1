use std::os::unix::fs::symlink;
use std::sync::Arc;

use review_agents::{CmdAgent, RoleAgent};

use crate::support::{Project, SPEC, answer, checkout, environment, program, report, sh};

fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    lines
}

#[tokio::test]
async fn a_program_sees_the_listed_variables_and_no_other() {
    let project = Project::new();
    let path = std::env::var("PATH").unwrap();
    let mut context = project.context();
    context.env = environment(&[
        ("AWS_SECRET_ACCESS_KEY", "hidden"),
        ("HOME", "/home/ann"),
        ("JUDGE_MODEL", "large"),
        ("LANG", "de_DE.UTF-8"),
        ("LC_ALL", "C"),
        ("LC_TIME", "C"),
        ("NAMED", "hidden"),
        ("PATH", &path),
        ("RALPH_ROLE", "of the run outside"),
        ("RALPH_UNIT_DIR", "of the run outside"),
        ("SHELL", "/bin/zsh"),
        ("TERM", "dumb"),
        ("TMPDIR", "/tmp"),
        ("TZ", "UTC"),
        ("USER", "ann"),
    ]);
    context.pass_env = ["JUDGE_MODEL", "NOT_SET", "RALPH_ROLE", "RALPH_UNIT_DIR"]
        .map(Into::into)
        .into();
    let seen = answer(&program("env", context)).await.unwrap();
    let root = project.path("root");
    assert_eq!(
        lines(&seen),
        [
            "HOME=/home/ann",
            "JUDGE_MODEL=large",
            "LANG=de_DE.UTF-8",
            "LC_ALL=C",
            "LC_TIME=C",
            &format!("PATH={path}"),
            "RALPH_ITERATION=2",
            "RALPH_ROLE=reviewer",
            &format!("RALPH_ROOT={}", root.display()),
            "RALPH_RUN=run-1",
            "RALPH_SPEC=specs/DEMO.md",
            "SHELL=/bin/zsh",
            "TERM=dumb",
            "TMPDIR=/tmp",
            "TZ=UTC",
            "USER=ann",
        ]
    );
}

#[tokio::test]
async fn an_applier_gets_its_role_and_the_folder_of_the_unit() {
    let project = Project::new();
    let context = Arc::new(project.context());
    let mut checkout = checkout(&context);
    checkout.env = vec![("RALPH_UNIT_DIR".into(), Some("tasks/demo".into()))];
    let line = "sh -c 'echo $RALPH_ROLE $RALPH_UNIT_DIR'";
    let agent = CmdAgent::new(line.parse().unwrap(), Arc::clone(&context));
    let backend = format!("cmd:{line}").parse().unwrap();
    let agent = RoleAgent::new(Box::new(agent), backend, context, Arc::new(checkout));
    let said = report(&agent).await;
    assert_eq!(said.unwrap(), "applier tasks/demo\n");
}

#[tokio::test]
async fn a_program_runs_in_the_root() {
    let project = Project::new();
    let said = answer(&sh("pwd -P", project.context())).await.unwrap();
    assert_eq!(said.trim_end(), project.path("root").to_str().unwrap());
}

#[tokio::test]
async fn a_program_given_as_a_path_is_found_from_the_root_of_the_project() {
    let project = Project::new();
    symlink("/bin/echo", project.path("programs/judge")).unwrap();
    let said = answer(&program("./judge 'a  b' $HOME", project.context())).await;
    assert_eq!(said.unwrap(), "a  b $HOME\n");
}

#[tokio::test]
async fn the_prompt_comes_on_standard_input() {
    let project = Project::new();
    project.write(SPEC, "# Demo\n\nIt is new.\n");
    let review = answer(&program("cat", project.context())).await.unwrap();
    let file = "<<<n0nce file specs/DEMO.md>>>\n# Demo\n\nIt is new.\n<<<n0nce end>>>\n";
    assert!(review.contains(file), "{review}");
    assert!(review.starts_with("Review the specification"), "{review}");
    let apply = report(&program("cat", project.context())).await.unwrap();
    assert!(apply.contains(file), "{apply}");
    assert!(apply.contains("\"issue\": \"is empty\""), "{apply}");
}

#[tokio::test]
async fn an_applier_edits_in_place_and_its_output_is_its_report() {
    let project = Project::new();
    let agent = sh("echo more >> $RALPH_SPEC; echo did it", project.context());
    assert_eq!(report(&agent).await.unwrap(), "did it\n");
    assert_eq!(project.read(SPEC), "# Demo\nmore\n");
}
