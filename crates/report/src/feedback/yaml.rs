//! YAML as JSON whose values know the lines that they come from.

use review_document::yaml::{Kind, Node, Scalar, Value, YamlError, parse};

/// JSON text that was YAML.
#[derive(Debug, PartialEq)]
pub struct Translated {
    /// The JSON.
    pub text: String,
    /// The bytes at which keys and values begin, with their lines in the YAML.
    lines: Vec<(usize, usize)>,
}

impl Translated {
    /// Returns the line in the YAML of a byte of the JSON.
    #[must_use]
    pub fn line(&self, at: usize) -> usize {
        let before = self.lines.partition_point(|(start, _)| *start <= at);
        before
            .checked_sub(1)
            .and_then(|last| self.lines.get(last))
            .map_or(1, |(_, line)| *line)
    }
}

/// Translates a string that is one YAML document.
///
/// # Errors
/// When it is not valid YAML.
pub fn translate(yaml: &str) -> Result<Translated, YamlError> {
    let tree = parse(yaml)?;
    let mut translated = Translated {
        text: String::with_capacity(yaml.len()),
        lines: Vec::new(),
    };
    translated.node(&tree.root);
    Ok(translated)
}

impl Translated {
    fn node(&mut self, node: &Node) {
        self.lines.push((self.text.len(), node.place.position.line));
        match &node.value {
            Value::Scalar(scalar) => self.scalar(scalar),
            Value::Sequence(items) => {
                self.text.push('[');
                for (number, item) in items.iter().enumerate() {
                    self.comma(number);
                    self.node(item);
                }
                self.text.push(']');
            }
            Value::Mapping(entries) => {
                self.text.push('{');
                for (number, entry) in entries.iter().enumerate() {
                    self.comma(number);
                    let line = entry.key_place.position.line;
                    self.lines.push((self.text.len(), line));
                    self.string(&entry.key);
                    self.text.push(':');
                    self.node(&entry.value);
                }
                self.text.push('}');
            }
        }
    }

    fn comma(&mut self, number: usize) {
        if number > 0 {
            self.text.push(',');
        }
    }

    fn scalar(&mut self, scalar: &Scalar) {
        match scalar.kind {
            Kind::Null => self.text.push_str("null"),
            Kind::Bool(value) => self.text.push_str(if value { "true" } else { "false" }),
            Kind::Int(value) => self.text.push_str(&value.to_string()),
            Kind::Float(value) if value.is_finite() => self.text.push_str(&format!("{value:?}")),
            Kind::Float(_) | Kind::Text => self.string(&scalar.text),
        }
    }

    fn string(&mut self, text: &str) {
        self.text
            .push_str(&serde_json::Value::from(text).to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_type_and_their_line() {
        let yaml = "# a\nid: \"7\"\nlist:\n  - 1\n  - 1.5\n  - ~\n  - true\n  - .inf\n\
                    text: |\n  a \"b\"\n  c\nbig: 1e300\n";
        let translated = translate(yaml).unwrap();
        let expected =
            r#"{"id":"7","list":[1,1.5,null,true,".inf"],"text":"a \"b\"\nc\n","big":1e300}"#;
        assert_eq!(translated.text, expected);
        let line = |needle: &str| translated.line(expected.find(needle).unwrap());
        assert_eq!(line("\"id\""), 2);
        assert_eq!(line("1.5"), 5);
        assert_eq!(line("\"text\""), 9);
        assert_eq!(line("1e300"), 12);
        assert_eq!(translated.line(0), 2);
    }

    #[test]
    fn invalid_yaml_is_reported_with_its_line() {
        let error = translate("a: 1\na: 2\n").unwrap_err();
        assert_eq!(error.place.position.line, 2);
    }
}
