//! A box around lines, by the width of what a terminal shows.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Columns between the borders, with a blank on each side.
const INNER: usize = 57;
/// Columns of a line.
const TEXT: usize = INNER - 2;

/// A box of parts, each of them lines that are broken where they are too wide.
pub(super) fn boxed(parts: &[Vec<String>]) -> String {
    let border = |left: &str, right: &str| format!("{left}{}{right}\n", "─".repeat(INNER));
    let mut text = border("╭", "╮");
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            text.push_str(&border("├", "┤"));
        }
        for line in part.iter().flat_map(|line| broken(line)) {
            let pad = " ".repeat(TEXT.saturating_sub(line.width()));
            text.push_str(&format!("│ {line}{pad} │\n"));
        }
    }
    text + &border("╰", "╯")
}

/// A line in pieces that fit, broken between words where that can be.
fn broken(line: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    for word in line.split_inclusive(' ') {
        if piece.width() + word.trim_end().width() > TEXT && !piece.is_empty() {
            pieces.push(std::mem::take(&mut piece));
        }
        for char in word.chars() {
            let width = char.width().unwrap_or(0);
            if piece.width() + width > TEXT {
                pieces.push(std::mem::take(&mut piece));
                if char == ' ' {
                    continue;
                }
            }
            piece.push(char);
        }
    }
    pieces.push(piece);
    pieces
        .into_iter()
        .map(|piece| piece.trim_end().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_a_box_is_59_columns_wide() {
        let wide = "価格の単位を書く。".repeat(9);
        let long = "word ".repeat(30) + &"x".repeat(130);
        let parts = [vec![wide, String::new()], vec![long, "é".to_owned()]];
        for line in boxed(&parts).lines() {
            assert_eq!(line.width(), 59, "{line}");
        }
    }

    #[test]
    fn a_box_has_a_rule_between_its_parts() {
        let parts = [vec!["a".to_owned()], vec!["b".to_owned()]];
        let drawn = boxed(&parts);
        let row = |text: &str| format!("│ {text:<55} │");
        let lines: Vec<_> = drawn.lines().collect();
        assert_eq!([lines[1], lines[3]], [row("a"), row("b")]);
        let ends: Vec<_> = drawn
            .lines()
            .map(|line| line.chars().next().unwrap())
            .collect();
        assert_eq!(ends, ['╭', '│', '├', '│', '╰']);
    }

    #[test]
    fn long_lines_are_broken_between_words_and_keep_every_word() {
        let line = format!("{} {} end", "a".repeat(50), "b".repeat(10));
        assert_eq!(
            broken(&line),
            ["a".repeat(50), format!("{} end", "b".repeat(10))]
        );
        assert_eq!(broken(&"c".repeat(56)), ["c".repeat(55), "c".to_owned()]);
        let full = "d".repeat(55);
        assert_eq!(broken(&format!("{full} e")), [full.as_str(), "e"]);
        assert_eq!(broken(""), [""]);
    }
}
