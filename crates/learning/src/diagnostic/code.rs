//! Diagnostics by name.

use std::fmt;

/// A closed list of what can be wrong with something.
pub trait DiagnosticCode: Copy + fmt::Display {
    /// The name in reports.
    fn as_str(self) -> &'static str;

    /// The list that it belongs to.
    fn list(self) -> List;

    /// How to mend it, in one sentence.
    fn advice(self) -> &'static str;
}

/// Which list a diagnostic belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum List {
    /// What the JSON Schema of the format says, formats included.
    Schema,
    /// What the texts about the format say beyond that.
    Rule,
}

impl List {
    /// The word in messages.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Schema => "schema",
            Self::Rule => "rule",
        }
    }
}

impl List {
    /// All lists.
    pub const ALL: [Self; 2] = [Self::Schema, Self::Rule];
}

macro_rules! codes {
    ($(#[$about:meta])* { $($(#[$doc:meta])* $name:ident = $list:ident $word:literal, $summary:literal, $advice:literal;)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[$doc])* $name,)*
        }

        impl Code {
            /// All codes, those of the schema first.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The name in reports.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }

            /// The list that it belongs to.
            #[must_use]
            pub const fn list(self) -> $crate::diagnostic::List {
                match self {
                    $(Self::$name => $crate::diagnostic::List::$list,)*
                }
            }

            /// What it means, in one sentence.
            #[must_use]
            pub const fn summary(self) -> &'static str {
                match self {
                    $(Self::$name => $summary,)*
                }
            }

            /// How to mend it, in one sentence.
            #[must_use]
            pub const fn advice(self) -> &'static str {
                match self {
                    $(Self::$name => $advice,)*
                }
            }
        }

        impl $crate::diagnostic::DiagnosticCode for Code {
            fn as_str(self) -> &'static str {
                self.as_str()
            }

            fn list(self) -> $crate::diagnostic::List {
                self.list()
            }

            fn advice(self) -> &'static str {
                self.advice()
            }
        }

        impl std::fmt::Display for Code {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

pub(crate) use codes;
