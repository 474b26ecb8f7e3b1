use std::fs;
use std::path::{Path, PathBuf};

use review_store::{Contents, FileList, KeptFiles, StateDir, Tree, TreeFiles, TreeHash};

use crate::support::Folder;

fn list(names: &[&str]) -> FileList {
    names.iter().map(PathBuf::from).collect()
}

struct Case {
    folder: Folder,
    state: StateDir,
}

impl Case {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = Folder::with(files);
        let state = folder.state();
        Self { folder, state }
    }

    fn tree(&self) -> Tree {
        Tree::open(&self.folder.root(), &self.state, Contents::WithoutStatuses)
    }

    fn hash(&self, names: &[&str]) -> TreeHash {
        self.tree().hash(&list(names)).expect("a hash")
    }
}

const FILES: [(&str, &str); 3] = [
    ("src/a.rs", "fn a() {}"),
    ("b.md", "text"),
    ("tasks/x/01-a.md", "---\ntask: 1\nstatus: pending\n---\n"),
];
const NAMES: [&str; 3] = ["src/a.rs", "b.md", "tasks/x/01-a.md"];

#[test]
fn the_hash_covers_paths_content_and_executable_bits() {
    let case = Case::new(&FILES);
    let base = case.hash(&NAMES);
    assert_eq!(
        case.hash(&["b.md", "b.md", "tasks/x/01-a.md", "src/a.rs"]),
        base
    );
    assert_ne!(case.hash(&NAMES[..2]), base);
    case.folder.set_mode("src/a.rs", 0o755);
    let executable = case.hash(&NAMES);
    assert_ne!(executable, base);
    case.folder.set_mode("src/a.rs", 0o640);
    assert_eq!(case.hash(&NAMES), base);
    case.folder.write("src/a.rs", "fn b() {}");
    assert_ne!(case.hash(&NAMES), base);
    case.folder.write("src/a.rs", "fn a() {}");
    assert_eq!(case.hash(&NAMES), base);
    fs::rename(case.folder.join("b.md"), case.folder.join("c.md")).expect("renamed");
    assert_ne!(case.hash(&["src/a.rs", "c.md", "tasks/x/01-a.md"]), base);
}

#[test]
fn the_status_of_a_task_is_not_hashed() {
    let case = Case::new(&FILES);
    let base = case.hash(&NAMES);
    case.folder
        .write("tasks/x/01-a.md", "---\ntask: 1\nstatus: complete\n---\n");
    assert_eq!(case.hash(&NAMES), base);
    case.folder
        .write("tasks/x/01-a.md", "---\ntask: 2\nstatus: complete\n---\n");
    assert_ne!(case.hash(&NAMES), base);
}

#[test]
fn a_missing_listed_file_counts_as_deleted() {
    let case = Case::new(&FILES);
    let without = case.hash(&["b.md"]);
    assert_eq!(case.hash(&["b.md", "gone.rs", "b.md/inside"]), without);
    fs::remove_file(case.folder.join("src/a.rs")).expect("a file");
    assert_eq!(case.hash(&["b.md", "src/a.rs"]), without);
}

#[test]
fn links_are_hashed_by_their_target_and_not_followed() {
    let case = Case::new(&FILES);
    case.folder.link("link", "b.md");
    let base = case.hash(&["link"]);
    case.folder.write("b.md", "changed");
    assert_eq!(case.hash(&["link"]), base);
    fs::remove_file(case.folder.join("link")).expect("a link");
    case.folder.link("link", "src/a.rs");
    assert_ne!(case.hash(&["link"]), base);
    fs::remove_file(case.folder.join("link")).expect("a link");
    case.folder.write("link", "b.md");
    assert_ne!(case.hash(&["link"]), base);
}

