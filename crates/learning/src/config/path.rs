//! Paths below the root.

use review_types::name_type;

name_type!(
    /// A path below the root, with `/` as the separator.
    StoragePath,
    "a path",
    "below the root",
    is_below_root
);

impl StoragePath {
    /// A constant folder that is known to be below the root.
    pub(super) fn below(text: &'static str) -> Self {
        debug_assert!(is_below_root(text), "{text} is below the root");
        Self(text.to_owned())
    }
}

fn is_below_root(text: &str) -> bool {
    let mut parts = text.split('/').filter(|part| !matches!(*part, "" | "."));
    let is_below = parts.clone().next().is_some() && parts.all(|part| part != "..");
    is_below && !text.starts_with('/') && !text.contains('\0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_below_the_root() {
        for text in [".aiwg/.feedback/", "a", "./a//b", "a..b/...", "~"] {
            let path = StoragePath::try_from(text.to_owned()).unwrap();
            assert_eq!(path.as_str(), text);
        }
        for text in ["", ".", "./", "/tmp", "../../etc", "a/../b", "a/..", "a\0"] {
            let path = StoragePath::try_from(text.to_owned());
            assert!(path.is_err(), "{text:?}");
        }
    }
}
