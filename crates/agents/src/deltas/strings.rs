//! The strings of an event, and the place of each.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value as Json;

/// The field that names the type of an event or a part; it is never redacted.
const TYPE: &str = "type";

/// Calls `each` with every string of `json`, in order, and its place: the names
/// on the way to it, and the types and marks of the objects on that way. The
/// items of an array share one place.
pub(super) fn each(json: &Json, each: &mut dyn FnMut(u64, &str)) {
    walk(json, &DefaultHasher::new(), each);
}

fn walk(json: &Json, place: &DefaultHasher, each: &mut dyn FnMut(u64, &str)) {
    match json {
        Json::String(text) => each(place.finish(), text),
        Json::Array(items) => items.iter().for_each(|item| walk(item, place, each)),
        Json::Object(members) => {
            let mut place = place.clone();
            for (name, value) in members {
                if let (TYPE, Json::String(_)) | (_, Json::Bool(true)) = (name.as_str(), value) {
                    (name, value.as_str()).hash(&mut place);
                }
            }
            for (name, value) in members {
                if name != TYPE {
                    let mut place = place.clone();
                    name.hash(&mut place);
                    walk(value, &place, each);
                }
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

/// Calls `each` with the same strings in the same order.
pub(super) fn each_mut(json: &mut Json, each: &mut dyn FnMut(&mut String)) {
    match json {
        Json::String(text) => each(text),
        Json::Array(items) => items.iter_mut().for_each(|item| each_mut(item, each)),
        Json::Object(members) => {
            for (name, value) in members {
                if name != TYPE {
                    each_mut(value, each);
                }
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}
