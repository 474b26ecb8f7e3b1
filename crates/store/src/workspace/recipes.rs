//! The justfiles and makefiles of a project.

use review_document::workspace::{PathSet, RecipeFile, RecipeTool};

use super::MAX_NAMED;
use crate::Reader;

/// The file that each tool reads in each folder. A file that is not UTF-8 is skipped.
pub(super) fn files(paths: &PathSet, reader: &mut Reader<'_>) -> Vec<RecipeFile> {
    let mut found: Vec<RecipeFile> = Vec::new();
    for tool in [RecipeTool::Just, RecipeTool::Make] {
        let first = found.len();
        let names = tool.file_names().iter();
        for path in names.flat_map(|name| paths.named(name)).take(MAX_NAMED) {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            if found[first..].iter().any(|file| file.folder == folder) {
                continue;
            }
            let text = reader.read(path).ok();
            if let Some(text) = text.and_then(|bytes| String::from_utf8(bytes).ok()) {
                found.push(RecipeFile::parse(tool, folder, &text));
            }
        }
    }
    found
}
