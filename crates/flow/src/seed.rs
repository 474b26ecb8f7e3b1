//! All randomness in a run, derived from its seed, so that a replay repeats it
//! exactly.

use std::fmt;

use review_types::{Hash, random_uuid};
use serde::{Deserialize, Serialize};

use crate::step::StepName;

/// 32 random bytes from which every nonce and id of a run is derived; serialized
/// as hex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct Seed(Hash);

impl Seed {
    /// Wraps 32 random bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(Hash::from_bytes(bytes))
    }

    /// Returns a seed from the system's random source.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn random() -> std::io::Result<Self> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        Ok(Self::from_bytes(bytes))
    }

    /// Returns the bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }
}

/// Returns the BLAKE3 hash of `bytes`.
#[must_use]
pub fn hash_bytes(bytes: &[u8]) -> Hash {
    Hash::from_bytes(*blake3::hash(bytes).as_bytes())
}

/// A random string in the markers around the data of a prompt, so that data cannot
/// pass for a marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nonce(String);

impl Nonce {
    /// Returns the nonce for one `purpose` of a step. It is the same at every attempt of
    /// the step.
    #[must_use]
    pub fn new(seed: &Seed, step: &StepName, purpose: &str) -> Self {
        Self(step_id(seed, step, purpose))
    }

    /// Returns the nonce as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Nonce {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Display for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns an id for one `purpose` of a step, such as a `review_id`. It is the same at
/// every attempt of the step.
#[must_use]
pub fn step_id(seed: &Seed, step: &StepName, purpose: &str) -> String {
    derive(seed, &[step.as_str(), purpose])
}

/// Returns an id for one attempt of a step, for agents that refuse a reused id.
#[must_use]
pub fn session_id(seed: &Seed, step: &StepName, attempt: u32, purpose: &str) -> String {
    derive(seed, &[step.as_str(), &attempt.to_string(), purpose])
}

/// Returns the jitter of the pause before a retry, so that concurrent runs do not
/// retry at the same time.
#[must_use]
pub fn jitter(seed: &Seed, step: &StepName) -> u8 {
    let mut hasher = blake3::Hasher::new_keyed(seed.as_bytes());
    hasher.update(step.as_str().as_bytes());
    hasher.update(b"jitter");
    hasher.finalize().as_bytes()[0]
}

/// Hashes the parts, keyed by the seed, into a version 4 UUID.
fn derive(seed: &Seed, parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new_keyed(seed.as_bytes());
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let mut bytes = [0; 16];
    hasher.finalize_xof().fill(&mut bytes);
    random_uuid(bytes)
}
