//! Entries reduced to the terms that do not vary between repeats.

use std::collections::{BTreeMap, HashMap};

use review_text::{Lexicon, Vector, Vocabulary, damped};

use super::FeedbackText;

/// The maximum number of words of an entry that are read.
const MAX_WORDS: usize = 512;
/// The number of unseen entries added when terms are weighted: in a handful of entries
/// every word is frequent.
const UNSEEN: f32 = 100.0;

/// The number of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Form(u32);

impl Form {
    /// The number as an index: forms are counted from 0.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The distinct forms of issues, each with its number of entries and what corrects it.
pub struct Forms<'l> {
    vocabulary: Vocabulary<'l>,
    /// The number of each form by its sorted terms.
    numbers: HashMap<Box<[u32]>, Form>,
    counts: Vec<u32>,
    /// For each form, the number of entries whose correction has each term.
    corrections: Vec<BTreeMap<u32, u32>>,
}

impl<'l> Forms<'l> {
    /// An empty collection that normalizes words with `lexicon`.
    #[must_use]
    pub fn new(lexicon: &'l Lexicon) -> Self {
        Self {
            vocabulary: Vocabulary::new(lexicon),
            numbers: HashMap::new(),
            counts: Vec::new(),
            corrections: Vec::new(),
        }
    }

    /// Adds an entry and returns the form of its issue; `None` if that has no significant
    /// word. At most 512 words of the issue and of the correction are read.
    pub fn add(&mut self, text: &FeedbackText) -> Option<Form> {
        let mut terms = self.vocabulary.terms(&text.issue, MAX_WORDS);
        terms.sort_unstable();
        if terms.is_empty() {
            return None;
        }
        let next = Form(u32::try_from(self.counts.len()).ok()?);
        let form = *self.numbers.entry(terms.into()).or_insert(next);
        if form == next {
            self.counts.push(0);
            self.corrections.push(BTreeMap::new());
        }
        let count = &mut self.counts[form.index()];
        *count = count.saturating_add(1);
        let mut terms = self.vocabulary.terms(&text.correction, MAX_WORDS);
        terms.sort_unstable();
        for term in runs(&terms) {
            let count = self.corrections[form.index()].entry(term[0]).or_default();
            *count = count.saturating_add(1);
        }
        Some(form)
    }

    /// The number of forms.
    #[must_use]
    pub fn count(&self) -> usize {
        self.counts.len()
    }

    /// The number of terms.
    pub(crate) fn terms(&self) -> usize {
        self.vocabulary.count()
    }

    /// The terms of each word that has several.
    pub(crate) fn words(&self) -> Vec<&[u32]> {
        self.vocabulary.words_with_concepts().collect()
    }

    /// The number of entries with this form.
    pub(crate) fn texts(&self, form: Form) -> u32 {
        self.counts[form.index()]
    }

    /// The number of entries with this form whose correction has each term.
    pub(crate) fn corrections(&self, form: Form) -> &BTreeMap<u32, u32> {
        &self.corrections[form.index()]
    }

    /// The terms of each form, the most frequent form first; the earlier form first in
    /// case of a tie.
    pub(crate) fn by_frequency(&self) -> Vec<(Form, &[u32])> {
        let mut forms: Vec<(Form, &[u32])> = self
            .numbers
            .iter()
            .map(|(terms, form)| (*form, &**terms))
            .collect();
        forms.sort_unstable_by_key(|(form, _)| (std::cmp::Reverse(self.texts(*form)), *form));
        forms
    }

    /// The weights of all terms among the forms.
    pub(crate) fn weights(&self) -> Weights {
        let mut found_in = vec![0.0; self.terms()];
        for terms in self.numbers.keys() {
            for run in runs(terms) {
                found_in[run[0] as usize] += 1.0;
            }
        }
        self.weights_of(&found_in, self.count())
    }

    /// The weights of all terms among `count` things, by the number of things that have
    /// each.
    pub(crate) fn weights_of(&self, found_in: &[f32], count: usize) -> Weights {
        let all = UNSEEN + count as f32;
        let weight = |(term, found_in): (u32, &f32)| {
            let inverse = ((1.0 + all) / (1.0 + found_in)).ln();
            inverse * inverse * self.vocabulary.share(term)
        };
        Weights((0..).zip(found_in).map(weight).collect())
    }
}

/// The runs of equal terms in a sorted slice.
pub(super) fn runs(terms: &[u32]) -> impl Iterator<Item = &[u32]> {
    terms.chunk_by(|a, b| a == b)
}

