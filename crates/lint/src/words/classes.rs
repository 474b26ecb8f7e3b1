//! The lists of vague words, by what they leave open.

/// The question that a word leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum WordClass {
    /// How many or how much.
    Quantity,
    /// How good.
    Quality,
    /// How often.
    Frequency,
    /// When.
    Time,
    /// Whether or which; the reader decides.
    Loophole,
    /// How.
    Manner,
    /// What else.
    OpenList,
}

impl WordClass {
    /// The problem with such a word, as the end of a sentence that starts with it.
    pub(crate) const fn problem(self) -> &'static str {
        match self {
            Self::Quantity => "does not specify an amount",
            Self::Quality => "cannot be measured",
            Self::Frequency => "does not specify how often",
            Self::Time => "does not specify when",
            Self::Loophole => "leaves the decision to the reader",
            Self::Manner => "does not specify what happens",
            Self::OpenList => "leaves the list open",
        }
    }

    /// The suggested replacement.
    pub(crate) const fn instead(self) -> &'static str {
        match self {
            Self::Quantity => "a number",
            Self::Quality => "a number with its unit, or a check that passes or fails",
            Self::Frequency => "a rate such as `once a minute`, or the condition",
            Self::Time => "a time limit with its unit",
            Self::Loophole => "the condition, or the exact names",
            Self::Manner => "what the product does in that case",
            Self::OpenList => "the complete list, or the rule that defines it",
        }
    }

    /// Whether a number in the requirement answers the question of such a word.
    pub(crate) const fn needs_number(self) -> bool {
        match self {
            Self::Quantity | Self::Quality | Self::Frequency | Self::Time => true,
            Self::Loophole | Self::Manner | Self::OpenList => false,
        }
    }
}

pub(super) const WORDS: &[(WordClass, &[&str])] = &[
    (
        WordClass::Quantity,
        &[
            "a few",
            "a lot of",
            "a number of",
            "excessive",
            "large",
            "lots of",
            "minimal",
            "numerous",
            "recent",
            "several",
            "significant",
            "significantly",
            "various",
        ],
    ),
    (
        WordClass::Quality,
        &[
            "acceptable",
            "adequate",
            "easily",
            "easy",
            "efficient",
            "efficiently",
            "fast",
            "flexible",
            "high-performance",
            "intuitive",
            "intuitively",
            "optimal",
            "optimally",
            "performant",
            "quickly",
            "reasonable",
            "reasonably",
            "robust",
            "seamless",
            "seamlessly",
            "sensible",
            "simple",
            "state-of-the-art",
            "user friendly",
            "user-friendly",
        ],
    ),
    (
        WordClass::Frequency,
        &[
            "frequently",
            "from time to time",
            "generally",
            "normally",
            "occasionally",
            "often",
            "periodically",
            "rarely",
            "regularly",
            "sometimes",
            "typically",
            "usually",
        ],
    ),
    (
        WordClass::Time,
        &[
            "as quickly as possible",
            "as soon as possible",
            "in a timely manner",
            "promptly",
            "shortly after",
            "soon",
            "timely",
        ],
    ),
    (
        WordClass::Loophole,
        &[
            "appropriate",
            "appropriately",
            "as applicable",
            "as appropriate",
            "as far as possible",
            "as much as possible",
            "as necessary",
            "as needed",
            "if appropriate",
            "if necessary",
            "if needed",
            "if possible",
            "if practical",
            "relevant",
            "suitable",
            "suitably",
            "than necessary",
            "to the extent possible",
            "when appropriate",
            "when necessary",
            "when needed",
            "when possible",
            "where applicable",
            "where appropriate",
            "where necessary",
            "where needed",
            "where possible",
            "where practical",
            "whenever possible",
            "wherever possible",
        ],
    ),
    (
        WordClass::Manner,
        &[
            "cleanly",
            "correctly",
            "gracefully",
            "properly",
            "safely",
            "securely",
        ],
    ),
    (
        WordClass::OpenList,
        &[
            "and so forth",
            "and so on",
            "and the like",
            "but not limited to",
            "etc",
        ],
    ),
];

/// Phrases in which a listed word is precise.
pub(super) const IDIOMS: &[&str] = &[
    "acceptable use",
    "as soon as",
    "complete normally",
    "completes normally",
    "continue normally",
    "continues normally",
    "exit cleanly",
    "exit normally",
    "exits cleanly",
    "exits normally",
    "fail fast",
    "fails fast",
    "fast forward",
    "fast path",
    "frequently accessed",
    "frequently asked",
    "frequently used",
    "how easily",
    "how often",
    "how quickly",
    "large object",
    "most recent",
    "normally distributed",
    "one of several",
    "proceed normally",
    "proceeds normally",
    "recent files",
    "run normally",
    "runs normally",
    "significant bit",
    "significant digit",
    "significant figure",
    "simple request",
    "work normally",
    "works normally",
];
