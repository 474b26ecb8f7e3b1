//! Finds the file of a spec by its name.

use std::fmt::Display;

use super::{Catalog, is_markdown, split, stem};
use review_text::near::nearest;

const FOLDERS: [&str; 2] = ["specs", "specs/completed"];

/// An error in finding a spec by its name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// Several specs have the name.
    #[error("\"{name}\" names several specs: {}", paths.join(", "))]
    Several {
        /// The requested name.
        name: String,
        /// The specs that have it.
        paths: Vec<String>,
    },
    /// No spec has the name.
    #[error("spec \"{name}\" not found{}", near(nearest))]
    Unknown {
        /// The requested name.
        name: String,
        /// The specs with the nearest names.
        nearest: Vec<String>,
    },
}

/// The names that were probably meant, after a message.
pub(super) fn near<T: Display>(nearest: &[T]) -> String {
    let names: Vec<_> = nearest.iter().map(T::to_string).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!("; did you mean {}?", names.join(" or ")),
    }
}

/// Returns whether `path` is a spec; a README next to the specs is not.
pub(super) fn is_spec(path: &str) -> bool {
    let (folder, name) = split(path);
    FOLDERS.contains(&folder) && is_markdown(name) && stem(name) != "readme"
}

impl Catalog {
    /// Returns the spec that a user means: a path from the root, else a name in
    /// `specs`, else one in `specs/completed`. Case and the extension are ignored.
    ///
    /// # Errors
    /// [`SpecError`] lists the specs of that name, or near names.
    pub fn spec(&self, asked: &str) -> Result<&str, SpecError> {
        let path = asked.trim_start_matches("./").trim_start_matches('/');
        if let Some(path) = self.paths.file(path) {
            return Ok(path);
        }
        let (named, name) = split(path);
        let wanted = stem(name);
        let folders = FOLDERS
            .iter()
            .filter(|folder| named.is_empty() || named == **folder);
        for &folder in folders {
            let found: Vec<_> = self
                .specs()
                .filter(|spec| split(spec).0 == folder && stem(spec) == wanted)
                .collect();
            match found[..] {
                [] => {}
                [one] => return Ok(one),
                _ => {
                    return Err(SpecError::Several {
                        name: asked.to_owned(),
                        paths: found.into_iter().map(str::to_owned).collect(),
                    });
                }
            }
        }
        Err(SpecError::Unknown {
            name: asked.to_owned(),
            nearest: self.specs_near(&wanted),
        })
    }

    fn specs_near(&self, wanted: &str) -> Vec<String> {
        let stems: Vec<_> = self.specs().map(|spec| (stem(spec), spec)).collect();
        let near = nearest(wanted, stems.iter().map(|(stem, _)| stem.as_str()), 3);
        near.into_iter()
            .flat_map(|near| stems.iter().filter(move |(stem, _)| stem == near))
            .map(|(_, spec)| (*spec).to_owned())
            .collect()
    }
}
