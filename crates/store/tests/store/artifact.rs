use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use proptest::prelude::*;
use review::{Artifact, Snapshot};
use review_document::artifact_hash;
use review_flow::{Blobs, ContentStore, MemoryBlobs, hash_bytes};
use review_store::{FileArtifact, RootPath};
use review_types::UnitId;

use crate::support::{Folder, few_cases, path};

fn unit(folder: &Folder) -> FileArtifact {
    let id = UnitId::new("web").expect("an id");
    FileArtifact::unit(
        folder.root(),
        id,
        path("tasks/web"),
        Some(path("specs/WEB.md")),
    )
}

fn unit_files() -> Folder {
    Folder::with(&[
        ("specs/WEB.md", "# Web\n"),
        ("specs/OTHER.md", "# Other\n"),
        ("tasks/web/IMPLEMENTATION_PLAN.md", "---\nunit: web\n---\n"),
        ("tasks/web/01-a.md", "---\ntask: 1\nstatus: pending\n---\n"),
        ("tasks/web/notes.txt", "x"),
        ("tasks/web/.hidden.md", "x"),
        ("tasks/web/deep/02-b.md", "x"),
        ("tasks/web/folder.md/x", "x"),
    ])
}

fn paths(snapshot: &Snapshot) -> Vec<&str> {
    let files = snapshot.manifest.files().iter();
    files.map(|file| file.path.as_str()).collect()
}

fn take(artifact: &FileArtifact) -> Snapshot {
    artifact.snapshot(None).expect("a snapshot")
}

#[test]
fn a_unit_is_its_spec_its_plan_and_its_tasks() {
    let folder = unit_files();
    let snapshot = take(&unit(&folder));
    assert_eq!(
        paths(&snapshot),
        [
            "specs/WEB.md",
            "tasks/web/01-a.md",
            "tasks/web/IMPLEMENTATION_PLAN.md"
        ]
    );
    folder.set_mode("specs/WEB.md", 0o640);
    let spec = take(&unit(&folder)).manifest.files()[0].clone();
    assert_eq!((spec.hash, spec.mode), (hash_bytes(b"# Web\n"), 0o640));
}

#[test]
fn a_file_and_a_folder_are_artifacts_as_well() {
    let folder = unit_files();
    let file = FileArtifact::file(folder.root(), path("tasks/web/notes.txt"));
    assert_eq!(paths(&take(&file)), ["tasks/web/notes.txt"]);
    let specs = FileArtifact::folder(folder.root(), path("specs"));
    assert_eq!(paths(&take(&specs)), ["specs/OTHER.md", "specs/WEB.md"]);
    folder.write("top.md", "");
    let top = FileArtifact::folder(folder.root(), RootPath::default());
    assert_eq!(paths(&take(&top)), ["top.md"]);
    assert_eq!(top.read("top.md").expect("readable"), b"");
    assert_eq!(top.paths().expect("listed"), [path("top.md")]);
}

#[test]
fn the_hash_is_that_of_the_documents_without_statuses() {
    let folder = unit_files();
    let artifact = unit(&folder);
    let expected = || {
        let names = [
            "specs/WEB.md",
            "tasks/web/01-a.md",
            "tasks/web/IMPLEMENTATION_PLAN.md",
        ];
        artifact_hash(names.map(|name| (name, folder.bytes(name))))
    };
    let before = take(&artifact);
    assert_eq!(before.hash, expected());
    folder.write("tasks/web/01-a.md", "---\ntask: 1\nstatus: complete\n---\n");
    let completed = take(&artifact);
    assert_eq!(completed.hash, before.hash);
    assert_eq!(
        completed.manifest.difference(&before.manifest),
        ["tasks/web/01-a.md"]
    );
    folder.write(
        "tasks/web/01-a.md",
        "---\ntask: 1\nstatus: complete\n---\nmore",
    );
    let changed = take(&artifact);
    assert_ne!(changed.hash, before.hash);
    assert_eq!(changed.hash, expected());
}

