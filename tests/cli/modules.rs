//! No module of this folder is forgotten.

use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn every_module_of_this_folder_is_compiled() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cli");
    let files: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|name| name != "main")
        .collect();
    let declared: BTreeSet<String> = include_str!("main.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
        .map(str::to_owned)
        .collect();
    assert_eq!(files, declared);
}
