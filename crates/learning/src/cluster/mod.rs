//! Clusters of feedback about the same topic.
//!
//! An [`Item`] is read from a line. Entries are collected as [`Forms`]: entries whose issues
//! differ only in places, names and numbers have one form. [`clusters`] groups the forms
//! of one issue around leaders, and joins the groups whose issues and corrections are
//! far more similar than those of two groups are on average. How much a word counts and
//! how similar is enough follow from the entries. The same entries in the same order give
//! the same clusters. A [`ClusterRegistry`] keeps the ids of clusters stable while entries
//! are added.

mod form;
mod linkage;
mod medoid;
mod micro;
mod registry;
mod text;

pub(crate) use medoid::medoid;

pub use form::{Form, Forms};
pub use registry::ClusterRegistry;
pub use text::{FeedbackText, Item, ItemError, text_of};

/// The clusters of forms, numbered from 0, the largest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clusters {
    of_form: Vec<Option<u32>>,
    issues: Vec<Option<u32>>,
    sizes: Vec<u64>,
}

impl Clusters {
    /// The cluster of a form; `None` if too few entries are similar to it.
    #[must_use]
    pub fn of(&self, form: Form) -> Option<u32> {
        self.of_form.get(form.index()).copied().flatten()
    }

    /// The issue that a form is about, of those in its cluster; `None` without a cluster.
    #[must_use]
    pub fn issue(&self, form: Form) -> Option<u32> {
        self.issues.get(form.index()).copied().flatten()
    }

    /// The number of entries in each cluster.
    #[must_use]
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }
}

/// Clusters forms; groups of fewer than `min_size` entries are left out.
///
/// ```
/// use review_learning::cluster::{FeedbackText, Forms, clusters};
/// use review_text::Lexicon;
///
/// let mut forms = Forms::new(Lexicon::embedded());
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
#[must_use]
pub fn clusters(forms: &Forms<'_>, min_size: usize) -> Clusters {
    let micro = micro::gathered(forms);
    let joined = linkage::joined(&micro.profiles(forms), &forms.words());
    let mut sizes = vec![0_u64; micro.groups.len()];
    for (group, root) in micro.groups.iter().zip(&joined) {
        sizes[*root] += group.size;
    }
    let mut kept: Vec<usize> = (0..sizes.len())
        .filter(|root| sizes[*root] >= min_size.max(1) as u64)
        .collect();
    kept.sort_by_key(|root| std::cmp::Reverse(sizes[*root]));
    let mut number_of = vec![None; sizes.len()];
    for (number, root) in (0_u32..).zip(&kept) {
        number_of[*root] = Some(number);
    }
    let of_group = |group: &Option<usize>| group.and_then(|group| number_of[joined[group]]);
    let issue = |group: &Option<usize>| {
        of_group(group)?;
        u32::try_from((*group)?).ok()
    };
    Clusters {
        of_form: micro.of_form.iter().map(of_group).collect(),
        issues: micro.of_form.iter().map(issue).collect(),
        sizes: kept.into_iter().map(|root| sizes[root]).collect(),
    }
}
