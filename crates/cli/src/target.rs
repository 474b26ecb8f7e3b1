//! What a command line means by a spec or a path, for the engine.

use std::path::Path;

use review_document::{Catalog, UnitError};
use review_engine::{CallLimits, LintSettings, RunSettings, Stages, Target};
use review_store::{Reader, Root, RootPath, StateDir};

use crate::config::Settings;
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};

/// The unit that belongs to a spec, or the spec alone.
///
/// # Errors
/// When several units could belong to it, or it cannot be read.
pub(crate) fn unit_target(context: &mut Context, root: &Root, spec: &RootPath) -> Result<Target, CommandError> {
    let catalog = Catalog::new(review_store::paths(root));
    let mut reader = Reader::new(root);
    let read = |path: &str| {
        let bytes = reader.read(path).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    match catalog.unit_of_spec(spec.as_str(), read) {
        Ok(unit) => Ok(Target::Unit {
            spec: spec.to_string(),
            id: unit.id.clone(),
            dir: unit.dir.clone(),
        }),
        Err(UnitError::None { nearest, .. }) => {
            if !nearest.is_empty() {
                let near = nearest.join(", ");
                context.streams.note(&format!("no unit belongs to {spec}; near names: {near}"));
            }
            Ok(Target::File {
                path: spec.to_string(),
            })
        }
        Err(error) => Err(CommandError::new(ErrorKind::Usage, error.to_string())),
    }
}
