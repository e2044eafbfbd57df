//! Numbers of lines, slides and so on: digits, English ordinals, Chinese numerals, "last", ranges and lists.

use super::{Candidate, Captured, fold, skip_blanks, unit_at};

/// A position as a person names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    At(usize),
    /// Counted from the end: 1 is the last.
    FromEnd(usize),
}

const WORDS: &[(&str, usize)] = &[
    ("first", 1),
    ("second", 2),
    ("third", 3),
    ("fourth", 4),
    ("fifth", 5),
    ("sixth", 6),
    ("seventh", 7),
    ("eighth", 8),
    ("ninth", 9),
    ("tenth", 10),
    ("eleventh", 11),
    ("twelfth", 12),
    ("thirteenth", 13),
    ("fourteenth", 14),
    ("fifteenth", 15),
    ("sixteenth", 16),
    ("seventeenth", 17),
    ("eighteenth", 18),
    ("nineteenth", 19),
    ("twentieth", 20),
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
];

/// The number at a position.
pub fn number_at(text: &[char], at: usize) -> Option<(Place, usize)> {
    let plain = |at| digits(text, at).or_else(|| word(text, at)).or_else(|| chinese(text, at));
    if let Some(after) = starts_with(text, at, "倒数第") {
        let (number, end) = plain(skip_blanks(text, after))?;
        return from_end(number).map(|place| (place, end));
    }
    if let Some(found) = last(text, at) {
        return Some(found);
    }
    let (number, end) = plain(at)?;
    let counted_back = BACKWARDS.iter().find_map(|word| whole_word(text, skip_blanks(text, end), word));
    match (counted_back, from_end(number)) {
        (Some(end), Some(place)) => Some((place, end)),
        _ => Some((number, end)),
    }
}

/// "second to last", "third from the end".
const BACKWARDS: &[&str] =
    &["to last", "-to-last", "to the last", "last", "-last", "from the end", "from last"];

fn from_end(number: Place) -> Option<Place> {
    match number {
        Place::At(number) if number > 0 => Some(Place::FromEnd(number)),
        Place::At(_) | Place::FromEnd(_) => None,
    }
}

fn starts_with(text: &[char], at: usize, word: &str) -> Option<usize> {
    let end = at + word.chars().count();
    let same = text.len() >= end && text[at..end].iter().zip(word.chars()).all(|(a, b)| fold(*a) == b);
    same.then_some(end)
}

fn whole_word(text: &[char], at: usize, word: &str) -> Option<usize> {
    starts_with(text, at, word).filter(|end| !text.get(*end).is_some_and(char::is_ascii_alphanumeric))
}

fn last(text: &[char], at: usize) -> Option<(Place, usize)> {
    let second = ["next to last", "penultimate"].into_iter().find_map(|word| whole_word(text, at, word));
    if let Some(end) = second {
        return Some((Place::FromEnd(2), end));
    }
    let english = ["last", "final"].into_iter().find_map(|word| whole_word(text, at, word));
    let chinese = || ["最后一", "最末一", "末"].into_iter().find_map(|word| starts_with(text, at, word));
    english.or_else(chinese).map(|end| (Place::FromEnd(1), end))
}

fn digits(text: &[char], at: usize) -> Option<(Place, usize)> {
    let length = text[at.min(text.len())..].iter().take_while(|c| fold(**c).is_ascii_digit()).count();
    let number: String = text[at..at + length].iter().map(|c| fold(*c)).collect();
    let mut end = at + length;
    for suffix in ["st", "nd", "rd", "th"] {
        end = whole_word(text, end, suffix).unwrap_or(end);
    }
    let cuts_word = text.get(end).is_some_and(char::is_ascii_alphabetic);
    number.parse().ok().filter(|_| !cuts_word).map(|number| (Place::At(number), end))
}

fn word(text: &[char], at: usize) -> Option<(Place, usize)> {
    WORDS.iter().find_map(|(word, number)| whole_word(text, at, word).map(|end| (Place::At(*number), end)))
}

/// Chinese numerals up to 9999: 三, 十二, 二十, 一百零五, 两千.
fn chinese(text: &[char], at: usize) -> Option<(Place, usize)> {
    let value =
        |c: char| "零一二三四五六七八九".chars().position(|digit| digit == c).or((c == '两').then_some(2));
    let (mut total, mut digit, mut end) = (0usize, None, at);
    while let Some(c) = text.get(end) {
        let scale = match c {
            '十' => Some(10),
            '百' => Some(100),
            '千' => Some(1000),
            _ => None,
        };
        match (value(*c), scale) {
            (Some(number), _) => digit = Some(number),
            (None, Some(scale)) => total += digit.take().unwrap_or(1) * scale,
            (None, None) => break,
        }
        end += 1;
    }
    let number = total + digit.unwrap_or(0);
    (end > at && number > 0).then_some((Place::At(number), end))
}

