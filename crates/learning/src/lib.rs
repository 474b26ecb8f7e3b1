//! What users corrected, and what follows from it.
//!
//! [`corrections`] reads the file in which agents and people note what a user
//! changed of an agent's work; [`patterns`] groups what comes again. Nothing here prints or reads the time: the moment
//! at which something is looked at is an argument.

pub mod corrections;
pub mod measure;
pub mod patterns;
