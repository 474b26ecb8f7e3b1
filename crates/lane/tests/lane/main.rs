//! Lanes of real repositories: what agents do in their checkouts, and what reaches the
//! user's branch.
#![allow(
    clippy::disallowed_methods,
    reason = "tests make the repositories that lanes are made of"
)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "clippy allows it in tests but not in their helpers"
)]

mod support;

mod calls;
mod carry;
mod checkout;
mod cut_off;
mod exchange;
mod include;
mod landing;
mod lfs;
mod merging;
mod old_git;
mod opening;
mod signing;
mod snapshots;
mod submodules;

#[test]
fn every_test_file_is_a_module() {
    let this = include_str!("main.rs");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lane");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        let is_there = this.contains(&format!("mod {module};")) || module == "main";
        assert!(is_there, "{name}");
    }
}
