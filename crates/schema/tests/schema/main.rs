//! Answers of reviewers and the objects of their protocols.

mod actionable;
mod afp;
mod call_ends;
mod corpus;
mod oracle;
mod places;
mod properties;
mod prose;
mod severity;
mod support;
