//! L3.

mod exists;
mod replacement;

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use review_document::Span;
use review_document::markdown::{Anchors, Link, LinkKind, LinkPlace, LinkTarget, includes};
use review_document::workspace::Document;
use review_types::excerpt;

use crate::Severity;
use crate::facts::Facts;
use crate::rule::rule;
use crate::sink::Sink;

use exists::may_exist;
use replacement::Replacement;

rule! {
    /// Finds a relative link whose target does not exist.
    ///
    /// ## What it does
    /// Looks up the target of every link and image that is not a URL: relative to the
    /// document's folder, or to the root if the target starts with `/`. In documents
    /// under review it also looks up the heading after `#`, by the names that GitHub
    /// generates; if only hyphens differ, the finding is informational. Links out of
    /// the root, to files that the unit creates, in files that others include, into
    /// folders of generated files, and with placeholders are not checked. A path that
    /// is valid on one machine only is always reported.
    ///
    /// ## Why is this bad
    /// A reader who follows the link does not find what the document relies on.
    ///
    /// ## Example
    /// `[limits](CACHE.md#limits)` where the heading is `## Upper limits`.
    ///
    /// ## Fix
    /// Write the path relative to the document's folder, or the name of the heading:
    /// `CACHE.md#upper-limits`.
    BrokenLink {
        code: "L3",
        name: "broken-link",
        criterion: Consistency,
        severity: Error,
        fixes: [Safe, Unsafe],
        summary: "The target of a relative link does not exist.",
    }
}

/// The maximum number of broken links of one document that are examined.
const MAX_BROKEN: usize = 200;

impl BrokenLink {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        let has_links = |document: &&Document| !document.outline.links.is_empty();
        let mut documents = facts.markdown().filter(has_links).peekable();
        if documents.peek().is_none() {
            return;
        }
        let named = named_files(facts);
        let mut links = Links::of(facts);
        for document in documents {
            let mut broken = 0;
            let named = named
                .get(document.path.as_str())
                .map_or(&[][..], Vec::as_slice);
            for link in document.outline.links.iter() {
                if link.kind == LinkKind::Auto || broken == MAX_BROKEN || is_named(link, named) {
                    continue;
                }
                let Some(target) = LinkTarget::of(link, &document.source) else {
                    continue;
                };
                sink.look_at(1);
                if let Some(found) = links.fault(document, &target) {
                    // They are relative to the file that includes it.
                    if broken == 0 && links.is_included(document) {
                        break;
                    }
                    broken += 1;
                    sink.push(document, link.span, found.message, found.fixing.suggestion)
                        .severity(found.severity)
                        .fix(found.fixing.fix);
                }
            }
        }
    }
}

/// The problem with a link.
struct Fault {
    message: String,
    severity: Severity,
    fixing: Replacement,
}

/// The spans in which documents name specs and task files, which other rules check.
fn named_files<'f>(facts: &'f Facts<'_>) -> HashMap<&'f str, Vec<Span>> {
    let mut named: HashMap<&str, Vec<Span>> = HashMap::new();
    for spec in facts.named_specs() {
        let places = named.entry(&spec.document.path).or_default();
        places.push(spec.name.place.span);
    }
    if let Some(plan) = facts.plan() {
        let rows = plan.rows().filter_map(|row| row.file);
        let places = named.entry(&plan.document.path).or_default();
        places.extend(rows.map(|file| file.span));
        places.sort_unstable();
    }
    named
}

fn is_named(link: &Link, named: &[Span]) -> bool {
    let next = named.partition_point(|place| place.end <= link.span.start);
    let next = named.get(next);
    next.is_some_and(|place| place.start < link.span.end)
}

/// The possible link targets of a workspace.
struct Links<'f, 'a> {
    facts: &'f Facts<'a>,
    /// The files that the tasks of the unit create.
    made: HashSet<&'f str>,
    /// The names of files that documents include, computed on first use.
    included: OnceCell<HashSet<&'f str>>,
    anchors: HashMap<String, Anchors>,
}

