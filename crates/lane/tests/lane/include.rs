//! Files that git ignores and that checkouts need.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use review_lane::Dirty;

use super::support::{Steps as _, User, write};

/// A user whose programs need files that git ignores, by these patterns.
fn user(patterns: &str) -> User {
    let user = User::new();
    user.write(".gitignore", ".env\nlocal/\n");
    user.write(".worktreeinclude", patterns);
    user.commit("Patterns");
    user.write(".env", "KEY=1\n");
    user.write("local/keys/a.pem", "a\n");
    user.write("local/big.bin", "big\n");
    user
}

fn read(root: &Path, path: &str) -> Option<String> {
    std::fs::read_to_string(root.join(path)).ok()
}

#[tokio::test]
async fn ignored_files_that_the_list_names_are_copied_and_are_no_part_of_the_change() {
    let user = user(".env\nlocal/**\n!local/big.bin\nnew.txt\n");
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(user.root().join(".env"), private).unwrap();
    user.write("new.txt", "not ignored\n");
    let lane = user.try_lane(Dirty::Ignore, &[]).await.unwrap();
    let (place, base) = lane.start(1).await;
    assert_eq!(
        lane.copy_included(&place, &user.root().join(".state"))
            .await
            .unwrap(),
        [""; 0].map(PathBuf::from)
    );
    let copied = |path: &str| read(&place.root, path);
    assert_eq!(copied(".env").unwrap(), "KEY=1\n");
    assert_eq!(copied("local/keys/a.pem").unwrap(), "a\n");
    assert_eq!(copied("local/big.bin"), None);
    assert_eq!(copied("new.txt"), None);
    let mode = std::fs::metadata(place.root.join(".env")).unwrap();
    assert_eq!(mode.permissions().mode() & 0o777, 0o600);
    // In place, as a program that has it open does.
    let mut open = std::fs::OpenOptions::new();
    let open = open.append(true).open(place.root.join(".env")).unwrap();
    std::io::Write::write_all(&mut &open, b"KEY=2\n").unwrap();
    assert_eq!(user.read(".env").unwrap(), "KEY=1\n");
    assert_eq!(lane.take(1, &base).await.files, 0);
}

#[tokio::test]
async fn without_the_list_nothing_is_copied() {
    let user = user("");
    user.git(&["rm", "-q", ".worktreeinclude"]);
    user.commit("No patterns");
    let lane = user.lane().await;
    let (place, _) = lane.start(1).await;
    lane.copy_included(&place, &user.root().join(".state"))
        .await
        .unwrap();
    assert_eq!(read(&place.root, ".env"), None);
}

#[tokio::test]
async fn the_state_of_runs_is_never_copied() {
    let user = user("*\n");
    user.write(".gitignore", ".env\n.ralph-review/\n.state/\n");
    user.commit("Ignore");
    user.write(".ralph-review/runs/1/journal.jsonl", "{}\n");
    user.write(".state/runs/1/journal.jsonl", "{}\n");
    let lane = user.try_lane(Dirty::Ignore, &[]).await.unwrap();
    let (place, _) = lane.start(1).await;
    let state = user.root().join(".state");
    let left_out = lane.copy_included(&place, &state).await.unwrap();
    assert_eq!(left_out, [""; 0].map(PathBuf::from));
    assert_eq!(read(&place.root, ".env").unwrap(), "KEY=1\n");
    assert!(!place.root.join(".ralph-review").exists());
    assert!(!place.root.join(".state").exists());
}

#[tokio::test]
async fn more_than_a_gigabyte_is_refused_before_anything_is_copied() {
    let user = user(".env\nlocal/\n");
    let large = std::fs::File::create(user.root().join("local/large.bin")).unwrap();
    large.set_len((1 << 30) + 1).unwrap();
    let lane = user.lane().await;
    let (place, _) = lane.start(1).await;
    let refused = lane.copy_included(&place, Path::new("/state")).await;
    assert_eq!(
        refused.unwrap_err().to_string(),
        "the files that .worktreeinclude names have more than 1 GiB"
    );
    assert_eq!(read(&place.root, ".env"), None);
}

#[tokio::test]
async fn links_are_neither_copied_nor_followed() {
    let user = user("local/\n");
    let outside = user.root().parent().unwrap().join("outside");
    std::fs::create_dir(&outside).unwrap();
    write(&outside.join("secret"), "secret\n");
    symlink(outside.join("secret"), user.root().join("local/link")).unwrap();
    symlink(&outside, user.root().join("local/folder")).unwrap();
    let lane = user.lane().await;
    let (place, _) = lane.start(1).await;
    // Work that passed may have a link where the user has a folder.
    std::fs::create_dir(place.root.join("local")).unwrap();
    symlink(&outside, place.root.join("local/keys")).unwrap();
    let left_out = lane
        .copy_included(&place, &user.root().join(".state"))
        .await
        .unwrap();
    let expected = ["local/folder", "local/keys/a.pem", "local/link"];
    assert_eq!(left_out, expected.map(PathBuf::from));
    assert!(!outside.join("a.pem").exists());
    assert_eq!(read(&place.root, "local/big.bin").unwrap(), "big\n");
}
