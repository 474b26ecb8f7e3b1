//! Parses numbers and literals.

use super::{Failure, Reader, SyntaxFault, Value};
use crate::RepairCode;

impl<'t> Reader<'t> {
    /// Parses a number; `None` if the end of the input may have cut it off.
    pub(super) fn number(&mut self) -> Result<Option<Value<'t>>, Failure> {
        let start = self.pos;
        if self.peek() == Some(b'+') {
            self.notes.add(RepairCode::LeadingPlus, start);
            self.pos += 1;
        } else if self.peek() == Some(b'-') {
            self.pos += 1;
        }
        if self.peek().is_some_and(|byte| byte.is_ascii_alphabetic()) {
            return self.non_finite(start);
        }
        let whole = self.digits();
        let leading_zero = whole > 1 && self.text.as_bytes().get(self.pos - whole) == Some(&b'0');
        let fraction = self.peek() != Some(b'.') || {
            self.pos += 1;
            self.digits() > 0
        };
        let exponent = self.skip_exponent();
        if self.peek().is_none() {
            return if self.guessing {
                Ok(None)
            } else {
                self.fail(SyntaxFault::End)
            };
        }
        let complete = whole > 0 && !leading_zero && fraction && exponent;
        if !complete || self.in_word() {
            return self.fail(SyntaxFault::Value);
        }
        let raw = self.text.get(start..self.pos).unwrap_or_default();
        if raw.parse::<f64>().is_ok_and(f64::is_infinite) {
            self.notes.add(RepairCode::NonFiniteNumber, start);
        }
        Ok(Some(Value::Number(raw)))
    }

    fn digits(&mut self) -> usize {
        let count = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        self.pos += count;
        count
    }

    /// Moves over an exponent, if there is one. Returns whether it has digits.
    fn skip_exponent(&mut self) -> bool {
        if !matches!(self.peek(), Some(b'e' | b'E')) {
            return true;
        }
        self.pos += 1;
        if matches!(self.peek(), Some(b'+' | b'-')) {
            self.pos += 1;
        }
        self.digits() > 0
    }

    /// Returns whether the byte here continues the previous token.
    fn in_word(&self) -> bool {
        self.peek().is_some_and(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'+' | b'%')
        })
    }

    /// Parses a literal.
    pub(super) fn literal(&mut self) -> Result<Option<Value<'t>>, Failure> {
        let start = self.pos;
        let word = self.letters();
        let (value, python) = match word {
            "true" => (Value::Bool(true), false),
            "false" => (Value::Bool(false), false),
            "null" => (Value::Null, false),
            "True" => (Value::Bool(true), true),
            "False" => (Value::Bool(false), true),
            "None" => (Value::Null, true),
            _ => {
                self.pos = start;
                return self.non_finite(start);
            }
        };
        if self.guessing && self.peek().is_none() {
            return Ok(None);
        }
        if self.in_word() {
            self.pos = start;
            return self.fail(SyntaxFault::Value);
        }
        if python {
            self.notes.add(RepairCode::PythonLiteral, start);
        }
        Ok(Some(value))
    }

    fn letters(&mut self) -> &'t str {
        let rest = self.rest();
        let count = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        self.pos += count;
        rest.get(..count).unwrap_or_default()
    }

    /// Parses `NaN` or `Infinity` after its sign.
    fn non_finite(&mut self, start: usize) -> Result<Option<Value<'t>>, Failure> {
        let word_at = self.pos;
        let known = matches!(self.letters(), "NaN" | "Infinity");
        if self.guessing && self.peek().is_none() {
            return Ok(None);
        }
        if !known || self.in_word() {
            self.pos = word_at;
            return self.fail(SyntaxFault::Value);
        }
        self.notes.add(RepairCode::NonFiniteNumber, start);
        let raw = self.text.get(start..self.pos).unwrap_or_default();
        Ok(Some(Value::Number(raw)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{Node, Place};

    /// Returns the value at the start of a string; `None` if a guess drops it.
    fn read(text: &str, guessing: bool) -> Result<Option<Node<'_>>, SyntaxFault> {
        let mut reader = Reader::new(text, 0, guessing);
        let (node, whole) = reader.value(0, Place::Field);
        match reader.failure {
            Some(failure) => Err(failure.fault),
            None => Ok(Some(node).filter(|_| whole)),
        }
    }

    #[test]
    fn numbers_and_literals_end_at_a_delimiter() {
        for (token, value) in [
            ("0", Value::Number("0")),
            ("-0", Value::Number("-0")),
            ("85", Value::Number("85")),
            ("+85", Value::Number("+85")),
            ("8.5e-10", Value::Number("8.5e-10")),
            ("1E+3", Value::Number("1E+3")),
            ("1e400", Value::Number("1e400")),
            ("-1e400", Value::Number("-1e400")),
            ("NaN", Value::Number("NaN")),
            ("-Infinity", Value::Number("-Infinity")),
            ("true", Value::Bool(true)),
            ("False", Value::Bool(false)),
            ("None", Value::Null),
            ("null", Value::Null),
        ] {
            for behind in [",", "}", " ", "]", "\n", "/", "#"] {
                let text = format!("{token}{behind}");
                let (span, value) = (0..token.len(), value.clone());
                assert_eq!(read(&text, false), Ok(Some(Node { span, value })), "{text}");
            }
        }
    }

    #[test]
    fn a_number_may_not_be_finite() {
        for (text, number) in [
            ("1e300,", Some(1e300)),
            ("+85,", Some(85.0)),
            ("1e400,", None),
            ("-1e400,", None),
            ("NaN,", None),
            ("-Infinity,", None),
            ("true,", None),
        ] {
            let node = read(text, false).unwrap().unwrap();
            assert_eq!(node.number(), number, "{text}");
        }
        let long = format!("{},", "9".repeat(400));
        assert_eq!(read(&long, false).unwrap().unwrap().number(), None);
    }

    #[test]
    fn invalid_numbers_and_literals_fail() {
        for text in [
            "01,",
            "1.,",
            ".5,",
            "1e,",
            "-,",
            "+-1,",
            "1-2,",
            "85%,",
            "1.2.3,",
            "0x1,",
            "pass,",
            "nullx,",
            "null_,",
            "true1,",
            "NaNs,",
            "-Inf,",
            "undefined,",
        ] {
            assert_eq!(read(text, false), Err(SyntaxFault::Value), "{text}");
            assert_eq!(read(text, true), Err(SyntaxFault::Value), "{text}");
        }
    }

    #[test]
    fn a_guess_drops_a_token_at_the_end() {
        for text in ["8", "8.", "-", "tru", "true", "Na", "NaN", "-Inf", "1e"] {
            assert_eq!(read(text, true), Ok(None), "{text}");
        }
        for text in ["8", "8.", "-", "1e", "1e+"] {
            assert_eq!(read(text, false), Err(SyntaxFault::End), "{text}");
        }
    }
}
