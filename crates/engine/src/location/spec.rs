//! The spec that an argument of the command line names.

use std::path::{Path, PathBuf};

use review_document::{Catalog, Plan, Spanned, SpecError as NameError, UnitFiles, spec_name};
use review_store::{ConfineError, Reader, Root, RootPath};
use review_text::near::nearest as nearest_names;
use review_types::{UnitId, plural};

use super::Probe;

/// Folders below the root in which a spec is looked up by name.
const FOLDERS: [&str; 2] = ["specs", "specs/completed"];
/// The hint where a project has no spec.
const FIRST: &str = "`ralph init` writes a first spec and its task";
/// The most specs that a message lists.
const MAX_LISTED: usize = 20;

/// No spec, or no single one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// The name means no spec, or several.
    #[error("{error}")]
    Name {
        /// Why.
        error: NameError,
        /// The specs that there are, relative to the root.
        known: Vec<String>,
    },
    /// What was named is a folder, and no spec has its name.
    #[error("{} is a folder, no spec", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The specs that there are, relative to the root.
        known: Vec<String>,
    },
    /// No spec was named, and the project has none.
    #[error("no spec in {}", folder.display())]
    Nothing {
        /// The folder `specs` of the root.
        folder: PathBuf,
    },
    /// No spec was named, and there are several.
    #[error("there are {}; say which one", plural(paths.len(), "spec", "specs"))]
    Unnamed {
        /// The files, relative to the root.
        paths: Vec<String>,
    },
}

impl SpecError {
    /// Whether the root has no spec that is meant, so that a nested root may have it.
    pub fn is_missing(&self) -> bool {
        match self {
            Self::Name { error, .. } => matches!(error, NameError::Unknown { .. }),
            Self::Folder { .. } | Self::Nothing { .. } => true,
            Self::Unnamed { .. } => false,
        }
    }

    /// The same, knowing the specs outside of the folders of specs too, of a root with the
    /// names of their units.
    #[must_use]
    pub fn with_linked(mut self, root: &Path, linked: &[(UnitId, PathBuf)]) -> Self {
        let shown = |spec: &PathBuf| {
            spec.strip_prefix(root)
                .unwrap_or(spec)
                .display()
                .to_string()
        };
        if let Self::Unnamed { paths } = &mut self {
            paths.extend(linked.iter().map(|(_, spec)| shown(spec)));
        }
        if let Self::Name {
            error: NameError::Unknown { name, nearest },
            known,
        } = &mut self
        {
            if nearest.is_empty() {
                let units = linked.iter().map(|(unit, _)| unit.as_str());
                let near = nearest_names(name, units, 3).into_iter();
                let of_unit = |near: &str| linked.iter().find(|(unit, _)| unit.as_str() == near);
                *nearest = near
                    .filter_map(|near| Some(shown(&of_unit(near)?.1)))
                    .collect();
            }
            known.extend(linked.iter().map(|(_, spec)| shown(spec)));
        }
        self
    }

    /// The specs that may be meant, and what else to try.
    pub fn hints(&self) -> Vec<String> {
        let specs = match self {
            Self::Name { error, known } => match error {
                NameError::Several { paths, .. } => paths,
                NameError::Unknown { nearest, .. } if nearest.is_empty() => known,
                NameError::Unknown { .. } => return Vec::new(),
            },
            Self::Folder { known, .. } => known,
            Self::Unnamed { paths } => paths,
            Self::Nothing { .. } => {
                return vec![FIRST.to_owned()];
            }
        };
        let listed = specs.iter().take(MAX_LISTED);
        let mut hints: Vec<String> = listed.map(|path| format!("there is {path}")).collect();
        if hints.is_empty() {
            hints.push(FIRST.to_owned());
        }
        if let Self::Folder { path, .. } = self {
            let folder = path.display();
            hints.insert(0, format!("`ralph review {folder}` reviews a folder"));
        }
        if specs.len() > MAX_LISTED {
            hints.push(format!("and {} more", specs.len() - MAX_LISTED));
        }
        hints
    }
}