/// Ranges and lists: `3`, `3-5`, `2, 4 and 6`, `3到5`, `第3行和第5行` (from the first number on). The longest reading first.
pub(super) fn ranges(text: &[char], at: usize) -> Vec<Candidate> {
    if let Some((range, end)) = several(text, at) {
        return vec![(Captured::Ranges(vec![range]), end)];
    }
    let mut found = Vec::new();
    let mut readings = Vec::new();
    let mut next = at;
    while let Some((first, end)) = number_at(text, next) {
        let range = range_end(text, end).unwrap_or((first, end));
        // "row 3 to 30" may set the height of row 3.
        if range.1 > end {
            let alone = found.iter().copied().chain([(first, first)]).collect();
            readings.push((Captured::Ranges(alone), end));
        }
        found.push((first, range.0));
        readings.push((Captured::Ranges(found.clone()), range.1));
        match list_separator(text, range.1) {
            Some(after) => next = after,
            None => break,
        }
    }
    readings.reverse();
    readings
}

/// "first two", "last 3", 前两, 最后三: that many from the start or the end.
fn several(text: &[char], at: usize) -> Option<((Place, Place), usize)> {
    let counted = |words: &[&str]| {
        let after = words.iter().find_map(|word| starts_with(text, at, word))?;
        match digits(text, skip_blanks(text, after))
            .or_else(|| word(text, skip_blanks(text, after)))
            .or_else(|| chinese(text, skip_blanks(text, after)))?
        {
            (Place::At(count), end) if count > 0 => Some((count, end)),
            _ => None,
        }
    };
    let from_start = counted(&["first ", "top ", "前面", "前", "头", "开头"]);
    if let Some((count, end)) = from_start {
        return Some(((Place::At(1), Place::At(count)), end));
    }
    let (count, end) =
        counted(&["last ", "final ", "bottom ", "最后面", "最后", "后面", "后", "末尾", "倒数"])?;
    Some(((Place::FromEnd(count), Place::FromEnd(1)), end))
}

/// After the first number: `-5`, ` to 5`, `行到第5`.
fn range_end(text: &[char], end: usize) -> Option<(Place, usize)> {
    let unit = unit_at(text, skip_blanks(text, end)).map(|(_, end)| end);
    [Some(end), unit].into_iter().flatten().find_map(|start| {
        let start = skip_blanks(text, start);
        let after = dash(text, start)?;
        let after = skip_blanks(text, after);
        let after = whole_word(text, after, "the").map_or(after, |end| skip_blanks(text, end));
        if let Some(end) = TO_THE_END.iter().find_map(|word| whole_word(text, after, word)) {
            let numbered = number_at(text, after).filter(|(_, further)| *further > end);
            return numbered.or(Some((Place::FromEnd(1), end)));
        }
        let after = unit_at(text, after).map_or(after, |(_, end)| skip_blanks(text, end));
        let after = starts_with(text, after, "第").unwrap_or(after);
        number_at(text, skip_blanks(text, after))
    })
}

const TO_THE_END: &[&str] = &["end", "bottom", "最后", "末尾", "结尾", "文末"];

fn dash(text: &[char], at: usize) -> Option<usize> {
    let words = ["through", "until", "to"].into_iter().find_map(|word| whole_word(text, at, word));
    let signs = || {
        ["--", "-", "–", "—", "~", "～", "到", "至"].into_iter().find_map(|sign| starts_with(text, at, sign))
    };
    words.or_else(signs)
}

fn list_separator(text: &[char], end: usize) -> Option<usize> {
    let unit = unit_at(text, skip_blanks(text, end)).map(|(_, end)| end);
    [Some(end), unit].into_iter().flatten().find_map(|start| {
        let start = skip_blanks(text, start);
        let sign =
            [",", "、", "和", "及", "与", "&"].into_iter().find_map(|sign| starts_with(text, start, sign));
        let after = sign.or_else(|| whole_word(text, start, "and"))?;
        let after = skip_blanks(text, after);
        let after = whole_word(text, after, "and").unwrap_or(after);
        let after = starts_with(text, after, "第").unwrap_or(after);
        let after = unit_at(text, skip_blanks(text, after)).map_or(after, |(_, end)| end);
        let after = skip_blanks(text, after);
        number_at(text, after).map(|_| after)
    })
}