#[test]
fn a_change_of_the_same_size_and_time_is_detected() {
    let folder = unit_files();
    let artifact = unit(&folder);
    folder.age("specs/WEB.md");
    folder.tick();
    let before = take(&artifact);
    assert_eq!(take(&artifact), before);
    let texts = ContentStore::new(Arc::new(MemoryBlobs::default()));
    assert_eq!(artifact.snapshot(Some(&texts)).expect("a snapshot"), before);
    let hash = before.manifest.files()[0].hash;
    assert_eq!(&*texts.get(&hash).expect("a text"), b"# Web\n");
    assert_eq!(artifact.snapshot(Some(&texts)).expect("a snapshot"), before);
    // Of the same size, and with the same modification time.
    folder.write("specs/WEB.md", "# weB\n");
    folder.age("specs/WEB.md");
    let after = take(&artifact);
    assert_eq!(
        after.manifest.difference(&before.manifest),
        ["specs/WEB.md"]
    );
    folder.set_mode("specs/WEB.md", 0o600);
    assert_eq!(take(&artifact).manifest.files()[0].mode, 0o600);
}

#[test]
fn a_change_of_the_target_of_a_settled_link_is_detected() {
    let folder = unit_files();
    folder.link("tasks/web/03-c.md", "../../specs/OTHER.md");
    let artifact = unit(&folder);
    folder.tick();
    let before = take(&artifact);
    folder.write("specs/OTHER.md", "# other\n");
    let after = take(&artifact);
    assert_eq!(
        after.manifest.difference(&before.manifest),
        ["tasks/web/03-c.md"]
    );
}

#[test]
fn a_change_right_after_a_snapshot_is_detected() {
    let folder = unit_files();
    let artifact = unit(&folder);
    for round in 0..60_u32 {
        folder.write("specs/WEB.md", format!("{round:04}"));
        let before = take(&artifact);
        folder.write("specs/WEB.md", format!("{:04}", round + 1));
        assert_ne!(take(&artifact).hash, before.hash, "{round}");
    }
}

#[test]
fn added_and_deleted_files_are_part_of_the_next_snapshot() {
    let folder = unit_files();
    let artifact = unit(&folder);
    let before = take(&artifact);
    folder.write("tasks/web/02-new.md", "---\ntask: 2\n---\n");
    fs::remove_file(folder.join("specs/WEB.md")).expect("a spec");
    let after = take(&artifact);
    assert_eq!(
        after.manifest.difference(&before.manifest),
        ["specs/WEB.md", "tasks/web/02-new.md"]
    );
    fs::remove_dir_all(folder.join("tasks")).expect("tasks");
    assert_eq!(paths(&take(&artifact)), [""; 0]);
}

#[test]
fn the_content_is_stored_byte_for_byte() {
    let odd: &[u8] = b"\xef\xbb\xbf---\r\ntask: 1\r\n---\r\n\xff\0 end without line end";
    let folder = unit_files();
    folder.write("tasks/web/01-a.md", odd);
    let texts = ContentStore::new(Arc::new(MemoryBlobs::default()));
    let snapshot = unit(&folder).snapshot(Some(&texts)).expect("a snapshot");
    let entry = snapshot.manifest.get("tasks/web/01-a.md").expect("a file");
    assert_eq!(&*texts.get(&entry.hash).expect("a text"), odd);
    let blobs = MemoryBlobs::default();
    assert_eq!(blobs.get(&entry.hash).expect("readable"), None);
}

#[test]
fn links_are_followed_only_inside_the_root() {
    let outside = Folder::with(&[("secret.md", "secret")]);
    let folder = unit_files();
    folder.link("tasks/web/03-c.md", "../../specs/OTHER.md");
    folder.link("tasks/web/.#04-lock.md", "nowhere.md");
    folder.link("tasks/web/05-folder.md", "deep");
    let artifact = unit(&folder);
    let snapshot = take(&artifact);
    let linked = snapshot.manifest.get("tasks/web/03-c.md").expect("a file");
    assert_eq!(linked.hash, hash_bytes(b"# Other\n"));
    assert_eq!(snapshot.manifest.files().len(), 4);
    folder.link("tasks/web/06-out.md", outside.join("secret.md"));
    let error = artifact.snapshot(None).expect_err("leads out").to_string();
    assert!(
        error.starts_with("tasks/web/06-out.md is a symbolic link to "),
        "{error}"
    );
    folder.link("tasks/web/04-dead.md", "nowhere.md");
    let error = artifact.snapshot(None).expect_err("dangling").to_string();
    assert_eq!(error, "tasks/web/04-dead.md is a dangling symbolic link");
}

