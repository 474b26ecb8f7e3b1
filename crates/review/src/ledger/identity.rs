//! Assigns the items of a review to findings.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use review_text::{Issue, issue_key};
use review_types::{
    FeedbackId, FeedbackItem, Finding, FindingEvidence, FindingId, FindingPlace, FindingStatus,
    Severity,
};

use super::place::overlap;
use review_flow::hash_bytes;

/// Maximum number of findings; further items count without a finding.
const MAX_FINDINGS: usize = 2_048;
/// Maximum number of bytes of a string that a finding keeps.
const MAX_TEXT: usize = 2_048;

/// An item of a review and its place.
#[derive(Clone, Copy)]
pub(super) struct RaisedItem<'r> {
    pub(super) id: &'r FeedbackId,
    pub(super) item: &'r FeedbackItem,
    /// The words of the artifact that it quotes, as they are there.
    pub(super) quote: Option<&'r str>,
    pub(super) place: &'r FindingPlace,
}

/// Returns the positions of the findings that the items of a review belong to, and
/// adds the new ones; `None` for an item above the limit.
///
/// An item belongs to the finding that its reviewer names, if it says the same or something
/// similar, or to the one with its own words, unless both quote other words of the artifact. A similar finding is named in `similar_to` of the new one. A finding that
/// `is_waived` is taken only at its own place: a waiver is for what was shown.
pub(super) fn find_or_add(
    findings: &mut Vec<Finding>,
    items: &[RaisedItem<'_>],
    is_waived: impl Fn(&Finding) -> bool,
    usual: Severity,
) -> Vec<Option<usize>> {
    let distinct = distinct(items);
    let mut matching = Matcher::new(findings, &distinct, is_waived);
    matching.take_named();
    matching.take_equal();
    matching.find_similar();
    let similar = distinct.iter().map(item_texts).zip(matching.similar);
    let similar: HashMap<_, _> = similar
        .filter_map(|(texts, at)| Some((texts, at?)))
        .collect();
    let taken = distinct.iter().map(item_texts).zip(matching.taken);
    let mut at: HashMap<_, _> = taken.filter_map(|(texts, at)| Some((texts, at?))).collect();
    let mut ids = Ids::of(
        findings,
        distinct
            .iter()
            .filter(|item| !at.contains_key(&item_texts(item))),
    );
    let mut positions = Vec::with_capacity(items.len());
    for raising in items {
        let mut position = at.get(&item_texts(raising)).copied();
        if position.is_none() && findings.len() < MAX_FINDINGS {
            position = Some(findings.len());
            let earlier = similar.get(&item_texts(raising)).map(|at| &findings[*at]);
            findings.push(new(ids.take(raising), raising, usual, earlier));
        }
        if let Some(position) = position {
            at.insert(item_texts(raising), position);
        }
        positions.push(position);
    }
    positions
}

/// Returns the items without those that say the same as an earlier one, in an order
/// that does not depend on theirs.
fn distinct<'r>(items: &[RaisedItem<'r>]) -> Vec<RaisedItem<'r>> {
    let distinct: BTreeMap<_, _> = items.iter().map(|item| (item_texts(item), *item)).collect();
    distinct.into_values().collect()
}

/// Returns the strings of an item.
fn item_texts<'r>(raising: &RaisedItem<'r>) -> [&'r str; 3] {
    let item = raising.item;
    [item.section(), item.issue(), item.suggestion()]
}

/// Returns a new finding; `earlier` is the one that it resembles, so that it is raised again.
fn new(
    id: FindingId,
    raising: &RaisedItem<'_>,
    usual: Severity,
    earlier: Option<&Finding>,
) -> Finding {
    let RaisedItem { item, place, .. } = raising;
    let was_fixed = |earlier: &Finding| {
        earlier.status == FindingStatus::Fixed && earlier.place.text == place.text
    };
    Finding {
        id,
        similar_to: earlier.map(|earlier| earlier.id.clone()),
        status: FindingStatus::Open,
        out_of_scope: false,
        below_fail_level: false,
        evidence: FindingEvidence::default(),
        quote: None,
        changed_at_place: None,
        section: String::new(),
        place: (*place).clone(),
        issue: shortened(item.issue()),
        suggestion: String::new(),
        severity: item.severity().unwrap_or(usual),
        raised: earlier.map_or_else(Vec::new, |earlier| earlier.raised.clone()),
        repeats: earlier.map_or(0, |earlier| earlier.repeats + u32::from(was_fixed(earlier))),
        feedback: Vec::new(),
        history: Vec::new(),
    }
}

