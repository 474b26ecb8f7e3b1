//! Parses numbers and literals.

use super::{Failure, Kind, ParsedValue, Reader, SyntaxFault};
use crate::RepairCode;

impl Reader<'_> {
    /// Moves over a number.
    pub(super) fn number(&mut self) -> Result<ParsedValue, Failure> {
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
        if self.guessing && self.peek().is_none() {
            return Ok(ParsedValue::Lost);
        }
        if self.peek().is_none() {
            return self.fail(SyntaxFault::End);
        }
        let complete = whole > 0 && !leading_zero && fraction && exponent;
        if !complete || self.in_word() {
            return self.fail(SyntaxFault::Value);
        }
        if self.overflows(start) {
            self.notes.add(RepairCode::NonFiniteNumber, start);
            return Ok(self.whole(Kind::NonFinite, start));
        }
        Ok(self.whole(Kind::Number, start))
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

    fn overflows(&self, start: usize) -> bool {
        let text = self.text.get(start..self.pos).unwrap_or_default();
        text.parse::<f64>().is_ok_and(f64::is_infinite)
    }

    /// Returns whether the byte here continues the previous token.
    fn in_word(&self) -> bool {
        self.peek().is_some_and(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'+' | b'%')
        })
    }

    /// Moves over a literal.
    pub(super) fn word(&mut self) -> Result<ParsedValue, Failure> {
        let start = self.pos;
        let word = self.letters();
        let (kind, python) = match word {
            "true" => (Kind::True, false),
            "false" => (Kind::False, false),
            "null" => (Kind::Null, false),
            "True" => (Kind::True, true),
            "False" => (Kind::False, true),
            "None" => (Kind::Null, true),
            _ => {
                self.pos = start;
                return self.non_finite(start);
            }
        };
        if self.guessing && self.peek().is_none() {
            return Ok(ParsedValue::Lost);
        }
        if self.in_word() {
            self.pos = start;
            return self.fail(SyntaxFault::Value);
        }
        if python {
            self.notes.add(RepairCode::PythonLiteral, start);
        }
        Ok(self.whole(kind, start))
    }

    fn letters(&mut self) -> &str {
        let rest = self.rest();
        let count = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        self.pos += count;
        rest.get(..count).unwrap_or_default()
    }

    /// Moves over `NaN` or `Infinity` after its sign.
    fn non_finite(&mut self, start: usize) -> Result<ParsedValue, Failure> {
        let word_at = self.pos;
        let known = matches!(self.letters(), "NaN" | "Infinity");
        if self.guessing && self.peek().is_none() {
            return Ok(ParsedValue::Lost);
        }
        if !known || self.in_word() {
            self.pos = word_at;
            return self.fail(SyntaxFault::Value);
        }
        self.notes.add(RepairCode::NonFiniteNumber, start);
        Ok(self.whole(Kind::NonFinite, start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{Place, Slot};

    fn read(text: &str, guessing: bool) -> Result<ParsedValue, SyntaxFault> {
        Reader::new(text, 0, guessing)
            .value(0, Place::Field)
            .map_err(|failure| failure.fault)
    }

    #[test]
    fn numbers_and_literals_end_at_a_delimiter() {
        for (token, kind) in [
            ("0", Kind::Number),
            ("-0", Kind::Number),
            ("85", Kind::Number),
            ("+85", Kind::Number),
            ("8.5e-10", Kind::Number),
            ("1E+3", Kind::Number),
            ("1e400", Kind::NonFinite),
            ("-1e400", Kind::NonFinite),
            ("NaN", Kind::NonFinite),
            ("-Infinity", Kind::NonFinite),
            ("true", Kind::True),
            ("False", Kind::False),
            ("None", Kind::Null),
            ("null", Kind::Null),
        ] {
            for behind in [",", "}", " ", "]", "\n", "/", "#"] {
                let slot = Slot {
                    kind,
                    start: 0,
                    end: token.len(),
                };
                let text = format!("{token}{behind}");
                assert_eq!(read(&text, false), Ok(ParsedValue::Whole(slot)), "{text}");
            }
        }
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
            assert_eq!(read(text, true), Ok(ParsedValue::Lost), "{text}");
        }
        for text in ["8", "8.", "-", "1e", "1e+"] {
            assert_eq!(read(text, false), Err(SyntaxFault::End), "{text}");
        }
    }

    #[test]
    fn a_long_number_overflows_without_an_exponent() {
        let text = format!("{},", "9".repeat(400));
        let read = read(&text, false).unwrap();
        assert_eq!(read.slot().map(|slot| slot.kind), Some(Kind::NonFinite));
    }
}
