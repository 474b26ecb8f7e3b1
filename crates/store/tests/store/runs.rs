use review_store::{RunDir, StateDir};

use crate::support::{Folder, run};

const IDS: [&str; 3] = ["0192-aa", "0192-ab", "0193-cc"];

fn with_runs(folder: &Folder, ids: &[&str]) -> StateDir {
    let state = folder.state();
    for id in ids {
        let run = state.create_run(&run(id)).expect("a run");
        run.create_journal().expect("a journal");
    }
    state
}

fn id(run: &RunDir) -> &str {
    run.id().as_str()
}

#[test]
fn runs_are_listed_newest_first() {
    let folder = Folder::new();
    let state = with_runs(&folder, &IDS);
    folder.write(".ralph-review/runs/a file", "");
    let runs = state.runs().expect("runs");
    assert_eq!(
        runs.iter().map(id).collect::<Vec<_>>(),
        ["0193-cc", "0192-ab", "0192-aa"]
    );
}

#[test]
fn a_run_is_created_once() {
    let folder = Folder::new();
    let state = with_runs(&folder, &["r1"]);
    let error = state.create_run(&run("r1")).expect_err("there already");
    assert_eq!(error.source.kind(), std::io::ErrorKind::AlreadyExists);
}

#[test]
fn a_run_is_found_by_beginning_or_end_of_its_id_keyword_or_folder() {
    let folder = Folder::new();
    let state = with_runs(&folder, &IDS);
    let absolute = folder.join(".ralph-review/runs/0192-ab");
    for (text, expected) in [
        ("0192-aa", "0192-aa"),
        ("0193", "0193-cc"),
        ("2-aa", "0192-aa"),
        ("latest", "0193-cc"),
        ("latest~0", "0193-cc"),
        ("latest~2", "0192-aa"),
        (".ralph-review/runs/0192-aa", "0192-aa"),
        ("./.ralph-review/runs/0192-aa/", "0192-aa"),
        (absolute.to_str().expect("UTF-8"), "0192-ab"),
    ] {
        let found = state
            .find_run(&[], text, folder.path(), |_| true)
            .expect(text);
        assert_eq!(id(&found), expected, "{text}");
        assert_eq!(found.state().path(), state.path());
    }
    let inside = state
        .find_run(&[], ".", &absolute, |_| true)
        .expect("the folder itself");
    assert_eq!(id(&inside), "0192-ab");
}

#[test]
fn the_latest_run_is_the_newest_that_may_be() {
    let folder = Folder::new();
    let state = with_runs(&folder, &IDS);
    let latest = |left_out: &[&str]| {
        let may_be = |run: &RunDir| !left_out.contains(&run.id().as_str());
        state.find_run(&[], "latest", folder.path(), may_be)
    };
    assert_eq!(id(&latest(&["0193-cc"]).expect("another")), "0192-ab");
    let error = latest(&IDS).expect_err("none");
    let message = format!(
        "no run \"latest\" in {}: those of `ralph gate` do not count",
        state.path().display()
    );
    assert_eq!(error.to_string(), message);
}

#[test]
fn an_exact_id_takes_precedence_over_a_longer_one() {
    let folder = Folder::new();
    let state = with_runs(&folder, &["a", "ab"]);
    assert_eq!(
        id(&state
            .find_run(&[], "a", folder.path(), |_| true)
            .expect("exact")),
        "a"
    );
}

#[test]
fn an_ambiguous_name_lists_its_candidates() {
    let folder = Folder::with(&[("x/y", "")]);
    let state = with_runs(&folder, &IDS);
    for (text, expected) in [
        (
            "0192",
            "\"0192\" is ambiguous; it matches the runs 0192-ab, 0192-aa",
        ),
        (
            "7",
            "no run \"7\"; the newest runs are 0193-cc, 0192-ab, 0192-aa",
        ),
        (
            "",
            "no run \"\"; the newest runs are 0193-cc, 0192-ab, 0192-aa",
        ),
    ] {
        let error = state
            .find_run(&[], text, folder.path(), |_| true)
            .expect_err(text);
        assert_eq!(error.to_string(), expected);
    }
    let error = state
        .find_run(&[], "./x", folder.path(), |_| true)
        .expect_err("no run");
    assert!(
        error
            .to_string()
            .ends_with("x is not the folder of a run: it has no journal")
    );
    assert!(
        state
            .find_run(&[], "./missing", folder.path(), |_| true)
            .is_err()
    );
}

#[test]
fn at_most_five_runs_are_listed() {
    let folder = Folder::new();
    let runs = ["aaaa1", "aaaa2", "aaaa3", "aaaa4", "aaaa5", "aaaa6"];
    let state = with_runs(&folder, &runs);
    let error = state
        .find_run(&[], "aaaa", folder.path(), |_| true)
        .expect_err("several");
    assert_eq!(
        error.to_string(),
        "\"aaaa\" is ambiguous; it matches the runs aaaa6, aaaa5, aaaa4, aaaa3, aaaa2"
    );
}

#[test]
fn without_runs_the_folder_is_named() {
    let folder = Folder::new();
    let state = folder.state();
    for text in ["latest", "7"] {
        let error = state
            .find_run(&[], text, folder.path(), |_| true)
            .expect_err(text);
        assert_eq!(
            error.to_string(),
            format!("no runs in {}", state.path().display())
        );
    }
}

#[test]
fn the_feedback_of_a_round_is_a_private_file_that_is_replaced() {
    let folder = Folder::new();
    let state = with_runs(&folder, &["a"]);
    let dir = state
        .find_run(&[], "a", folder.path(), |_| true)
        .expect("a run");
    dir.write_feedback(7, b"{}\n").expect("written");
    dir.write_feedback(7, b"[]\n").expect("replaced");
    dir.write_feedback(1000, b"{}\n").expect("written");
    let names = folder.names(".ralph-review/runs/a/feedback");
    assert_eq!(names, ["007.json", "1000.json"]);
    assert_eq!(
        folder.read(".ralph-review/runs/a/feedback/007.json"),
        "[]\n"
    );
    assert_eq!(folder.mode(".ralph-review/runs/a/feedback"), 0o700);
    assert_eq!(folder.mode(".ralph-review/runs/a/feedback/007.json"), 0o600);
}