/// Items and the findings that they may belong to.
struct Matcher<'m, 'r> {
    findings: &'m [Finding],
    is_waived: Vec<bool>,
    items: &'m [RaisedItem<'r>],
    /// The finding of each item, where it is known.
    taken: Vec<Option<usize>>,
    /// The finding that each other item resembles.
    similar: Vec<Option<usize>>,
    /// Whether a finding belongs to no item yet.
    is_free: Vec<bool>,
}

/// How alike an item and a finding can be.
const MOST_ALIKE: usize = 4;

/// Returns how alike an item and a finding are whose issues differ in blanks at most: not at
/// all at another place, and more with each of issue, suggestion and section that is equal.
fn likeness(raising: &RaisedItem<'_>, finding: &Finding) -> usize {
    let RaisedItem { item, place, .. } = raising;
    if (&finding.place.path, &finding.place.headings) != (&place.path, &place.headings) {
        return 0;
    }
    let texts = [
        (item.issue(), &finding.issue),
        (item.suggestion(), &finding.suggestion),
        (item.section(), &finding.section),
    ];
    let equal = texts
        .iter()
        .take_while(|(text, known)| kept(text) == *known);
    1 + equal.count()
}

impl<'m, 'r> Matcher<'m, 'r> {
    fn new(
        findings: &'m [Finding],
        items: &'m [RaisedItem<'r>],
        is_waived: impl Fn(&Finding) -> bool,
    ) -> Self {
        Self {
            is_waived: findings.iter().map(is_waived).collect(),
            taken: vec![None; items.len()],
            similar: vec![None; items.len()],
            is_free: vec![true; findings.len()],
            findings,
            items,
        }
    }

    fn take(&mut self, item: usize, finding: usize) {
        self.taken[item] = Some(finding);
        self.is_free[finding] = false;
    }

    /// Returns the positions of the items without a finding.
    fn left(&self) -> Vec<usize> {
        let items = 0..self.items.len();
        items.filter(|item| self.taken[*item].is_none()).collect()
    }

    /// Returns whether an item may belong to a finding with the same words: a waived
    /// finding only at its own place.
    fn may_take(&self, item: usize, finding: usize) -> bool {
        let RaisedItem {
            item, quote, place, ..
        } = self.items[item];
        let of = &self.findings[finding];
        let as_shown = || {
            let is_there = (&of.place.path, &of.place.headings) == (&place.path, &place.headings);
            is_there && numbers(&of.section).eq(numbers(item.section()))
        };
        let quotes = of.quote.as_deref().zip(quote);
        let quotes_other = quotes.is_some_and(|(known, quoted)| known != quoted);
        // Of a longer one the end is not known.
        let is_known_whole = item.issue().len() <= MAX_TEXT;
        self.is_free[finding]
            && overlap(&of.place, place)
            && !quotes_other
            && (!self.is_waived[finding] || is_known_whole && as_shown())
    }

    /// Assigns the findings whose ids items carry.
    fn take_named(&mut self) {
        for at in 0..self.items.len() {
            let RaisedItem { id, item, .. } = self.items[at];
            let mut known = self.findings.iter();
            let named = known.position(|finding| finding.id.as_str() == id.as_str());
            let named = named.filter(|finding| {
                self.is_free[*finding] && is_alike(item.issue(), &self.findings[*finding].issue)
            });
            if let Some(finding) = named {
                self.take(at, finding);
            }
        }
    }

    /// Assigns the findings that have the words of an item, the most alike first.
    fn take_equal(&mut self) {
        let mut known: HashMap<_, Vec<usize>> = HashMap::new();
        for (at, finding) in self.findings.iter().enumerate() {
            known.entry(issue_key(&finding.issue)).or_default().push(at);
        }
        let items = self.items.iter();
        let keys: Vec<_> = items
            .map(|raising| issue_key(kept(raising.item.issue())))
            .collect();
        for least in (0..=MOST_ALIKE).rev() {
            for at in self.left() {
                let mut same = known.get(&keys[at]).into_iter().flatten().copied();
                let found = same.find(|finding| {
                    likeness(&self.items[at], &self.findings[*finding]) >= least
                        && self.may_take(at, *finding)
                });
                if let Some(finding) = found {
                    self.take(at, finding);
                }
            }
        }
    }

    /// Finds the finding that each item without one resembles: the most similar first, at
    /// the same place first, and each for one item alone.
    fn find_similar(&mut self) {
        let left = self.left();
        let is_open =
            |at: &usize| self.is_free[*at] && self.findings[*at].status != FindingStatus::Reworded;
        let open: Vec<_> = (0..self.findings.len()).filter(is_open).collect();
        if left.is_empty() || open.is_empty() {
            return;
        }
        let mut by_term: HashMap<String, Vec<usize>> = HashMap::new();
        let issues = open.iter().map(|at| Issue::of(&self.findings[*at].issue));
        let issues: Vec<_> = issues.collect();
        for (known, issue) in issues.iter().enumerate() {
            for term in issue.terms() {
                by_term.entry(term.to_owned()).or_default().push(known);
            }
        }
        let mut near = Vec::new();
        for at in left {
            let RaisedItem { item, place, .. } = self.items[at];
            let issue = Issue::of(kept(item.issue()));
            let sharing = issue.terms().filter_map(|term| by_term.get(term)).flatten();
            let sharing: BTreeSet<_> = sharing.copied().collect();
            for known in sharing {
                let finding = open[known];
                let known_place = &self.findings[finding].place;
                if overlap(known_place, place)
                    && let Some(similarity) = issue.similarity(&issues[known])
                {
                    let is_there = known_place.headings == place.headings;
                    near.push((is_there, similarity, finding, at));
                }
            }
        }
        near.sort_by(|a, b| {
            let nearest = b.0.cmp(&a.0).then(b.1.total_cmp(&a.1));
            nearest.then((a.2, a.3).cmp(&(b.2, b.3)))
        });
        for (_, _, finding, at) in near {
            if self.similar[at].is_none() && self.is_free[finding] {
                self.similar[at] = Some(finding);
                self.is_free[finding] = false;
            }
        }
    }
}

