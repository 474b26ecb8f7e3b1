//! What follows from a configuration, and its schema.

use review_lint::{FileIgnores, Rule, RuleChoice, Selector};
use schemars::generate::SchemaSettings;
use schemars::{Schema, transform::RecursiveTransform};
use serde_json::{Value as Json, json};

use crate::key::{KEYS, Key, Origin};
use crate::tables::Config;

impl Config {
    /// Each key with its value, as a file may hold it, and where that comes from.
    pub fn entries(&self) -> impl Iterator<Item = (&'static Key, Json, &Origin)> {
        let values = serde_json::to_value(self).unwrap_or_default();
        let keys = KEYS.iter().zip(&self.origins);
        keys.map(move |(key, origin)| {
            let value = values.pointer(&key.pointer()).cloned();
            (key, value.unwrap_or_default(), origin)
        })
    }

    /// Where the value of the key `name` comes from.
    pub fn origin(&self, name: &str) -> &Origin {
        let index = KEYS.iter().position(|key| key.name == name);
        index
            .and_then(|index| self.origins.get(index))
            .unwrap_or(&Origin::Default)
    }

    /// How the embedded reviewer judges, `choices` having the last words on
    /// which rules are on.
    pub fn lint(&self, choices: &[RuleChoice]) -> review_lint::Settings {
        let own = RuleChoice {
            select: Some(self.lint.select.clone()),
            ignore: self.lint.ignore.clone(),
        };
        let select = RuleChoice::resolve(std::iter::once(&own).chain(choices));
        let severities = self.lint.severities.iter();
        let ignores = self.lint.per_file_ignores.iter();
        review_lint::Settings {
            min_scores: review_lint::Criterion::ALL
                .iter()
                .copied()
                .filter_map(|criterion| {
                    let configured = self.review.criteria.get(criterion.as_str())?;
                    Some((criterion, configured.min_score))
                })
                .collect(),
            select: (select.len() < Rule::ALL.len()).then_some(select),
            severities: severities
                .flat_map(|(selector, severity)| selector.rules().map(|rule| (rule, *severity)))
                .collect(),
            per_file_ignores: ignores
                .map(|(files, rules)| FileIgnores {
                    files: files.clone(),
                    rules: rules.iter().copied().flat_map(Selector::rules).collect(),
                })
                .collect(),
            required_sections: self
                .lint
                .required_sections
                .iter()
                .map(ToString::to_string)
                .collect(),
            ..review_lint::Settings::default()
        }
    }
}

/// The JSON schema of `ralph.toml`.
pub fn config_schema() -> Json {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let settings = settings.with_transform(RecursiveTransform(of_file));
    let root = settings.into_generator().into_root_schema_for::<Config>();
    let mut schema = root.to_value();
    let optional = |table: &mut Json| {
        let fields = table.as_object_mut();
        fields.and_then(|fields| fields.remove("required"));
    };
    optional(&mut schema);
    let tables = schema["properties"].as_object_mut().into_iter().flatten();
    tables.for_each(|(_, table)| optional(table));
    schema
}

/// A schema for values of a file: TOML has no null.
fn of_file(schema: &mut Schema) {
    let is_null = |kind: &Json| kind == "null" || *kind == json!({ "type": "null" });
    for keyword in ["type", "anyOf"] {
        if let Some(Json::Array(kinds)) = schema.get_mut(keyword) {
            kinds.retain(|kind| !is_null(kind));
        }
    }
    if schema.remove("format") == Some(json!("uint32")) {
        schema.insert("maximum".to_owned(), json!(u32::MAX));
    }
    if let Some(Json::String(text)) = schema.get_mut("description") {
        *text = text.replace('\n', " ");
    }
}
