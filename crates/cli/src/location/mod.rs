//! Where things are: the root of a path, the state folder, the spec that a
//! name means. The rules are pure; a [`Probe`] answers for the disk.

mod path;
mod probe;
mod root;
mod spec;

pub(crate) use path::absolute;
pub(crate) use probe::{Disk, Probe};
pub(crate) use root::root_of;
pub(crate) use spec::find_spec;

pub(crate) use review_report::shown;
