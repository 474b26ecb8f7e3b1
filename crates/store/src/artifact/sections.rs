//! The sections of Markdown files.

use review::Section;
use review_document::markdown::Outline;
use review_document::{front_matter, markdown_stem};

/// Returns the sections of a file if its path is that of a Markdown file.
pub(super) fn of(path: &str, text: &[u8]) -> Vec<Section> {
    let Some(text) = markdown(path, text) else {
        return Vec::new();
    };
    let front_matter = front_matter::find(text).ok().flatten();
    let body = front_matter.map_or(0, |found| found.block.end);
    let outline = Outline::parse_body(text, body);
    let sections = outline.headings.iter().map(|heading| Section {
        headings: outline.heading_path(heading.span.start).0,
        span: heading.section.range(),
    });
    sections.collect()
}

fn markdown<'t>(path: &str, text: &'t [u8]) -> Option<&'t str> {
    let is_markdown = markdown_stem(path).is_some();
    std::str::from_utf8(text).ok().filter(|_| is_markdown)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASK: &[u8] = b"---\ntask: 1\n---\n\n# Cache\n\nText.\n\n## Limits\n\nNone.\n";

    #[test]
    fn headings_start_sections_and_front_matter_does_not() {
        let section = |headings: &[&str], from: &str| {
            let text = std::str::from_utf8(TASK).unwrap();
            Section {
                headings: headings.iter().map(|name| (*name).to_owned()).collect(),
                span: text.find(from).unwrap()..text.len(),
            }
        };
        let expected = [
            section(&["Cache"], "# Cache"),
            section(&["Limits"], "## Limits"),
        ];
        assert_eq!(of("tasks/a/01-x.md", TASK), expected);
        assert_eq!(of("a.markdown", TASK), expected);
    }

    #[test]
    fn other_files_have_no_sections() {
        assert_eq!(of("a.toml", TASK), []);
        assert_eq!(of("a.md", b"# \xff\n"), []);
    }
}
