//! Where an API is.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use url::{Host, Url};

/// The longest that is taken, in bytes.
const MAX_URL: usize = 2048;

/// The part that all addresses of an API have in common. It is written without a
/// slash at its end, and holds no name, password, query or fragment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(with = "String", extend("pattern" = "^https?://"))]
#[serde(try_from = "String", into = "String")]
pub struct BaseUrl(Url);

/// A string that is not a valid address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be an address such as https://api.example.com/v1, without name, password, query or fragment"
)]
pub struct BaseUrlError;

impl BaseUrl {
    /// The address.
    pub fn as_str(&self) -> &str {
        self.0.as_str().trim_end_matches('/')
    }

    /// The address of what is at a path below it.
    pub(super) fn below(&self, path: &[&str]) -> Url {
        let mut url = self.0.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url
    }

    /// Whether it is on this machine, so that no proxy leads to it.
    pub fn is_loopback(&self) -> bool {
        match self.0.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(ip)) => ip.is_loopback(),
            Some(Host::Ipv6(ip)) => ip.is_loopback(),
            None => false,
        }
    }

    /// The host without its port; an address of IPv6 stays in its brackets.
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }
}

impl FromStr for BaseUrl {
    type Err = BaseUrlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Of these, the standard makes addresses that nobody meant.
        let is_plain = |c: char| c.is_ascii_graphic() && !"\\\"<>^`{|}".contains(c);
        let url = Some(text)
            .filter(|text| text.len() <= MAX_URL && text.chars().all(is_plain))
            .filter(|text| text.contains("://") && !text.contains(":///"))
            .and_then(|text| Url::parse(text.trim_end_matches('/')).ok())
            .filter(|url| matches!(url.scheme(), "http" | "https"))
            .filter(|url| url.username().is_empty() && url.password().is_none())
            .filter(|url| url.query().is_none() && url.fragment().is_none());
        url.map(Self).ok_or(BaseUrlError)
    }
}

impl TryFrom<String> for BaseUrl {
    type Error = BaseUrlError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<BaseUrl> for String {
    fn from(url: BaseUrl) -> Self {
        url.to_string()
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_scheme_and_a_host_and_ends_without_a_slash() {
        for (text, url, host) in [
            (
                "https://api.example.com/v1/",
                "https://api.example.com/v1",
                "api.example.com",
            ),
            (
                "http://localhost:11434/v1",
                "http://localhost:11434/v1",
                "localhost",
            ),
            ("http://[::1]:81", "http://[::1]:81", "[::1]"),
            ("http://[::1]:80//", "http://[::1]", "[::1]"),
            (
                "HTTP://Example.COM:443",
                "http://example.com:443",
                "example.com",
            ),
            ("http://[::1]", "http://[::1]", "[::1]"),
        ] {
            let read: BaseUrl = text.parse().unwrap();
            assert_eq!((read.as_str(), read.host()), (url, host));
        }
    }

    #[test]
    fn what_hides_a_secret_or_leads_nowhere_is_refused() {
        let long = format!("http://a/{}", "b".repeat(MAX_URL));
        for text in [
            "",
            "api.example.com",
            "ftp://a",
            "http://",
            "http://:80",
            "https:///v1",
            "https://me:secret@a/v1",
            "https://a/v1?key=secret",
            "https://a/#x",
            "https://a/b c",
            "https://a/\u{e9}",
            &long,
        ] {
            assert_eq!(text.parse::<BaseUrl>(), Err(BaseUrlError), "{text}");
        }
    }

    #[test]
    fn this_machine_is_known_by_its_names() {
        for (text, is_loopback) in [
            ("http://127.0.0.1:8080", true),
            ("http://127.9.9.9", true),
            ("http://[::1]:8080/v1", true),
            ("http://LocalHost", true),
            ("http://localhost.example.com", false),
            ("http://10.0.0.1", false),
        ] {
            let url: BaseUrl = text.parse().unwrap();
            assert_eq!(url.is_loopback(), is_loopback, "{text}");
        }
    }
}
