//! A project without a repository gets the work in its files, and no repository.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use review_lane::{Carried, CheckedOut, CommitId, LandCode, LandMode, Lane};

use super::support::{Steps as _, User, write};

#[tokio::test]
async fn work_lands_in_the_files_and_nothing_else_appears() {
    let user = User::with_files();
    user.write("ignored/x", "x\n");
    user.write("node_modules/x", "x\n");
    let lane = user.lane().await;
    assert_eq!(lane.source().branch(), None);
    let (place, base) = lane.start(1).await;
    assert!(!place.root.join("ignored").exists());
    assert!(!place.root.join("node_modules").exists());
    write(&place.root.join("a.txt"), "changed\n");
    write(&place.root.join("dir/new.txt"), "new\n");
    std::fs::remove_file(place.root.join("tests/a.sh")).unwrap();
    lane.put_on_lane(1, &base).await;
    let commit = lane.carried().await;
    assert_eq!(lane.land(&commit).await.unwrap(), Ok(CheckedOut::Here));
    assert_eq!(user.read("a.txt").unwrap(), "changed\n");
    assert_eq!(user.read("dir/new.txt").unwrap(), "new\n");
    assert_eq!(user.read("tests/a.sh"), None);
    let mut names: Vec<_> = std::fs::read_dir(user.root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [".gitignore", "a.txt", "dir", "ignored", "node_modules"]
    );
}

#[tokio::test]
async fn what_the_user_edits_meanwhile_is_kept_below_the_work() {
    let user = User::with_files();
    let lane = user.lane().await;
    lane.task(1, &[("a.txt", "ONE\ntwo\nthree\n")]).await;
    user.write("a.txt", "one\ntwo\nthree\nfour\n");
    user.write("b.txt", "mine\n");
    let commit = lane.carried().await;
    user.write("c.txt", "later\n");
    assert_eq!(lane.land(&commit).await.unwrap(), Ok(CheckedOut::Here));
    assert_eq!(user.read("a.txt").unwrap(), "ONE\ntwo\nthree\nfour\n");
    assert_eq!(user.read("b.txt").unwrap(), "mine\n");
    assert_eq!(user.read("c.txt").unwrap(), "later\n");
    // The next task starts from what landed.
    lane.task(2, &[("d.txt", "d\n")]).await;
    let commit = lane.carried().await;
    assert_eq!(lane.land(&commit).await.unwrap(), Ok(CheckedOut::Here));
    assert_eq!(user.read("d.txt").unwrap(), "d\n");
    assert_eq!(user.read("c.txt").unwrap(), "later\n");
}

#[tokio::test]
async fn the_users_edit_of_the_same_line_is_never_overwritten() {
    let user = User::with_files();
    let lane = user.lane().await;
    lane.task(1, &[("a.txt", "theirs\n")]).await;
    let commit = lane.carried().await;
    user.write("a.txt", "mine\n");
    let refused = lane.land(&commit).await.unwrap().unwrap_err();
    // It is the only target, so the work is carried to it again.
    assert_eq!(refused.code, LandCode::TargetMoved, "{refused}");
    assert_eq!(user.read("a.txt").unwrap(), "mine\n");
    let tip = lane.tip().await.unwrap();
    let carried = lane
        .carry(&tip, &BTreeSet::new(), LandMode::Auto)
        .await
        .unwrap();
    assert_eq!(carried, Carried::Conflicts(vec!["a.txt".into()]));
    assert_eq!(user.read("a.txt").unwrap(), "mine\n");
}

/// What a landing that was killed while it wrote `a.txt` has left.
async fn half_landed() -> (User, Lane, CommitId) {
    let user = User::with_files();
    let lane = user.lane().await;
    lane.task(1, &[("a.txt", "changed\n"), ("b.txt", "new\n")])
        .await;
    let new = lane.carried().await;
    let own = lane.path().join("project.git");
    let repository = lane.path().join("lane.git");
    user.git_in(
        &own,
        &["fetch", "-q", repository.to_str().unwrap(), new.as_str()],
    );
    for lock in ["index.lock", "HEAD.lock"] {
        write(&own.join(lock), "");
    }
    write(&own.join("refs/heads/main.lock"), &format!("{new}\n"));
    write(&lane.path().join("landing"), new.as_str());
    user.write("a.txt", "chan");
    (user, lane, new)
}

#[tokio::test]
async fn a_landing_that_was_cut_off_is_repeated() {
    let (user, lane, new) = half_landed().await;
    assert_eq!(lane.land(&new).await.unwrap(), Ok(CheckedOut::Here));
    assert_eq!(user.read("a.txt").unwrap(), "changed\n");
    assert_eq!(user.read("b.txt").unwrap(), "new\n");
}

