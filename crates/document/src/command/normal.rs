//! The effect of a command, independent of how it is written.

use std::collections::BTreeSet;

use super::{
    Filter, FilterKind, Invocation, Joint, Runner, RunsTests, Script, SimpleCommand, Word,
};

/// The effect of a command, without differences of notation: quotes, line
/// continuations, the order and verbosity of a test runner's options, and
/// whether tests are selected by one filter or by several.
///
/// ```
/// use review_document::command::Script;
///
/// let one = Script::parse("go test ./web/... -run 'TestA|TestB' -v");
/// let two = Script::parse("go test -run=TestB ./web/... && go test -run TestA ./web/...");
/// assert_eq!(one.normal_form(), two.normal_form());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NormalForm<'s>(Vec<NormalCommand<'s>>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct NormalCommand<'s> {
    joint: NormalJoint,
    negated: bool,
    assignments: BTreeSet<&'s str>,
    words: Vec<&'s str>,
    filters: BTreeSet<&'s str>,
    redirects: Vec<(bool, &'s str)>,
}

/// How a command is joined to the previous one. Whether a failure ends the
/// script at once makes no difference for what is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NormalJoint {
    Next,
    Or,
    Pipe,
    Background,
}

/// Options that only change what is printed.
const VERBOSITY: [&str; 5] = ["-v", "-vv", "--verbose", "-q", "--quiet"];

pub(super) fn normal_form<'s>(script: &'s Script<'_>) -> NormalForm<'s> {
    let invocations = script.invocations();
    let mut commands: Vec<NormalCommand<'s>> = Vec::with_capacity(invocations.len());
    for invocation in invocations {
        let command = &script.commands()[invocation.command];
        let next = normal_command(command, invocation);
        match commands.last_mut() {
            Some(last) if last.differs_in_filters_alone(&next) => last.filters.extend(next.filters),
            _ => commands.push(next),
        }
    }
    NormalForm(commands)
}

impl NormalCommand<'_> {
    fn differs_in_filters_alone(&self, next: &Self) -> bool {
        next.joint == NormalJoint::Next
            && !self.filters.is_empty()
            && !next.filters.is_empty()
            && (self.negated, &self.assignments) == (next.negated, &next.assignments)
            && (&self.words, &self.redirects) == (&next.words, &next.redirects)
    }
}

fn normal_command<'s>(
    command: &'s SimpleCommand<'_>,
    invocation: &'s Invocation<'_>,
) -> NormalCommand<'s> {
    let assignments = command.assignments.iter();
    let redirects = command.redirects.iter();
    NormalCommand {
        joint: match command.joint {
            Joint::Start | Joint::And | Joint::Then => NormalJoint::Next,
            Joint::Or => NormalJoint::Or,
            Joint::Pipe => NormalJoint::Pipe,
            Joint::Background => NormalJoint::Background,
        },
        negated: command.negated,
        assignments: assignments.map(|word| &*word.text).collect(),
        words: words(command, invocation),
        filters: filters(invocation),
        redirects: redirects
            .map(|redirect| (redirect.writes, &*redirect.target.text))
            .collect(),
    }
}

/// Returns the program and its arguments without filters; those of a test runner or a
/// compiler in alphabetical order, since their order has no meaning.
fn words<'s>(command: &'s SimpleCommand<'_>, invocation: &Invocation<'_>) -> Vec<&'s str> {
    let is_filter = |word: &Word<'_>| {
        let inside = |filter: &Filter<'_>| {
            filter.span.start <= word.span.start && word.span.end <= filter.span.end
        };
        invocation.filters.iter().any(inside)
    };
    let runner = invocation.runner;
    let known = runner.runs_tests() == RunsTests::Yes || runner == Runner::Build;
    let mut words = Vec::with_capacity(command.words.len());
    for word in command.words.iter().filter(|word| !is_filter(word)) {
        let text = &*word.text;
        if !known {
            words.push(text);
        } else if let Some((option, value)) = text.split_once('=').filter(|_| text.starts_with('-'))
        {
            words.extend([option, value]);
        } else if !VERBOSITY.contains(&text) {
            words.push(text);
        }
    }
    if known && let Some((_, rest)) = words.split_first_mut() {
        rest.sort_unstable();
    }
    words
}

fn filters<'s>(invocation: &'s Invocation<'_>) -> BTreeSet<&'s str> {
    let mut found = BTreeSet::new();
    for filter in &invocation.filters {
        let plain = filter.kind == FilterKind::GoRun && !filter.text.contains(['(', '[', '\\']);
        if plain {
            found.extend(filter.text.split('|'));
        } else {
            found.insert(&filter.text);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: &str, two: &str) -> bool {
        let (one, two) = (Script::parse(one), Script::parse(two));
        one.normal_form() == two.normal_form()
    }

    #[test]
    fn notation_makes_no_difference() {
        for (one, two) in [
            ("go test ./a -run X", "go test -v -run=\"X\" ./a"),
            ("go test ./a -run X", "go test ./a \\\n  -run X"),
            (
                "go test ./a -run 'X|Y'",
                "go test ./a -run Y && go test ./a -run X",
            ),
            (
                "go test ./a -run 'X|Y'",
                "go test ./a -run X\ngo test ./a -run Y\n",
            ),
            ("go build ./a && go vet ./a", "go build -v ./a; go vet ./a"),
            (
                "cargo test -p a --test=b c",
                "cargo test c --test b -p a --verbose",
            ),
            ("A=1 B=2 make x", "B=2 A=1 make 'x'"),
            ("cat a | grep b > c", "cat \"a\" | grep 'b' >c"),
        ] {
            assert!(same(one, two), "{one} / {two}");
        }
    }

    #[test]
    fn a_different_effect_makes_a_difference() {
        for (one, two) in [
            ("go test ./a", "go test ./b"),
            ("go test ./a", "go test ./a -run X"),
            ("go test ./a -run X", "go test ./a -run Y"),
            ("go test ./a -run '(X|Y)'", "go test ./a -run 'X|Y'"),
            (
                "go test ./a -run X && go test ./b -run Y",
                "go test ./a -run 'X|Y'",
            ),
            (
                "A=1 go test ./a -run X; go test ./a -run Y",
                "A=1 go test ./a -run 'X|Y'",
            ),
            ("go test ./a && go test ./a", "go test ./a"),
            (
                "go test ./a -run X || go test ./a -run Y",
                "go test ./a -run 'X|Y'",
            ),
            (
                "! go test ./a -run X; go test ./a -run Y",
                "! go test ./a -run 'X|Y'",
            ),
            ("cargo test a", "cargo nextest run a"),
            ("grep -v x y", "grep x y"),
            ("diff a b", "diff b a"),
            ("a | b", "a && b"),
            ("a & b", "a; b"),
            ("a > b", "a < b"),
            ("a > b", "a > c"),
            ("cat -n=a", "cat -n a"),
        ] {
            assert!(!same(one, two), "{one} / {two}");
        }
    }
}
