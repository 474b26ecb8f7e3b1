//! What a command line means by a spec or a path, for the engine.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};

use review_config::{Config, Setting};
use review_engine::location::{SpecError, all_specs};
use review_engine::{ListedRoot, NearUnit, ReviewTarget, SpecTarget};
use review_store::{Root, StateDir};

use crate::context::{Context, unknown_spec};
use crate::error::CommandError;

/// The unit that belongs to a spec, or the spec alone, which is noted where
/// units have names like its own.
///
/// # Errors
/// When the spec leads out of the root, or several units could belong to it.
pub(crate) fn unit_target(
    context: &mut Context,
    root: &Root,
    spec: &Path,
) -> Result<ReviewTarget, CommandError> {
    Ok(noted(context, ReviewTarget::of_spec(root, spec)?))
}

fn noted(context: &mut Context, SpecTarget { target, near }: SpecTarget) -> ReviewTarget {
    if let Some(NearUnit { dir, renamed, plan }) = near.first() {
        let spec = target.spec();
        let named = plan.as_ref();
        let named = named.map(|plan| format!(", or set `spec: {spec}` in {plan}"));
        context.streams.note(&format!(
            "no unit belongs to {spec}, so it is reviewed alone; if {dir} is its unit, rename it to \
             {renamed}{}",
            named.unwrap_or_default()
        ));
    }
    target
}

/// A root of which several specs are looked at.
pub(crate) struct SpecRoot {
    pub(crate) path: PathBuf,
    pub(crate) settings: Config,
    pub(crate) state: StateDir,
    listed: ListedRoot,
}

impl SpecRoot {
    /// The root of a spec. The first time, its configuration is read, where options set
    /// `overrides`, and its files are listed. Its state is made if it is missing, where
    /// `writes`.
    ///
    /// # Errors
    /// When the configuration or the state cannot be used, or the files not be listed.
    pub(crate) fn open<'r>(
        roots: &'r mut BTreeMap<PathBuf, Self>,
        context: &mut Context,
        spec: &Path,
        overrides: &[Setting],
        writes: bool,
    ) -> Result<&'r Self, CommandError> {
        let path = context.root_of(spec);
        let place = match roots.entry(path.clone()) {
            Entry::Occupied(open) => return Ok(open.into_mut()),
            Entry::Vacant(place) => place,
        };
        let settings = context.settings(&path, overrides)?;
        let listed = ListedRoot::list(Root::open(&path)?)?;
        let state = match writes {
            true => context.state_of_look(&settings, &path)?,
            false => context.existing_state(&settings, &path)?,
        };
        Ok(place.insert(Self {
            path,
            settings,
            state,
            listed,
        }))
    }

    /// What a spec of the root is for a run, as of [`unit_target`].
    ///
    /// # Errors
    /// When the spec leads out of the root, or several units could belong to it.
    pub(crate) fn target(
        &self,
        context: &mut Context,
        spec: &Path,
    ) -> Result<ReviewTarget, CommandError> {
        Ok(noted(context, self.listed.target_of(spec)?))
    }
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
        let found = all_specs(&Root::open(root)?);
        specs.extend(found?);
    }
    Ok(specs)
}