#[test]
fn the_state_folder_and_folders_are_not_hashed() {
    let case = Case::new(&FILES);
    let base = case.hash(&["b.md"]);
    assert_eq!(
        case.hash(&["b.md", ".ralph-review/.gitignore", "src"]),
        base
    );
    let elsewhere = Folder::new();
    let state = StateDir::open(&elsewhere.join("s")).expect("a state folder");
    let mut tree = Tree::open(&case.folder.root(), &state, Contents::WithoutStatuses);
    assert_eq!(tree.hash(&list(&["b.md"])).expect("a hash"), base);
}

#[test]
fn the_output_of_git_is_parsed_and_confined() {
    let files = FileList::from_git(b"src/a.rs\0b.md\0\0../x\0/etc/passwd\0odd\xff\nname\0");
    let paths: Vec<_> = files
        .paths()
        .iter()
        .map(|path| path.as_os_str().as_encoded_bytes())
        .collect();
    assert_eq!(paths, [&b"b.md"[..], b"odd\xff\nname", b"src/a.rs"]);
}

#[test]
fn without_git_ignored_files_are_not_listed() {
    let case = Case::new(&FILES);
    for (name, text) in [
        (".gitignore", "/target\n*.tmp\n"),
        (".github/x.yml", ""),
        ("target/big", ""),
        ("src/x.tmp", ""),
        ("node_modules/m/x.js", ""),
    ] {
        case.folder.write(name, text);
    }
    let files = FileList::walk(&case.folder.root(), &case.state).expect("few");
    let expected = list(&[
        ".github/x.yml",
        ".gitignore",
        "b.md",
        "src/a.rs",
        "tasks/x/01-a.md",
    ]);
    assert_eq!(files, expected);
}

#[test]
fn the_state_folder_is_never_listed() {
    let case = Case::new(&[
        (".ralph-review/.gitignore", ""),
        ("a", ""),
        (".git/HEAD", ""),
    ]);
    let files = FileList::walk(&case.folder.root(), &case.state).expect("few");
    assert_eq!(files, list(&["a"]));
}

#[test]
fn ignore_files_above_the_root_apply_only_inside_git() {
    let files = [
        (".gitignore", "*.tmp\n"),
        ("root/a.tmp", ""),
        ("root/b", ""),
    ];
    for (git, expected) in [(false, &["a.tmp", "b"][..]), (true, &["b"])] {
        let folder = Folder::with(&files);
        if git {
            folder.write(".git/HEAD", "");
        }
        let root = review_store::Root::open(&folder.join("root")).expect("a root");
        let state = StateDir::under(root.path()).expect("a state folder");
        assert_eq!(
            FileList::walk(&root, &state).expect("few"),
            list(expected),
            "{git}"
        );
    }
}

/// Hashes files that were written a while ago.
fn settled(case: &Case, tree: &mut Tree) -> TreeHash {
    for name in NAMES {
        case.folder.age(name);
    }
    case.folder.tick();
    tree.hash(&list(&NAMES)).expect("a hash")
}

impl Case {
    /// The file of the cache, relative to the root.
    fn cache(&self) -> String {
        let names = self.folder.names(".ralph-review/cache");
        format!(".ralph-review/cache/{}", names[0])
    }
}

#[test]
fn a_settled_file_is_not_read_again() {
    let case = Case::new(&FILES);
    let mut tree = case.tree();
    let base = settled(&case, &mut tree);
    tree.save().expect("saved");
    assert_eq!(case.hash(&NAMES), base);
    // A wrong hash of a file is believed only if the cache has the hash of its entries.
    let cache = String::from_utf8(case.folder.bytes(&case.cache())).expect("JSON");
    let (sum, entries) = cache.split_once('\n').expect("a line with the hash");
    let end = entries.rfind("\"}").expect("a hash at the end of an entry");
    let (before, after) = (&entries[..end - 1], &entries[end..]);
    let digit = u8::from(entries[..end].ends_with('0'));
    let wrong = format!("{before}{digit}{after}");
    case.folder.write(&case.cache(), format!("{sum}\n{wrong}"));
    assert_eq!(case.hash(&NAMES), base);
    let sum = blake3::hash(wrong.as_bytes());
    case.folder.write(&case.cache(), format!("{sum}\n{wrong}"));
    assert_ne!(case.hash(&NAMES), base);
}

