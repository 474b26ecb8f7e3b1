//! Tables of the configuration whose entries are tables with names of their own.

use review_document::near::nearest;
use serde_json::{Map, Number, Value as Json};
use toml::de::DeValue;

use super::fault::ValueFault;
use super::value::integer;

/// Reads the tables of a variable, which is a JSON object, one by one.
pub(super) fn each_in_text(
    text: &str,
    mut each: impl FnMut(&str, &Map<String, Json>) -> Result<(), ValueFault>,
) -> Result<(), ValueFault> {
    let tables: Map<String, Json> = serde_json::from_str(text).map_err(|_| ValueFault::Form)?;
    tables
        .iter()
        .try_for_each(|(name, table)| each(name, table.as_object().ok_or(ValueFault::Form)?))
}

/// Reads the tables of the file one by one; what is wrong in one is told at its
/// name.
pub(super) fn each_in_toml(
    value: &DeValue<'_>,
    mut each: impl FnMut(&str, &Map<String, Json>) -> Result<(), ValueFault>,
) -> Result<(), ValueFault> {
    let tables = value.as_table().ok_or(ValueFault::Form)?;
    tables.iter().try_for_each(|(name, table)| {
        let fields = fields(table.get_ref()).ok_or(ValueFault::Form);
        let read = fields.and_then(|fields| each(name.get_ref(), &fields));
        read.map_err(|fault| fault.at(name.span()))
    })
}

/// The fields of a table that holds no further table or list.
pub(super) fn fields(value: &DeValue<'_>) -> Option<Map<String, Json>> {
    let fields = value.as_table()?.iter();
    fields
        .map(|(key, value)| Some((key.get_ref().to_string(), scalar(value.get_ref())?)))
        .collect()
}

fn scalar(value: &DeValue<'_>) -> Option<Json> {
    match value {
        DeValue::String(text) => Some(Json::String(text.to_string())),
        DeValue::Boolean(value) => Some(Json::Bool(*value)),
        DeValue::Integer(_) => Some(Json::from(integer(value)?)),
        DeValue::Float(float) => {
            let float = float.as_str().replace('_', "").parse().ok()?;
            Number::from_f64(float).map(Json::Number)
        }
        DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => None,
    }
}

/// The fields of one table, which has the name `table`.
pub(super) struct Fields<'a> {
    table: &'a str,
    fields: &'a Map<String, Json>,
}

impl<'a> Fields<'a> {
    /// The fields, which must be among `known`.
    pub(super) fn new(
        table: &'a str,
        fields: &'a Map<String, Json>,
        known: &[&'static str],
    ) -> Result<Self, ValueFault> {
        let unknown = fields.keys().find(|key| !known.contains(&key.as_str()));
        match unknown {
            None => Ok(Self { table, fields }),
            Some(key) => {
                let near = nearest(key, known.iter().copied(), 1);
                Err(ValueFault::Told {
                    message: format!("unknown key `{key}` in `{table}`"),
                    help: near.first().map(|near| format!("did you mean `{near}`?")),
                })
            }
        }
    }

    /// The field `key`, as `read` reads it; `expected` says what it must be.
    pub(super) fn get<T>(
        &self,
        key: &str,
        expected: &str,
        read: impl FnOnce(&Json) -> Option<T>,
    ) -> Result<Option<T>, ValueFault> {
        let Some(value) = self.fields.get(key) else {
            return Ok(None);
        };
        let wrong = || ValueFault::told(format!("`{key}` of `{}` must be {expected}", self.table));
        read(value).map(Some).ok_or_else(wrong)
    }

    /// A field that is a text, as its type reads it.
    pub(super) fn parsed<T>(&self, key: &str) -> Result<Option<T>, ValueFault>
    where
        T: std::str::FromStr<Err: std::fmt::Display>,
    {
        let text = self.get(key, "a text", |value| value.as_str().map(str::to_owned))?;
        let wrong = |error| ValueFault::told(format!("`{key}` of `{}` {error}", self.table));
        text.map(|text| text.parse().map_err(wrong)).transpose()
    }

    /// The value of a field that must be there.
    pub(super) fn needed<T>(&self, key: &str, value: Option<T>) -> Result<T, ValueFault> {
        value.ok_or_else(|| ValueFault::told(format!("`{}` needs `{key}`", self.table)))
    }
}
