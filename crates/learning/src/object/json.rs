//! Keys that occur twice in the JSON of an object.

use std::collections::HashSet;
use std::fmt;

use review_types::pointer_part;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The maximum number of duplicate keys that are returned.
const MAX_REPEATED: usize = 64;

/// A key that an earlier member of its object has.
pub(crate) struct Repeated {
    /// The JSON pointer to the member.
    pub(crate) pointer: String,
    /// The key.
    pub(crate) name: String,
}

/// Returns the duplicate keys of an object and of the objects that are its fields; none if
/// the input is not a JSON object.
pub(crate) fn repeated_keys(json: &[u8]) -> Vec<Repeated> {
    let mut repeated = Vec::new();
    let Ok(Members(members)) = serde_json::from_slice(json) else {
        return repeated;
    };
    let mut seen = HashSet::new();
    for (name, value) in &members {
        let pointer = format!("/{}", pointer_part(name));
        if !seen.insert(name) {
            repeated.push(Repeated {
                pointer: pointer.clone(),
                name: name.clone(),
            });
        }
        let Ok(Members(fields)) = serde_json::from_str(value.get()) else {
            continue;
        };
        let mut seen = HashSet::new();
        for (name, _) in fields {
            if !seen.insert(name.clone()) {
                let pointer = format!("{pointer}/{}", pointer_part(&name));
                repeated.push(Repeated { pointer, name });
            }
        }
        if repeated.len() >= MAX_REPEATED {
            break;
        }
    }
    repeated.truncate(MAX_REPEATED);
    repeated
}

/// The fields of an object, in their order.
struct Members<'t>(Vec<(String, &'t RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_an_object_and_of_its_fields_are_compared() {
        let line = r#"{"agent":"a","x":[{"z":1,"z":2}],"ai_action":{"summary":"s","file":1,"file":2},"agent":null,"ai_action":{"file":"f\u00e9"},"more":{"x":{"z":1,"z":2}},"a/b":1,"a\/b":2}"#;
        let repeated = repeated_keys(line.as_bytes());
        let pointers: Vec<_> = repeated.iter().map(|one| one.pointer.as_str()).collect();
        let expected = ["/ai_action/file", "/agent", "/ai_action", "/a~1b"];
        assert_eq!(pointers, expected);
    }

    #[test]
    fn what_is_no_object_has_no_keys() {
        for text in ["", "null", "[{\"a\":1,\"a\":2}]", "\"a\"", "{"] {
            assert_eq!(repeated_keys(text.as_bytes()).len(), 0, "{text}");
        }
    }

    #[test]
    fn a_bounded_number_of_keys_is_returned() {
        let keys = vec!["\"a\":1"; 1_000].join(",");
        let line = format!("{{{keys}}}");
        assert_eq!(repeated_keys(line.as_bytes()).len(), MAX_REPEATED);
        let line = format!("{{\"x\":{line}}}");
        assert_eq!(repeated_keys(line.as_bytes()).len(), MAX_REPEATED);
    }
}
