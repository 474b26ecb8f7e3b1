use std::fs;
use std::io;
use std::sync::Arc;

use proptest::prelude::*;
use review::{Artifact, Snapshot};
use review_flow::{ContentStore, MemoryBlobs};
use review_store::FileArtifact;
use review_types::{FileEntry, Hash, Manifest, UnitId};

use crate::support::{Folder, few_cases, path};

struct Case {
    folder: Folder,
    artifact: FileArtifact,
    texts: ContentStore,
    before: Snapshot,
}

impl Case {
    fn new(files: &[(&str, &[u8])]) -> Self {
        let folder = Folder::new();
        for (path, bytes) in files {
            folder.write(path, bytes);
        }
        let id = UnitId::new("web").expect("an id");
        let (dir, spec) = (path("tasks/web"), path("specs/WEB.md"));
        let artifact = FileArtifact::unit(folder.root(), id, dir, Some(spec));
        let texts = ContentStore::new(Arc::new(MemoryBlobs::default()));
        let before = artifact.snapshot(Some(&texts)).expect("a snapshot");
        Self {
            folder,
            artifact,
            texts,
            before,
        }
    }

    fn restore(&self) -> io::Result<()> {
        self.artifact.restore(&self.before.manifest, &self.texts)
    }

    fn now(&self) -> Snapshot {
        self.artifact.snapshot(None).expect("a snapshot")
    }
}

const SPEC: (&str, &[u8]) = ("specs/WEB.md", b"\xef\xbb\xbf# Web\r\n\xff\0no line end");
const TASK: (&str, &[u8]) = (
    "tasks/web/01-a.md",
    b"---\r\ntask: 1\r\nstatus: \"pending\" # soon\r\n---\r\n# A\r\n",
);

#[test]
fn every_byte_and_every_permission_is_restored() {
    let case = Case::new(&[SPEC, TASK]);
    case.folder.set_mode(SPEC.0, 0o640);
    let before = case
        .artifact
        .snapshot(Some(&case.texts))
        .expect("a snapshot");
    case.folder.write(SPEC.0, "changed");
    case.folder.set_mode(SPEC.0, 0o600);
    fs::remove_file(case.folder.join(TASK.0)).expect("a task");
    case.artifact
        .restore(&before.manifest, &case.texts)
        .expect("restored");
    assert_eq!(case.folder.bytes(SPEC.0), SPEC.1);
    assert_eq!(case.folder.bytes(TASK.0), TASK.1);
    assert_eq!(case.now(), before);
    assert_eq!(case.folder.names("specs"), ["WEB.md"]);
    assert_eq!(case.folder.names("tasks/web"), ["01-a.md"]);
}

#[test]
fn only_new_files_of_the_artifact_are_deleted() {
    let case = Case::new(&[SPEC, TASK]);
    case.folder.write("tasks/web/02-b.md", "new");
    case.folder
        .link("tasks/web/03-c.md", "../../specs/OTHER.md");
    for other in [
        "tasks/web/notes.txt",
        "tasks/web/deep/x.md",
        "specs/OTHER.md",
    ] {
        case.folder.write(other, "mine");
    }
    case.restore().expect("restored");
    assert_eq!(
        case.folder.names("tasks/web"),
        ["01-a.md", "deep", "notes.txt"]
    );
    assert_eq!(case.folder.read("specs/OTHER.md"), "mine");
    assert_eq!(case.folder.read("tasks/web/deep/x.md"), "mine");
}

#[test]
fn deleted_folders_are_created_again() {
    let case = Case::new(&[SPEC, TASK]);
    fs::remove_dir_all(case.folder.join("tasks")).expect("tasks");
    fs::remove_dir_all(case.folder.join("specs")).expect("specs");
    case.restore().expect("restored");
    assert_eq!(case.now().manifest, case.before.manifest);
}

