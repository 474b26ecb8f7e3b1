//! Rules in the configuration: lists of them, their severities, and the files
//! in which they are off.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use review_lint::{FileIgnores, Glob, GlobError, Rule, Selection, Selector, Severity, UnknownRule};
use serde_json::{Value as Json, json};

use crate::fault::ValueFault;
use crate::value::derived_schema;
use crate::value::{Value, derived};

/// The selector that the entry `key` of a value names.
fn selector<S: FromStr<Err = UnknownRule>>(key: &str, word: &str) -> Result<S, ValueFault> {
    word.parse().map_err(|unknown: UnknownRule| {
        let help = match unknown.nearest.first() {
            Some(name) => format!("did you mean `{name}`?"),
            None => "`ralph explain` lists the rules".to_owned(),
        };
        ValueFault::new(format!("no rule is named \"{word}\""))
            .help(help)
            .below(key)
    })
}

/// Rules by code, name, group, or all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selectors<S = Selector> {
    written: Vec<String>,
    selectors: Vec<S>,
}

impl<S> Default for Selectors<S> {
    fn default() -> Self {
        Self {
            written: Vec::new(),
            selectors: Vec::new(),
        }
    }
}

impl<S> Selectors<S> {
    /// The selectors in their order.
    pub(crate) fn as_slice(&self) -> &[S] {
        &self.selectors
    }
}

impl Selectors<Selection> {
    /// All rules.
    pub(crate) fn all() -> Self {
        Self {
            written: vec![Selector::All.to_string()],
            selectors: vec![Selection {
                selector: Selector::All,
                extends: false,
            }],
        }
    }
}

impl Selectors {
    /// The rules that are named.
    fn rules(&self) -> BTreeSet<Rule> {
        self.selectors.iter().flat_map(|one| one.rules()).collect()
    }
}

impl<S: FromStr<Err = UnknownRule>> Selectors<S> {
    fn new(written: Vec<String>) -> Result<Self, ValueFault> {
        let selectors = written.iter().enumerate();
        let selectors = selectors.map(|(at, word)| selector(&at.to_string(), word));
        Ok(Self {
            selectors: selectors.collect::<Result<_, _>>()?,
            written,
        })
    }
}

impl<S: FromStr<Err = UnknownRule> + Clone> Value for Selectors<S> {
    const EXPECTED: &'static str = "an array of rules";
    const IS_LIST: bool = true;

    fn read(value: &Json) -> Result<Self, ValueFault> {
        Self::new(derived(value)?)
    }

    fn to_json(&self) -> Json {
        json!(self.written)
    }

    fn schema() -> Json {
        derived_schema::<Vec<String>>()
    }
}

/// The severities of rules, the selectors that name fewer rules last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Severities(BTreeMap<Selector, Severity>);

impl Severities {
    /// The severity of each rule that has one.
    pub(crate) fn by_rule(&self) -> BTreeMap<Rule, Severity> {
        let each = |(selector, severity): (&Selector, &Severity)| {
            let severity = *severity;
            selector.rules().map(move |rule| (rule, severity))
        };
        self.0.iter().flat_map(each).collect()
    }
}

impl Value for Severities {
    const EXPECTED: &'static str = "a table that gives rules error, warning or info";

    fn read(value: &Json) -> Result<Self, ValueFault> {
        let entries: BTreeMap<String, Severity> = derived(value)?;
        let each = |(word, severity): (&String, &Severity)| Ok((selector(word, word)?, *severity));
        entries.iter().map(each).collect::<Result<_, _>>().map(Self)
    }

    fn to_json(&self) -> Json {
        json!(self.0)
    }

    fn schema() -> Json {
        derived_schema::<BTreeMap<String, Severity>>()
    }
}

/// The rules that are off in the files of a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PerFileIgnores(Vec<(Glob, Selectors)>);

impl PerFileIgnores {
    /// The rules that each pattern switches off.
    pub(crate) fn by_files(&self) -> Vec<FileIgnores> {
        let each = |(files, rules): &(Glob, Selectors)| FileIgnores {
            files: files.clone(),
            rules: rules.rules(),
        };
        self.0.iter().map(each).collect()
    }
}

impl Value for PerFileIgnores {
    const EXPECTED: &'static str = "a table that gives patterns for files an array of rules";

    fn read(value: &Json) -> Result<Self, ValueFault> {
        let entries: BTreeMap<String, Vec<String>> = derived(value)?;
        let each = |(pattern, words): (String, Vec<String>)| {
            let glob = pattern
                .parse()
                .map_err(|bad: GlobError| ValueFault::new(bad));
            let rules = Selectors::new(words);
            let entry = glob.and_then(|glob| Ok((glob, rules?)));
            entry.map_err(|fault| fault.below(&pattern))
        };
        let entries = entries.into_iter().map(each);
        entries.collect::<Result<_, _>>().map(Self)
    }

    fn to_json(&self) -> Json {
        let each = |(glob, rules): &(Glob, Selectors)| (glob.to_string(), rules.to_json());
        Json::Object(self.0.iter().map(each).collect())
    }

    fn schema() -> Json {
        derived_schema::<BTreeMap<String, Vec<String>>>()
    }
}