/// Returns whether two issues are equal or similar.
fn is_alike(one: &str, other: &str) -> bool {
    issue_key(one) == issue_key(other) || Issue::of(one).similarity(&Issue::of(other)).is_some()
}

/// Returns the numbers in the name of a section, like those of lines.
fn numbers(section: &str) -> impl Iterator<Item = &str> {
    let parts = section.split(|c: char| !c.is_ascii_digit());
    parts.filter(|part| !part.is_empty())
}

/// The ids of findings, all different.
struct Ids {
    known: HashSet<FindingId>,
    /// The number of new findings whose id is derived from their words alone.
    claims: HashMap<FindingId, usize>,
}

impl Ids {
    /// Returns the ids of the known findings, ready for new ones.
    fn of<'i, 'r: 'i>(findings: &[Finding], new: impl Iterator<Item = &'i RaisedItem<'r>>) -> Self {
        let mut claims = HashMap::new();
        for raising in new {
            *claims.entry(by_words(raising)).or_default() += 1;
        }
        let known = findings.iter().map(|finding| finding.id.clone());
        Self {
            known: known.collect(),
            claims,
        }
    }

    /// Returns the id of a new finding: from its words, unless another finding has them too.
    fn take(&mut self, raising: &RaisedItem<'_>) -> FindingId {
        let own = by_words(raising);
        let is_only = self.claims.get(&own).is_none_or(|claims| *claims == 1);
        let mut id = if is_only { own } else { by_all(raising, 0) };
        let mut tried = 0;
        while !self.known.insert(id.clone()) {
            tried += 1;
            id = by_all(raising, tried);
        }
        id
    }
}

/// Returns a hash of the place of an item and the words of its issue.
fn by_words(raising: &RaisedItem<'_>) -> FindingId {
    let words = issue_key(raising.item.issue());
    let lines = numbers(raising.item.section()).chain([""]);
    let texts: Vec<_> = lines.chain([words.as_str()]).collect();
    id_of(raising.place, &texts)
}

/// Returns a hash of the place of an item and everything that it says.
fn by_all(raising: &RaisedItem<'_>, tried: usize) -> FindingId {
    let [section, issue, suggestion] = item_texts(raising);
    id_of(
        raising.place,
        &[section, issue, suggestion, &tried.to_string()],
    )
}

fn id_of(place: &FindingPlace, texts: &[&str]) -> FindingId {
    let path = place.path.as_deref().unwrap_or_default();
    let headings = place.headings.iter().map(String::as_str);
    let parts = std::iter::once(path).chain(headings).chain([""]);
    let parts = parts.chain(texts.iter().copied());
    let parts: Vec<_> = parts.map(|part| format!("{}:{part}", part.len())).collect();
    FindingId::of(&hash_bytes(parts.concat().as_bytes()))
}

/// Returns the start of `text`, up to the number of bytes that a finding keeps.
fn kept(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT)]
}

pub(super) fn shortened(text: &str) -> String {
    kept(text).to_owned()
}
