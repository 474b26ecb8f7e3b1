//! The least number of tokens of a text.

use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;
use review::prompt::word_count;

/// The pieces that a tokenizer cuts a text into before it looks for tokens: none of its
/// tokens is of two pieces. This is the expression of o200k; those of cl100k and of most
/// others cut more.
const PIECES: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|\p{N}{1,3}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n/]*",
    r"|\s*[\r\n]+",
    r"|\s+",
);

/// The Markdown files below a folder, but those of builds and of hidden folders.
fn documents(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && name != "target" {
            found.extend(documents(&path));
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
    found
}

#[test]
fn no_document_of_this_repository_has_more_words_than_tokens() {
    let pieces = Regex::new(PIECES).unwrap();
    let documents = documents(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    assert!(documents.len() > 50, "{}", documents.len());
    for path in documents {
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        let tokens = pieces.find_iter(&text).count();
        let words = word_count(&text);
        assert!(
            words <= tokens as u64,
            "{path:?}: {words} words, {tokens} tokens"
        );
    }
}

#[test]
fn words_that_tokenizers_take_for_one_count_once() {
    let pieces = Regex::new(PIECES).unwrap();
    for (text, words) in [
        ("don't stop", 2),
        ("हिन्दी में लिखा", 3),
        ("naïve café", 2),
        ("v1.2 of 2026", 5),
        ("a_b-c", 3),
        ("設計 文書", 2),
    ] {
        assert_eq!(word_count(text), words, "{text}");
        assert!(pieces.find_iter(text).count() as u64 >= words, "{text}");
    }
}
