//! Forms of the same issue, grouped around leaders.

use std::collections::BTreeMap;

use review_text::{Leaders, SAME_ISSUE};

use super::form::{Weights, runs};
use super::{Form, Forms};

/// The minimum similarity of a form to its leader; the later values are tried when
/// there are too many leaders.
const NEAR: [f32; 5] = [SAME_ISSUE, 0.4, 0.3, 0.2, 0.1];
/// The maximum number of groups that are joined: the cost grows with its square.
const MAX_GROUPS: usize = 4_000;
/// How often the weights of terms follow from the groups before the last grouping.
const ROUNDS: usize = 2;
/// The number of pairs of entries that are assumed to share a term before any is seen.
const PRIOR: f32 = 4.0;

/// The entries about one issue.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// The number of entries.
    pub(super) size: u64,
    /// The number of entries whose issue has each term.
    pub(super) issue: BTreeMap<u32, u64>,
    /// The number of entries whose correction has each term.
    pub(super) correction: BTreeMap<u32, u64>,
}

/// All forms, grouped around leaders.
#[derive(Debug, Default)]
pub(super) struct Micro {
    pub(super) groups: Vec<Group>,
    /// The group of each form; `None` if there were too many groups.
    pub(super) of_form: Vec<Option<usize>>,
    /// Whether each form has a group.
    is_whole: bool,
}

/// A group as it is compared with others: the terms with which its entries describe the
/// issue and correct it, sorted, with their weights.
pub(super) struct Profile {
    pub(super) issue: Vec<(u32, f32)>,
    /// Empty if no entry of the group has a correction.
    pub(super) correction: Vec<(u32, f32)>,
}

/// Groups forms around leaders, the most frequent forms first. A term counts as much as
/// the entries of one group share it: names and phrases that vary between the mentions of
/// an issue separate nothing.
pub(super) fn gathered(forms: &Forms<'_>) -> Micro {
    let mut weights = forms.weights();
    for _ in 0..ROUNDS {
        let micro = around_some(forms, &weights);
        weights = forms.weights();
        weights.scale(&micro.shared(forms.terms()));
    }
    around_some(forms, &weights)
}

/// Groups forms around leaders; less similar ones where there are too many groups.
fn around_some(forms: &Forms<'_>, weights: &Weights) -> Micro {
    let (first, further) = NEAR.split_first().unwrap_or((&0.0, &[]));
    let mut micro = around(forms, weights, *first);
    for near in further {
        if micro.is_whole {
            break;
        }
        micro = around(forms, weights, *near);
    }
    micro
}

fn around(forms: &Forms<'_>, weights: &Weights, near: f32) -> Micro {
    let mut leaders = Leaders::new(near);
    let mut micro = Micro {
        groups: Vec::new(),
        of_form: vec![None; forms.count()],
        is_whole: true,
    };
    for (form, terms) in forms.by_frequency() {
        let vector = weights.vector(terms);
        let group = match leaders.nearest(&vector, |_| true) {
            Some(group) => group,
            None if leaders.count() == MAX_GROUPS => {
                micro.is_whole = false;
                continue;
            }
            None => {
                micro.groups.push(Group::default());
                leaders.push(&vector)
            }
        };
        micro.groups[group].add(forms, form, terms);
        micro.of_form[form.index()] = Some(group);
    }
    micro
}

impl Group {
    fn add(&mut self, forms: &Forms<'_>, form: Form, terms: &[u32]) {
        let texts = u64::from(forms.texts(form));
        self.size += texts;
        for term in runs(terms) {
            *self.issue.entry(term[0]).or_default() += texts;
        }
        for (term, count) in forms.corrections(form) {
            *self.correction.entry(*term).or_default() += u64::from(*count);
        }
    }

    /// The share of the entries whose issue has each term.
    fn issue_shares(&self) -> impl Iterator<Item = (u32, f32)> {
        let size = self.size as f32;
        let issue = self.issue.iter();
        issue.map(move |(term, count)| (*term, *count as f32 / size))
    }

    /// The number of entries whose correction has each term, in proportion to the most
    /// frequent one.
    fn correction_shares(&self) -> impl Iterator<Item = (u32, f32)> {
        let most = self.correction.values().max().copied().unwrap_or(1) as f32;
        let correction = self.correction.iter();
        correction.map(move |(term, count)| (*term, *count as f32 / most))
    }
}

impl Micro {
    /// Returns, for each of `count` terms, the probability that another entry of the
    /// group has a term that an entry has: near 1 until enough entries tell.
    fn shared(&self, count: usize) -> Vec<f32> {
        let mut both = vec![PRIOR; count];
        let mut all = vec![PRIOR; count];
        for group in &self.groups {
            for (term, texts) in &group.issue {
                both[*term as usize] += (texts * (texts - 1)) as f32;
                all[*term as usize] += (texts * (group.size - 1)) as f32;
            }
        }
        both.iter()
            .zip(&all)
            .map(|(both, all)| both / all)
            .collect()
    }

