//! Filters that select all listed tests.

use review_document::command::{Filter, FilterKind, Runner};

use super::{ListedTest, Matcher};
use crate::select::Answer;

/// The maximum number of alternatives of a suggested filter.
const MAX_PARTS: usize = 8;

/// Returns a replacement of `filter` that selects all of `tests`: option and value,
/// with the value in the shell quote `quote`. `None` if no short filter does.
pub(crate) fn widened(
    runner: Runner,
    filter: &Filter<'_>,
    tests: &[ListedTest<'_>],
    keep: bool,
    quote: char,
) -> Option<String> {
    let names: Vec<&str> = tests
        .iter()
        .filter_map(|test| runner.test_name(test.name))
        .collect();
    let own = keep.then_some(&*filter.text);
    let value = match filter.kind {
        FilterKind::GoRun => joined(own, &names, go_stem, "|")?,
        FilterKind::PytestExpression => joined(own, &names, python_stem, " or ")?,
        FilterKind::PathContains => common_path(&names)?,
        FilterKind::TitleMatches | FilterKind::TitleContains | FilterKind::PathIs => return None,
    };
    let matcher = Matcher::new(filter.kind, &value)?;
    let all = names
        .iter()
        .all(|name| matcher.selects_own(name) == Answer::Yes);
    let option = match filter.kind {
        FilterKind::GoRun => "-run ",
        FilterKind::PytestExpression => "-k ",
        FilterKind::PathContains
        | FilterKind::PathIs
        | FilterKind::TitleMatches
        | FilterKind::TitleContains => "",
    };
    let is_quoted = value.contains(['|', ' ', '*', '(']);
    all.then(|| {
        if is_quoted {
            format!("{option}{quote}{value}{quote}")
        } else {
            format!("{option}{value}")
        }
    })
}

/// The distinct stems of all names, after the filter that is kept.
fn joined(
    own: Option<&str>,
    names: &[&str],
    stem: fn(&str) -> &str,
    separator: &str,
) -> Option<String> {
    let mut parts: Vec<&str> = own.map_or_else(Vec::new, |own| own.split(separator).collect());
    for name in names {
        let stem = stem(name);
        if !parts.contains(&stem) && !own.is_some_and(|own| name.contains(own)) {
            parts.push(stem);
        }
        if parts.len() > MAX_PARTS {
            return None;
        }
    }
    Some(parts.join(separator))
}

/// The part of a Go test's name before its case: `TestParse` in `TestParse_Valid`.
fn go_stem(name: &str) -> &str {
    let test = name.split('/').next().unwrap_or(name);
    test.split('_')
        .find(|part| !part.is_empty())
        .unwrap_or(test)
}

/// The name of a Python test without its file and its parameters.
fn python_stem(name: &str) -> &str {
    let last = name.rsplit("::").next().unwrap_or(name);
    last.split('[').next().unwrap_or(last)
}

/// The longest common prefix of all paths, cut at `::` or `_`.
fn common_path(names: &[&str]) -> Option<String> {
    let (first, rest) = names.split_first()?;
    let mut common = *first;
    for name in rest {
        let shared = common
            .char_indices()
            .zip(name.chars())
            .take_while(|((_, a), b)| a == b)
            .map(|((at, a), _)| at + a.len_utf8())
            .last();
        common = &common[..shared.unwrap_or_default()];
    }
    if !rest.is_empty() && names.iter().any(|name| name.len() > common.len()) {
        let end = common.rfind([':', '_']).map_or(0, |at| at + 1);
        common = common[..end].trim_end_matches('_');
    }
    (common.len() > 2).then(|| common.to_owned())
}
