use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use review_store::{Area, Holder, Lock, LockError, StateDir};

use crate::support::{Folder, run};

/// Names the root in which the child of a test takes the lock.
const LOCK_IN: &str = "REVIEW_STORE_TEST_LOCK_IN";

fn held(error: LockError) -> Option<Holder> {
    match error {
        LockError::Held(held) => held.holder,
        error => panic!("{error}"),
    }
}

#[test]
fn a_held_lock_returns_its_holder_without_waiting() {
    let folder = Folder::with(&[("tasks/web/01-a.md", "")]);
    folder.link("other", "tasks/web");
    let state = folder.state();
    let unit = folder.join("tasks/web");
    let lock = Lock::acquire(&state, &unit, &run("r1")).expect("free");
    assert_eq!(lock.left_by(), None);
    for path in ["tasks/web", "other", "tasks/../tasks/web"] {
        let error = Lock::acquire(&state, &folder.join(path), &run("r2")).expect_err(path);
        let real = folder.root().path().join("tasks/web");
        let pid = std::process::id();
        assert_eq!(
            error.to_string(),
            format!("{} is in use by run r1 (process {pid})", real.display())
        );
        assert_eq!(
            held(error),
            Some(Holder {
                run: run("r1"),
                pid
            })
        );
    }
}

#[test]
fn a_released_lock_is_free_and_leaves_no_note() {
    let folder = Folder::new();
    let state = folder.state();
    drop(Lock::acquire(&state, folder.path(), &run("r1")).expect("free"));
    let lock = Lock::acquire(&state, folder.path(), &run("r2")).expect("free again");
    assert_eq!(lock.left_by(), None);
}

#[test]
fn units_of_one_name_have_separate_locks() {
    let folder = Folder::with(&[("a/web/x", ""), ("b/web/x", "")]);
    let state = folder.state();
    let _first = Lock::acquire(&state, &folder.join("a/web"), &run("r1")).expect("free");
    let _second = Lock::acquire(&state, &folder.join("b/web"), &run("r1")).expect("free too");
    assert_eq!(folder.names(".ralph-review/locks").len(), 2);
}

#[test]
fn a_note_that_cannot_be_read_names_no_holder() {
    let folder = Folder::new();
    let state = folder.state();
    let _lock = Lock::acquire(&state, folder.path(), &run("r1")).expect("free");
    let name = &folder.names(".ralph-review/locks")[0];
    folder.write(&format!(".ralph-review/locks/{name}"), "{\"run\":");
    let error = Lock::acquire(&state, folder.path(), &run("r2")).expect_err("held");
    let ending = " is in use by another run, whose id is unknown";
    assert!(error.to_string().ends_with(ending));
    assert_eq!(held(error), None);
}

#[test]
fn concurrent_callers_all_get_the_same_holder() {
    const ROUNDS: usize = 300;
    let folder = Folder::new();
    let state = folder.state();
    let nameless: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = ["r1", "r2", "r3"]
            .into_iter()
            .map(|name| {
                let (state, path) = (&state, folder.path());
                let take = move || Lock::acquire(state, path, &run(name));
                let is_nameless = |taken| match taken {
                    Ok(_) => false,
                    Err(error) => held(error).is_none(),
                };
                scope.spawn(move || (0..ROUNDS).filter(|_| is_nameless(take())).count())
            })
            .collect();
        let counts = threads.into_iter().map(|thread| thread.join());
        counts.map(|count| count.expect("no panic")).sum()
    });
    assert_eq!(nameless, 0);
}

#[test]
fn a_deleted_file_has_the_same_lock() {
    let folder = Folder::with(&[("specs/A.md", "")]);
    folder.link("other", "specs");
    let state = folder.state();
    let lock = Lock::acquire(&state, &folder.join("specs/A.md"), &run("r1"));
    let _lock = lock.expect("free");
    std::fs::remove_file(folder.join("specs/A.md")).unwrap();
    for path in ["specs/A.md", "other/A.md"] {
        let error = Lock::acquire(&state, &folder.join(path), &run("r2")).expect_err(path);
        assert_eq!(held(error).map(|holder| holder.run), Some(run("r1")));
    }
}

#[test]
fn a_missing_path_cannot_be_locked() {
    let folder = Folder::new();
    let state = folder.state();
    let error = Lock::acquire(&state, &folder.join("no/no"), &run("r1")).expect_err("missing");
    assert!(matches!(error, LockError::Missing(path) if path == folder.join("no/no")));
    folder.write(".ralph-review/locks", "");
    let error = Lock::acquire(&state, folder.path(), &run("r1")).expect_err("a file");
    assert!(matches!(error, LockError::File(_)));
}

/// Run by the test below in a process of its own: acquires the lock, reports it, and
/// holds it until it is killed.
#[test]
fn holds_the_lock_on_request() {
    let Some(root) = std::env::var_os(LOCK_IN).map(PathBuf::from) else {
        return;
    };
    let state = StateDir::under(&root).expect("a state folder");
    let _lock = Lock::acquire(&state, &root, &run("killed")).expect("free");
    println!("\nlocked");
    let _ = std::io::stdin().lines().next();
}

fn other_process(folder: &Folder) -> Child {
    let program = std::env::current_exe().expect("this test");
    let mut child = Command::new(program)
        .args(["lock::holds_the_lock_on_request", "--exact", "--nocapture"])
        .env(LOCK_IN, folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("this test runs");
    let out = BufReader::new(child.stdout.take().expect("a pipe"));
    let locked = out
        .lines()
        .map_while(Result::ok)
        .any(|line| line == "locked");
    assert!(locked);
    child
}

#[test]
fn the_lock_of_a_killed_process_is_free_and_names_its_run() {
    let folder = Folder::new();
    let state = folder.state();
    let mut child = other_process(&folder);
    let holder = Holder {
        run: run("killed"),
        pid: child.id(),
    };
    let error = Lock::acquire(&state, folder.path(), &run("r2")).expect_err("held");
    assert_eq!(held(error), Some(holder.clone()));
    child.kill().expect("alive");
    child.wait().expect("a child");
    let lock = Lock::acquire(&state, folder.path(), &run("r2")).expect("free");
    assert_eq!(lock.left_by(), Some(&holder));
    assert_eq!(
        state.area(Area::Locks),
        folder.root().path().join(".ralph-review/locks")
    );
}
