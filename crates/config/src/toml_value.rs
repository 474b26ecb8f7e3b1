//! A TOML table as JSON, with the places of its values.

use std::ops::Range;

use serde_json::{Map, Number, Value as Json};
use toml::de::DeValue;

/// The JSON value of a TOML value; `None` where JSON has none of the same type: for dates
/// and times, `nan`, `inf`, and integers beyond 64 bits.
pub(crate) fn as_json(value: &DeValue<'_>) -> Option<Json> {
    match value {
        DeValue::String(text) => Some(Json::String(text.to_string())),
        DeValue::Boolean(value) => Some(Json::Bool(*value)),
        DeValue::Integer(number) => {
            let number = i64::from_str_radix(number.as_str(), number.radix());
            number.ok().map(Json::from)
        }
        DeValue::Float(number) => {
            let number = number.as_str().replace('_', "").parse().ok()?;
            Number::from_f64(number).map(Json::Number)
        }
        DeValue::Datetime(_) => None,
        DeValue::Array(items) => items.iter().map(|item| as_json(item.get_ref())).collect(),
        DeValue::Table(table) => {
            let entries = table
                .iter()
                .map(|(key, value)| Some((key.get_ref().to_string(), as_json(value.get_ref())?)));
            entries.collect::<Option<Map<_, _>>>().map(Json::Object)
        }
    }
}

/// The bytes of the value that a JSON pointer leads to in `value`, or of the
/// nearest one above it, if it is missing: of the key, if it has one. `None` if
/// that is `value` itself.
pub(crate) fn span_at(mut value: &DeValue<'_>, pointer: &str) -> Option<Range<usize>> {
    let mut span = None;
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        let below = match value {
            DeValue::Table(table) => table
                .get_key_value(part.as_str())
                .map(|(key, value)| (key.span(), value.get_ref())),
            DeValue::Array(items) => part
                .parse::<usize>()
                .ok()
                .and_then(|at| items.get(at))
                .map(|item| (item.span(), item.get_ref())),
            DeValue::String(_)
            | DeValue::Boolean(_)
            | DeValue::Integer(_)
            | DeValue::Float(_)
            | DeValue::Datetime(_) => None,
        };
        let Some(below) = below else {
            break;
        };
        (span, value) = (Some(below.0), below.1);
    }
    span
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toml::de::DeTable;

    use super::*;

    const TEXT: &str =
        "a = [1, 0x10, 1_0.5]\nb = { \"c/d\" = true }\n\n[e]\nf = 2\n[[g]]\nh = \"i\"\n";

    #[test]
    fn a_table_becomes_an_object() {
        let table = DeTable::parse(TEXT).unwrap();
        let value = as_json(&DeValue::Table(table.into_inner())).unwrap();
        let expected = json!({
            "a": [1, 16, 10.5],
            "b": {"c/d": true},
            "e": {"f": 2},
            "g": [{"h": "i"}],
        });
        assert_eq!(value, expected);
    }

    #[test]
    fn a_value_that_json_lacks_is_none() {
        for text in ["inf", "1979-05-27", "[nan]", "{ a = 99999999999999999999 }"] {
            let text = format!("a = {text}");
            let table = DeTable::parse(&text).unwrap().into_inner();
            assert_eq!(as_json(&DeValue::Table(table)), None, "{text}");
        }
    }

    #[test]
    fn a_pointer_leads_to_the_nearest_value_that_is_there() {
        let table = DeValue::Table(DeTable::parse(TEXT).unwrap().into_inner());
        let at = |pointer: &str| span_at(&table, pointer).map(|span| &TEXT[span]);
        for (pointer, text) in [
            ("/a", Some("a")),
            ("/a/1", Some("0x10")),
            ("/a/9", Some("a")),
            ("/b/c~1d", Some("\"c/d\"")),
            ("/b/c~1d/x", Some("\"c/d\"")),
            ("/e/x", Some("e")),
            ("/g/0/h", Some("h")),
            ("/x", None),
            ("", None),
        ] {
            assert_eq!(at(pointer), text, "{pointer}");
        }
    }
}
