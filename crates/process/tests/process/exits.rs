use std::path::PathBuf;

use review_process::{Command, Context, Environment, Exit, GroupId, Groups, Redactor, Stop, run};
use tokio::sync::watch;

use crate::support::{run_alone, run_sh, sh};

#[tokio::test]
async fn the_exit_is_the_one_that_the_system_reports_for_the_leader() {
    let cases = [
        ("exit 0", Exit::Code(0)),
        ("exit 3", Exit::Code(3)),
        ("exit 143", Exit::Code(143)),
        ("kill -TERM $$", Exit::Signal(15)),
        ("kill -KILL $$", Exit::Signal(9)),
    ];
    for (script, exit) in cases {
        let ended = run_sh(script).await;
        assert_eq!((ended.exit, ended.cut), (exit, None), "{script}");
        assert_eq!(ended.success(), exit == Exit::Code(0), "{script}");
    }
}

/// The end of a child is waited for from when it was started, however early it is.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_leader_that_ended_before_anyone_listens_is_seen() {
    let (groups, redactor) = (Groups::default(), Redactor::default());
    let (_stopper, stop) = watch::channel(Stop::Run);
    let mut started = |group: GroupId| {
        let stat = format!("/proc/{}/stat", group.pgid);
        let is_zombie = |stat: String| {
            stat.rsplit(')')
                .next()
                .is_some_and(|rest| rest.starts_with(" Z"))
        };
        while !std::fs::read_to_string(&stat).is_ok_and(is_zombie) {
            std::thread::yield_now();
        }
    };
    let context = Context {
        messages: None,
        started: Some(&mut started),
        ..Context::new(stop, &groups, &redactor)
    };
    let ended = run(sh("exit 3"), context).await.unwrap();
    assert_eq!(ended.exit, Exit::Code(3));
}

#[tokio::test]
async fn an_exit_is_formatted_as_a_phrase() {
    assert_eq!(Exit::Code(3).to_string(), "exit status 3");
    assert_eq!(Exit::Signal(9).to_string(), "signal 9");
}

#[tokio::test]
async fn no_output_is_an_empty_capture() {
    let ended = run_sh("exit 0").await;
    assert_eq!(ended.stdout.complete(), Some(b"".as_slice()));
    assert_eq!(ended.stderr.complete(), Some(b"".as_slice()));
}

#[tokio::test]
async fn both_outputs_are_captured_separately() {
    let ended = run_sh("echo verdict; echo noise >&2; echo more").await;
    assert_eq!(ended.stdout.text(), "verdict\nmore\n");
    assert_eq!(ended.stderr.text(), "noise\n");
}

#[tokio::test]
async fn bytes_that_are_not_utf8_are_kept() {
    let ended = run_sh(r"printf 'a\377\376b'").await;
    assert_eq!(ended.stdout.text(), "a\u{fffd}\u{fffd}b");
    assert_eq!(ended.stdout.into_complete(), Some(b"a\xff\xfeb".to_vec()));
}

#[tokio::test]
async fn the_program_runs_in_its_working_directory() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let mut command = sh("pwd -P");
    command.cwd = folder.clone();
    let ended = run_alone(command).await.unwrap();
    assert_eq!(PathBuf::from(ended.stdout.text().trim()), folder);
}

#[tokio::test]
async fn an_inherited_environment_is_extended_by_the_set_variables() {
    let mut command = sh("echo $GIVEN; test -n \"$PATH\"");
    let set = vec![("GIVEN".into(), "one".into())];
    command.env = Environment::Inherit { set };
    let ended = run_alone(command).await.unwrap();
    assert_eq!(
        (ended.stdout.text().as_ref(), ended.exit),
        ("one\n", Exit::Code(0))
    );
}

#[tokio::test]
async fn a_closed_environment_has_only_its_variables() {
    let path = std::env::var_os("PATH").unwrap();
    let mut command = Command::new("env", ".");
    command.env = Environment::Only(vec![
        ("PATH".into(), path.clone()),
        ("A".into(), "1".into()),
    ]);
    let ended = run_alone(command).await.unwrap();
    let text = ended.stdout.text();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["A=1", &format!("PATH={}", path.display())]);
}
