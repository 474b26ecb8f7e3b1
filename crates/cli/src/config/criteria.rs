//! The criteria of a review in the configuration.

use review_criteria::{Criteria, Criterion};
use review_document::near::nearest;
use review_types::{CriterionName, Score};
use serde_json::{Value as Json, json};
use toml::de::{DeTable, DeValue};

use super::fault::ValueFault;
use super::value::Value;

const KEYS: [&str; 3] = ["name", "description", "min_score"];
/// The lowest score that meets a criterion which names none.
const MIN_SCORE: i64 = 70;

impl Value for Criteria {
    const EXPECTED: &'static str = "a list of tables with name, description and min_score";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        serde_json::from_str(text).map_err(ValueFault::told)
    }

    fn from_toml(value: &DeValue<'_>) -> Result<Self, ValueFault> {
        let list = value.as_array().ok_or(ValueFault::Form)?;
        let criteria = list
            .iter()
            .map(|item| match item.get_ref().as_table() {
                Some(table) => criterion(table),
                None => Err(ValueFault::Form),
            })
            .collect::<Result<_, _>>()?;
        Self::new(criteria).map_err(ValueFault::told)
    }

    fn to_json(&self) -> Json {
        let criteria = self.iter().map(|criterion| {
            json!({
                "name": criterion.name(),
                "description": criterion.description(),
                "min_score": criterion.min_score(),
            })
        });
        criteria.collect()
    }

    fn schema() -> Json {
        json!({
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "additionalProperties": false,
                "required": ["name", "description"],
                "properties": {
                    "name": { "type": "string", "pattern": "\\S" },
                    "description": { "type": "string" },
                    "min_score": Score::schema(),
                },
            },
        })
    }
}

fn criterion(table: &DeTable<'_>) -> Result<Criterion, ValueFault> {
    for (key, _) in table {
        let key = key.get_ref().as_ref();
        if !KEYS.contains(&key) {
            return Err(ValueFault::Told {
                message: format!("unknown key `{key}`"),
                help: nearest(key, KEYS, 1)
                    .first()
                    .map(|near| format!("did you mean `{near}`?")),
            });
        }
    }
    let text = |key: &str| match table.get(key).map(|value| value.get_ref().as_str()) {
        Some(Some(text)) => Ok(text),
        Some(None) => Err(ValueFault::told(format!("`{key}` must be a text"))),
        None => Err(ValueFault::told(format!("a criterion needs `{key}`"))),
    };
    let name = CriterionName::new(text("name")?).map_err(ValueFault::told)?;
    let min_score = match table.get("min_score") {
        Some(value) => Score::from_toml(value.get_ref())
            .map_err(|_| ValueFault::told(format!("`min_score` must be {}", Score::EXPECTED)))?,
        None => Score::new(MIN_SCORE).unwrap_or(Score::MAX),
    };
    Ok(Criterion::new(name, text("description")?, min_score))
}
