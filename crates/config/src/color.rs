//! When to use colours.

use review_types::closed_list;

use crate::value::Plain;

closed_list! {
    /// When to use colours.
    #[derive(Default)]
    ColorChoice {
        /// On a terminal, unless `NO_COLOR` is set.
        #[default]
        Auto => "auto",
        /// Always.
        Always => "always",
        /// Never.
        Never => "never",
    }
}

impl Plain for ColorChoice {
    const EXPECTED: &'static str = "auto, always or never";
}
