//! The criteria of a review in the configuration.

use review_criteria::{Criteria, Criterion};
use review_document::near::nearest;
use review_types::{CriterionName, Score};
use serde_json::{Map, Value as Json, json};
use toml::de::DeValue;

use super::fault::ValueFault;
use super::tables::fields;
use super::value::Value;

const KEYS: [&str; 3] = ["name", "description", "min_score"];
/// The lowest score that meets a criterion which names none.
const MIN_SCORE: i64 = 70;

impl Value for Criteria {
    const EXPECTED: &'static str = "a list of tables with name, description and min_score";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        let list: Vec<Map<String, Json>> =
            serde_json::from_str(text).map_err(|_| ValueFault::Form)?;
        let criteria = list.iter().map(criterion).collect::<Result<_, _>>()?;
        Self::new(criteria).map_err(ValueFault::told)
    }

    fn from_toml(value: &DeValue<'_>) -> Result<Self, ValueFault> {
        let list = value.as_array().ok_or(ValueFault::Form)?;
        let criteria = list
            .iter()
            .map(|item| {
                let fields = fields(item.get_ref()).ok_or(ValueFault::Form);
                let read = fields.and_then(|fields| criterion(&fields));
                read.map_err(|fault| fault.at(item.span()))
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

    #[cfg(test)]
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

fn criterion(fields: &Map<String, Json>) -> Result<Criterion, ValueFault> {
    if let Some(key) = fields.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(ValueFault::Told {
            message: format!("unknown key `{key}`"),
            help: nearest(key, KEYS, 1)
                .first()
                .map(|near| format!("did you mean `{near}`?")),
        });
    }
    let text = |key: &str| match fields.get(key).map(Json::as_str) {
        Some(Some(text)) => Ok(text),
        Some(None) => Err(ValueFault::told(format!("`{key}` must be a text"))),
        None => Err(ValueFault::told(format!("a criterion needs `{key}`"))),
    };
    let name = CriterionName::new(text("name")?).map_err(ValueFault::told)?;
    let min_score = match fields.get("min_score") {
        Some(value) => value
            .as_i64()
            .and_then(|score| Score::new(score).ok())
            .ok_or_else(|| ValueFault::told(format!("`min_score` must be {}", Score::EXPECTED)))?,
        None => Score::new(MIN_SCORE).unwrap_or(Score::MAX),
    };
    Ok(Criterion::new(name, text("description")?, min_score))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Json, String> {
        match Criteria::from_text(text) {
            Ok(criteria) => Ok(criteria.to_json()),
            Err(fault) => Err(fault.said("review.criteria", Criteria::EXPECTED).message),
        }
    }

    #[test]
    fn a_variable_says_as_little_as_the_file() {
        let text =
            r#"[{"name":"a","description":"b"},{"name":"c","description":"d","min_score":0}]"#;
        assert_eq!(
            read(text),
            Ok(json!([
                {"name": "a", "description": "b", "min_score": 70},
                {"name": "c", "description": "d", "min_score": 0},
            ]))
        );
    }

    #[test]
    fn what_is_wrong_with_a_criterion_is_said() {
        let form =
            "`review.criteria` must be a list of tables with name, description and min_score";
        for (text, message) in [
            ("{", form),
            ("[1]", form),
            (
                "[]",
                "`review.criteria`: criteria must name at least one criterion",
            ),
            (
                r#"[{"name":"a"}]"#,
                "`review.criteria`: a criterion needs `description`",
            ),
            (
                r#"[{"name":1,"description":"b"}]"#,
                "`review.criteria`: `name` must be a text",
            ),
            (
                r#"[{"name":"a","description":"b","min_score":101}]"#,
                "`review.criteria`: `min_score` must be a whole number from 0 to 100",
            ),
            (
                r#"[{"name":"a","description":"b","min":1}]"#,
                "`review.criteria`: unknown key `min`",
            ),
        ] {
            assert_eq!(read(text), Err(message.to_owned()), "{text}");
        }
    }
}
