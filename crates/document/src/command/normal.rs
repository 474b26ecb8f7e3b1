//! The effect of a command, independent of how it is written.

use super::{Joint, Runner, RunsTests, Script, SimpleCommand};

/// The effect of a command, without differences of notation: quotes, line
/// continuations, and the order and verbosity of a test runner's options.
///
/// ```
/// use review_document::command::Script;
///
/// let one = Script::parse("go test ./web/... -run 'TestA' -v");
/// let two = Script::parse("go test -run=TestA ./web/...");
/// assert_eq!(one.normal_form(), two.normal_form());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NormalForm<'s>(Vec<Vec<&'s str>>);

/// Options that only change what is printed.
const VERBOSITY: [&str; 5] = ["-v", "-vv", "--verbose", "-q", "--quiet"];

impl Script<'_> {
    /// Returns its effect, independent of how it is written.
    pub fn normal_form(&self) -> NormalForm<'_> {
        let runs = self.invocations.iter();
        let commands = runs.map(|run| tokens(&self.commands()[run.command], run.runner));
        NormalForm(commands.collect())
    }
}

/// Whether a failure ends the script at once makes no difference for what is checked. The
/// order of the arguments of a test runner or a compiler has no meaning.
fn tokens<'s>(command: &'s SimpleCommand<'_>, runner: Runner) -> Vec<&'s str> {
    let joint = match command.joint {
        Joint::Start | Joint::And | Joint::Then => ";",
        Joint::Or => "||",
        Joint::Pipe => "|",
        Joint::Background => "&",
    };
    let mut assignments: Vec<_> = command.assignments.iter().map(|word| &*word.text).collect();
    assignments.sort_unstable();
    let is_known = runner.runs_tests() == RunsTests::Yes || runner == Runner::Build;
    let mut words = Vec::with_capacity(command.words.len());
    for text in command.words.iter().map(|word| &*word.text) {
        match text.split_once('=') {
            Some((option, value)) if is_known && text.starts_with('-') => {
                words.push(option);
                words.extend(value.split('|'));
            }
            _ if is_known && VERBOSITY.contains(&text) => {}
            // The alternatives of a filter have no order either.
            _ if is_known => words.extend(text.split('|')),
            _ => words.push(text),
        }
    }
    if is_known && let Some((_, rest)) = words.split_first_mut() {
        rest.sort_unstable();
    }
    let redirects = command.redirects.iter().flat_map(|redirect| {
        let mark = if redirect.writes { ">" } else { "<" };
        [mark, &*redirect.target.text]
    });
    let negation = command.negated.then_some("!");
    let head = std::iter::once(joint).chain(negation);
    head.chain(assignments)
        .chain(words)
        .chain(redirects)
        .collect()
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
            ("go build ./a && go vet ./a", "go build -v ./a; go vet ./a"),
            (
                "cargo test -p a --test=b c",
                "cargo test c --test b -p a --verbose",
            ),
            ("go test ./a -run 'X|Y'", "go test ./a -run='Y|X'"),
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
                "go test ./a -run 'X|Y'",
                "go test ./a -run Y; go test ./a -run X",
            ),
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
