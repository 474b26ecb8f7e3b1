//! Questions to the file system.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Questions of the rules about the file system.
pub trait Probe {
    /// Whether there is anything at the path.
    fn exists(&self, path: &Path) -> bool;
    /// Whether the path is a folder.
    fn is_folder(&self, path: &Path) -> bool;
    /// The names of the files in a folder, sorted; none if it cannot be read.
    fn files(&self, folder: &Path) -> Vec<String>;
}

/// The file system itself.
#[derive(Clone, Copy, Debug)]
pub struct Disk;

impl Probe for Disk {
    fn exists(&self, path: &Path) -> bool {
        path.symlink_metadata().is_ok()
    }

    fn is_folder(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn files(&self, folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.path().metadata().is_ok_and(|found| !found.is_dir()))
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        names.sort();
        names
    }
}

/// Files that are known by their paths alone, with the folders above them.
pub(crate) struct Tree {
    files: BTreeSet<PathBuf>,
    folders: BTreeSet<PathBuf>,
}

impl Tree {
    /// The tree of these files. A path that ends with `/` is an empty folder.
    pub(crate) fn of<P: AsRef<str>>(paths: &[P]) -> Self {
        let (mut files, mut folders) = (BTreeSet::new(), BTreeSet::new());
        for path in paths {
            let path = path.as_ref();
            let whole = PathBuf::from(path);
            folders.extend(whole.ancestors().skip(1).map(Path::to_owned));
            if path.ends_with('/') {
                folders.insert(whole);
            } else {
                files.insert(whole);
            }
        }
        Self { files, folders }
    }

    /// Its folders, those above before those below them.
    pub(super) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().map(PathBuf::as_path)
    }
}

impl Probe for Tree {
    fn exists(&self, path: &Path) -> bool {
        self.files.contains(path) || self.folders.contains(path)
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.folders.contains(path)
    }

    fn files(&self, folder: &Path) -> Vec<String> {
        self.files
            .iter()
            .filter(|file| file.parent() == Some(folder))
            .filter_map(|file| Some(file.file_name()?.to_str()?.to_owned()))
            .collect()
    }
}
