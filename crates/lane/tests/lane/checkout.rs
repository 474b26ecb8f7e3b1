//! What an agent finds in its checkout, and what it cannot reach from there.

use std::path::Path;

use review_flow::hash_bytes;
use review_lane::{Place, Reused};

use super::support::{Steps as _, User, task, write};

#[tokio::test]
async fn a_checkout_has_the_files_of_the_tip_and_a_clean_git_folder_of_its_own() {
    let user = User::new();
    let lane = user.lane().await;
    let (place, base) = lane.start(1).await;
    assert_eq!(place.top.file_name(), user.root().file_name());
    let text = std::fs::read_to_string(place.root.join("a.txt")).unwrap();
    assert_eq!(text, "one\ntwo\nthree\n");
    assert_eq!(user.git_in(&place.top, &["status", "--porcelain"]), "");
    assert_eq!(
        user.git_in(&place.top, &["rev-parse", "HEAD"]),
        base.as_str()
    );
    assert_eq!(user.git_in(&place.top, &["remote"]), "");
    assert_eq!(
        user.git_in(&place.top, &["config", "user.email"]),
        "ann@example.org"
    );
}

#[tokio::test]
async fn what_an_agent_does_with_git_reaches_neither_the_user_nor_the_lane() {
    let user = User::new();
    let lane = user.lane().await;
    let before = user.state();
    let (place, base) = lane.start(1).await;
    let ran = place.top.parent().unwrap().join("ran");
    for program in ["post-commit", "post-index-change", "monitor"] {
        program_at(&place.top.join(".git/hooks").join(program), &ran);
    }
    for args in [
        &["config", "core.hooksPath", ".git/hooks"][..],
        &["config", "core.fsmonitor", ".git/hooks/monitor"],
        &["commit", "-q", "--allow-empty", "-m", "Mine"],
        &["branch", "mine"],
        &["update-ref", "-d", "refs/heads/main"],
    ] {
        user.git_in(&place.top, args);
    }
    assert!(ran.exists(), "the programs of the agent run for the agent");
    std::fs::remove_file(&ran).unwrap();
    write(&place.root.join("new.txt"), "new\n");
    let snapshot = lane.take(1, &base).await;
    assert_eq!((snapshot.files, snapshot.fault), (1, None));
    assert_eq!(lane.tip().await.unwrap(), base);
    assert_eq!(user.state(), before);
    assert!(!ran.exists());
}

/// A program that leaves a mark.
fn program_at(path: &Path, mark: &Path) {
    write(path, &format!("#!/bin/sh\ntouch '{}'\n", mark.display()));
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(path, mode).unwrap();
}

/// What commands of other tasks may leave in the checkout of the gate.
const LEFT: [&str; 6] = [
    "ignored/left",
    "left.txt",
    "sub/.git/HEAD",
    "sub/inner.txt",
    ".git/hooks/pre-commit",
    "build/left",
];

#[tokio::test]
async fn a_command_finds_its_tree_and_what_the_setup_made_and_nothing_else() {
    let user = User::new();
    let lane = user.lane().await;
    let caches = tempfile::TempDir::new().unwrap();
    let tree = lane.tree_of(&lane.tip().await.unwrap()).await.unwrap();
    let place = lane.verify(&tree).await.unwrap();
    write(&place.root.join("ignored/installed"), "installed\n");
    write(&caches.path().join("archive"), "archive\n");
    let mut prepared = lane.note_prepared(&tree, caches.path()).await.unwrap();
    for left in LEFT {
        write(&place.root.join(left), "left\n");
        write(&place.root.join("ignored/installed"), "tampered!\n");
        write(&place.root.join("a.txt"), "changed\n");
        write(&caches.path().join("archive"), "tampered\n");
        write(&caches.path().join("left"), "left\n");
        let reset = lane.reset_verify(prepared, &tree).await.unwrap();
        let (place, now) = reset.expect("it is restored");
        prepared = now;
        assert!(!place.root.join(left).exists(), "{left}");
        for (path, text) in [
            (place.root.join("ignored/installed"), "installed\n"),
            (place.root.join("a.txt"), "one\ntwo\nthree\n"),
            (caches.path().join("archive"), "archive\n"),
        ] {
            assert_eq!(std::fs::read_to_string(path).unwrap(), text);
        }
        assert!(!caches.path().join("left").exists());
    }
}

#[tokio::test]
async fn the_setup_is_repeated_when_a_tree_has_another_manifest_or_a_file_that_it_made() {
    for (path, is_reset) in [
        ("new.txt", true),
        ("api/package.json", false),
        ("requirements-dev.txt", false),
        ("made/file", false),
        ("build/file", false),
    ] {
        let user = User::new();
        let lane = user.lane().await;
        let caches = tempfile::TempDir::new().unwrap();
        let tree = lane.tree_of(&lane.tip().await.unwrap()).await.unwrap();
        let place = lane.verify(&tree).await.unwrap();
        write(&place.root.join("made/file"), "made\n");
        let prepared = lane.note_prepared(&tree, caches.path()).await.unwrap();
        let other = lane.task(1, &[(path, "other\n")]).await;
        let other = lane.tree_of(&other).await.unwrap();
        let reset = lane.reset_verify(prepared, &other).await.unwrap();
        assert_eq!(reset.is_some(), is_reset, "{path}");
    }
}

