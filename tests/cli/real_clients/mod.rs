//! The real clients of language models, against a scripted service.
//!
//! Each test installs what it needs into the target folder. Where that cannot
//! be done, it says `not run` and passes.

mod agents;
mod bounds;
mod errors;
mod installed;
mod lessons;
mod reviews;
mod tasks;
mod tools;
mod world;
