//! `ralph learn cluster`.

use std::path::Path;

use review_learning::cluster::{Clusters, Form, Forms, Item, clusters};
use review_learning::corrections::{Line, Lines};
use review_types::{ExitCode, plural};
use serde::Serialize;
use serde_json::Value as Json;

use super::Ended;
use crate::args::{ClusterArgs, Format};
use crate::command::input;
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};
use crate::learning::lexicon;
use crate::output::style::{FAINT, RESET, STRONG};
use crate::output::{Version, printable, to_json};

/// So much of a text is shown, in characters.
const SHOWN: usize = 100;

/// A piece of feedback with its cluster.
#[derive(Serialize)]
struct Member<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    v: Option<Version>,
    id: &'a Json,
    /// The number of its cluster; -1 for none.
    cluster: i64,
}

/// The result of `learn cluster --format json`.
#[derive(Serialize)]
struct Grouped<'a> {
    v: Version,
    clusters: Vec<Cluster<'a>>,
    entries: Vec<Member<'a>>,
}

#[derive(Serialize)]
struct Cluster<'a> {
    cluster: usize,
    size: u64,
    /// What the first of its pieces says.
    example: &'a str,
}

/// What was read.
struct Feedback<'l> {
    forms: Forms<'l>,
    ids: Vec<Json>,
    of_item: Vec<Option<Form>>,
    /// What each piece says, shortened; nothing where its form was there before.
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
        Format::Human => context.streams.print(&feedback.rendered(&clusters))?,
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
        self.said.push(is_new.then(|| shortened(&item.text).into()));
        self.ids.push(item.id);
        self.of_item.push(form);
    }

    fn members(&self, clusters: &Clusters, v: Option<Version>) -> impl Iterator<Item = Member<'_>> {
        let members = self.ids.iter().zip(&self.of_item);
        members.map(move |(id, form)| {
            let cluster = form.and_then(|form| clusters.of(form));
            let cluster = cluster.map_or(-1, i64::from);
            Member { v, id, cluster }
        })
    }

    fn grouped(&self, clusters: &Clusters) -> Grouped<'_> {
        let mut examples: Vec<Option<&str>> = vec![None; clusters.sizes().len()];
        for (form, said) in self.of_item.iter().zip(&self.said) {
            if let (Some(cluster), Some(said)) = (form.and_then(|form| clusters.of(form)), said) {
                examples[cluster as usize].get_or_insert(said);
            }
        }
        let sizes = clusters.sizes().iter().zip(examples).enumerate();
        Grouped {
            v: Version,
            clusters: sizes
                .map(|(cluster, (size, example))| Cluster {
                    cluster,
                    size: *size,
                    example: example.unwrap_or_default(),
                })
                .collect(),
            entries: self.members(clusters, None).collect(),
        }
    }

    fn rendered(&self, clusters: &Clusters) -> String {
        let grouped = self.grouped(clusters);
        let mut text = String::new();
        for Cluster {
            cluster,
            size,
            example,
        } in &grouped.clusters
        {
            let example = printable(example);
            text += &format!("{STRONG}{cluster:>4}{RESET}  {size:>6}  {example}\n");
        }
        let entries = plural(self.ids.len(), "entry", "entries");
        let clusters = plural(grouped.clusters.len(), "cluster", "clusters");
        let alone = grouped.entries.iter().filter(|entry| entry.cluster < 0);
        let alone = alone.count();
        text += &format!("{FAINT}{entries}: {clusters}, {alone} in none{RESET}\n");
        text
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
