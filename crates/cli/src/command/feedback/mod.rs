//! `ralph feedback`: actionable-feedback documents.

mod convert;
mod input;
mod show;
mod validate;

pub(crate) use convert::run as convert;
pub(crate) use show::run as show;
pub(crate) use validate::run as validate;