    /// The profile of each group. Its terms weigh the more the fewer groups have them, and
    /// those of the issue also the more the entries of one group share them.
    pub(super) fn profiles(&self, forms: &Forms<'_>) -> Vec<Profile> {
        let mut issues = self.weights(forms, Group::issue_shares);
        issues.scale(&self.shared(forms.terms()));
        let corrections = self.weights(forms, Group::correction_shares);
        let groups = self.groups.iter();
        groups
            .map(|group| Profile {
                issue: issues.weighed(group.issue_shares()).collect(),
                correction: corrections.weighed(group.correction_shares()).collect(),
            })
            .collect()
    }

    fn weights<'a, S: Iterator<Item = (u32, f32)>>(
        &'a self,
        forms: &Forms<'_>,
        shares: impl Fn(&'a Group) -> S,
    ) -> Weights {
        let mut found_in = vec![0.0; forms.terms()];
        for (term, share) in self.groups.iter().flat_map(shares) {
            found_in[term as usize] += share;
        }
        forms.weights_of(&found_in, self.groups.len())
    }
}

#[cfg(test)]
mod tests {
    use review_text::Lexicon;

    use super::*;
    use crate::cluster::FeedbackText;

    /// Returns words that have nothing in common.
    fn word(number: usize) -> String {
        let digits = [8_000, 400, 20, 1].map(|part| char::from(b'a' + (number / part % 20) as u8));
        format!("q{}x", String::from_iter(digits))
    }

    fn add(forms: &mut Forms<'_>, issue: &str, correction: &str) -> Option<Form> {
        forms.add(&FeedbackText {
            issue: issue.to_owned(),
            correction: correction.to_owned(),
        })
    }

    #[test]
    fn the_texts_around_a_leader_are_counted_by_term() {
        let mut forms = Forms::new(Lexicon::embedded());
        let said = [
            ("lion zebra", "walrus"),
            ("zebra lion", ""),
            ("lion zebra otter", "walrus"),
            ("walrus", ""),
        ];
        let of: Vec<_> = said
            .iter()
            .filter_map(|(issue, correction)| add(&mut forms, issue, correction))
            .collect();
        let micro = gathered(&forms);
        let groups: Vec<_> = of.iter().map(|form| micro.of_form[form.index()]).collect();
        assert_eq!(groups, [Some(0), Some(0), Some(0), Some(1)]);
        let sizes: Vec<u64> = micro.groups.iter().map(|group| group.size).collect();
        assert_eq!(sizes, [3, 1]);
        // Lion, zebra, walrus and otter, in the order in which they were read.
        let counts = |of: &BTreeMap<u32, u64>| of.clone().into_iter().collect::<Vec<_>>();
        assert_eq!(counts(&micro.groups[0].issue), [(0, 3), (1, 3), (3, 1)]);
        assert_eq!(counts(&micro.groups[0].correction), [(2, 2)]);
        assert_eq!(counts(&micro.groups[1].correction), []);
    }

    #[test]
    fn a_term_that_varies_within_an_issue_counts_less() {
        let mut forms = Forms::new(Lexicon::embedded());
        for animal in ["otter", "walrus", "tapir", "giraffe"] {
            add(&mut forms, &format!("lion zebra {animal}"), "");
        }
        let micro = around(&forms, &forms.weights(), 0.1);
        assert_eq!(micro.groups.len(), 1);
        let shared = micro.shared(forms.terms());
        // All twelve pairs share the lion; no pair of three shares the otter.
        let expected = [1.0, 1.0, 4.0 / 7.0, 4.0 / 7.0, 4.0 / 7.0, 4.0 / 7.0];
        for (found, expected) in shared.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{shared:?}");
        }
    }

    #[test]
    fn with_too_many_groups_less_similar_texts_are_grouped() {
        let mut forms = Forms::new(Lexicon::embedded());
        for number in 0..MAX_GROUPS + 100 {
            // Two texts share one of three words: a similarity of a third.
            let (first, second) = (word(2 * number), word(2 * number + 1));
            let issue = format!("{} {first} {second}", word(20_000 + number / 2));
            add(&mut forms, &issue, "");
        }
        let micro = gathered(&forms);
        assert!(micro.is_whole);
        assert_eq!(micro.groups.len(), MAX_GROUPS / 2 + 50);
    }

    #[test]
    fn with_too_many_groups_a_form_without_neighbours_is_left_out() {
        let mut forms = Forms::new(Lexicon::embedded());
        for number in 0..MAX_GROUPS + 2 {
            add(&mut forms, &word(number), "");
        }
        let micro = gathered(&forms);
        assert_eq!(micro.groups.len(), MAX_GROUPS);
        assert_eq!(micro.of_form[MAX_GROUPS - 1], Some(MAX_GROUPS - 1));
        assert_eq!(micro.of_form[MAX_GROUPS..], [None, None]);
    }
}