#[tokio::test]
async fn without_a_repository_there_is_no_other_branch() {
    let user = User::with_files();
    let lane = user.lane().await;
    let tip = lane.task(1, &[("a.txt", "changed\n")]).await;
    let refused = lane.land_on("other", &tip).await.unwrap_err();
    let refused = refused.to_string();
    assert!(refused.ends_with("is not in a git work tree"), "{refused}");
}

#[tokio::test]
async fn the_files_of_a_landing_that_was_cut_off_are_not_taken_for_the_users() {
    let (user, lane, _) = half_landed().await;
    user.write("mine.txt", "mine\n");
    let commit = lane.carried().await;
    assert_eq!(user.read("a.txt").unwrap(), "one\ntwo\nthree\n");
    assert_eq!(lane.land(&commit).await.unwrap(), Ok(CheckedOut::Here));
    assert_eq!(user.read("a.txt").unwrap(), "changed\n");
    assert_eq!(user.read("mine.txt").unwrap(), "mine\n");
}

#[tokio::test]
async fn a_lock_that_a_kill_left_is_no_reason_to_stop() {
    let user = User::with_files();
    let lane = user.lane().await;
    lane.task(1, &[("b.txt", "new\n")]).await;
    let own = lane.path().join("project.git");
    write(&own.join("index.lock"), "");
    user.write("c.txt", "mine\n");
    let commit = lane.carried().await;
    assert_eq!(lane.land(&commit).await.unwrap(), Ok(CheckedOut::Here));
    assert_eq!(user.read("b.txt").unwrap(), "new\n");
}

/// Without a repository, no setting and no `.gitattributes` may change what files have.
#[tokio::test]
async fn the_bytes_of_files_stay_whatever_git_would_make_of_them() {
    let user = User::with_files();
    user.write(
        "../home/.gitconfig",
        "[user]\n\tname = Ann\n\temail = ann@example.org\n[core]\n\tautocrlf = true\n\
         [filter \"upper\"]\n\tclean = tr a-z A-Z\n\tsmudge = tr a-z A-Z\n",
    );
    user.write(
        ".gitattributes",
        "*.md text eol=lf\n*.up filter=upper\n*.id ident\n",
    );
    user.write("mixed.txt", "one\r\ntwo\n");
    user.write("crlf.md", "one\r\ntwo\r\nthree\r\n");
    user.write("a.up", "lower\n");
    user.write("a.id", "$Id: mine $\n");
    let lane = user.lane().await;
    let (place, base) = lane.start(1).await;
    for (path, text) in [
        ("mixed.txt", "one\r\ntwo\n"),
        ("crlf.md", "one\r\ntwo\r\nthree\r\n"),
        ("a.up", "lower\n"),
        ("a.id", "$Id: mine $\n"),
    ] {
        let found = std::fs::read_to_string(place.root.join(path)).unwrap();
        assert_eq!(found, text, "{path}");
    }
    write(&place.root.join("mixed.txt"), "one\r\nTWO\n");
    write(&place.root.join("crlf.md"), "one\r\nTWO\r\nthree\r\n");
    write(&place.root.join("a.up"), "lower still\n");
    lane.put_on_lane(1, &base).await;
    user.write("crlf.md", "one\r\ntwo\r\nthree\r\nmine\r\n");
    let commit = lane.carried().await;
    assert_eq!(lane.land(&commit).await.unwrap(), Ok(CheckedOut::Here));
    for (path, text) in [
        ("mixed.txt", "one\r\nTWO\n"),
        ("crlf.md", "one\r\nTWO\r\nthree\r\nmine\r\n"),
        ("a.up", "lower still\n"),
        ("a.id", "$Id: mine $\n"),
        ("a.txt", "one\ntwo\nthree\n"),
    ] {
        assert_eq!(user.read(path).as_deref(), Some(text), "{path}");
    }
}

#[tokio::test]
async fn modes_links_and_deletions_land() {
    let user = User::with_files();
    std::os::unix::fs::symlink("a.txt", user.root().join("link")).unwrap();
    user.write("gone/deep/x.txt", "x\n");
    let lane = user.lane().await;
    let (place, base) = lane.start(1).await;
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o111;
    std::fs::remove_file(place.root.join("link")).unwrap();
    std::os::unix::fs::symlink("tests/a.sh", place.root.join("link")).unwrap();
    std::fs::remove_dir_all(place.root.join("gone")).unwrap();
    let script = place.root.join("tests/a.sh");
    std::fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).unwrap();
    lane.put_on_lane(1, &base).await;
    let commit = lane.carried().await;
    assert_eq!(lane.land(&commit).await.unwrap(), Ok(CheckedOut::Here));
    let link = std::fs::read_link(user.root().join("link")).unwrap();
    assert_eq!(link, Path::new("tests/a.sh"));
    assert!(!user.root().join("gone").exists());
    assert_ne!(mode(&user.root().join("tests/a.sh")), 0);
    assert_eq!(mode(&user.root().join("a.txt")), 0);
}

