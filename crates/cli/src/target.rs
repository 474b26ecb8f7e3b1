//! What a command line means by a spec or a path, for the engine.

use std::path::{Path, PathBuf};

use review_engine::location::all_specs;
use review_engine::{NearUnit, SpecTarget, Target};
use review_store::Root;

use crate::context::Context;
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
    /// The absolute paths of the specs that are named; without names these are all
    /// of the current root.
    ///
    /// # Errors
    /// When a name means none, or several, or the root cannot be listed.
    pub(crate) fn specs(&self, named: &[String]) -> Result<Vec<PathBuf>, CommandError> {
        if !named.is_empty() {
            return named.iter().map(|name| self.spec(Some(name))).collect();
        }
        let root = open_root(&self.current_root())?;
        all_specs(&root).map_err(|error| CommandError::input(&error))
    }
}
