//! `ralph learn show`.

use review_learning::lesson::Lesson;
use review_store::{FeedbackStore, IndexedEntry};
use review_types::ExitCode;

use super::Ended;
use super::entry::{Shown, whole};
use super::lesson;
use super::scene::Scene;
use crate::args::{LearnShowArgs, PlainFormat};
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};
use crate::learning::Collector;

/// What an id means.
enum Meant<'s> {
    Entry(&'s IndexedEntry),
    Lesson(Box<Lesson>),
}

/// Shows the entry or the lesson whose id begins so.
pub(super) fn run(context: &mut Context, args: &LearnShowArgs) -> Ended {
    let scene = Scene::open(context)?;
    let lessons = scene.evolution()?.lessons(context, None)?;
    let collector = Collector {
        root: &scene.root,
        config: &scene.config,
        environment: &context.environment,
        now: scene.now,
    };
    let store = collector.store()?;
    match meant(&args.id, &store, lessons)? {
        Meant::Entry(entry) => {
            let entry = store.read(entry);
            let entry = entry.map_err(|error| CommandError::input(&error))?;
            match args.format {
                PlainFormat::Human => context.streams.print(&whole(&entry))?,
                PlainFormat::Json => context.streams.print_json(&Shown(&entry))?,
            }
        }
        Meant::Lesson(lesson) => match args.format {
            PlainFormat::Human => {
                let indexed = store.entries().iter();
                let exemplars =
                    indexed.filter(|entry| lesson.exemplars.contains(&entry.id().into()));
                let exemplars: Vec<_> = exemplars
                    .filter_map(|entry| store.read(entry).ok())
                    .collect();
                context.streams.print(&lesson::whole(&lesson, &exemplars))?;
            }
            PlainFormat::Json => context.streams.print_json(&Shown(&*lesson))?,
        },
    }
    Ok(ExitCode::Passed)
}

/// The one entry or lesson whose id begins with `id`.
fn meant<'s>(
    id: &str,
    store: &'s FeedbackStore,
    lessons: Vec<Lesson>,
) -> Result<Meant<'s>, CommandError> {
    let wanted = id.to_ascii_lowercase();
    let begins = |id: &str| !wanted.is_empty() && id.starts_with(&wanted);
    let entries = store.entries().iter().filter(|entry| begins(entry.id()));
    let lessons = lessons
        .into_iter()
        .filter(|lesson| begins(lesson.id.as_str()));
    let lessons = lessons.map(|lesson| Meant::Lesson(Box::new(lesson)));
    let mut found = entries.map(Meant::Entry).chain(lessons);
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => Err(no_such(id, "no entry and no lesson has this id")),
        (Some(_), Some(_)) => Err(no_such(id, "several ids begin so")),
    }
}

fn no_such(id: &str, why: &str) -> CommandError {
    CommandError::new(ErrorKind::Usage, format!("\"{id}\": {why}"))
        .hint("`ralph learn list` lists the entries, `ralph learn review` the lessons")
}
