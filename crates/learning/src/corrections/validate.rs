//! Validation of a corrections file in constant memory.

use std::io::{self, BufRead};

use super::{
    Code, Correction, Diagnostic, DiagnosticSeverity, KnownPatterns, Line, Lines, MAX_LINE, Mode,
    Reading, read,
};

/// The maximum number of diagnostics of each severity that are kept.
const MAX_KEPT: usize = 1_000;

/// The state of the validation of a file.
#[derive(Clone, Debug)]
pub struct Validation {
    mode: Mode,
    known: KnownPatterns,
    count: u64,
    valid: u64,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    left_off: u64,
}

impl Validation {
    /// Starts a validation.
    pub fn new(mode: Mode) -> Self {
        Self {
            mode,
            known: KnownPatterns::default(),
            count: 0,
            valid: 0,
            errors: Vec::new(),
            warnings: Vec::new(),
            left_off: 0,
        }
    }

    /// Validates all lines of an input.
    ///
    /// # Errors
    /// Returns an error when the input cannot be read.
    pub fn of(input: impl BufRead, mode: Mode) -> io::Result<Self> {
        let mut validation = Self::new(mode);
        validation.each(input, |_, _| {})?;
        Ok(validation)
    }

    /// Validates all lines of an input and passes each valid correction, with its line
    /// number, to a callback.
    ///
    /// # Errors
    /// Returns an error when the input cannot be read.
    pub fn each(
        &mut self,
        input: impl BufRead,
        mut valid: impl FnMut(u64, Correction),
    ) -> io::Result<()> {
        let mut lines = Lines::new(input);
        while let Some((number, line)) = lines.next()? {
            if let Some(correction) = self.line(number, line) {
                valid(number, correction);
            }
        }
        Ok(())
    }

    /// Validates a line and returns its correction if it is valid.
    pub fn line(&mut self, number: u64, line: Line<'_>) -> Option<Correction> {
        self.count += 1;
        let mut reading = match line {
            Line::Whole(text) => read(text, number, self.mode),
            Line::Unended(text) => torn(read(text, number, self.mode)),
            Line::TooLong => too_long(number),
        };
        if let Some(near) = self.near_pattern(number, reading.object.as_ref()) {
            if near.is_error() {
                reading.object = None;
            }
            reading.diagnostics.push(near);
        }
        self.valid += u64::from(reading.object.is_some());
        for diagnostic in reading.diagnostics {
            self.keep(diagnostic);
        }
        reading.object
    }

    /// The number of lines, blank ones excluded.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The number of valid lines.
    pub const fn valid(&self) -> u64 {
        self.valid
    }

    /// The number of diagnostics that exceeded the limit.
    pub const fn left_off(&self) -> u64 {
        self.left_off
    }

    /// Whether every line is valid.
    pub const fn is_valid(&self) -> bool {
        self.valid == self.count
    }

    /// The diagnostics, sorted by line.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        let mut all = self.errors;
        all.extend(self.warnings);
        all.sort_by_key(|diagnostic| diagnostic.line);
        all
    }

    fn near_pattern(&mut self, line: u64, correction: Option<&Correction>) -> Option<Diagnostic> {
        let name = correction?.pattern_inferred.as_ref()?;
        let near = self.known.note(name)?;
        Some(Diagnostic {
            line,
            pointer: "/pattern_inferred".to_owned(),
            at: 0,
            code: Code::PatternNear,
            severity: match self.mode {
                Mode::Strict => DiagnosticSeverity::Error,
                Mode::Default | Mode::Import => DiagnosticSeverity::Warning,
            },
            message: format!("\"{}\" is similar to \"{near}\"", name.as_str()),
            fix: Some(near),
        })
    }

    fn keep(&mut self, diagnostic: Diagnostic) {
        let list = match diagnostic.severity {
            DiagnosticSeverity::Error => &mut self.errors,
            DiagnosticSeverity::Warning => &mut self.warnings,
        };
        if list.len() < MAX_KEPT {
            list.push(diagnostic);
        } else {
            self.left_off += 1;
        }
    }
}

/// The result for a line without a line end: if it is not JSON, it is a truncated line.
fn torn(mut reading: Reading) -> Reading {
    for diagnostic in &mut reading.diagnostics {
        if diagnostic.code == Code::Syntax {
            diagnostic.code = Code::LineTorn;
            let line = diagnostic.line;
            let removal = format!("; `ralph corrections remove {line}` removes the line");
            diagnostic.message.push_str(&removal);
        }
    }
    reading
}

fn too_long(line: u64) -> Reading {
    Reading {
        object: None,
        diagnostics: vec![Diagnostic {
            line,
            pointer: String::new(),
            at: 0,
            code: Code::LineTooLong,
            severity: DiagnosticSeverity::Error,
            message: format!("exceeds the limit of {} MiB", MAX_LINE >> 20),
            fix: None,
        }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(pattern: &str) -> String {
        format!(
            r#"{{"date":"2026-03-02","timestamp":"2026-03-02T10:30:00Z","agent":"a","correction_type":"code_quality","ai_action":{{"summary":"s"}},"user_correction":{{"summary":"s"}},"source":"implicit","pattern_inferred":"{pattern}"}}"#
        )
    }

    fn codes(validation: Validation) -> Vec<(u64, &'static str)> {
        let all = validation.into_diagnostics();
        all.iter()
            .map(|one| (one.line, one.code.as_str()))
            .collect()
    }

    #[test]
    fn an_invalid_line_hides_no_other() {
        let long = "x".repeat(MAX_LINE + 1);
        let text = format!(
            "{}\nno\n\n{}\n{long}\n{}\n{{\"a\":",
            line("scope-creep"),
            line("scope-creeps"),
            line("unused-imports")
        );
        let validation = Validation::of(text.as_bytes(), Mode::Default).unwrap();
        assert_eq!((validation.count(), validation.valid()), (6, 3));
        assert!(!validation.is_valid());
        assert_eq!(
            codes(validation),
            [
                (1, "pattern.other_type"),
                (2, "learning.syntax"),
                (4, "pattern.near"),
                (5, "line.too_long"),
                (7, "line.torn"),
            ]
        );
    }

    #[test]
    fn a_valid_last_line_needs_no_line_end() {
        let text = line("unused-imports");
        let validation = Validation::of(text.as_bytes(), Mode::Strict).unwrap();
        assert_eq!((validation.count(), validation.valid()), (1, 1));
        assert!(validation.is_valid());
        assert_eq!(codes(validation), []);
    }

    #[test]
    fn a_similar_name_is_an_error_in_strict_mode() {
        let text = format!("{}\n{}\n", line("unused-imports"), line("unused-import"));
        let mut validation = Validation::new(Mode::Strict);
        let mut seen = Vec::new();
        validation
            .each(text.as_bytes(), |number, _| seen.push(number))
            .unwrap();
        assert_eq!(seen, [1]);
        let near = validation.into_diagnostics().remove(0);
        assert_eq!(near.fix.as_deref(), Some("unused-imports"));
    }

    #[test]
    fn diagnostics_are_kept_up_to_a_limit_and_counted_above_it() {
        let bad = "no\n".repeat(MAX_KEPT + 7);
        let validation = Validation::of(bad.as_bytes(), Mode::Default).unwrap();
        assert_eq!((validation.count(), validation.left_off()), (1_007, 7));
        assert_eq!(validation.into_diagnostics().len(), MAX_KEPT);
    }
}
