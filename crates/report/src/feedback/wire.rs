//! What is read of the formats of others.

use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Sarif {
    pub(super) runs: Vec<SarifRun>,
}

#[derive(Deserialize)]
pub(super) struct SarifRun {
    #[serde(default)]
    pub(super) results: Vec<SarifResult>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifResult {
    pub(super) rule_id: Option<String>,
    pub(super) level: Option<SarifLevel>,
    pub(super) message: SarifMessage,
    #[serde(default)]
    pub(super) locations: Vec<SarifLocation>,
    #[serde(default)]
    pub(super) fixes: Vec<SarifFix>,
    #[serde(default)]
    pub(super) properties: SarifProperties,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum SarifLevel {
    Error,
    Note,
    None,
    #[serde(other)]
    Warning,
}

#[derive(Default, Deserialize)]
pub(super) struct SarifMessage {
    pub(super) text: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifLocation {
    pub(super) physical_location: Option<SarifPhysical>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifPhysical {
    pub(super) artifact_location: Option<SarifArtifact>,
    pub(super) region: Option<SarifRegion>,
}

#[derive(Deserialize)]
pub(super) struct SarifArtifact {
    pub(super) uri: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifRegion {
    pub(super) start_line: Option<u64>,
    pub(super) end_line: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct SarifFix {
    pub(super) description: Option<SarifMessage>,
}

/// The properties that this product writes for itself.
#[derive(Default, Deserialize)]
pub(super) struct SarifProperties {
    pub(super) severity: Option<String>,
    pub(super) aspect: Option<String>,
    pub(super) section: Option<String>,
    pub(super) action: Option<String>,
    pub(super) rationale: Option<String>,
}

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