/// Returns the absolute path of the spec `name`: a path, seen from `folder`, if there
/// is something other than a folder at it; else a name that [`Catalog::spec`]
/// knows in `root`, else in one of the `nested` roots below it.
/// Without a name it is the only spec in `specs/`; if that is empty, that of the
/// nested roots.
///
/// # Errors
/// When no file or several files are meant.
pub fn find_spec(
    name: Option<&str>,
    folder: &Path,
    root: &Path,
    nested: &[PathBuf],
    probe: &impl Probe,
) -> Result<PathBuf, SpecError> {
    let path = name.map(|name| super::absolute(folder, Path::new(name)));
    let is_folder = path.as_ref().is_some_and(|path| probe.is_folder(path));
    if let Some(path) = path
        .as_ref()
        .filter(|path| !is_folder && probe.exists(path))
    {
        return Ok(path.clone());
    }
    let own = catalog(root, probe);
    let nested: Vec<_> = nested
        .iter()
        .filter_map(|nested| Some((nested.strip_prefix(root).ok()?, catalog(nested, probe))))
        .collect();
    let Some(name) = name else {
        return only_spec(&own, &nested, root);
    };
    let error = match own.spec(name) {
        Ok(path) => return Ok(root.join(path)),
        Err(error) => error,
    };
    let mut paths = named_below(name, &nested);
    if paths.len() == 1 {
        return Ok(root.join(paths.remove(0)));
    }
    let below = nested
        .iter()
        .flat_map(|(at, catalog)| specs_at(at, catalog));
    let known = own.specs().map(str::to_owned).chain(below).collect();
    Err(match (error, path.filter(|_| is_folder)) {
        (NameError::Unknown { name, .. }, _) if !paths.is_empty() => SpecError::Name {
            error: NameError::Several { name, paths },
            known,
        },
        (NameError::Unknown { .. }, Some(path)) => SpecError::Folder { path, known },
        (error, _) => SpecError::Name { error, known },
    })
}

/// The specs of nested roots that have a name, relative to the root above them.
fn named_below(name: &str, nested: &[(&Path, Catalog)]) -> Vec<String> {
    let named = nested.iter().flat_map(|(at, catalog)| {
        let paths = match catalog.spec(name) {
            Ok(path) => vec![path.to_owned()],
            Err(NameError::Several { paths, .. }) => paths,
            Err(NameError::Unknown { .. }) => Vec::new(),
        };
        paths.into_iter().map(|path| below(at, &path))
    });
    named.collect()
}

/// The specs of a nested root, relative to the root above it.
fn specs_at(at: &Path, catalog: &Catalog) -> impl Iterator<Item = String> {
    catalog.specs().map(|spec| below(at, spec))
}

fn below(at: &Path, path: &str) -> String {
    at.join(path).display().to_string()
}

/// Returns the absolute paths of all specs of a root: those in its folders of specs, and
/// those elsewhere, of which a unit is the plan or which are a feature's `spec.md`.
///
/// # Errors
/// When the root cannot be listed.
pub fn all_specs(root: &Root) -> Result<Vec<PathBuf>, ConfineError> {
    let catalog = Catalog::new(review_store::paths(root)?);
    let mut specs: Vec<_> = catalog.specs().map(str::to_owned).collect();
    specs.extend(linked(&catalog, root).into_iter().map(|(_, spec)| spec));
    Ok(specs.iter().map(|spec| root.given().join(spec)).collect())
}

/// Returns the absolute paths of the specs outside of the folders of specs, with the names
/// of their units: those that a plan or a task below `tasks/` names, and `spec.md` of the
/// features below `specs/`.
///
/// # Errors
/// When the root cannot be listed.
pub fn linked_specs(root: &Root) -> Result<Vec<(UnitId, PathBuf)>, ConfineError> {
    let catalog = Catalog::new(review_store::paths(root)?);
    let linked = linked(&catalog, root).into_iter();
    Ok(linked
        .map(|(unit, spec)| (unit, root.given().join(spec)))
        .collect())
}

/// The same, relative to the root; a spec that several units name is there once.
fn linked(catalog: &Catalog, root: &Root) -> Vec<(UnitId, String)> {
    let mut reader = Reader::new(root);
    let units = catalog.units().iter();
    let units = units.filter(|unit| unit.dir.starts_with("tasks/"));
    let of_units = units.filter_map(|unit| {
        let spec = spec_of(catalog, unit, root, &mut reader)?;
        Some((unit.id.clone(), spec))
    });
    let features = catalog.features();
    let features =
        features.filter_map(|spec| Some((spec_name(spec).parse().ok()?, spec.to_owned())));
    let mut linked: Vec<(UnitId, String)> = Vec::new();
    for (unit, spec) in of_units.chain(features) {
        let is_known = catalog.specs().any(|known| known == spec)
            || linked.iter().any(|(_, known)| *known == spec);
        if !is_known {
            linked.push((unit, spec));
        }
    }
    linked
}

