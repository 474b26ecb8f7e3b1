//! The table `[learning]`.

use review_learning::config::{ConfigForm, LearningConfig};
use review_learning::object::Diagnostic;
use serde_json::{Value as Json, json};

use crate::fault::ValueFault;
use crate::value::derived_schema;
use crate::value::{NONE, Optional, Value};

/// The key of the table, which has diagnostics of its own.
pub(crate) const TABLE: &str = "learning";

impl Optional for LearningConfig {
    const WORD: &'static str = NONE;
}

impl Value for LearningConfig {
    const EXPECTED: &'static str = "a table with the keys of .aiwg/agent-learning.yaml";

    fn read(value: &Json) -> Result<Self, ValueFault> {
        if !value.is_object() {
            return Err(ValueFault::Form);
        }
        let reading = Self::read_as(ConfigForm::Table, value);
        let wrong = reading.diagnostics.into_iter().find(Diagnostic::is_error);
        match wrong {
            Some(wrong) => Err(ValueFault::Content {
                path: wrong.pointer.replace('/', "."),
                help: Some(wrong.advice().to_owned()),
                message: wrong.message,
                pointer: wrong.pointer,
            }),
            None => reading.object.ok_or(ValueFault::Form),
        }
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    fn schema() -> Json {
        let mut schema = derived_schema::<Self>();
        if let Some(fields) = schema.as_object_mut() {
            // What is absent in the table has its default.
            fields.remove("required");
        }
        schema
    }
}
