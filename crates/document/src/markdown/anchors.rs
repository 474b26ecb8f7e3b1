//! The targets in a document for fragments such as `#limits`.

use std::collections::{HashMap, HashSet};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::fences::without_tabs;
use super::{OUTLINE_LIMIT, includes};

/// The names of the headings of a document, as GitHub forms them, and the names
/// from its HTML and its `{#name}` marks.
///
/// ```
/// use review_document::markdown::Anchors;
///
/// let anchors = Anchors::of("# Reads & writes\n\n<a id=\"end\"></a>\n", 0);
/// assert!(anchors.has("reads--writes") && anchors.has("end"));
/// assert_eq!(anchors.like("reads-writes"), ["reads--writes"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Anchors {
    names: HashSet<String>,
    /// The names of headings, in order, with their letters and digits alone.
    headings: HashMap<String, Vec<String>>,
    all: bool,
}

impl Anchors {
    /// Parses the document after its front matter, which ends at the byte
    /// `body`. If it includes other files, any name may exist.
    pub fn of(source: &str, body: usize) -> Self {
        let text = source.get(body..).unwrap_or_default();
        let mut reader = AnchorReader::default();
        if text.len() > OUTLINE_LIMIT || includes::lines(text).next().is_some() {
            reader.found.all = true;
            return reader.found;
        }
        for event in Parser::new_ext(&without_tabs(text), Options::ENABLE_TABLES) {
            reader.read(event);
        }
        reader.found
    }

    /// Returns whether a fragment has a target; percent signs are already decoded.
    pub fn has(&self, fragment: &str) -> bool {
        let bare = fragment.strip_prefix("user-content-").unwrap_or(fragment);
        self.all || self.names.contains(bare) || self.names.contains(bare.to_lowercase().as_str())
    }

    /// Returns the names of headings that have the letters and digits of `fragment`.
    pub fn like(&self, fragment: &str) -> &[String] {
        self.headings
            .get(&letters(fragment))
            .map_or(&[], Vec::as_slice)
    }

    /// Returns the names of headings, in no order.
    pub fn headings(&self) -> impl Iterator<Item = &str> {
        self.headings.values().flatten().map(String::as_str)
    }

    /// `{#name}`, as mdBook, Pandoc and others have it.
    fn marks(&mut self, text: &str) {
        for mark in text.split(['{']).skip(1) {
            let inner = mark.split('}').next().unwrap_or_default();
            let names = inner.split([' ', ':', ',']);
            let names = names.filter_map(|word| word.strip_prefix('#'));
            self.names.extend(names.map(str::to_owned));
        }
    }

    /// Returns the values of the attributes `id` and `name`.
    fn attributes(&mut self, html: &str) {
        for attribute in ["id", "name"] {
            for (at, _) in html.match_indices(attribute) {
                let before = html[..at].chars().next_back();
                let after = html[at + attribute.len()..].trim_start();
                let value = after.strip_prefix('=').map(str::trim_start);
                let starts = before.is_none_or(char::is_whitespace);
                if let Some(value) = value.filter(|_| starts) {
                    let value = match value.chars().next() {
                        Some(quote @ ('"' | '\'')) => value[1..].split(quote).next(),
                        _ => value.split([' ', '>', '/', '\n']).next(),
                    };
                    self.names.extend(value.map(str::to_owned));
                }
            }
        }
    }
}

/// Collects the names from the parser's events.
#[derive(Default)]
struct AnchorReader {
    found: Anchors,
    /// The number of times that each name was given.
    repeats: HashMap<String, usize>,
    /// The content of an open heading.
    heading: Option<String>,
    /// The HTML of an open block.
    html: String,
    images: usize,
}

impl AnchorReader {
    fn read(&mut self, event: Event<'_>) {
        match event {
            Event::Start(Tag::Heading { .. }) => self.heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let text = self.heading.take().unwrap_or_default();
                self.heading(&text);
            }
            Event::Start(Tag::Image { .. }) => self.images += 1,
            Event::End(TagEnd::Image) => self.images -= 1,
            Event::Text(text) => {
                self.found.marks(&text);
                self.append(&text);
            }
            Event::Code(text) => self.append(&text),
            Event::SoftBreak | Event::HardBreak => self.append(" "),
            Event::InlineHtml(html) => self.found.attributes(&html),
            Event::Html(html) => self.html.push_str(&html),
            Event::End(TagEnd::HtmlBlock) => {
                let html = std::mem::take(&mut self.html);
                self.found.attributes(&html);
                self.found.all |= has_heading(&html);
            }
            _ => {}
        }
    }

    /// Adds to an open heading; the alt text of an image is not included.
    fn append(&mut self, text: &str) {
        if let Some(heading) = self.heading.as_mut().filter(|_| self.images == 0) {
            heading.push_str(text);
        }
    }

    fn heading(&mut self, text: &str) {
        let plain = text.split("{#").next().unwrap_or(text).trim_end();
        for text in [text, plain] {
            let slug = slug(text);
            let count = self.repeats.entry(slug.clone()).or_default();
            let name = match *count {
                0 => slug,
                count => format!("{slug}-{count}"),
            };
            *count += 1;
            let found = &mut self.found;
            let like = found.headings.entry(letters(&name)).or_default();
            like.push(name.clone());
            // The space after an image is not part of the name in every renderer.
            found.names.insert(name.trim_matches('-').to_owned());
            found.names.insert(name);
            if plain == text {
                break;
            }
        }
    }
}

