//! Many files that are looked at after each of many commands.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::Config;
use review_store::{
    ArtifactFiles, Contents, FileArtifact, FileList, StateDir, Tree, TreeHash, WatchedTree,
};
use review_types::UnitId;

use crate::support::{Folder, few_cases, path};

/// So many files that not all of them are looked at each time.
const TASKS: usize = 120;

/// A unit with many tasks, and the state of its root outside of it.
struct Unit {
    folder: Folder,
    elsewhere: Folder,
    state: StateDir,
}

impl Unit {
    fn of(tasks: usize) -> Self {
        let folder = Folder::with(&[
            ("specs/WEB.md", "# Web\n"),
            ("src/deep/a.rs", "fn a() {}"),
            ("src/b.rs", "fn b() {}"),
            (".gitignore", "*.tmp\n"),
        ]);
        for number in 1..=tasks {
            folder.write(&task(number), text(number, "pending", ""));
        }
        let state = folder.state();
        Self {
            folder,
            elsewhere: Folder::new(),
            state,
        }
    }

    fn artifact(&self) -> FileArtifact {
        let id = UnitId::new("web").expect("an id");
        let (dir, spec) = (path("tasks/web"), path("specs/WEB.md"));
        FileArtifact::unit(self.folder.root(), id, dir, Some(spec))
    }

    fn tree(&self, listed: Option<FileList>) -> WatchedTree {
        WatchedTree::open(&self.folder.root(), &self.state, listed)
    }

    fn walk(&self) -> FileList {
        FileList::walk(&self.folder.root(), &self.state).expect("few files")
    }

    /// The hash of the listed files, all of which are read.
    fn read(&self, files: &FileList) -> TreeHash {
        let root = self.folder.root();
        let mut tree = Tree::open(&root, &self.state, Contents::WithoutStatuses);
        tree.hash(files).expect("a hash")
    }

    /// Writes a status like a run does, with a temporary file.
    fn set_status(&self, number: usize, status: &str) {
        let new = "tasks/web/.new";
        self.folder.write(new, text(number, status, ""));
        let (new, file) = (self.folder.join(new), self.folder.join(&task(number)));
        fs::rename(new, file).expect("renamed");
    }
}

fn task(number: usize) -> String {
    format!("tasks/web/{number:03}-a.md")
}

fn text(number: usize, status: &str, more: &str) -> String {
    format!("---\ntask: {number}\nstatus: {status}\n---\n{more}")
}

fn hash(tree: &mut WatchedTree) -> TreeHash {
    tree.hash().expect("readable").expect("few files")
}

fn files(artifact: &FileArtifact) -> ArtifactFiles {
    artifact.files().expect("readable")
}

/// The number of looks at a file that `rounds` looks at a unit of `tasks` tasks may take.
#[cfg(target_os = "linux")]
fn few(rounds: usize, tasks: usize) -> u64 {
    // All files twice, and then those that changed and some of the others.
    let most = 2 * (tasks + 8) + rounds * (32 + 8);
    u64::try_from(most).expect("a number")
}

/// Does something to files of a unit, most of which are as before.
type Does = fn(&Unit);

