//! Files whose content a filter keeps beside the objects of git, as Git LFS does.

use super::support::{Steps as _, User, write};

/// Keeps contents in `lfs/objects` of the repository, and leaves their names to git.
const FILTER: &str = r#"
store="$(git rev-parse --git-common-dir)/lfs/objects/aa"
case $1 in
clean)
  mkdir -p "$store"; cat > "$store/new"
  name=$(git hash-object --stdin < "$store/new"); mv -f "$store/new" "$store/$name"
  echo "content $name" ;;
smudge) read -r word name; cat "$store/$name" ;;
esac
"#;

#[tokio::test]
async fn contents_are_in_checkouts_and_land_with_their_objects() {
    let user = User::new();
    let filter = user.root().parent().unwrap().join("filter");
    write(&filter, FILTER);
    for way in ["clean", "smudge"] {
        let command = format!("sh '{}' {way}", filter.display());
        user.git(&["config", &format!("filter.lfs.{way}"), &command]);
    }
    user.git(&["config", "filter.lfs.required", "true"]);
    user.write(".gitattributes", "*.bin filter=lfs -text\n");
    user.write("a.bin", "large\n");
    user.commit("With a large file");
    let lane = user.lane().await;
    let (place, base) = lane.start(1).await;
    let text = std::fs::read_to_string(place.root.join("a.bin")).unwrap();
    assert_eq!(text, "large\n");
    write(&place.root.join("a.bin"), "larger\n");
    write(&place.root.join("b.bin"), "new\n");
    lane.put_on_lane(1, &base).await;
    let commit = lane.carried().await;
    lane.land(&commit).await.unwrap().unwrap();
    assert_eq!(user.read("a.bin").unwrap(), "larger\n");
    assert_eq!(user.read("b.bin").unwrap(), "new\n");
    assert_eq!(user.git(&["status", "--porcelain"]), "");
    let landed = user.git(&["cat-file", "blob", "main:b.bin"]);
    assert!(landed.starts_with("content "), "{landed}");
}
