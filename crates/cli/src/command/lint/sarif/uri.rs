//! Paths as URIs.

/// The relative reference of a relative path, the `file` URI of an absolute
/// one.
pub(super) fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn whatever_could_be_misread_is_escaped() {
        for (path, expected) in [
            ("specs/A-b_c.~1.md", "specs/A-b_c.~1.md"),
            ("specs/a b#c?d:e%.md", "specs/a%20b%23c%3Fd%3Ae%25.md"),
            ("ä.md", "%C3%A4.md"),
            ("/srv/a b.md", "file:///srv/a%20b.md"),
        ] {
            assert_eq!(uri(path), expected);
        }
    }
}
