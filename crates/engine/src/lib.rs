//! One run.
mod compose;
mod settings;
