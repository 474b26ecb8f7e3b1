//! What vague words leave open.

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
    /// The class that a line of the list of words names.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "quantity" => Self::Quantity,
            "quality" => Self::Quality,
            "frequency" => Self::Frequency,
            "time" => Self::Time,
            "loophole" => Self::Loophole,
            "manner" => Self::Manner,
            "open-list" => Self::OpenList,
            _ => return None,
        })
    }

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