#[test]
fn statuses_keep_their_value_on_disk() {
    let head = "---\ntask: 1\n";
    for (before, now, after) in [
        // Only the status differs, so nothing is written.
        (
            "status: pending\n---\na",
            "status: done\n---\na",
            "status: done\n---\na",
        ),
        // The rest is restored around it.
        (
            "status: pending # x\n---\na",
            "status: complete\n---\nb",
            "status: complete # x\n---\na",
        ),
        ("---\na", "status: failed\n---\nb", "status: failed\n---\na"),
        // The same status in another notation is not a different status.
        (
            "status: complete\n---\na",
            "status: done\n---\nb",
            "status: complete\n---\na",
        ),
        // A file without a status has none to keep.
        (
            "status: complete\n---\na",
            "---\nb",
            "status: complete\n---\na",
        ),
        (
            "status: complete\n---\na",
            "status: pending\n",
            "status: complete\n---\na",
        ),
    ] {
        let task = format!("{head}{before}");
        let case = Case::new(&[SPEC, (TASK.0, task.as_bytes())]);
        case.folder.write(TASK.0, format!("{head}{now}"));
        case.restore().expect("restored");
        assert_eq!(
            case.folder.read(TASK.0),
            format!("{head}{after}"),
            "{now:?}"
        );
        assert_eq!(case.now().hash, case.before.hash);
    }
}

#[test]
fn a_word_in_a_spec_is_not_a_status() {
    let spec = b"---\nstatus: draft\n---\n# Web\n";
    let case = Case::new(&[("specs/WEB.md", spec)]);
    case.folder
        .write("specs/WEB.md", "---\nstatus: final\n---\n# Web\n");
    case.restore().expect("restored");
    assert_eq!(case.folder.bytes("specs/WEB.md"), spec);
}

#[test]
fn an_unchanged_file_is_not_written() {
    use std::os::unix::fs::MetadataExt;
    let case = Case::new(&[SPEC, TASK]);
    let inode = |path| fs::metadata(case.folder.join(path)).expect("a file").ino();
    let before = (inode(SPEC.0), inode(TASK.0));
    case.restore().expect("restored");
    assert_eq!((inode(SPEC.0), inode(TASK.0)), before);
}

#[test]
fn a_link_is_kept_and_its_target_is_restored() {
    let case = Case::new(&[("docs/web.md", b"text")]);
    case.folder.link("specs/WEB.md", "../docs/web.md");
    let before = case
        .artifact
        .snapshot(Some(&case.texts))
        .expect("a snapshot");
    case.folder.write("docs/web.md", "changed");
    case.artifact
        .restore(&before.manifest, &case.texts)
        .expect("restored");
    assert!(case.folder.join("specs/WEB.md").is_symlink());
    assert_eq!(case.folder.read("docs/web.md"), "text");
}

fn entry(path: &str, hash: Hash) -> Manifest {
    let path = path.to_owned();
    [FileEntry {
        path,
        hash,
        mode: 0o644,
    }]
    .into_iter()
    .collect()
}

#[test]
fn a_manifest_cannot_reach_beyond_the_artifact() {
    let outside = Folder::new();
    let case = Case::new(&[SPEC, TASK]);
    let hash = case.before.manifest.files()[0].hash;
    case.folder.write(SPEC.0, "changed");
    for (path, expected) in [
        ("../x.md", "../x.md is outside the root"),
        ("/tmp/x.md", "/tmp/x.md is outside the root"),
        (
            "specs/OTHER.md",
            "specs/OTHER.md is not a file of the artifact to restore",
        ),
        (
            "tasks/web/deep/x.txt",
            "tasks/web/deep/x.txt is not a file of the artifact to restore",
        ),
        (
            "tasks/web/notes.txt",
            "tasks/web/notes.txt is not a file of the artifact to restore",
        ),
    ] {
        let error = case.artifact.restore(&entry(path, hash), &case.texts);
        assert_eq!(error.expect_err(path).to_string(), expected);
    }
    fs::remove_dir_all(case.folder.join("tasks/web")).expect("tasks");
    case.folder.link("tasks/web", outside.path());
    assert!(case.restore().is_err());
    assert_eq!(outside.names(""), [""; 0]);
    assert_eq!(case.folder.read(SPEC.0), "changed");
}

