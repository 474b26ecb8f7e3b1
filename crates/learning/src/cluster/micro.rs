//! Forms grouped around leaders.

use std::collections::BTreeMap;

use review_text::{Leaders, Vector};

use super::Forms;
use super::form::Weights;

/// The minimum similarity of a form to its leader; the later values are tried when
/// there are too many leaders.
const NEAR: [f32; 4] = [0.4, 0.3, 0.2, 0.1];
/// The maximum number of groups that are joined: the cost grows with its square.
const MAX_GROUPS: usize = 4_000;

/// The forms around one leader.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// The number of texts.
    pub(super) size: u64,
    /// The sum of their vectors.
    pub(super) sum: BTreeMap<u32, f32>,
}

impl Group {
    fn add(&mut self, vector: &Vector<u32>, texts: u32) {
        self.size += u64::from(texts);
        for (term, weight) in vector.terms() {
            *self.sum.entry(*term).or_default() += weight * texts as f32;
        }
    }
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

/// Groups forms around leaders, the most frequent forms first.
pub(super) fn gathered(forms: &Forms<'_>) -> Micro {
    let weights = forms.weights();
    let (first, further) = NEAR.split_first().unwrap_or((&0.0, &[]));
    let mut micro = around(forms, &weights, *first);
    for near in further {
        if micro.is_whole {
            break;
        }
        micro = around(forms, &weights, *near);
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
        micro.groups[group].add(&vector, forms.texts(form));
        micro.of_form[form.index()] = Some(group);
    }
    micro
}

#[cfg(test)]
mod tests {
    use review_text::Lexicon;

    use super::*;

    /// Returns words that have nothing in common.
    fn word(number: usize) -> String {
        let digits = [8_000, 400, 20, 1].map(|part| char::from(b'a' + (number / part % 20) as u8));
        format!("q{}x", String::from_iter(digits))
    }

    #[test]
    fn the_vectors_around_a_leader_are_summed() {
        let mut forms = Forms::new(Lexicon::embedded());
        let said = ["lion zebra", "zebra lion", "lion zebra otter", "walrus"];
        let of: Vec<_> = said.iter().filter_map(|text| forms.add(text)).collect();
        let micro = gathered(&forms);
        let groups: Vec<_> = of.iter().map(|form| micro.of_form[form.index()]).collect();
        assert_eq!(groups, [Some(0), Some(0), Some(0), Some(1)]);
        let sizes: Vec<u64> = micro.groups.iter().map(|group| group.size).collect();
        assert_eq!(sizes, [3, 1]);
        let weights = forms.weights();
        let terms = forms.by_frequency();
        let (pair, triple) = (weights.vector(terms[0].1), weights.vector(terms[1].1));
        let sum = 2.0 * pair.terms()[0].1 + triple.terms()[0].1;
        assert!((micro.groups[0].sum[&0] - sum).abs() < 1e-6);
        assert_eq!(
            micro.groups[1].sum.values().copied().collect::<Vec<_>>(),
            [1.0]
        );
    }

    #[test]
    fn with_too_many_groups_less_similar_texts_are_grouped() {
        let mut forms = Forms::new(Lexicon::embedded());
        for number in 0..MAX_GROUPS + 100 {
            // Two texts share one of three words: a similarity of a third.
            let (first, second) = (word(2 * number), word(2 * number + 1));
            forms.add(&format!("{} {first} {second}", word(20_000 + number / 2)));
        }
        let micro = gathered(&forms);
        assert!(micro.is_whole);
        assert_eq!(micro.groups.len(), MAX_GROUPS / 2 + 50);
    }

    #[test]
    fn with_too_many_groups_a_form_without_neighbours_is_left_out() {
        let mut forms = Forms::new(Lexicon::embedded());
        for number in 0..MAX_GROUPS + 2 {
            forms.add(&word(number));
        }
        let micro = gathered(&forms);
        assert_eq!(micro.groups.len(), MAX_GROUPS);
        assert_eq!(micro.of_form[MAX_GROUPS - 1], Some(MAX_GROUPS - 1));
        assert_eq!(micro.of_form[MAX_GROUPS..], [None, None]);
    }
}
