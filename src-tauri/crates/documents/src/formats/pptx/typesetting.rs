//! How many lines a text takes in a width: words put into lines greedily, with the widths of a middling sans-serif font.
//!
//! An estimate: fonts, kerning and hyphenation are not known here.

use super::body::BREAK;

/// A stretch of text of one size, in points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Piece<'t> {
    pub(super) text: &'t str,
    pub(super) size: f64,
    pub(super) is_bold: bool,
    pub(super) is_capital: bool,
}

/// A text put into lines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lines {
    pub(super) count: usize,
    /// The width of the longest line, in points.
    pub(super) widest: f64,
}

/// Puts the pieces of one paragraph into lines of a width; an empty paragraph takes one line.
pub(super) fn lines(pieces: &[Piece<'_>], width: f64) -> Lines {
    let mut setter = Setter { width, count: 1, line: 0.0, word: 0.0, widest: 0.0 };
    for piece in pieces {
        for character in piece.text.chars() {
            setter.take(character, advance(character, piece));
        }
    }
    setter.end_word();
    setter.widest = setter.widest.max(setter.line);
    Lines { count: setter.count, widest: setter.widest }
}

struct Setter {
    width: f64,
    count: usize,
    /// What the line holds, and the word that is not in it yet.
    line: f64,
    word: f64,
    widest: f64,
}

impl Setter {
    fn take(&mut self, character: char, advance: f64) {
        if character == BREAK {
            self.end_word();
            self.new_line();
        } else if character.is_whitespace() {
            self.end_word();
            // Blanks at the end of a line hang over its edge.
            self.line += advance;
        } else if is_wide(character) {
            // Chinese and Japanese break between any two characters (UAX #14, ID).
            self.end_word();
            self.word = advance;
            self.end_word();
        } else {
            if self.word + advance > self.width && self.word > 0.0 {
                self.end_word();
            }
            self.word += advance;
        }
    }

    fn end_word(&mut self) {
        if self.word > 0.0 && self.line > 0.0 && self.line + self.word > self.width {
            self.new_line();
        }
        self.line += self.word;
        self.word = 0.0;
    }

    fn new_line(&mut self) {
        self.widest = self.widest.max(self.line);
        self.count += 1;
        self.line = 0.0;
    }
}

/// The width of a character in points.
fn advance(character: char, piece: &Piece<'_>) -> f64 {
    let character = match piece.is_capital {
        true => character.to_uppercase().next().unwrap_or(character),
        false => character,
    };
    let share = match character {
        _ if is_wide(character) => 1.0,
        'i' | 'j' | 'l' | 't' | 'f' | 'r' | 'I' | '.' | ',' | ';' | ':' | '\'' | '|' | '!' | '(' | ')'
        | '[' | ']' => 0.29,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.8,
        ' ' | '\u{A0}' => 0.25,
        '0'..='9' => 0.51,
        // Combining marks stand above other characters, joiners take no room.
        '\u{300}'..='\u{36F}' | '\u{200B}'..='\u{200F}' | '\u{FE00}'..='\u{FE0F}' => 0.0,
        _ if character.is_uppercase() => 0.6,
        _ => 0.49,
    };
    share * piece.size * if piece.is_bold { 1.06 } else { 1.0 }
}

/// Whether a character is as wide as it is high (UAX #11, Wide and Fullwidth).
fn is_wide(character: char) -> bool {
    matches!(
        character,
        '\u{1100}'..='\u{115F}' | '\u{2E80}'..='\u{A4CF}' | '\u{AC00}'..='\u{D7A3}' | '\u{F900}'..='\u{FAFF}'
        | '\u{FE30}'..='\u{FE6F}' | '\u{FF00}'..='\u{FF60}' | '\u{FFE0}'..='\u{FFE6}' | '\u{1F300}'..='\u{1FAFF}'
        | '\u{20000}'..='\u{3FFFD}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str, size: f64, width: f64) -> usize {
        lines(&[Piece { text, size, is_bold: false, is_capital: false }], width).count
    }

    #[test]
    fn text_is_put_into_lines() {
        assert_eq!(count("", 18.0, 100.0), 1);
        assert_eq!(count("short", 18.0, 100.0), 1);
        assert_eq!(count("one\u{B}two", 18.0, 100.0), 2);
        // Ten characters of about half a size: 90 points of 18.
        assert_eq!(count("aaaaaaaaaa aaaaaaaaaa", 18.0, 100.0), 2);
        assert_eq!(count("aaaaaaaaaa aaaaaaaaaa", 18.0, 300.0), 1);
        // A word that is too long breaks inside.
        assert!(count(&"a".repeat(100), 18.0, 100.0) >= 8);
        assert_eq!(count("漢字漢字漢字", 20.0, 61.0), 2);
        assert!(count(&"word ".repeat(1_000), 18.0, 10.0) >= 1_000);
    }
}
