//! The page of the documentation that lists the keys is the one that the code
//! would write.

use crate::keys::KEYS;

const PAGE: &str = include_str!("../../../docs/reference/configuration.md");
const BEGIN: &str = "<!-- keys: begin -->\n";
const END: &str = "<!-- keys: end -->";

fn table() -> String {
    let mut table =
        String::from("| key | value | default | option | meaning |\n|---|---|---|---|---|\n");
    for key in KEYS {
        let default = match (key.default)() {
            serde_json::Value::Array(items) if items.len() > 1 => {
                let names = items.iter().filter_map(|item| item["name"].as_str());
                names.collect::<Vec<_>>().join(", ")
            }
            other => format!("`{other}`"),
        };
        let flag = key.flag.map(|flag| format!("`{flag}`")).unwrap_or_default();
        let (name, expected, doc) = (key.name, key.expected(), key.doc.trim());
        table.push_str(&format!(
            "| `{name}` | {expected} | {default} | {flag} | {doc} |\n"
        ));
    }
    table
}

#[test]
fn the_page_lists_every_key_as_the_code_has_it() {
    let (_, rest) = PAGE.split_once(BEGIN).unwrap();
    let (written, _) = rest.split_once(END).unwrap();
    assert_eq!(
        written,
        table(),
        "docs/reference/configuration.md must hold this table:\n{}",
        table()
    );
}