#[test]
fn an_unchanged_cache_is_not_written() {
    let case = Case::new(&FILES);
    let mut tree = case.tree();
    settled(&case, &mut tree);
    tree.save().expect("saved");
    let inode = || {
        let found = fs::metadata(case.folder.join(&case.cache())).expect("a cache");
        std::os::unix::fs::MetadataExt::ino(&found)
    };
    let before = inode();
    let mut again = case.tree();
    again.hash(&list(&NAMES)).expect("a hash");
    again.save().expect("nothing to save");
    assert_eq!(inode(), before);
    again.hash(&list(&NAMES[..1])).expect("a hash");
    again.save().expect("saved");
    assert_ne!(inode(), before);
}

#[test]
fn a_damaged_cache_is_rebuilt() {
    let case = Case::new(&FILES);
    let mut tree = case.tree();
    let base = settled(&case, &mut tree);
    tree.save().expect("saved");
    let cache = case.cache();
    let whole = case.folder.bytes(&cache);
    for damaged in [&b""[..], b"[[", &whole[..whole.len() - 1]] {
        case.folder.write(&cache, damaged);
        let mut tree = case.tree();
        assert_eq!(tree.hash(&list(&NAMES)).expect("a hash"), base);
        tree.save().expect("saved");
        assert_ne!(case.folder.bytes(&cache), damaged);
    }
}

#[test]
fn a_change_that_keeps_size_and_time_is_detected() {
    let case = Case::new(&FILES);
    let mut tree = case.tree();
    let base = settled(&case, &mut tree);
    case.folder.write("b.md", "tExt");
    case.folder.age("b.md");
    let changed = tree.hash(&list(&NAMES)).expect("a hash");
    assert_ne!(changed, base);
    assert_eq!(case.hash(&NAMES), changed);
}

#[test]
fn a_change_right_after_the_hash_is_detected() {
    let case = Case::new(&FILES);
    let mut tree = case.tree();
    for round in 0..60_u32 {
        let text = format!("{round:04}");
        case.folder.write("b.md", &text);
        let hash = tree.hash(&list(&["b.md"])).expect("a hash");
        case.folder
            .write("b.md", text.chars().rev().collect::<String>() + "x");
        case.folder.write("b.md", format!("{:04}", round + 1));
        assert_ne!(
            tree.hash(&list(&["b.md"])).expect("a hash"),
            hash,
            "{round}"
        );
    }
}

#[test]
fn files_are_hashed_without_a_cache() {
    let case = Case::new(&FILES);
    let base = case.hash(&NAMES);
    let folder = Folder::with(&FILES);
    folder.write(".ralph-review/cache", "");
    let mut tree = Tree::open(&folder.root(), &folder.state(), Contents::WithoutStatuses);
    assert_eq!(tree.hash(&list(&NAMES)).expect("a hash"), base);
    assert!(tree.save().is_err());
}

#[test]
fn differences_are_listed_in_order() {
    let case = Case::new(&FILES);
    let mut tree = case.tree();
    let all = list(&["a", "b.md", "c", "src/a.rs", "tasks/x/01-a.md"]);
    let before = tree.files(&all).expect("files");
    assert_eq!(before.difference(&before), [""; 0].map(Path::new));
    case.folder.write("a", "new");
    case.folder.write("src/a.rs", "fn c() {}");
    case.folder.set_mode("b.md", 0o755);
    fs::remove_file(case.folder.join("tasks/x/01-a.md")).expect("removed");
    let after = tree.files(&all).expect("files");
    let expected = ["a", "b.md", "src/a.rs", "tasks/x/01-a.md"].map(Path::new);
    assert_eq!(after.difference(&before), expected);
    assert_eq!(before.difference(&after), expected);
}