/// The weight of each term: the square of its inverse frequency, so that terms in most
/// entries count for almost nothing.
pub(crate) struct Weights(Vec<f32>);

impl Weights {
    /// Returns the vector of a form with these sorted terms.
    pub(crate) fn vector(&self, terms: &[u32]) -> Vector<u32> {
        let terms = runs(terms).map(|run| (run[0], damped(run.len())));
        Vector::new(self.weighed(terms).collect())
    }

    /// Returns the weights of terms that occur this often.
    pub(crate) fn weighed(
        &self,
        terms: impl Iterator<Item = (u32, f32)>,
    ) -> impl Iterator<Item = (u32, f32)> {
        terms.map(|(term, of)| (term, of * self.0[term as usize]))
    }

    /// Multiplies the weight of each term.
    pub(crate) fn scale(&mut self, by: &[f32]) {
        for (weight, by) in self.0.iter_mut().zip(by) {
            *weight *= by;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(issues: &[&str]) -> (Forms<'static>, Vec<Option<Form>>) {
        let mut forms = Forms::new(Lexicon::embedded());
        let of = issues.iter().map(|issue| forms.add(&said(issue, "")));
        let of = of.collect();
        (forms, of)
    }

    fn said(issue: &str, correction: &str) -> FeedbackText {
        FeedbackText {
            issue: issue.to_owned(),
            correction: correction.to_owned(),
        }
    }

    #[test]
    fn the_corrections_of_a_form_are_counted_by_term() {
        let (mut forms, _) = forms(&["zebra"]);
        let lion = forms.add(&said("a zebra", "lion lion otter"));
        assert_eq!(forms.add(&said("zebras", "the otter")), lion);
        assert_eq!(forms.add(&said("", "otter")), None);
        assert_eq!((forms.count(), forms.texts(Form(0))), (1, 3));
        let counts = forms.corrections(Form(0)).values().copied();
        assert_eq!(counts.collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn a_weight_is_scaled_before_the_vector_is_normalized() {
        let (forms, _) = forms(&["zebra lion", "zebra lion otter"]);
        let mut weights = forms.weights_of(&[1.0; 3], 2);
        weights.scale(&[0.75, 1.0, 1.0]);
        let vector = weights.vector(&[0, 1]);
        let [(0, zebra), (1, lion)] = vector.terms() else {
            panic!("two terms: {vector:?}")
        };
        assert!((zebra - 0.6).abs() < 1e-6 && (lion - 0.8).abs() < 1e-6);
    }

    #[test]
    fn texts_that_differ_in_places_and_order_have_one_form() {
        let (forms, of) = forms(&[
            "Zebra of src/a/b.rs likes lions",
            "an otter",
            "the lion, 3, likes a zebra",
            "zebra zebra lion likes",
            "42 of the",
        ]);
        let expected = [Some(0), Some(1), Some(0), Some(2), None];
        assert_eq!(of, expected.map(|form| form.map(Form)));
        assert_eq!(forms.count(), 3);
        assert_eq!([0, 1, 2].map(|form| forms.texts(Form(form))), [2, 1, 1]);
    }

    #[test]
    fn a_text_is_read_up_to_its_512th_word() {
        let long = "lion ".repeat(511);
        let (_, of) = forms(&[&format!("{long} lion zebra"), &format!("{long} lion otter")]);
        assert_eq!(of[0], of[1]);
        let (_, of) = forms(&[&format!("{long} zebra"), &format!("{long} otter")]);
        assert_ne!(of[0], of[1]);
    }

    #[test]
    fn forms_are_sorted_by_frequency_and_then_by_age() {
        let (forms, _) = forms(&["zebra", "lion", "otter", "otters", "walrus"]);
        let order: Vec<u32> = forms
            .by_frequency()
            .iter()
            .map(|(form, _)| form.0)
            .collect();
        assert_eq!(order, [2, 0, 1, 3]);
    }

    #[test]
    fn a_rare_term_weighs_more() {
        let (forms, _) = forms(&["zebra lion", "zebra otter", "zebra zebra"]);
        let terms = forms.by_frequency();
        let weights = forms.weights();
        let vector = weights.vector(terms[0].1);
        let [(_, zebra), (_, lion)] = vector.terms() else {
            panic!("two terms: {vector:?}")
        };
        // ln(104 / 4) squared divided by ln(104 / 2) squared.
        assert!((zebra / lion - 0.680).abs() < 1e-3, "{}", zebra / lion);
        assert_eq!(weights.vector(terms[2].1).terms(), [(0, 1.0)]);
    }
}