const CHANGES: [(&str, Does); 14] = [
    ("nothing", |_| {}),
    ("a status", |unit| unit.set_status(7, "complete")),
    ("bytes", |unit| {
        unit.folder.write("src/b.rs", "fn c() {}");
    }),
    ("bytes of a task", |unit| {
        unit.folder.write(&task(9), text(9, "pending", "more"));
    }),
    ("bytes and times", |unit| {
        unit.folder.write("specs/WEB.md", "# weB\n");
        unit.folder.age("specs/WEB.md");
    }),
    ("a mode", |unit| unit.folder.set_mode("src/b.rs", 0o755)),
    ("a new file", |unit| unit.folder.write(&task(900), "new")),
    ("a file less", |unit| {
        fs::remove_file(unit.folder.join(&task(8))).expect("a file");
    }),
    ("a name", |unit| {
        let (from, to) = (unit.folder.join(&task(6)), unit.folder.join(&task(901)));
        fs::rename(from, to).expect("renamed");
    }),
    ("a file in a new folder", |unit| {
        unit.folder.write("src/new/deeper/c.rs", "fn c() {}");
    }),
    ("a folder of the unit that is another one", |unit| {
        let (old, new) = (unit.folder.join("tasks"), unit.folder.join("old"));
        fs::rename(old, new).expect("renamed");
        unit.folder.write(&task(1), "another");
    }),
    ("a link for a file", |unit| {
        fs::remove_file(unit.folder.join("src/b.rs")).expect("a file");
        unit.folder.link("src/b.rs", "deep/a.rs");
    }),
    ("what is ignored", |unit| {
        unit.folder.write(".gitignore", "*.rs\n");
    }),
    ("the root", |unit| {
        let (root, old) = (unit.folder.path(), unit.elsewhere.join("old"));
        fs::rename(root, old).expect("renamed");
        unit.folder.write("src/b.rs", "fn root() {}");
        unit.folder.write(&task(2), "of another root");
        fs::create_dir(unit.state.path()).expect("a folder");
    }),
];

#[test]
fn a_watched_tree_has_the_hash_of_its_files_whatever_changes() {
    for (what, change) in CHANGES {
        for is_git in [false, true] {
            let unit = Unit::of(TASKS);
            let listed = unit.walk();
            let mut tree = unit.tree(is_git.then(|| listed.clone()));
            for round in 0..3 {
                let before = hash(&mut tree);
                assert_eq!(before, unit.read(&listed), "{what}, round {round}");
            }
            change(&unit);
            for round in 0..3 {
                let files = if is_git { listed.clone() } else { unit.walk() };
                assert_eq!(hash(&mut tree), unit.read(&files), "{what}, round {round}");
                unit.set_status(2, ["complete", "pending"][round % 2]);
            }
        }
    }
}

#[test]
fn a_watched_artifact_has_the_files_of_a_snapshot_whatever_changes() {
    for (what, change) in CHANGES {
        let unit = Unit::of(TASKS);
        let artifact = unit.artifact();
        let before = (0..3).map(|_| files(&artifact)).last().expect("three");
        change(&unit);
        let fresh = unit.artifact();
        let now = files(&artifact);
        assert_eq!(now.hash(), files(&fresh).hash(), "{what}");
        let now = now.difference(&before);
        assert_eq!(now, files(&fresh).difference(&before), "{what}");
    }
}

#[test]
fn a_change_of_a_file_under_another_name_is_detected() {
    let looks = [0, 1, TASKS / 32, TASKS / 16];
    for (is_linked_later, looks) in [(false, 0)]
        .into_iter()
        .chain(looks.map(|looks| (true, looks)))
    {
        let unit = Unit::of(TASKS);
        let other = unit.elsewhere.join("other");
        let link = || fs::hard_link(unit.folder.join(&task(5)), &other).expect("linked");
        if !is_linked_later {
            unit.set_status(5, "complete");
            link();
        }
        let (artifact, mut tree) = (unit.artifact(), unit.tree(None));
        let mut look = || (files(&artifact), hash(&mut tree));
        for _ in 0..3 {
            look();
        }
        // Another file under the same name, which is found by a look at all files or not.
        if is_linked_later {
            unit.set_status(5, "complete");
        }
        for _ in 0..looks {
            look();
        }
        if is_linked_later {
            link();
        }
        let before = look().0;
        fs::write(&other, text(5, "pending", "by another name")).expect("written");
        assert_eq!(files(&artifact).difference(&before), [task(5)]);
        assert_eq!(hash(&mut tree), unit.read(&unit.walk()));
    }
}

#[test]
fn the_target_of_a_link_is_looked_at_each_time() {
    for exists in [true, false] {
        let unit = Unit::of(TASKS);
        unit.folder.link(&task(700), "../../target.md");
        if exists {
            unit.folder.write("target.md", "before");
        }
        let artifact = unit.artifact();
        let before = (0..3).map(|_| files(&artifact)).last().expect("three");
        unit.folder.write("target.md", "after");
        assert_eq!(files(&artifact).difference(&before), [task(700)]);
    }
}

