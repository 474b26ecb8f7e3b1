//! Reports as pages for a browser: one file, without a script, a font or anything else
//! from elsewhere.
//!
//! Tags and attributes are words of this program; every string of a run goes through
//! `Html::text` or the value of an attribute.

mod gate;
mod graph;
mod list;
mod plots;
mod run;
#[cfg(test)]
mod tests;
mod timeline;

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::text::printable;

pub use gate::gate;
pub use list::list;
pub use run::{RunPage, run};

const STYLE: &str = include_str!("style.css");

/// How a page gets to the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery<'a> {
    /// As a file, which no script changes.
    File,
    /// From a server, whose policy allows what names this nonce.
    Served {
        /// The nonce.
        nonce: &'a str,
        /// The script that renews the page; empty without one.
        script: &'static str,
    },
}

/// Attributes of a tag, with their values.
type Attributes<'a> = &'a [(&'static str, &'a str)];

/// A page that is written.
#[derive(Debug, Default)]
struct Html(String);

impl Html {
    /// Writes a tag around what `content` writes. `what` is its name, and its classes after a
    /// dot.
    fn tag(&mut self, what: &str, content: impl FnOnce(&mut Self)) {
        self.tag_with(what, &[], content);
    }

    /// Writes a tag with further attributes around what `content` writes.
    fn tag_with(
        &mut self,
        what: &str,
        attributes: Attributes<'_>,
        content: impl FnOnce(&mut Self),
    ) {
        let name = self.open(what, attributes);
        self.0.push('>');
        content(self);
        // Writing to a String cannot fail.
        let _ = write!(self.0, "</{name}>");
    }

    /// Writes a tag around a string.
    fn leaf(&mut self, what: &str, text: &str) {
        self.tag(what, |html| html.text(text));
    }

    /// Writes a tag without content.
    fn empty(&mut self, what: &str, attributes: Attributes<'_>) {
        self.open(what, attributes);
        self.0.push_str("/>");
    }

    fn open<'w>(&mut self, what: &'w str, attributes: Attributes<'_>) -> &'w str {
        let (name, class) = what.split_once('.').unwrap_or((what, ""));
        self.0.push('<');
        self.0.push_str(name);
        let class = [("class", class)].into_iter().filter(|_| !class.is_empty());
        for (name, value) in class.chain(attributes.iter().copied()) {
            let _ = write!(self.0, " {name}=\"");
            self.text(value);
            self.0.push('"');
        }
        name
    }

    /// Writes any text, in which control characters are visible and nothing is a tag.
    fn text(&mut self, text: &str) {
        for char in printable(text).chars() {
            match char {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                other => self.0.push(other),
            }
        }
    }

    /// Writes a part of a page with its heading.
    fn section(&mut self, id: &'static str, heading: &str, content: impl FnOnce(&mut Self)) {
        self.0.push('\n');
        self.tag_with("section", &[("id", id)], |html| {
            html.leaf("h2", heading);
            content(html);
        });
    }

    /// Writes a table that may be wider than the screen, with headings that commas part. One
    /// that starts with `#` is of numbers.
    fn table(&mut self, head: &str, rows: impl FnOnce(&mut Self)) {
        self.tag("div.scroll", |html| {
            html.tag("table", |html| {
                html.tag("thead", |html| {
                    html.tag("tr", |html| {
                        for name in head.split(", ") {
                            match name.strip_prefix('#') {
                                Some(name) => html.leaf("th.number", name),
                                None => html.leaf("th", name),
                            }
                        }
                    });
                });
                rows(html);
            });
        });
    }

    /// Writes the rows of a table.
    fn rows<T>(&mut self, all: impl IntoIterator<Item = T>, row: impl Fn(&mut Self, T)) {
        self.tag("tbody", |html| {
            for one in all {
                html.tag("tr", |html| row(html, one));
            }
        });
    }

    /// Writes something that can be opened.
    fn details(
        &mut self,
        id: &str,
        summary: impl FnOnce(&mut Self),
        content: impl FnOnce(&mut Self),
    ) {
        self.tag_with("details", &[("id", id)], |html| {
            html.tag("summary", summary);
            html.tag("div", content);
        });
    }

    /// Writes what a user can do next, with the commands to copy.
    fn next(&mut self, steps: &[crate::NextStep]) {
        if steps.is_empty() {
            return;
        }
        self.section("next", "Next", |html| {
            html.tag("ol.next", |html| {
                for step in steps {
                    html.tag("li", |html| {
                        html.sentence(&step.text);
                        if let Some(command) = &step.command {
                            html.tag("pre", |html| html.leaf("code", command));
                        }
                    });
                }
            });
        });
    }

    /// Writes a list of facts.
    fn facts(&mut self, facts: &[(&str, String)]) {
        self.tag("ul.facts", |html| {
            for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
                html.tag("li", |html| {
                    html.leaf("span", name);
                    html.text(value);
                });
            }
        });
    }

    /// Writes a sentence, in which what is between backticks is code.
    fn sentence(&mut self, text: &str) {
        for (at, part) in text.split('`').enumerate() {
            match at % 2 {
                0 => self.text(part),
                _ => self.leaf("code", part),
            }
        }
    }
}

/// A whole page, with what `main` writes.
fn page(title: &str, delivery: Delivery<'_>, main: impl FnOnce(&mut Html)) -> String {
    let mut html = Html("<!DOCTYPE html>\n".to_owned());
    html.tag_with("html", &[("lang", "en")], |html| {
        html.tag("head", |html| {
            html.empty("meta", &[("charset", "utf-8")]);
            if delivery == Delivery::File {
                let policy = format!(
                    "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
                    STANDARD.encode(Sha256::digest(STYLE))
                );
                let name = ("http-equiv", "Content-Security-Policy");
                html.empty("meta", &[name, ("content", &policy)]);
            }
            let viewport = "width=device-width, initial-scale=1";
            html.empty("meta", &[("name", "viewport"), ("content", viewport)]);
            html.leaf("title", title);
            // The text of a style or a script is not escaped; both are of this program.
            let raw = |html: &mut Html, text| html.0.push_str(text);
            match delivery {
                Delivery::File => html.tag("style", |html| raw(html, STYLE)),
                Delivery::Served { nonce, .. } => {
                    html.tag_with("style", &[("nonce", nonce)], |html| raw(html, STYLE));
                }
            }
            if let Delivery::Served { nonce, script } = delivery
                && !script.is_empty()
            {
                let attributes = [("nonce", nonce), ("type", "module")];
                html.tag_with("script", &attributes, |html| raw(html, script));
            }
        });
        html.0.push('\n');
        html.tag("body", |html| {
            html.tag("main", main);
            html.0.push('\n');
        });
    });
    html.0.push('\n');
    html.0
}

/// The content of a value; empty without one.
fn known(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// The class of an outcome and a sign for it, since colour alone must not show anything.
fn sign(outcome: Option<review_types::Outcome>) -> (&'static str, &'static str) {
    use review_types::Outcome;
    match outcome {
        Some(Outcome::Passed | Outcome::Approved) => ("good", "✓"),
        None => ("warn", "▸"),
        Some(Outcome::Nothing | Outcome::Interrupted) => ("warn", "–"),
        Some(
            Outcome::NotPassed
            | Outcome::NoVerdict
            | Outcome::Limit
            | Outcome::Tampered
            | Outcome::Error,
        ) => ("bad", "✗"),
    }
}