#[test]
fn statuses_of_tasks_count_only_in_exact_content() {
    let case = Case::new(&FILES);
    let all = list(&NAMES);
    for (contents, counts) in [(Contents::WithoutStatuses, false), (Contents::Exact, true)] {
        let mut tree = Tree::open(&case.folder.root(), &case.state, contents);
        case.folder.write("tasks/x/01-a.md", FILES[2].1);
        let before = tree.hash(&all).expect("a hash");
        tree.save().expect("a cache");
        let complete = FILES[2].1.replace("pending", "complete");
        case.folder.write("tasks/x/01-a.md", &complete);
        assert_eq!(tree.hash(&all).expect("a hash") != before, counts);
    }
}

#[test]
fn two_lists_are_merged_without_duplicates() {
    let joined = list(&["b", "c"]).and(&list(&["a", "c"]));
    assert_eq!(joined, list(&["a", "b", "c"]));
}

/// The files with their exact content.
fn exact(case: &Case, names: &[&str]) -> TreeFiles {
    let mut tree = Tree::open(&case.folder.root(), &case.state, Contents::Exact);
    tree.files(&list(names)).expect("files")
}

#[test]
fn a_file_is_restored_if_it_was_not_changed_again() {
    let names = ["changed", "deleted", "made", "mode", "more", "touched"];
    let case = Case::new(&[
        ("changed", "mine"),
        ("deleted", "mine"),
        ("mode", "mine"),
        ("more", "mine"),
        ("touched", "mine"),
    ]);
    case.folder.set_mode("deleted", 0o751);
    let root = case.folder.root();
    let before = exact(&case, &names);
    let kept = KeptFiles::read(&root, &before, |path| path != Path::new("more"));
    for name in ["changed", "made", "more", "touched"] {
        case.folder.write(name, "theirs");
    }
    fs::remove_file(case.folder.join("deleted")).expect("a file");
    case.folder.set_mode("mode", 0o755);
    let left = exact(&case, &names);
    case.folder.write("touched", "another user's");
    let restore = names.map(|name| {
        let restore = kept.restore(&root, Path::new(name), &before, &left);
        restore.expect("an answer")
    });
    // Nothing was kept of `more`.
    assert_eq!(restore, [true, true, true, true, false, false]);
    let read = |name| fs::read_to_string(case.folder.join(name)).ok();
    let texts = names.map(read);
    let texts = texts.each_ref().map(Option::as_deref);
    let mine = Some("mine");
    let touched = Some("another user's");
    assert_eq!(texts, [mine, mine, None, mine, Some("theirs"), touched]);
    assert_eq!(
        exact(&case, &names[..4]).difference(&before),
        [Path::new("more"), Path::new("touched")]
    );
    let again = kept.restore(&root, Path::new("made"), &before, &left);
    assert!(!again.expect("an answer"));
}

#[test]
fn a_link_and_a_path_out_of_the_root_are_not_restored() {
    let case = Case::new(&[("a", "mine"), ("d/b", "mine")]);
    let root = case.folder.root();
    let names = ["a", "d/b"];
    let before = exact(&case, &names);
    let kept = KeptFiles::read(&root, &before, |_| true);
    fs::remove_file(case.folder.join("a")).expect("a file");
    fs::remove_dir_all(case.folder.join("d")).expect("a folder");
    std::os::unix::fs::symlink("nowhere", case.folder.join("a")).expect("a link");
    std::os::unix::fs::symlink("/", case.folder.join("d")).expect("a link");
    let left = exact(&case, &names);
    let link = kept.restore(&root, Path::new("a"), &before, &left);
    assert!(!link.expect("an answer"));
    assert!(
        kept.restore(&root, Path::new("d/b"), &before, &left)
            .is_err()
    );
}
