//! S3.

use review_document::Span;
use review_document::markdown::{CodeBlock, CodeKind};
use review_document::workspace::Document;
use review_types::excerpt;

use crate::facts::Facts;
use crate::finding::{Fix, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds a code fence that is never closed.
    ///
    /// ## What it does
    /// Reports fenced blocks that end with the document, the quote or the list item
    /// around them, and blocks that contain the opening fence of the next block, which
    /// has a language. After the first finding, fences without a language are not
    /// checked until it is fixed: they may be the closing fences of earlier blocks.
    ///
    /// ## Why is this bad
    /// Everything after the fence is treated as code: headings, tables and tests
    /// disappear for readers and tools.
    ///
    /// ## Example
    /// A block that starts with a fence and `go`, and a `## Backpressure`
    /// below it without a fence in between.
    ///
    /// ## Fix
    /// Close the block with a fence on its own line. Use longer fences around a
    /// Markdown example that contains fences.
    UnclosedFence {
        code: "S3",
        name: "unclosed-fence",
        criterion: Consistency,
        severity: Error,
        fixes: [Safe, Unsafe],
        summary: "A code fence is never closed.",
    }
}

impl UnclosedFence {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        for document in facts.markdown() {
            sink.look_at(1);
            let mut is_out_of_step = false;
            for block in document.outline.code_blocks.iter() {
                let swallowed = swallowed(block, document);
                if block.kind != CodeKind::Unclosed && swallowed.is_none() {
                    continue;
                }
                let line = Span::new(block.span.start, line_end(document, block.span.start));
                let fence = excerpt(line.slice(&document.source).unwrap_or_default().trim(), 40);
                let marks = fence_marks(&fence);
                let language = fence[marks.len()..].trim();
                if is_out_of_step && language.is_empty() {
                    continue;
                }
                is_out_of_step = true;
                if swallowed.is_some() && is_markdown(language) {
                    nested(document, line, marks, sink);
                    continue;
                }
                sink.push(
                    document,
                    line,
                    format!("The code block that starts with {fence} is never closed."),
                    format!("Write {marks} on its own line after the last line of the code."),
                )
                .fix(fix(document, block, swallowed, marks));
            }
        }
    }
}

/// Whether a code block continues over text that is not code, so that nothing can be
/// inserted after its start.
pub(super) fn is_open(document: &Document) -> bool {
    let mut blocks = document.outline.code_blocks.iter();
    blocks.any(|block| block.kind == CodeKind::Unclosed || swallowed(block, document).is_some())
}

fn is_markdown(language: &str) -> bool {
    ["markdown", "md", "mdx"].contains(&language.to_ascii_lowercase().as_str())
}

/// Reports a Markdown example that is closed by a fence in it.
fn nested(document: &Document, line: Span, marks: &str, sink: &mut Sink) {
    let longer = format!("{marks}{}", &marks[..1]);
    sink.push(
        document,
        line,
        format!("The Markdown example contains a block whose fences are as long as its own, {marks}, and ends there."),
        format!("Start and end the example with {longer}."),
    );
}

/// The end of the line at `offset`.
fn line_end(document: &Document, offset: usize) -> usize {
    let rest = document.source.get(offset..).unwrap_or_default();
    offset + rest.find(['\n', '\r']).unwrap_or(rest.len())
}

/// The characters of a fence.
fn fence_marks(fence: &str) -> &str {
    let mark = if fence.starts_with('~') { '~' } else { '`' };
    &fence[..fence.len() - fence.trim_start_matches(mark).len()]
}

/// The opening fence, with a language, that a block contains.
fn swallowed(block: &CodeBlock, document: &Document) -> Option<usize> {
    if block.kind == CodeKind::Indented {
        return None;
    }
    let source = &document.source;
    let opening = Span::new(block.span.start, block.content.start).slice(source)?;
    let marks = fence_marks(opening.trim());
    let content = block.content.slice(source)?;
    let mark = marks.chars().next()?;
    let mut offset = block.content.start;
    for line in content.split_inclusive('\n') {
        let text = line.trim_start_matches(' ');
        let rest = text.trim_start_matches(mark);
        let length = text.len() - rest.len();
        let info = rest.trim();
        let language = info
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-_#.".contains(c));
        let indent = line.len() - text.len();
        if length == marks.len() && indent < 4 && !info.is_empty() && language {
            return Some(offset);
        }
        offset += line.len();
    }
    None
}

/// Closes the block where it ends, or before the first heading or fence in it; the
/// latter is a guess.
fn fix(
    document: &Document,
    block: &CodeBlock,
    swallowed: Option<usize>,
    marks: &str,
) -> Option<Fix> {
    let source = &document.source;
    let column = source.get(..block.span.start)?.rsplit('\n').next()?;
    if !column.is_empty() {
        return None;
    }
    let heading = first_heading(block, document);
    let before = [swallowed, heading].into_iter().flatten().min();
    if let Some(at) = before {
        let kept = source[..at].trim_end().len();
        let break_end = source[kept..at]
            .find('\n')
            .map_or(at, |found| kept + found + 1);
        return Some(Fix::one(
            Safety::Unsafe,
            Span::empty(break_end),
            format!("{marks}\n"),
        ));
    }
    let end = block.span.end.max(block.content.end);
    let lead = if source[..end].ends_with('\n') {
        ""
    } else {
        "\n"
    };
    Some(Fix::one(
        Safety::Safe,
        Span::empty(end),
        format!("{lead}{marks}\n"),
    ))
}

/// The first line of a block that looks like a heading after a blank line.
fn first_heading(block: &CodeBlock, document: &Document) -> Option<usize> {
    let content = block.content.slice(&document.source)?;
    let mut offset = block.content.start;
    let mut blank = false;
    for line in content.split_inclusive('\n') {
        let text = line.trim_start_matches('#');
        let level = line.len() - text.len();
        if blank && (2..=6).contains(&level) && text.starts_with(' ') {
            return Some(offset);
        }
        blank = line.trim().is_empty();
        offset += line.len();
    }
    None
}
