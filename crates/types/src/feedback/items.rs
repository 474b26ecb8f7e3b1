//! Items of feedback with unique ids.

use std::collections::BTreeSet;

use super::{FeedbackId, FeedbackItem};

/// Items of feedback with unique ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeedbackItems(Vec<FeedbackItem>);

impl FeedbackItems {
    /// Gives an id to each item without one, derived from its section and its
    /// number. Of several items with the same id the first one keeps it.
    ///
    /// ```
    /// use review_types::{FeedbackItem, FeedbackItems};
    ///
    /// let items = FeedbackItems::numbered(vec![
    ///     FeedbackItem::new("Goals", "No goal has a number", "Give each goal a number")?,
    ///     FeedbackItem::new("Limits", "No limit is given", "Name the largest input")?,
    /// ]);
    /// let ids: Vec<_> = items.iter().map(|(id, _)| id.as_str()).collect();
    /// assert_eq!(ids, ["goals-01", "limits-02"]);
    /// # Ok::<(), review_types::BlankField>(())
    /// ```
    #[must_use]
    pub fn numbered(mut items: Vec<FeedbackItem>) -> Self {
        let mut taken: BTreeSet<FeedbackId> = BTreeSet::new();
        let has_own: Vec<bool> = items
            .iter()
            .map(|item| item.id().is_some_and(|id| taken.insert(id.clone())))
            .collect();
        // Counts up over all items, so that the ids of the first items do not
        // depend on later items without an id.
        let mut free = 0;
        for (index, (item, has_own)) in items.iter_mut().zip(has_own).enumerate() {
            if has_own {
                continue;
            }
            let mut id = FeedbackId::numbered(item.section(), index + 1);
            while !taken.insert(id.clone()) {
                free += 1;
                id = FeedbackId::numbered(item.section(), free);
            }
            *item = item.clone().with_id(id);
        }
        Self(items)
    }

    /// Returns the items in order, each with its id.
    pub fn iter(&self) -> impl Iterator<Item = (&FeedbackId, &FeedbackItem)> + Clone {
        self.0.iter().filter_map(|item| Some((item.id()?, item)))
    }

    /// Removes the items for which `is_kept` returns false.
    #[must_use]
    pub fn retained(mut self, mut is_kept: impl FnMut(&FeedbackId) -> bool) -> Self {
        self.0.retain(|item| item.id().is_some_and(&mut is_kept));
        self
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the items in order.
    pub fn as_slice(&self) -> &[FeedbackItem] {
        &self.0
    }
}

impl From<FeedbackItems> for Vec<FeedbackItem> {
    fn from(items: FeedbackItems) -> Self {
        items.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_keep_their_own_ids_and_others_get_one() {
        let item = |issue: &str| FeedbackItem::new("Goals", issue, "do it").unwrap();
        let with_id = |issue: &str, id: &str| item(issue).with_id(FeedbackId::new(id).unwrap());
        let items = [
            item("new"),
            with_id("a", "goals-03"),
            item("newer"),
            with_id("b", "x"),
            with_id("c", "x"),
            item("d"),
        ];
        let numbered = FeedbackItems::numbered(items.to_vec());
        let ids: Vec<_> = numbered.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(
            ids,
            [
                "goals-01", "goals-03", "goals-02", "x", "goals-05", "goals-06"
            ]
        );
        let same = numbered.as_slice().iter().zip(&items);
        assert!(
            same.into_iter()
                .all(|(one, other)| one.says_the_same(other))
        );
        let fewer = FeedbackItems::numbered(items[..3].to_vec());
        assert_eq!(fewer.as_slice(), &numbered.as_slice()[..3]);
        let kept = numbered.retained(|id| id.as_str() != "x");
        assert_eq!(kept.len(), 5);
        assert!(!kept.is_empty());
    }
}
