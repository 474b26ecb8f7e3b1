//! What a client of a language model is made of: how it is called, and what is
//! known of it. Each client is one value of [`ClientRow`].

mod call;
#[cfg(test)]
pub(crate) mod calls;
mod row;
mod settings;

pub use call::NoConfig;
pub(crate) use call::{ClientCall, Configuration, Invocation, Variables};
pub use row::Pricing;
pub(crate) use row::{ClientRow, Database, KeptAnswer, Recovery};
pub(crate) use settings::AddedField;
