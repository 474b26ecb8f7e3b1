//! `confine`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use review_process::{Grant, Grants};

/// Run a program that may use only these files.
#[derive(Debug, Args)]
pub(crate) struct ConfineArgs {
    /// A folder that can be listed, with all folders below it.
    #[arg(long, value_name = "PATH")]
    list: Vec<PathBuf>,
    /// A file or folder that can be read.
    #[arg(long, value_name = "PATH")]
    read: Vec<PathBuf>,
    /// A file or folder that can be changed.
    #[arg(long, value_name = "PATH")]
    write: Vec<PathBuf>,
    /// The program, a path.
    pub(crate) program: PathBuf,
    /// Its arguments.
    #[arg(allow_hyphen_values = true, trailing_var_arg = true)]
    pub(crate) args: Vec<OsString>,
}

impl ConfineArgs {
    /// What the program is granted.
    pub(crate) fn grants(&self) -> Grants {
        let of = |paths: &[PathBuf], grant: Grant| {
            let paths = paths.iter();
            let granted: Vec<_> = paths.map(|path| (path.clone(), grant)).collect();
            granted
        };
        let (list, read) = (of(&self.list, Grant::List), of(&self.read, Grant::Read));
        let write = of(&self.write, Grant::Write);
        Grants::new([list, read, write].concat())
    }
}
