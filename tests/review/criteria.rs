//! Task 3: the criteria.

use review::criteria::Criteria;
use review::types::{ConfigError, CriterionName, Score, Scores};

use crate::support::scores;

#[test]
fn default_criteria_count() {
    assert_eq!(Criteria::default().iter().count(), 4);
}

#[test]
fn default_criteria_names() {
    let criteria = Criteria::default();
    let names: Vec<_> = criteria.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(
        names,
        ["completeness", "consistency", "testability", "architecture"]
    );
}

#[test]
fn default_criteria_min_scores() {
    let minimums: Vec<_> = Criteria::default()
        .iter()
        .map(|c| c.min_score.get())
        .collect();
    assert_eq!(minimums, [70; 4]);
}

#[test]
fn get_criterion_found() {
    let criteria = Criteria::default();
    let criterion = criteria.get("testability").unwrap();
    assert_eq!(
        criterion.description,
        "Backpressure commands are specific and executable"
    );
    assert_eq!(criterion.min_score.get(), 70);
}

#[test]
fn get_criterion_not_found() {
    assert_eq!(Criteria::default().get("Testability"), None);
    assert_eq!(Criteria::default().get("beauty"), None);
}

#[test]
fn criteria_names() {
    let names: Vec<_> = Criteria::default()
        .names()
        .into_iter()
        .map(String::from)
        .collect();
    assert_eq!(
        names,
        ["completeness", "consistency", "testability", "architecture"]
    );
}

#[test]
fn is_passing_all_pass() {
    assert!(Criteria::default().is_passing(&scores([90, 85, 95, 80])));
}

#[test]
fn is_passing_one_fails() {
    assert!(!Criteria::default().is_passing(&scores([90, 65, 95, 80])));
}

#[test]
fn is_passing_boundary_score() {
    assert!(Criteria::default().is_passing(&scores([70; 4])));
    assert!(!Criteria::default().is_passing(&scores([70, 70, 70, 69])));
}

#[test]
fn a_missing_score_fails_and_an_extra_one_does_not_count() {
    let three: Scores = scores([90; 4])
        .iter()
        .filter(|(name, _)| name.as_str() != "architecture")
        .map(|(name, score)| (name.clone(), score))
        .collect();
    assert!(!Criteria::default().is_passing(&three));
    let mut five = scores([90; 4]);
    five.insert(
        CriterionName::new("beauty").unwrap(),
        Score::new(0).unwrap(),
    );
    assert!(Criteria::default().is_passing(&five));
}

#[test]
fn criteria_below_their_minimum_are_listed_in_order() {
    let mut low = scores([10, 90, 69, 90]);
    let extra = CriterionName::new("beauty").unwrap();
    low.insert(extra, Score::new(1).unwrap());
    let below: Vec<_> = Criteria::default()
        .below_minimum(&low)
        .into_iter()
        .map(|below| (below.criterion.to_string(), below.score.map(Score::get)))
        .collect();
    assert_eq!(
        below,
        [
            ("completeness".to_owned(), Some(10)),
            ("testability".to_owned(), Some(69))
        ]
    );
}

#[test]
fn criteria_are_never_empty_and_have_unique_names() {
    assert_eq!(Criteria::new(Vec::new()), Err(ConfigError::NoCriteria));
    let mut twice = Vec::from(Criteria::default());
    twice.push(twice[2].clone());
    let name = twice[2].name.clone();
    assert_eq!(Criteria::new(twice), Err(ConfigError::CriterionTwice(name)));
}

#[test]
fn criteria_are_iterated_in_order_and_returned_as_a_list() {
    let criteria = Criteria::default();
    let walked: Vec<_> = criteria.iter().cloned().collect();
    assert_eq!(walked, Vec::from(criteria));
}