/// The spec of a unit: named by its plan, else found by its name, else named by a task.
fn spec_of(
    catalog: &Catalog,
    unit: &UnitFiles,
    root: &Root,
    reader: &mut Reader<'_>,
) -> Option<String> {
    let file = |named: &Spanned<String>| {
        let path = RootPath::new(named.value.trim_start_matches('/')).ok()?;
        root.resolve(&path)
            .ok()?
            .is_file()
            .then(|| path.to_string())
    };
    let plan = unit.plan.as_deref();
    let plan = plan.and_then(|path| Some(Plan::parse(path, reader.read(path).ok()?)));
    let named = plan.and_then(|plan| file(&plan.spec?));
    if named.is_some() || catalog.spec(unit.id.as_str()).is_ok() {
        return named;
    }
    let loaded = unit.load(|path| reader.read(path).ok());
    let parents = loaded
        .tasks
        .iter()
        .filter_map(|task| task.parent_spec.as_ref());
    let named = parents.filter_map(file).next();
    named.or_else(|| catalog.spec_of_unit(&loaded).map(str::to_owned))
}

fn only_spec(
    own: &Catalog,
    nested: &[(&Path, Catalog)],
    root: &Path,
) -> Result<PathBuf, SpecError> {
    let open = |catalog: &Catalog| -> Vec<String> {
        let open = catalog.specs().filter(|path| !path.starts_with(FOLDERS[1]));
        open.map(str::to_owned).collect()
    };
    let mut paths = open(own);
    if paths.is_empty() {
        let nested = nested.iter().flat_map(|(at, catalog)| {
            let specs = open(catalog).into_iter();
            specs.map(|spec| below(at, &spec))
        });
        paths = nested.collect();
    }
    match paths.len() {
        0 => Err(SpecError::Nothing {
            folder: root.join(FOLDERS[0]),
        }),
        1 => Ok(root.join(paths.remove(0))),
        _ => Err(SpecError::Unnamed { paths }),
    }
}

fn catalog(root: &Path, probe: &impl Probe) -> Catalog {
    Catalog::new(FOLDERS.into_iter().flat_map(|below| {
        let names = probe.files(&root.join(below)).into_iter();
        names.map(move |name| format!("{below}/{name}"))
    }))
}

#[cfg(test)]
mod tests {
    use super::super::probe::Tree;
    use super::*;

    fn find(name: Option<&str>, paths: &[&str]) -> Result<PathBuf, SpecError> {
        let (folder, root) = (Path::new("/p/sub"), Path::new("/p"));
        find_spec(name, folder, root, &[], &Tree::of(paths))
    }

    #[test]
    fn a_spec_that_the_root_does_not_have_is_that_of_a_nested_root() {
        let tree = Tree::of(&[
            "/p/a/specs/API.md",
            "/p/a/specs/ONE.md",
            "/p/b/specs/api.md",
            "/p/b/specs/completed/OLD.md",
        ]);
        let find = |name: Option<&str>, nested: &[&str]| {
            let nested: Vec<PathBuf> = nested.iter().map(PathBuf::from).collect();
            let root = Path::new("/p");
            find_spec(name, root, root, &nested, &tree).map_err(|error| error.to_string())
        };
        let both = ["/p/a", "/p/b"];
        assert_eq!(find(Some("one"), &both), Ok("/p/a/specs/ONE.md".into()));
        assert_eq!(find(None, &["/p/b"]), Ok("/p/b/specs/api.md".into()));
        let several = "\"api\" names several specs: a/specs/API.md, b/specs/api.md";
        assert_eq!(find(Some("api"), &both), Err(several.to_owned()));
        let unnamed = "there are 3 specs; say which one";
        assert_eq!(find(None, &both), Err(unnamed.to_owned()));
        assert_eq!(find(None, &[]), Err("no spec in /p/specs".to_owned()));
    }

    #[test]
    fn a_path_wins_over_a_name_and_specs_win_over_completed_ones() {
        let paths = [
            "/p/sub/S.md",
            "/p/specs/S.md",
            "/p/specs/Other-One.md",
            "/p/specs/notes.txt",
            "/p/specs/completed/other-one.md",
            "/p/specs/completed/Old.md",
        ];
        for (name, expected) in [
            ("S.md", "/p/sub/S.md"),
            ("../specs/S.md", "/p/specs/S.md"),
            ("s", "/p/specs/S.md"),
            ("OTHER-ONE.MD", "/p/specs/Other-One.md"),
            ("old", "/p/specs/completed/Old.md"),
        ] {
            assert_eq!(find(Some(name), &paths), Ok(expected.into()), "{name}");
        }
    }

