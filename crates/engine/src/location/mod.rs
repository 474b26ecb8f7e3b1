//! Where things are: the root of a path, the state folder, the spec that a name
//! means. The rules are pure; a [`Probe`] answers for the file system.

mod nested;
mod probe;
mod root;
mod spec;
mod state;

pub use nested::nested_roots;
pub(crate) use nested::roots_among;
pub use probe::{Disk, Probe};
pub use root::{absolute, root_of};
pub use spec::{SpecError, all_specs, find_spec, linked_specs};
pub use state::{open_state, state_folder, state_for_reading};