#[tokio::test]
async fn what_agents_write_to_the_files_of_the_user_is_seen() {
    let user = User::with_files();
    let lane = user.lane().await;
    let (place, _) = lane.start(1).await;
    let before = lane.look_at_user().await.unwrap();
    for (path, text) in [("a.txt", "leaked\n"), ("new.txt", "leaked too\n")] {
        write(&place.root.join(path), text);
        user.write(path, text);
    }
    user.write("tests/a.sh", "mine\n");
    let changes = lane.look_at_user().await.unwrap().since(&before);
    let paths: Vec<_> = changes.paths.iter().map(|path| path.to_str()).collect();
    assert_eq!(paths, [Some("a.txt"), Some("new.txt"), Some("tests/a.sh")]);
    let leaked = lane
        .leaked(&changes, std::slice::from_ref(&place.top))
        .await
        .unwrap();
    let leaked: Vec<_> = leaked.iter().map(|path| path.to_str()).collect();
    assert_eq!(leaked, [Some("a.txt"), Some("new.txt")]);
}

/// The lock is gone when git ended its transaction itself, since the program that wrote
/// the files was killed.
#[tokio::test]
async fn a_landing_that_was_cut_off_is_known_without_its_locks() {
    let (user, lane, new) = half_landed().await;
    let own = lane.path().join("project.git");
    std::fs::remove_file(own.join("refs/heads/main.lock")).unwrap();
    std::fs::remove_file(own.join("HEAD.lock")).unwrap();
    user.write("mine.txt", "mine\n");
    let commit = lane.carried().await;
    assert_ne!(commit, new);
    assert_eq!(user.read("a.txt").unwrap(), "one\ntwo\nthree\n");
    assert_eq!(lane.land(&commit).await.unwrap(), Ok(CheckedOut::Here));
    assert_eq!(user.read("a.txt").unwrap(), "changed\n");
    assert_eq!(user.read("b.txt").unwrap(), "new\n");
    assert_eq!(user.read("mine.txt").unwrap(), "mine\n");
    let state = std::fs::read_dir(lane.path()).unwrap();
    let mut names = state.map(|entry| entry.unwrap().file_name());
    assert!(names.all(|name| name != "landing"));
}

#[tokio::test]
async fn what_the_user_wrote_over_a_landing_that_was_cut_off_is_kept() {
    let (user, lane, new) = half_landed().await;
    user.write("a.txt", "mine\n");
    let refused = lane.land(&new).await.unwrap().unwrap_err();
    assert_eq!(refused.code, LandCode::TargetMoved, "{refused}");
    let tip = lane.tip().await.unwrap();
    let carried = lane
        .carry(&tip, &BTreeSet::new(), LandMode::Auto)
        .await
        .unwrap();
    assert_eq!(carried, Carried::Conflicts(vec!["a.txt".into()]));
    assert_eq!(user.read("a.txt").unwrap(), "mine\n");
    assert_eq!(user.read("b.txt"), None);
}

#[tokio::test]
async fn a_repository_in_the_project_is_named_and_stays_as_it_is() {
    let user = User::with_files();
    user.write("part/x.txt", "x\n");
    let part = user.root().join("part");
    user.git_in(&part, &["init", "-q"]);
    user.git_in(&part, &["add", "-A"]);
    user.git_in(&part, &["commit", "-q", "-m", "First"]);
    let lane = user.lane().await;
    assert_eq!(lane.repositories().await.unwrap(), [Path::new("part")]);
    lane.task(1, &[("a.txt", "changed\n")]).await;
    user.write("part/x.txt", "mine\n");
    user.git_in(&part, &["commit", "-q", "-a", "-m", "Second"]);
    let commit = lane.carried().await;
    assert_eq!(lane.land(&commit).await.unwrap(), Ok(CheckedOut::Here));
    assert_eq!(user.read("a.txt").unwrap(), "changed\n");
    assert_eq!(user.read("part/x.txt").unwrap(), "mine\n");
    let log = user.git_in(&part, &["log", "--format=%s"]);
    assert_eq!(log, "Second\nFirst");
}
