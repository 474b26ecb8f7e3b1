//! The connections to APIs, kept open between calls.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::redirect::Policy;
use rustls::crypto::ring::default_provider;
use rustls::{ClientConfig, RootCertStore};

use super::BaseUrl;

/// Makes connections when they are needed first, and uses them again.
#[derive(Clone, Debug, Default)]
pub struct Connections(Arc<Clients>);

#[derive(Debug, Default)]
struct Clients {
    local: OnceLock<reqwest::Client>,
    remote: OnceLock<reqwest::Client>,
}

/// The time in which an API takes a connection.
const CONNECT: Duration = Duration::from_secs(60);

impl Connections {
    /// The client that talks to `url`: proxies of the environment lead to all
    /// other machines, and no redirection takes a key elsewhere.
    ///
    /// # Errors
    /// When the system gives what no connection can be made with.
    pub(super) fn client(&self, url: &BaseUrl) -> Result<&reqwest::Client, reqwest::Error> {
        let (made, is_local) = match url.is_loopback() {
            true => (&self.0.local, true),
            false => (&self.0.remote, false),
        };
        match made.get() {
            Some(client) => Ok(client),
            None => {
                let client = client(is_local)?;
                Ok(made.get_or_init(|| client))
            }
        }
    }
}

fn client(is_local: bool) -> Result<reqwest::Client, reqwest::Error> {
    let builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls())
        .redirect(Policy::none())
        .connect_timeout(CONNECT)
        .user_agent(concat!("ralph/", env!("CARGO_PKG_VERSION")));
    match is_local {
        true => builder.no_proxy().build(),
        false => builder.build(),
    }
}

#[expect(
    clippy::expect_used,
    reason = "the versions of TLS are those that the provider has"
)]
fn tls() -> ClientConfig {
    ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .expect("ring has all default versions of TLS")
        .with_root_certificates(roots())
        .with_no_client_auth()
}

/// The certificates that the system trusts, else those of the common browsers.
fn roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    roots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_made_once_for_each_side() {
        let connections = Connections::default();
        let same = connections.clone();
        let at = |connections: &Connections, url: &str| {
            let client: *const _ = connections.client(&url.parse().unwrap()).unwrap();
            client
        };
        let local = at(&connections, "http://localhost:1");
        assert_eq!(local, at(&same, "http://127.0.0.1:2"));
        let remote = at(&same, "https://example.com");
        assert_eq!(remote, at(&connections, "https://example.org"));
        assert_ne!(local, remote);
    }

    #[test]
    fn a_server_is_trusted() {
        assert!(roots().len() > 10);
    }
}
