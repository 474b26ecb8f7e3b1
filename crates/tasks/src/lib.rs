//! The task graph of a unit: run in order, proven by commands, remembered by
//! records.

pub mod runners;
