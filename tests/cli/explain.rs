//! `ralph explain`.

use crate::support::TestEnvironment;

#[test]
fn a_code_is_explained_and_an_unknown_word_leads_to_near_ones() {
    let environment = TestEnvironment::new();
    let explain = |word: &str| environment.ralph(["explain", word]);
    let rule = explain("B3").exits(0).stdout;
    assert!(rule.starts_with("B3 filter-selects-nothing\n"), "{rule}");
    let group = explain("block-codes").exits(0).stdout;
    assert!(group.contains("\nno_change\nBlock codes\n"), "{group}");
    let all = environment.ralph(["explain"]).exits(0).stdout;
    assert!(all.starts_with("Rules\n"), "{all}");
    assert_eq!(
        explain("no_chnage").exits(2).stderr,
        "error: nothing is called \"no_chnage\"\n  hint: did you mean no_change?\n"
    );
    assert_eq!(
        explain("xyzzy").exits(2).stderr,
        "error: nothing is called \"xyzzy\"\n  hint: `ralph explain` lists what there is\n"
    );
}
