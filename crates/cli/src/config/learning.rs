//! The table `[learning]`.

use review_learning::config::{ConfigForm, LearningConfig};
use review_learning::object::{Diagnostic, Reading};
use serde_json::{Value as Json, json};
use toml::de::DeValue;

use super::fault::ValueFault;
use super::value::{NONE, Value};
use crate::learning::{as_json, span_at};

impl Value for Option<LearningConfig> {
    const EXPECTED: &'static str =
        "a table with the keys of .aiwg/agent-learning.yaml, or \"none\"";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        if text == NONE {
            return Ok(None);
        }
        let value = serde_json::from_str(text).map_err(|_| ValueFault::Form)?;
        let reading = LearningConfig::read_as(ConfigForm::Table, &value);
        config(reading).map_err(|wrong| fault(&wrong))
    }

    fn from_toml(value: &DeValue<'_>) -> Result<Self, ValueFault> {
        let table = match value {
            DeValue::Table(table) => table,
            _ if value.as_str() == Some(NONE) => return Ok(None),
            _ => return Err(ValueFault::Form),
        };
        config(LearningConfig::read_as(ConfigForm::Table, &as_json(value))).map_err(|wrong| {
            let fault = fault(&wrong);
            match span_at(table, &wrong.pointer) {
                Some(span) => fault.at(span),
                None => fault,
            }
        })
    }

    fn to_json(&self) -> Json {
        match self {
            Some(config) => json!(config),
            None => json!(NONE),
        }
    }

    #[cfg(test)]
    fn schema() -> Json {
        let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        });
        let root = settings
            .into_generator()
            .into_root_schema_for::<LearningConfig>();
        let mut schema = root.to_value();
        if let Some(members) = schema.as_object_mut() {
            // What is absent in the table has its default.
            members.remove("required");
            members.remove("title");
        }
        schema
    }
}

/// The configuration, or the first thing that is wrong with it.
fn config(reading: Reading<LearningConfig>) -> Result<Option<LearningConfig>, Diagnostic> {
    let wrong = reading.diagnostics.into_iter().find(Diagnostic::is_error);
    wrong.map_or(Ok(reading.object), Err)
}

fn fault(wrong: &Diagnostic) -> ValueFault {
    let place = wrong.pointer.trim_start_matches('/').replace('/', ".");
    ValueFault::Told {
        message: format!("{place} {}", wrong.message),
        help: Some(wrong.advice().to_owned()),
    }
}