impl<'f, 'a> Links<'f, 'a> {
    fn of(facts: &'f Facts<'a>) -> Self {
        let files = facts.tasks.iter().flat_map(|task| &task.deliverables.files);
        Self {
            facts,
            made: files.map(|file| &*file.path).collect(),
            included: OnceCell::new(),
            anchors: HashMap::new(),
        }
    }

    fn is_included(&self, document: &Document) -> bool {
        let included = self.included.get_or_init(|| {
            let documents = self.facts.markdown();
            let paths = documents.flat_map(|document| includes(&document.source));
            paths.filter_map(|path| path.rsplit('/').next()).collect()
        });
        included.contains(document.file_name())
    }

    fn fault(&mut self, document: &Document, target: &LinkTarget) -> Option<Fault> {
        let path = target.resolve(&document.path);
        if target.place == LinkPlace::Document {
            return self.heading(document, target);
        }
        let paths = &self.facts.workspace.paths;
        let path = path.filter(|_| !paths.is_empty())?;
        if may_exist(&path, paths) || self.made.contains(path.as_str()) {
            return self.heading(self.facts.document(&path)?, target);
        }
        let written = excerpt(&target.path, 200);
        if target.path.contains("://") {
            return Some(Fault {
                message: format!("The link target `{written}` is neither a path nor a URL."),
                severity: Severity::Error,
                fixing: Replacement::address(),
            });
        }
        let message = match target.place {
            LinkPlace::Machine => {
                format!("The link has the path `{written}`, which is valid on one machine only.")
            }
            LinkPlace::Folder | LinkPlace::Root if !self.is_sure(target) => return None,
            LinkPlace::Document | LinkPlace::Folder | LinkPlace::Root => {
                format!("The link target `{}` does not exist.", excerpt(&path, 200))
            }
        };
        Some(Fault {
            message,
            severity: Severity::Error,
            fixing: Replacement::path(target, document, paths),
        })
    }

    /// Whether a target that does not exist is meant as a path: a bare word is often a
    /// placeholder, and sites have routes and roots of their own.
    fn is_sure(&self, target: &LinkTarget) -> bool {
        let paths = &self.facts.workspace.paths;
        let has_extension = target.name().trim_start_matches('.').contains('.');
        let first = target.path.trim_start_matches('/').split('/').next();
        match target.place {
            LinkPlace::Root => {
                let is_below_a_site = |file: &str| file.ends_with(&target.path);
                let known = first.is_some_and(|folder| paths.contains(folder));
                (has_extension || known) && !paths.named(target.name()).any(is_below_a_site)
            }
            LinkPlace::Document | LinkPlace::Folder | LinkPlace::Machine => {
                has_extension || target.path.contains('/')
            }
        }
    }

    /// The problem with the fragment of a link to `document`.
    fn heading(&mut self, document: &Document, target: &LinkTarget) -> Option<Fault> {
        let fragment = target.fragment.as_str();
        if document.invalid_at.is_some() || is_no_heading(fragment) {
            return None;
        }
        if !self.anchors.contains_key(&document.path) {
            let anchors = Anchors::of(&document.source, document.body);
            self.anchors.insert(document.path.clone(), anchors);
        }
        let anchors = self.anchors.get(&document.path)?;
        if anchors.has(fragment) {
            return None;
        }
        let severity = if anchors.like(fragment).is_empty() {
            Severity::Error
        } else {
            Severity::Info
        };
        let (path, written) = (excerpt(&document.path, 200), excerpt(fragment, 120));
        Some(Fault {
            message: format!("`{path}` has no heading `#{written}`."),
            severity,
            fixing: Replacement::heading(target, anchors),
        })
    }
}

/// Whether a fragment is empty, the top, a line, a piece of text or a route.
fn is_no_heading(fragment: &str) -> bool {
    let line = fragment.strip_prefix(['L', 'l']).unwrap_or_default();
    matches!(fragment, "" | "top")
        || line.starts_with(|first: char| first.is_ascii_digit())
        || fragment.starts_with([':', '/', '!'])
}
