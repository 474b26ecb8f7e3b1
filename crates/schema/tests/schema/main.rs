//! Answers of reviewers and the objects of their protocols.

mod actionable;
mod afp;
mod call_ends;
mod corpus;
mod named_checks;
mod oracle;
mod places;
mod properties;
mod reading;
mod sentence;
mod severity;
mod support;