#[tokio::test]
async fn what_a_command_builds_is_there_in_its_own_next_run_alone() {
    let user = User::new();
    let lane = user.lane().await;
    let caches = tempfile::TempDir::new().unwrap();
    let tree = lane.tree_of(&lane.tip().await.unwrap()).await.unwrap();
    let place = lane.verify(&tree).await.unwrap();
    write(&place.root.join("target/setup"), "setup\n");
    let mut prepared = lane.note_prepared(&tree, caches.path()).await.unwrap();
    let built = |name: &str| place.root.join("target").join(name);
    // The command, whether it may start from what it has built, whether it has built
    // something, and what follows for what it builds.
    for (command, may_have, has_own, follows) in [
        ("one", true, false, "kept"),
        ("two", true, false, "forgotten"),
        ("two", true, false, "set aside"),
        ("two", true, false, "forgotten"),
        ("one", true, true, "forgotten"),
        ("one", true, true, "kept"),
        ("one", false, false, "forgotten"),
        ("two", true, false, "accepted"),
        ("two", true, true, "forgotten"),
        ("two", true, true, "kept"),
    ] {
        let reset = lane.reset_verify(prepared, &tree).await.unwrap();
        prepared = reset.expect("it is restored").1;
        assert!(!place.root.join("target").exists());
        let key = hash_bytes(command.as_bytes());
        let own = may_have.then_some(&key);
        assert_eq!(lane.put_built(&prepared, own).unwrap(), has_own);
        assert!(built("setup").exists(), "{command} {follows}");
        assert_eq!(built(command).exists(), has_own, "{command} {follows}");
        assert!(!built("forgotten").exists());
        write(&built(command), "built\n");
        match follows {
            "kept" => lane.keep_built(&prepared, &key).unwrap(),
            "forgotten" => write(&built("forgotten"), "built\n"),
            _ => lane.set_built_aside(&prepared, &key).unwrap(),
        }
        if follows == "accepted" {
            lane.accept_built(&key).unwrap();
        }
    }
}

#[tokio::test]
async fn a_dropped_checkout_is_gone_and_its_snapshot_stays() {
    let user = User::new();
    let lane = user.lane().await;
    let (place, base) = lane.start(1).await;
    write(&place.root.join("new.txt"), "new\n");
    let snapshot = lane.take(1, &base).await;
    lane.drop_checkout(task(1)).unwrap();
    assert!(!place.top.exists());
    let text = lane
        .file_at(snapshot.commit.as_str(), "new.txt".as_ref())
        .await;
    assert_eq!(text.unwrap().unwrap(), b"new\n");
}

#[tokio::test]
async fn in_a_subfolder_programs_run_in_the_same_subfolder() {
    let user = User::new();
    user.write("services/api/b.txt", "b\n");
    user.commit("Service");
    let root = user.root().join("services/api");
    let source = review_lane::Source::look(&user.tool(), &root, None).await;
    let source = source.unwrap();
    assert_eq!(source.prefix, std::path::Path::new("services/api/"));
}

/// What an agent leaves in its checkout is gone for the next one, whatever it is.
#[tokio::test]
async fn a_checkout_that_is_reused_is_as_a_new_one() {
    let user = User::new();
    user.write("tool.sh", "true\n");
    user.commit("Second");
    let lane = user.lane().await;
    let base = lane.tip().await.unwrap();
    let make = async |number, reused| {
        let place = lane
            .check_out(task(number), None, &base, reused, None)
            .await;
        place.unwrap()
    };
    let fresh = make(1, Reused::Nothing).await;
    let left = make(2, Reused::Nothing).await;
    for (path, text) in [
        ("a.txt", "mine\n"),
        ("new/file.txt", "new\n"),
        ("ignored/cache", "x"),
        ("nested/.git/HEAD", "ref: refs/heads/main\n"),
        (".git/hooks/post-checkout", "#!/bin/sh\n"),
    ] {
        write(&left.top.join(path), text);
    }
    std::fs::remove_file(left.top.join("tool.sh")).unwrap();
    std::fs::create_dir(left.top.join("tool.sh")).unwrap();
    let reused = make(3, Reused::Checkout(task(2))).await;
    assert!(!left.top.exists());
    let files = |place: &Place| {
        let listed = ["ls-files", "--others", "--cached", "--stage", "-v"];
        let hooks = place.top.join(".git/hooks").exists();
        let status = user.git_in(&place.top, &["status", "--porcelain", "--ignored"]);
        (user.git_in(&place.top, &listed), status, hooks)
    };
    assert_eq!(files(&reused), files(&fresh));
    let text = |place: &Place| std::fs::read_to_string(place.top.join("a.txt")).unwrap();
    assert_eq!(text(&reused), text(&fresh));
}
