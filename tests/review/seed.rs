//! Ids that derive from the seed of a run.

use review::flow::Seed;
use review::flow::{StepName, session_id, step_id};

use crate::support::SEED;

fn step(name: &str) -> StepName {
    StepName::new("review", 0, name)
}

fn ids() -> Vec<String> {
    let steps = ["review-1.1", "review-1.2", "apply-1"].map(step);
    let nonces = steps
        .iter()
        .flat_map(|step| ["artifact", "review_id"].map(|purpose| step_id(&SEED, step, purpose)));
    let sessions = [1, 2, 3].map(|attempt| session_id(&SEED, &steps[0], attempt, "session"));
    nonces.chain(sessions).collect()
}

#[test]
fn an_id_is_a_version_4_uuid_in_lower_case() {
    for id in ids() {
        let parts: Vec<_> = id.split('-').collect();
        let lengths: Vec<_> = parts.iter().map(|part| part.len()).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12], "{id}");
        assert!(parts[2].starts_with('4'), "{id}");
        assert!(parts[3].starts_with(['8', '9', 'a', 'b']), "{id}");
        let is_hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c) || c == '-';
        assert!(id.chars().all(is_hex), "{id}");
    }
}

#[test]
fn an_id_depends_only_on_seed_step_purpose_and_attempt() {
    let mut all = ids();
    assert_eq!(all, ids());
    let other = Seed::from_bytes([8; 32]);
    all.push(step_id(&other, &step("review-1.1"), "artifact"));
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), count);
}

#[test]
fn all_free_bits_of_an_id_are_used() {
    let many: Vec<_> = (0..64)
        .map(|round| step_id(&SEED, &step(&format!("review-{round}.1")), "artifact"))
        .collect();
    for (at, fixed) in [(15, false), (14, true), (20, false)] {
        let mut found: Vec<_> = many.iter().map(|id| id.as_bytes()[at]).collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len() == 1, fixed, "at {at}");
    }
    let variants: Vec<_> = many.iter().map(|id| id.as_bytes()[19]).collect();
    assert!(b"89ab".iter().all(|variant| variants.contains(variant)));
}
