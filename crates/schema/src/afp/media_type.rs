//! Media types.

use review_types::name_type;

name_type!(
    /// The media type of an artifact, such as `text/markdown`.
    #[schemars(extend("pattern" = r"^\s*[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+\s*(;[\s\S]*)?$"))]
    MediaType,
    "a media type",
    "a type and a subtype, such as text/markdown",
    is_media_type
);

impl MediaType {
    /// Returns type and subtype in lower case, without parameters.
    #[must_use]
    pub fn essence(&self) -> String {
        essence(self.as_str()).to_ascii_lowercase()
    }
}

fn essence(text: &str) -> &str {
    text.split(';').next().unwrap_or_default().trim()
}

fn is_media_type(text: &str) -> bool {
    let is_token = |part: &str| {
        let allowed = |c: char| c.is_ascii_alphanumeric() || "!#$&-^_.+".contains(c);
        !part.is_empty() && part.chars().all(allowed)
    };
    essence(text)
        .split_once('/')
        .is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_media_type_has_two_tokens_and_optional_parameters() {
        for (text, essence) in [
            ("text/markdown", "text/markdown"),
            ("Text/X-Rust; charset=utf-8", "text/x-rust"),
            ("application/vnd.api+json ;v=1", "application/vnd.api+json"),
        ] {
            assert_eq!(MediaType::new(text).unwrap().essence(), essence);
        }
        for text in [
            "", "text", "text/", "/plain", "a b/c", "text/a/b", "text/ä", ";",
        ] {
            assert!(MediaType::new(text).is_err(), "{text}");
        }
    }
}