#[test]
fn nothing_is_changed_if_content_is_missing() {
    let case = Case::new(&[SPEC, TASK]);
    case.folder.write(SPEC.0, "changed");
    case.folder.write("tasks/web/02-b.md", "new");
    let empty = ContentStore::new(Arc::new(MemoryBlobs::default()));
    let error = case.artifact.restore(&case.before.manifest, &empty);
    assert!(
        error
            .expect_err("gone")
            .to_string()
            .ends_with("is no longer in the state folder")
    );
    assert_eq!(case.folder.read(SPEC.0), "changed");
    assert_eq!(case.folder.read("tasks/web/02-b.md"), "new");
}

#[test]
fn a_folder_in_place_of_a_file_is_an_error() {
    let case = Case::new(&[SPEC]);
    fs::remove_file(case.folder.join(SPEC.0)).expect("a spec");
    case.folder.write("specs/WEB.md/mine", "mine");
    let error = case.restore().expect_err("a folder").to_string();
    assert!(
        error.ends_with("specs/WEB.md cannot be read: it is a folder, not a regular file"),
        "{error}"
    );
    assert_eq!(case.folder.read("specs/WEB.md/mine"), "mine");
}

#[derive(Clone, Debug)]
enum EditOf {
    Write(usize, Vec<u8>),
    Status(usize, &'static str),
    Delete(usize),
    Append(usize, Vec<u8>),
}

const NAMES: [&str; 4] = [
    "specs/WEB.md",
    "tasks/web/01-a.md",
    "tasks/web/02-b.md",
    "tasks/web/IMPLEMENTATION_PLAN.md",
];

fn content() -> impl Strategy<Value = Vec<u8>> {
    let task = ("(pending|complete|\"x\")", "[a-c\r\n]{0,8}").prop_map(|(status, body)| {
        format!("---\ntask: 1\nstatus: {status}\n---\n{body}").into_bytes()
    });
    prop_oneof![prop::collection::vec(any::<u8>(), 0..40), task]
}

fn edit() -> impl Strategy<Value = EditOf> {
    let file = 0..NAMES.len();
    prop_oneof![
        (file.clone(), content()).prop_map(|(at, bytes)| EditOf::Write(at, bytes)),
        (
            file.clone(),
            prop::sample::select(vec!["failed", "done", "in_progress"])
        )
            .prop_map(|(at, status)| EditOf::Status(at, status)),
        file.clone().prop_map(EditOf::Delete),
        (file, prop::collection::vec(any::<u8>(), 1..9))
            .prop_map(|(at, bytes)| EditOf::Append(at, bytes)),
    ]
}

fn carry_out(folder: &Folder, edit: EditOf) {
    let read = |name: &str| fs::read(folder.join(name)).unwrap_or_default();
    match edit {
        EditOf::Write(at, bytes) => folder.write(NAMES[at], bytes),
        EditOf::Status(at, status) => {
            let text = String::from_utf8_lossy(&read(NAMES[at])).into_owned();
            folder.write(NAMES[at], text.replace("pending", status));
        }
        EditOf::Delete(at) => match fs::remove_file(folder.join(NAMES[at])) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => panic!("{error}"),
            _ => {}
        },
        EditOf::Append(at, bytes) => folder.write(NAMES[at], [read(NAMES[at]), bytes].concat()),
    }
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn a_restore_undoes_every_edit_except_of_a_status(
        files in prop::collection::vec(prop::option::of(content()), NAMES.len()),
        edits in prop::collection::vec(edit(), 0..6),
    ) {
        let present: Vec<_> = NAMES.iter().zip(&files)
            .filter_map(|(name, bytes)| Some((*name, bytes.as_deref()?)))
            .collect();
        let case = Case::new(&present);
        for edit in edits {
            carry_out(&case.folder, edit);
        }
        case.restore().expect("restored");
        let after = case.now();
        prop_assert_eq!(after.hash, case.before.hash);
        for (name, bytes) in &present {
            let now = case.folder.bytes(name);
            prop_assert_eq!(review_document::masked(&now), review_document::masked(bytes));
            if matches!(review_document::masked(bytes), std::borrow::Cow::Borrowed(_)) && now != *bytes {
                // A task file without a status may have got one.
                prop_assert!(bytes.starts_with(b"---"));
            }
        }
        prop_assert_eq!(after.manifest.files().len(), present.len());
    }
}
