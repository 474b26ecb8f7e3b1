//! What is read of the formats of others.

use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Rdjson {
    pub(super) diagnostics: Vec<RdDiagnostic>,
}

#[derive(Deserialize)]
pub(super) struct RdDiagnostic {
    pub(super) message: String,
    pub(super) location: RdLocation,
    pub(super) severity: Option<String>,
    pub(super) code: Option<RdCode>,
    #[serde(default)]
    pub(super) suggestions: Vec<RdSuggestion>,
}

#[derive(Deserialize)]
pub(super) struct RdLocation {
    pub(super) path: String,
    pub(super) range: Option<RdRange>,
}

#[derive(Deserialize)]
pub(super) struct RdRange {
    pub(super) start: RdPosition,
    pub(super) end: Option<RdPosition>,
}

#[derive(Deserialize)]
pub(super) struct RdPosition {
    pub(super) line: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct RdCode {
    pub(super) value: String,
}

#[derive(Deserialize)]
pub(super) struct RdSuggestion {
    pub(super) text: String,
}

#[derive(Deserialize)]
pub(super) struct Codex {
    pub(super) findings: Vec<CodexFinding>,
    pub(super) overall_correctness: Option<String>,
    pub(super) overall_explanation: Option<String>,
    pub(super) overall_confidence_score: Option<f64>,
}

#[derive(Deserialize)]
pub(super) struct CodexFinding {
    pub(super) title: String,
    #[serde(default)]
    pub(super) body: String,
    pub(super) confidence_score: Option<f64>,
    pub(super) priority: Option<u8>,
    pub(super) code_location: Option<CodexLocation>,
}

#[derive(Deserialize)]
pub(super) struct CodexLocation {
    pub(super) absolute_file_path: String,
    pub(super) line_range: Option<CodexRange>,
}

#[derive(Deserialize)]
pub(super) struct CodexRange {
    pub(super) start: u64,
    pub(super) end: Option<u64>,
}
