//! Whether a format code that a user wrote can stand in a file: Excel repairs a style table that holds one it cannot read (18.8.31).

use super::sections;

const COLORS: &[&str] = &["black", "blue", "cyan", "green", "magenta", "red", "white", "yellow"];

/// Sections of a code: positive, negative, zero, text.
const MOST_SECTIONS: usize = 4;

/// What is wrong with a code, as a sentence without its full stop; letters are not judged.
pub(in crate::formats::xlsx) fn fault(code: &str) -> Option<String> {
    let mut rest = code.chars();
    let mut section_ends = 0;
    while let Some(character) = rest.next() {
        match character {
            // What stands behind these is one character, whatever it is.
            '\\' | '_' | '*' => drop(rest.next()),
            '"' => {
                let (_, behind) = match rest.as_str().split_once('"') {
                    Some(parts) => parts,
                    None => return Some("its quotes do not match".into()),
                };
                rest = behind.chars();
            }
            '[' => {
                let Some((inner, behind)) = rest.as_str().split_once(']') else {
                    return Some("its brackets do not match".into());
                };
                if !is_known(inner) {
                    return Some(format!("“[{inner}]” is no colour, condition, elapsed time or locale"));
                }
                rest = behind.chars();
            }
            ']' => return Some("its brackets do not match".into()),
            ';' => section_ends += 1,
            _ => {}
        }
    }
    let many = section_ends >= MOST_SECTIONS;
    many.then(|| format!("it has {} sections, and {MOST_SECTIONS} is the most", section_ends + 1))
}

/// What may stand in brackets.
fn is_known(inner: &str) -> bool {
    let lower = inner.trim().to_ascii_lowercase();
    let numbered = |word: &str, most: u32| {
        let number = lower.strip_prefix(word).and_then(|rest| rest.trim().parse::<u32>().ok());
        number.is_some_and(|number| (1..=most).contains(&number))
    };
    let elapsed = |letter: char| !lower.is_empty() && lower.chars().all(|c| c == letter);
    lower.starts_with('$')
        || COLORS.contains(&lower.as_str())
        || numbered("color", 56)
        || numbered("dbnum", 4)
        || lower.strip_prefix("natnum").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        || ['h', 'm', 's'].into_iter().any(elapsed)
        || sections::condition(&lower).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_that_excel_cannot_read_are_seen() {
        for code in ["0\"kg", "0]", "[Red0", "0;0;0;@;0", "[Purple]0", "[Color57]0", "[>=x]0", "[]0", "[hm]"]
        {
            assert!(fault(code).is_some(), "{code}");
        }
    }

    #[test]
    fn what_is_in_use_passes() {
        for code in [
            "General",
            "_(\"$\"* #,##0.00_);_(\"$\"* \\(#,##0.00\\);_(\"$\"* \"-\"??_);_(@_)",
            "[$€-407] #,##0.00;[Red]-[$€-407] #,##0.00",
            "[COLOR 12][>=100]0;[<-1.5E3]0;[<>0]0;@",
            "[h]:mm:ss;[mm]:ss;[ss].00",
            "[DBNum2][$-804]General;[NatNum12 cardinal]0",
            "0\\\";0\\[;*;0;_]@",
            "0.0\"a;b;c;d;e\"",
        ] {
            assert_eq!(fault(code), None, "{code}");
        }
    }
}