    #[test]
    fn a_folder_hides_no_spec_of_its_name_and_is_not_one() {
        let paths = ["/p/specs/CACHE.md", "/p/sub/cache/", "/p/sub/src/"];
        assert_eq!(find(Some("cache"), &paths), Ok("/p/specs/CACHE.md".into()));
        let error = find(Some("src"), &paths).unwrap_err();
        assert_eq!(error.to_string(), "/p/sub/src is a folder, no spec");
        assert_eq!(
            error.hints(),
            [
                "`ralph review /p/sub/src` reviews a folder",
                "there is specs/CACHE.md"
            ]
        );
    }

    #[test]
    fn an_unknown_name_lists_the_nearest_or_all() {
        let paths = ["/p/specs/REVIEW.md", "/p/specs/completed/Gate.md"];
        let none = find(Some("a"), &["/p/specs/"]).unwrap_err();
        assert_eq!(none.hints(), [FIRST]);
        let hints = |name| find(Some(name), &paths).unwrap_err().hints();
        let near = find(Some("REVEIW.md"), &paths).unwrap_err();
        assert_eq!(
            near.to_string(),
            "spec \"REVEIW.md\" not found; did you mean specs/REVIEW.md?"
        );
        assert_eq!(near.hints(), [""; 0]);
        assert_eq!(
            hints("xyz"),
            [
                "there is specs/REVIEW.md",
                "there is specs/completed/Gate.md"
            ]
        );
    }

    #[test]
    fn a_name_that_is_nearly_that_of_a_unit_means_its_spec() {
        let linked = [
            ("001-user-auth", "/p/specs/001-user-auth/spec.md"),
            ("shop", "/p/b.md"),
        ];
        let linked = linked.map(|(unit, spec)| (UnitId::new(unit).unwrap(), PathBuf::from(spec)));
        for (name, near) in [
            ("001-user", "specs/001-user-auth/spec.md"),
            ("shpo", "b.md"),
            ("REVEIW", "specs/REVIEW.md"),
        ] {
            let error = find(Some(name), &["/p/specs/REVIEW.md"]).unwrap_err();
            let error = error.with_linked(Path::new("/p"), &linked);
            let expected = format!("spec \"{name}\" not found; did you mean {near}?");
            assert_eq!(error.to_string(), expected);
        }
        let several = find(None, &["/p/specs/A.md", "/p/specs/B.md"]).unwrap_err();
        let several = several.with_linked(Path::new("/p"), &linked).to_string();
        assert_eq!(several, "there are 4 specs; say which one");
        let error = find(Some("xyz"), &["/p/specs/REVIEW.md"]).unwrap_err();
        assert_eq!(
            error.with_linked(Path::new("/p"), &linked).hints(),
            [
                "there is specs/REVIEW.md",
                "there is specs/001-user-auth/spec.md",
                "there is b.md"
            ]
        );
    }

    #[test]
    fn names_that_differ_only_in_case_are_listed() {
        let error = find(Some("a"), &["/p/specs/A.md", "/p/specs/a.MD"]).unwrap_err();
        let hints = ["there is specs/A.md", "there is specs/a.MD"];
        assert_eq!(error.hints(), hints);
        assert!(error.to_string().contains("\"a\""), "{error}");
    }

    #[test]
    fn without_a_name_the_only_spec_is_meant() {
        let one = [
            "/p/specs/A.md",
            "/p/specs/completed/B.md",
            "/p/specs/README.md",
        ];
        assert_eq!(find(None, &one), Ok("/p/specs/A.md".into()));
        let error = find(None, &["/p/specs/A.md", "/p/specs/B.md"]).unwrap_err();
        assert_eq!(error.to_string(), "there are 2 specs; say which one");
        assert_eq!(
            error.hints(),
            ["there is specs/A.md", "there is specs/B.md"]
        );
        let none = find(None, &["/p/specs/"]).unwrap_err();
        assert_eq!(none.to_string(), "no spec in /p/specs");
    }

    #[test]
    fn a_long_list_is_cut() {
        let paths: Vec<String> = (0..25).map(|n| format!("/p/specs/S{n:02}.md")).collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let hints = find(None, &paths).unwrap_err().hints();
        assert_eq!((hints.len(), hints[20].as_str()), (21, "and 5 more"));
    }
}
