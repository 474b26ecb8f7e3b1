//! The closed lists of words.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A word that is none of a closed list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be one of [{known}], got \"{got}\"")]
pub struct UnknownWord {
    /// The words of the list.
    pub known: String,
    /// The word itself.
    pub got: String,
}

macro_rules! closed_list {
    ($(#[$doc:meta])* $name:ident { $($(#[$word_doc:meta])* $word:ident => $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "snake_case")]
        pub enum $name {
            $($(#[$word_doc])* $word,)*
        }

        impl $name {
            /// All words, in the order in which messages list them.
            pub const ALL: &[Self] = &[$(Self::$word),*];

            /// The words as they are written, in the same order.
            pub const WORDS: &[&str] = &[$($text),*];

            /// The word in JSON and on the command line.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$word => $text,)*
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = UnknownWord;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($text => Ok(Self::$word),)*
                    _ => Err(UnknownWord {
                        known: Self::WORDS.join(" "),
                        got: text.to_owned(),
                    }),
                }
            }
        }
    };
}

closed_list!(
    /// What kind of correction it is.
    CorrectionType {
        /// The user mended faults, style or logic.
        CodeQuality => "code_quality",
        /// The user added what the agent had left out.
        CodeCompleteness => "code_completeness",
        /// The user turned the approach down.
        ApproachRejection => "approach_rejection",
        /// The agent did what nobody had asked for.
        ExpectationMismatch => "expectation_mismatch",
        /// The agent misunderstood the request.
        CommunicationGap => "communication_gap",
        /// The user prefers another way.
        PreferenceConflict => "preference_conflict",
    }
);

closed_list!(
    /// How the correction came to be known.
    Source {
        /// The user said it.
        Explicit => "explicit",
        /// It follows from what the user did.
        Implicit => "implicit",
    }
);

closed_list!(
    /// How much it matters, the gravest first.
    Severity {
        /// It stopped the work, made errors or much rework.
        High => "high",
        /// The user had to step in, the work went on.
        Medium => "medium",
        /// A small change, or a matter of taste.
        Low => "low",
    }
);

closed_list!(
    /// How sure the name of a pattern is.
    Confidence {
        /// It was named by whoever was corrected or corrects.
        High => "high",
        /// It is likely.
        Medium => "medium",
        /// It is a guess.
        Low => "low",
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_back_and_others_are_refused() {
        for word in CorrectionType::ALL {
            assert_eq!(word.as_str().parse(), Ok(*word));
            assert_eq!(serde_json::to_value(word).unwrap(), word.as_str());
        }
        for word in Source::ALL {
            assert_eq!(word.to_string().parse(), Ok(*word));
        }
        let error = "High".parse::<Severity>().unwrap_err().to_string();
        assert_eq!(error, "must be one of [high medium low], got \"High\"");
    }
}
