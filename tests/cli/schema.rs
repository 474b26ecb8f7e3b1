//! `ralph schema`.

use crate::support::TestEnvironment;

#[test]
fn every_format_that_is_listed_has_a_schema() {
    let environment = TestEnvironment::new();
    let list = environment.ralph(["schema"]).exits(0).stdout;
    let names: Vec<_> = list
        .lines()
        .map(|line| line.split_whitespace().next().unwrap())
        .collect();
    for name in [
        "verdict", "review", "task", "plan", "config", "event", "journal", "lint",
    ] {
        assert!(names.contains(&name), "{name}: {list}");
    }
    for name in names {
        let schema = environment.ralph(["schema", name]).exits(0).json();
        let draft = "https://json-schema.org/draft/2020-12/schema";
        assert_eq!(schema["$schema"], draft, "{name}");
        assert!(schema["properties"].is_object(), "{name}: {schema}");
    }
}

#[test]
fn an_unknown_format_leads_to_a_near_one() {
    let environment = TestEnvironment::new();
    let unknown = environment.ralph(["schema", "verdit"]).exits(2);
    assert_eq!(
        unknown.stderr,
        "error: unknown format \"verdit\"\n  hint: `ralph schema` lists the formats\n"
    );
}
