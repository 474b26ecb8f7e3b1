//! `ralph graph`: which task waits for which.

use review_document::{Catalog, Unit};
use review_report::graph::{GraphReport, dot, human, mermaid};
use review_report::shown;
use review_store::{Reader, Root};
use review_types::ExitCode;

use crate::args::{GraphArgs, GraphFormat};
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};

/// Prints the graph of the unit that belongs to a spec.
pub(crate) fn run(context: &mut Context, args: &GraphArgs) -> Ended {
    let spec = context.spec(args.spec.as_deref())?;
    let root = context.root_of(&spec);
    let root = Root::open(&root).map_err(|error| CommandError::input(&error))?;
    let spec = root
        .relative(&spec)
        .map_err(|error| CommandError::input(&error))?;
    let unit = unit_of(&root, spec.as_str())?;
    let graph = GraphReport::new(spec.as_str(), &unit);
    match args.format {
        GraphFormat::Human => context.streams.print(&human(&graph))?,
        GraphFormat::Mermaid => context.streams.print_raw(mermaid(&graph).as_bytes())?,
        GraphFormat::Dot => context.streams.print_raw(dot(&graph).as_bytes())?,
        GraphFormat::Json => context.streams.print_json(&graph)?,
    }
    let folder = context.environment.folder().to_owned();
    for fault in &graph.faults {
        let path = shown(&folder, &root.path().join(&fault.path));
        context
            .streams
            .warn(&format!("{path}:{}: {}", fault.line, fault.message));
    }
    let runs = unit.graph().runnable().is_ok();
    Ok(if runs {
        ExitCode::Passed
    } else {
        ExitCode::NotPassed
    })
}

fn unit_of(root: &Root, spec: &str) -> Result<Unit, CommandError> {
    let paths = review_store::paths(root).map_err(|error| CommandError::input(&error))?;
    let catalog = Catalog::new(paths);
    let mut reader = Reader::new(root);
    let found = catalog.unit_of_spec(spec, |path| reader.read(path).ok());
    let files = found.map_err(|error| {
        CommandError::new(ErrorKind::Nothing, format!("{spec} has no tasks: {error}"))
    })?;
    let mut texts = Vec::new();
    for file in &files.files {
        texts.push((
            file,
            reader
                .read(file)
                .map_err(|error| CommandError::input(&error))?,
        ));
    }
    Ok(Unit::load(files.id.clone(), files.dir.as_str(), texts))
}