#[test]
fn a_change_of_so_many_files_that_reports_are_lost_is_detected() {
    let unit = Unit::of(TASKS);
    let limit = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events");
    let limit = limit.ok().and_then(|limit| limit.trim().parse().ok());
    let Some(limit @ 1..50_000) = limit else {
        return;
    };
    let (artifact, mut tree) = (unit.artifact(), unit.tree(None));
    let before = (0..3).map(|_| files(&artifact)).last().expect("three");
    let _ = [(); 3].map(|()| hash(&mut tree));
    // Two reports each, which differ from those before.
    let (one, two) = (unit.folder.join("src/1"), unit.folder.join("src/2"));
    fs::write(&one, "").expect("a file");
    for _ in 0..=limit / 4 {
        fs::rename(&one, &two).expect("renamed");
        fs::rename(&two, &one).expect("renamed");
    }
    fs::remove_file(&one).expect("a file");
    unit.folder.write(&task(3), text(3, "pending", "late"));
    assert_eq!(hash(&mut tree), unit.read(&unit.walk()));
    assert_eq!(files(&artifact).difference(&before), [task(3)]);
}

#[test]
#[cfg(target_os = "linux")]
fn the_looks_at_files_grow_with_the_commands_and_not_with_their_product() {
    for tasks in [TASKS, 4 * TASKS] {
        let unit = Unit::of(tasks);
        let (artifact, mut tree) = (unit.artifact(), unit.tree(None));
        let mut listed = unit.tree(Some(unit.walk()));
        let (first, hashed) = (files(&artifact).hash(), hash(&mut tree));
        for number in 1..=tasks {
            unit.set_status(number, "complete");
            assert_eq!(files(&artifact).hash(), first);
            assert_eq!(files(&artifact).hash(), first);
            assert_eq!(hash(&mut tree), hashed);
            assert_eq!(hash(&mut listed), hashed);
        }
        for (looked_at, rounds) in [
            (artifact.looked_at(), 2 * tasks),
            (tree.looked_at(), tasks),
            (listed.looked_at(), tasks),
        ] {
            let most = few(rounds, tasks);
            assert!(looked_at <= most, "{tasks}: {looked_at} > {most}");
        }
    }
}

/// A change of one of a few paths of a unit.
fn edit(unit: &Unit, (what, which, other): (u8, usize, usize)) {
    let name = |at: usize| {
        let names = ["tasks/web/x.md", "src/x/y.rs", "src/x", "x.md", "z/z/z"];
        unit.folder
            .join(names.get(at).map_or("specs/WEB.md", |name| *name))
    };
    let (file, other) = (name(which), name(other));
    let folder = file.parent().unwrap_or(Path::new("/")).to_owned();
    // Some of them cannot be done.
    let _ = match what {
        0 => fs::create_dir_all(folder)
            .and_then(|()| fs::write(&file, other.as_os_str().len().to_string())),
        1 => fs::remove_file(&file),
        2 => fs::rename(&file, &other),
        3 => fs::remove_dir_all(&file),
        4 => fs::create_dir_all(&file),
        5 => std::os::unix::fs::symlink(&other, &file),
        6 => fs::hard_link(&file, &other),
        _ => fs::rename(&folder, unit.folder.join("moved")),
    };
}

proptest! {
    #![proptest_config(Config { cases: 16, ..few_cases() })]

    #[test]
    fn any_edits_are_detected(
        rounds in prop::collection::vec(
            prop::collection::vec((0_u8..8, 0_usize..6, 0_usize..6), 0..4),
            1..8,
        ),
    ) {
        let unit = Unit::of(60);
        let (artifact, mut tree) = (unit.artifact(), unit.tree(None));
        for edits in rounds {
            for edited in edits {
                edit(&unit, edited);
            }
            prop_assert_eq!(hash(&mut tree), unit.read(&unit.walk()));
            let (now, fresh) = (artifact.files(), unit.artifact().files());
            let hash = |files: Result<ArtifactFiles, _>| files.map(|files| files.hash()).ok();
            prop_assert_eq!(hash(now), hash(fresh));
        }
    }
}
