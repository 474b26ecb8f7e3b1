//! Clusters of feedback about the same topic.
//!
//! Entries are collected as [`Forms`]: entries that differ
//! only in places, names and numbers have one form. [`clusters`] groups the forms around
//! leaders: a form joins the group that it is most similar to, if that is similar enough,
//! and groups join in the same way. The issue of an entry and its correction count alike.
//! The same entries in the same order give the same clusters. A [`ClusterRegistry`] keeps
//! the ids of clusters stable while entries are added.

mod leaders;
mod registry;
mod text;

use std::cmp::Reverse;
use std::collections::HashMap;

use review_text::{Vocabulary, damped};

use leaders::{Leaders, Terms, normalized};
pub use registry::ClusterRegistry;
pub use text::{FeedbackText, text_of};

/// The maximum number of words of an issue or a correction that are read.
const MAX_WORDS: usize = 512;
/// The number of unseen entries added when terms are weighted: in a handful of entries
/// every word is frequent.
const UNSEEN: f32 = 100.0;
/// The power of the inverse frequency of a term that is its weight: terms in most entries
/// count for almost nothing.
const POWER: f32 = 1.5;

/// The number of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Form(u32);

/// The distinct forms of entries, each with its number of entries.
#[derive(Default)]
pub struct Forms {
    vocabulary: Vocabulary,
    numbers: HashMap<Box<[u32]>, Form>,
    forms: Vec<Counted>,
}

struct Counted {
    /// The sorted terms; those of the correction are apart from those of the issue.
    terms: Box<[u32]>,
    entries: f32,
}

impl Forms {
    /// An empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an entry and returns its form; `None` if it has no significant word. At most 512
    /// words of the issue and of the correction are read.
    pub fn add(&mut self, text: &FeedbackText) -> Option<Form> {
        let issue = self.vocabulary.terms(&text.issue, MAX_WORDS);
        let correction = self.vocabulary.terms(&text.correction, MAX_WORDS);
        let issue = issue.into_iter().map(|term| 2 * term);
        let mut terms: Vec<u32> = issue
            .chain(correction.into_iter().map(|term| 2 * term + 1))
            .collect();
        terms.sort_unstable();
        if terms.is_empty() {
            return None;
        }
        let terms: Box<[u32]> = terms.into();
        let next = Form(u32::try_from(self.forms.len()).ok()?);
        let form = *self.numbers.entry(terms.clone()).or_insert(next);
        match self.forms.get_mut(form.0 as usize) {
            Some(known) => known.entries += 1.0,
            None => self.forms.push(Counted {
                terms,
                entries: 1.0,
            }),
        }
        Some(form)
    }

    /// The vector of each form: that of its issue and that of its correction, which are as
    /// long as each other.
    fn vectors(&self) -> Vec<Terms> {
        let weights = self.weights();
        let of_half = |terms: &[u32], half: u32| {
            let terms = terms
                .chunk_by(|a, b| a == b)
                .filter(|run| run[0] % 2 == half);
            normalized(terms.map(|run| (run[0], damped(run.len()) * weights[run[0] as usize / 2])))
        };
        let vector = |form: &Counted| {
            let halves = [0, 1].map(|half| of_half(&form.terms, half));
            let mut vector = normalized(halves.into_iter().flatten());
            vector.sort_unstable_by_key(|(term, _)| *term);
            vector
        };
        self.forms.iter().map(vector).collect()
    }

    /// The weight of each term, whether it is in the issue or in the correction.
    fn weights(&self) -> Vec<f32> {
        let mut found_in = vec![0.0; self.vocabulary.count()];
        let mut all = UNSEEN;
        for form in &self.forms {
            all += form.entries;
            let mut terms: Vec<u32> = form.terms.iter().map(|term| term / 2).collect();
            terms.sort_unstable();
            terms.dedup();
            for term in terms {
                found_in[term as usize] += form.entries;
            }
        }
        let weight = |(term, found_in): (u32, &f32)| {
            let inverse = ((1.0 + all) / (1.0 + found_in)).ln();
            inverse.powf(POWER) * self.vocabulary.share(term)
        };
        (0..).zip(&found_in).map(weight).collect()
    }
}

/// The clusters of forms, numbered from 0, the largest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clusters {
    of_form: Vec<Option<u32>>,
    sizes: Vec<u64>,
}

impl Clusters {
    /// The cluster of a form; `None` if too few entries are similar to it.
    pub fn of(&self, form: Form) -> Option<u32> {
        self.of_form.get(form.0 as usize).copied().flatten()
    }

    /// The number of entries in each cluster.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }
}

/// Clusters forms; groups of fewer than `min_size` entries are left out.
///
/// ```
/// use review_learning::cluster::{FeedbackText, Forms, clusters};
///
/// let mut forms = Forms::new();
/// let said = ["No retry in a.rs", "b.rs lacks a retry", "No test", "No retry at line 7"];
/// let texts = said.map(|issue| FeedbackText {
///     issue: issue.to_owned(),
///     correction: String::new(),
/// });
/// let said: Vec<_> = texts.iter().filter_map(|text| forms.add(text)).collect();
/// let clusters = clusters(&forms, 3);
/// let found: Vec<_> = said.iter().map(|form| clusters.of(*form)).collect();
/// assert_eq!(found, [Some(0), Some(0), None, Some(0)]);
/// ```
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a sum of counts of entries"
)]
pub fn clusters(forms: &Forms, min_size: usize) -> Clusters {
    let vectors = forms.vectors();
    let counts: Vec<f32> = forms.forms.iter().map(|form| form.entries).collect();
    let (groups, leaders) = Leaders::group(&vectors, &counts);
    let leaders = Leaders::of(&vectors, &counts, &leaders.united(&groups));
    let nearest: Vec<_> = vectors
        .iter()
        .map(|vector| leaders.nearest(vector))
        .collect();
    let leaders = Leaders::of(&vectors, &counts, &nearest);
    let groups = leaders.united(&nearest);
    let mut sizes = vec![0_u64; leaders.count()];
    for (group, count) in groups.iter().zip(&counts) {
        if let Some(group) = group {
            sizes[*group] += *count as u64;
        }
    }
    let mut kept: Vec<usize> = (0..sizes.len())
        .filter(|group| sizes[*group] >= min_size.max(1) as u64)
        .collect();
    kept.sort_by_key(|group| Reverse(sizes[*group]));
    let mut number_of = vec![None; sizes.len()];
    for (number, group) in (0_u32..).zip(&kept) {
        number_of[*group] = Some(number);
    }
    Clusters {
        of_form: groups.iter().map(|group| number_of[(*group)?]).collect(),
        sizes: kept.into_iter().map(|group| sizes[group]).collect(),
    }
}
