//! `ralph learn cluster`.

use std::path::Path;

use review_engine::learn::lexicon;
use review_learning::cluster::{Clusters, Form, Forms, Item, clusters};
use review_learning::corrections::{Line, Lines};
use review_report::learn::{self, ClusterMember, ClusterReport, FeedbackCluster};
use review_types::{ExitCode, plural};
use serde_json::Value as Json;

use crate::args::{ClusterArgs, Format};
use crate::command::input;
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use crate::output::{Version, to_json};

/// The number of characters of a text that are shown.
const SHOWN: usize = 100;

/// The feedback of a file.
struct Feedback<'l> {
    forms: Forms<'l>,
    ids: Vec<Json>,
    of_item: Vec<Option<Form>>,
    /// The text of each piece, shortened; nothing where its form is known already.
    said: Vec<Option<Box<str>>>,
}

/// Groups the feedback of a file.
pub(super) fn run(context: &mut Context, args: &ClusterArgs) -> Ended {
    let named = args.lexicon.as_deref().map(|path| context.absolute(path));
    let lexicon = lexicon(&context.current_root(), named.as_deref())?;
    let mut feedback = Feedback {
        forms: Forms::new(&lexicon),
        ids: Vec::new(),
        of_item: Vec::new(),
        said: Vec::new(),
    };
    let bad = feedback.read(context, &args.input)?;
    if let Some((line, why)) = bad.first {
        let lines = plural(bad.count, "line", "lines");
        let file = args.input.display();
        context
            .streams
            .warn(&format!("{lines} of {file} left out; line {line}: {why}"));
    }
    let clusters = clusters(&feedback.forms, args.min_cluster_size as usize);
    match args.format {
        Format::Human => {
            let text = learn::clusters(&feedback.grouped(&clusters));
            context.streams.print(&text)?;
        }
        Format::Json => context.streams.print_json(&feedback.grouped(&clusters))?,
        Format::Jsonl => {
            let mut lines = Vec::new();
            for member in feedback.members(&clusters, Some(Version)) {
                lines.extend(to_json(&member)?);
            }
            context.streams.print_raw(&lines)?;
        }
    }
    Ok(if feedback.ids.is_empty() {
        ExitCode::Nothing
    } else {
        ExitCode::Passed
    })
}

/// The lines that are no feedback.
#[derive(Default)]
struct BadLines {
    count: usize,
    /// The first of them, and what is wrong with it.
    first: Option<(u64, String)>,
}

impl Feedback<'_> {
    fn read(&mut self, context: &Context, file: &Path) -> Result<BadLines, CommandError> {
        let mut lines = Lines::new(input::open(context, file, None)?);
        let mut bad = BadLines::default();
        let cannot_read = |error| {
            let message = format!("cannot read {}", file.display());
            CommandError::new(ErrorKind::Input, message).source(error)
        };
        while let Some((number, line)) = lines.next().map_err(cannot_read)? {
            let item = match line {
                Line::Whole(text) | Line::Unended(text) => {
                    Item::read(text, number).map_err(|error| error.to_string())
                }
                Line::TooLong => Err("is longer than 1 MiB".to_owned()),
            };
            match item {
                Ok(item) => self.add(item),
                Err(why) => {
                    bad.count += 1;
                    bad.first.get_or_insert((number, why));
                }
            }
        }
        Ok(bad)
    }

    fn add(&mut self, item: Item) {
        let before = self.forms.count();
        let form = self.forms.add(&item.text);
        let is_new = self.forms.count() > before;
        self.said
            .push(is_new.then(|| shortened(&item.text.issue).into()));
        self.ids.push(item.id);
        self.of_item.push(form);
    }

    fn members(
        &self,
        clusters: &Clusters,
        v: Option<Version>,
    ) -> impl Iterator<Item = ClusterMember<'_>> {
        let members = self.ids.iter().zip(&self.of_item);
        members.map(move |(id, form)| {
            let cluster = form.and_then(|form| clusters.of(form));
            let issue = form.and_then(|form| clusters.issue(form));
            ClusterMember {
                v,
                id,
                cluster: cluster.map_or(-1, i64::from),
                issue: issue.map_or(-1, i64::from),
            }
        })
    }

    fn grouped(&self, clusters: &Clusters) -> ClusterReport<'_> {
        let mut examples: Vec<Option<&str>> = vec![None; clusters.sizes().len()];
        for (form, said) in self.of_item.iter().zip(&self.said) {
            if let (Some(cluster), Some(said)) = (form.and_then(|form| clusters.of(form)), said) {
                examples[cluster as usize].get_or_insert(said);
            }
        }
        let sizes = clusters.sizes().iter().zip(examples).enumerate();
        ClusterReport {
            v: Version,
            clusters: sizes
                .map(|(cluster, (size, example))| FeedbackCluster {
                    cluster,
                    size: *size,
                    example: example.unwrap_or_default(),
                })
                .collect(),
            entries: self.members(clusters, None).collect(),
        }
    }
}

/// The first line of a text, cut where it is long.
fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut shown: String = line.chars().take(SHOWN).collect();
    if shown.len() < line.len() {
        shown.push('…');
    }
    shown
}
