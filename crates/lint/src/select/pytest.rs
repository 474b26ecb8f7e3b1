//! The expressions of `pytest -k`.

use super::Answer;

/// The maximum nesting of parentheses and `not` that is parsed.
const MAX_DEPTH: usize = 64;

/// The maximum number of words of an expression that is parsed.
const MAX_WORDS: usize = 256;

/// An expression over words.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Expression {
    Word(String),
    Not(Box<Self>),
    And(Vec<Self>),
    Or(Vec<Self>),
}

impl Expression {
    /// Parses an expression; `None` if it is not valid.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        if spaced.split_whitespace().count() > MAX_WORDS {
            return None;
        }
        let mut parser = Parser {
            words: spaced.split_whitespace().peekable(),
        };
        let read = parser.or(0)?;
        parser.words.next().is_none().then_some(read)
    }

    /// Whether it selects a test: words are looked up in the test's own name, ignoring
    /// case, then `around` is called.
    pub(crate) fn selects(&self, name: &str, around: &mut impl FnMut(&str) -> bool) -> Answer {
        self.evaluate(&name.to_lowercase(), around)
    }

    fn evaluate(&self, name: &str, around: &mut impl FnMut(&str) -> bool) -> Answer {
        match self {
            Self::Word(word) if name.contains(&word.to_lowercase()) => Answer::Yes,
            Self::Word(word) if around(word) => Answer::Unknown,
            Self::Word(_) => Answer::No,
            Self::Not(inner) => inner.evaluate(name, around).not(),
            Self::And(all) => {
                let answers = all.iter().map(|part| part.evaluate(name, around));
                answers.min().unwrap_or(Answer::Yes)
            }
            Self::Or(any) => {
                let answers = any.iter().map(|part| part.evaluate(name, around));
                answers.max().unwrap_or(Answer::No)
            }
        }
    }
}

struct Parser<'a> {
    words: std::iter::Peekable<std::str::SplitWhitespace<'a>>,
}

impl Parser<'_> {
    fn or(&mut self, depth: usize) -> Option<Expression> {
        let mut parts = vec![self.and(depth)?];
        while self.words.next_if_eq(&"or").is_some() {
            parts.push(self.and(depth)?);
        }
        Some(Expression::Or(parts))
    }

    fn and(&mut self, depth: usize) -> Option<Expression> {
        let mut parts = vec![self.not(depth)?];
        while self.words.next_if_eq(&"and").is_some() {
            parts.push(self.not(depth)?);
        }
        Some(Expression::And(parts))
    }

    fn not(&mut self, depth: usize) -> Option<Expression> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.words.next()? {
            "not" => Some(Expression::Not(Box::new(self.not(depth + 1)?))),
            "(" => {
                let inner = self.or(depth + 1)?;
                self.words.next_if_eq(&")").map(|_| inner)
            }
            ")" | "and" | "or" => None,
            word => Some(Expression::Word(word.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_select_like_pytest() {
        let cases = [
            ("Schema", "test_schema_ok", Answer::Yes),
            ("schema", "TestSchema::test_ok", Answer::Yes),
            ("schema", "test_parse", Answer::No),
            ("a and b", "test_a", Answer::No),
            ("a or b", "test_b", Answer::Yes),
            ("not a", "test_b", Answer::Yes),
            ("not (a or b) and test", "test_c", Answer::Yes),
            ("file", "test_c", Answer::Unknown),
            ("not file", "test_c", Answer::Unknown),
            ("file and x", "test_c", Answer::No),
            ("file or c", "test_c", Answer::Yes),
        ];
        for (text, name, answer) in cases {
            let expression = Expression::new(text).unwrap();
            let seen = expression.selects(name, &mut |word| word == "file");
            assert_eq!(seen, answer, "{text} on {name}");
        }
    }

    #[test]
    fn an_invalid_expression_is_not_parsed() {
        for text in [
            "",
            "a b",
            "and",
            "(a",
            "a)",
            "not",
            &"(".repeat(100),
            &("not ".repeat(100) + "a"),
            &"a or ".repeat(200),
        ] {
            assert_eq!(Expression::new(text), None, "{text:.20}");
        }
    }

    #[test]
    fn the_nesting_of_an_expression_is_limited() {
        let negated = |times: usize| Expression::new(&("not ".repeat(times) + "a"));
        let bracketed = |times: usize| {
            let (open, close) = ("(".repeat(times), ")".repeat(times));
            Expression::new(&format!("{open}a{close}"))
        };
        let readers: [fn(usize) -> Option<Expression>; 2] = [negated, bracketed];
        for read in readers {
            assert!(read(1).is_some() && read(MAX_DEPTH).is_some());
            assert_eq!(read(MAX_DEPTH + 1), None);
        }
    }
}