/// Returns whether HTML has a heading such as `<h1>`, whose name is not known.
fn has_heading(html: &str) -> bool {
    let mut tags = html.split("<h").skip(1);
    tags.any(|tag| tag.starts_with(|level| matches!(level, '1'..='6')))
}

/// Returns the name that GitHub gives a heading.
fn slug(text: &str) -> String {
    let kept = text.chars().flat_map(char::to_lowercase);
    kept.filter_map(|char| match char {
        ' ' => Some('-'),
        '-' | '_' => Some(char),
        _ if char.is_alphanumeric() || is_mark(char) => Some(char),
        _ => None,
    })
    .collect()
}

/// Returns whether a character combines with the previous one, such as accents and
/// the variation selectors of emoji.
fn is_mark(char: char) -> bool {
    matches!(char, '\u{300}'..='\u{36f}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}')
}

fn letters(text: &str) -> String {
    let lower = text.chars().flat_map(char::to_lowercase);
    lower.filter(|char| char.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_named_as_on_github() {
        for (heading, name) in [
            ("Getting Started", "getting-started"),
            ("What's `new` in *v1.2*?", "whats-new-in-v12"),
            ("A & B", "a--b"),
            ("snake_case -- dash", "snake_case----dash"),
            ("Über [uns](x.md)", "über-uns"),
            ("1. First!", "1-first"),
            ("![logo](x.png) Name", "-name"),
            ("日本語 テスト", "日本語-テスト"),
            (":tada: Done", "tada-done"),
            ("⚙\u{fe0f} Config", "\u{fe0f}-config"),
            ("a<br>b &amp; c", "ab--c"),
        ] {
            let anchors = Anchors::of(&format!("# {heading}\n"), 0);
            let names: Vec<_> = anchors.headings().collect();
            assert!(names.contains(&name), "{heading}: {names:?}");
        }
    }

    #[test]
    fn repeated_headings_are_numbered() {
        let anchors = Anchors::of("# A\n\n## B\n\n> # A\n\n- ## A\n\nB\n---\n", 0);
        for name in ["a", "a-1", "a-2", "b", "b-1"] {
            assert!(anchors.has(name), "{name}");
        }
        assert!(!anchors.has("a-3") && !anchors.has("b-2"));
    }

    #[test]
    fn html_and_marks_add_names() {
        assert!(Anchors::of("# ![logo](x.png) Name\n", 0).has("name"));
        let text = "# A {#first .x}\n\n<a id=\"b\" name='c'></a> and <span id=d>\n\n<div\n  id = \"e\">\n</div>\n\nText {: #f }\n\n```\n<a id=\"no\">\n```\n\n<a data-id=\"no\" idx=\"no\">\n";
        let anchors = Anchors::of(text, 0);
        for name in ["a", "first", "b", "c", "d", "e", "f"] {
            assert!(anchors.has(name), "{name} in {anchors:?}");
        }
        assert!(!anchors.has("no"));
    }

    #[test]
    fn beside_a_heading_in_html_every_name_may_exist() {
        let text = "<h1 align=\"center\">\n  The <b>Big</b> One\n</h1>\n";
        assert!(Anchors::of(text, 0).has("anything"));
        assert!(!Anchors::of("<header>x</header>\n", 0).has("x"));
    }

    #[test]
    fn case_and_the_prefix_of_github_are_ignored() {
        let anchors = Anchors::of("---\nx: 1\n---\n# The End\n", 13);
        assert!(anchors.has("The-End") && anchors.has("user-content-the-end"));
        assert!(!anchors.has("the-en") && !anchors.has("x-1"));
        assert_eq!(anchors.like("theend"), ["the-end"]);
        assert_eq!(anchors.like("end"), [""; 0]);
    }

    #[test]
    fn in_a_huge_document_every_name_may_exist() {
        let anchors = Anchors::of(&"a ".repeat(OUTLINE_LIMIT), 0);
        assert!(anchors.has("anything"));
    }

    #[test]
    fn an_included_file_may_have_any_name() {
        assert!(
            Anchors::of("# A\n\n{%\n  include-markdown \"b.md.snap\"\n%}\n", 0).has("anything")
        );
    }
}