#[test]
fn a_task_below_the_folder_of_a_unit_is_part_of_it() {
    let folder = unit_files();
    let task = "---\ntask: 2\n---\n";
    folder.write("tasks/web/deep/ui/02-b.md", task);
    folder.write("tasks/web/deep/.old/02-b.md", task);
    folder.write("tasks/web/own/03-c.md", task);
    folder.write(
        "tasks/web/own/IMPLEMENTATION_PLAN.md",
        "---\nunit: own\n---\n",
    );
    let snapshot = take(&unit(&folder));
    assert_eq!(
        paths(&snapshot),
        [
            "specs/WEB.md",
            "tasks/web/01-a.md",
            "tasks/web/IMPLEMENTATION_PLAN.md",
            "tasks/web/deep/ui/02-b.md",
        ]
    );
    let blobs = ContentStore::new(Arc::new(MemoryBlobs::default()));
    let artifact = unit(&folder);
    let before = artifact.snapshot(Some(&blobs)).expect("a snapshot");
    folder.write("tasks/web/deep/ui/02-b.md", "changed");
    artifact
        .restore(&before.manifest, &blobs)
        .expect("restored");
    assert_eq!(folder.read("tasks/web/deep/ui/02-b.md"), task);
}

#[test]
fn the_size_is_that_of_all_files_and_link_targets() {
    let folder = Folder::with(&[("docs/a.md", "12345"), ("far.md", "1234567")]);
    let artifact = FileArtifact::folder(folder.root(), path("docs"));
    assert_eq!(artifact.size().expect("a size"), 5);
    folder.link("docs/b.md", "../far.md");
    assert_eq!(artifact.size().expect("a size"), 12);
    let outside = Folder::with(&[("secret.md", "secret")]);
    folder.link("docs/c.md", outside.join("secret.md"));
    assert!(artifact.size().is_err());
}

#[test]
fn a_folder_that_is_a_link_out_of_the_root_is_rejected() {
    let outside = Folder::with(&[("01-a.md", "secret")]);
    let folder = Folder::new();
    folder.link("tasks/web", outside.path());
    let error = unit(&folder).snapshot(None).expect_err("leads out");
    assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);
    assert!(unit(&folder).read("tasks/web/01-a.md").is_err());
}

#[test]
fn a_name_that_is_not_utf8_is_an_error_that_shows_it() {
    let folder = unit_files();
    let name = std::ffi::OsStr::from_bytes(b"0\xff.md");
    fs::write(folder.join("tasks/web").join(name), "").expect("a file");
    let error = unit(&folder)
        .snapshot(None)
        .expect_err("not UTF-8")
        .to_string();
    assert_eq!(
        error,
        "the name tasks/web/0\u{fffd}.md is not UTF-8; rename the file"
    );
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn the_hash_is_always_that_of_the_documents(
        rounds in prop::collection::vec(
            prop::collection::vec(("[a-c]\\.md", "(---\ntask: 1\n)?(status: (x|y)\n)?(---\n)?[a-b\r\n]{0,4}"), 1..4),
            1..4,
        ),
    ) {
        let folder = Folder::with(&[("z.md", "")]);
        let artifact = FileArtifact::folder(folder.root(), RootPath::default());
        for files in rounds {
            for (name, text) in files {
                folder.write(&name, text);
            }
            let names = folder.names("");
            let expected = artifact_hash(names.iter().map(|name| (name, folder.bytes(name))));
            prop_assert_eq!(take(&artifact).hash, expected);
        }
    }
}
