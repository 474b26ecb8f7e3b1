//! What a command line means by a spec or a path, for the engine.

use std::path::{Path, PathBuf};

use review_engine::location::{SpecError, all_specs};
use review_engine::{NearUnit, SpecTarget, Target};
use review_store::Root;

use crate::context::{Context, unknown_spec};
use crate::error::{CommandError, ErrorKind};

/// The unit that belongs to a spec, or the spec alone, which is noted where
/// units have names like its own.
///
/// # Errors
/// When the spec leads out of the root, or several units could belong to it.
pub(crate) fn unit_target(
    context: &mut Context,
    root: &Root,
    spec: &Path,
) -> Result<Target, CommandError> {
    let SpecTarget { target, near } = Target::of_spec(root, spec)?;
    if !near.is_empty() {
        context.streams.note(&format!(
            "no unit belongs to {}, so it is reviewed alone; {}",
            target.spec(),
            links(target.spec(), &near)
        ));
    }
    Ok(target)
}

/// What makes one of these units belong to a spec.
fn links(spec: &str, near: &[NearUnit]) -> String {
    let link = |unit: &NearUnit| {
        let NearUnit { dir, renamed, plan } = unit;
        let named = plan.as_ref().map_or_else(String::new, |plan| {
            format!(", or set `spec: {spec}` in {plan}")
        });
        format!("if {dir} is its unit, rename it to {renamed}{named}")
    };
    let links: Vec<_> = near.iter().map(link).collect();
    links.join("; ")
}

/// Opens a root.
///
/// # Errors
/// When it is not a folder.
pub(crate) fn open_root(root: &Path) -> Result<Root, CommandError> {
    Root::open(root).map_err(|error| CommandError::new(ErrorKind::Input, error.to_string()))
}

impl Context {
    /// The absolute paths of the specs that are named, where a folder means those of
    /// the roots in it; without names these are all of the current root and of those
    /// below it.
    ///
    /// # Errors
    /// When a name means none, or several, or a root cannot be listed.
    pub(crate) fn specs(&mut self, named: &[String]) -> Result<Vec<PathBuf>, CommandError> {
        if named.is_empty() {
            return specs_of(&self.roots()?);
        }
        let mut specs = Vec::new();
        for name in named {
            match self.find_spec(Some(name))? {
                Ok(spec) => specs.push(spec),
                Err(error) => specs.extend(self.specs_in(error)?),
            }
        }
        Ok(specs)
    }

    /// The specs of the roots in a folder that was named in place of a spec.
    fn specs_in(&mut self, error: SpecError) -> Result<Vec<PathBuf>, CommandError> {
        let SpecError::Folder { path, .. } = &error else {
            return Err(unknown_spec(&error));
        };
        let mut roots = self.roots()?;
        roots.retain(|root| root.starts_with(path));
        if roots.is_empty() && self.root_of(path) == *path {
            roots.push(path.clone());
        }
        match roots.is_empty() {
            true => Err(unknown_spec(&error)),
            false => specs_of(&roots),
        }
    }
}

fn specs_of(roots: &[PathBuf]) -> Result<Vec<PathBuf>, CommandError> {
    let mut specs = Vec::new();
    for root in roots {
        let found = all_specs(&open_root(root)?);
        specs.extend(found.map_err(|error| CommandError::input(&error))?);
    }
    Ok(specs)
}
