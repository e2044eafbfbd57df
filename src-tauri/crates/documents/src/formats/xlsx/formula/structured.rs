//! Structured references, the part in brackets: `[Col]`, `[@Col]`, `[[#Totals],[Col]]`, `[[A]:[B]]` (MS-XLSX 2.2.2.1).
//!
//! Column names escape `[`, `]`, `#` and `'` with `'`.

/// What renaming a column did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::formats::xlsx) enum Renamed {
    Same,
    To(String),
    /// The column is gone and was named.
    Dead,
}

/// What a structured reference selects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::formats::xlsx) struct Selection {
    /// `#All`, `#Data`, `#Headers`, `#Totals`, `#This Row`, in lower case without `#`.
    pub(in crate::formats::xlsx) items: Vec<String>,
    /// One column, or the first and last of a span; none means all.
    pub(in crate::formats::xlsx) columns: Vec<String>,
}

/// Reads the brackets; `None` for what is no structured reference.
pub(in crate::formats::xlsx) fn parse(brackets: &str) -> Option<Selection> {
    let inner = brackets.strip_prefix('[')?.strip_suffix(']')?;
    let mut selection = Selection::default();
    let mut rest = inner.trim();
    if let Some(after) = rest.strip_prefix('@') {
        selection.items.push("this row".into());
        rest = after.trim();
    }
    if !rest.starts_with('[') {
        if let Some(item) = rest.strip_prefix('#') {
            selection.items.push(item.to_lowercase());
        } else if !rest.is_empty() {
            selection.columns.push(unescape(rest));
        }
        return Some(selection);
    }
    while !rest.is_empty() {
        // Some writers leave the brackets of the column out: `[[#This Row],Qty]`.
        let end = specifier_end(rest).unwrap_or_else(|| rest.find(',').unwrap_or(rest.len()));
        let specifier = rest[..end].trim_start_matches('[');
        let specifier = specifier.strip_suffix(']').unwrap_or(specifier).trim();
        match specifier.strip_prefix('#') {
            Some(item) => selection.items.push(item.to_lowercase()),
            None => selection.columns.push(unescape(specifier)),
        }
        rest = rest[end..].trim_start_matches([',', ':', ' ']);
    }
    Some(selection)
}

/// Renames (or kills) a column in the brackets of a structured reference.
pub(in crate::formats::xlsx) fn rename(brackets: &str, from: &str, to: Option<&str>) -> Renamed {
    let Some(inner) = brackets.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
        return Renamed::Same;
    };
    let hit = |name: &str| unescape(name.trim()).to_lowercase() == from.to_lowercase();
    let (at, bare) = match inner.trim_start().strip_prefix('@') {
        Some(rest) => ("@", rest),
        None => ("", inner),
    };
    if !bare.trim_start().starts_with('[') {
        if bare.trim_start().starts_with('#') || !hit(bare) {
            return Renamed::Same;
        }
        let Some(to) = to else { return Renamed::Dead };
        // Behind `@` a name with blanks or signs needs brackets of its own.
        let plain = to.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
        let name = if at.is_empty() || plain { escape(to) } else { format!("[{}]", escape(to)) };
        return Renamed::To(format!("[{at}{name}]"));
    }
    let mut out = String::from("[");
    out.push_str(at);
    let mut rest = bare;
    let mut changed = false;
    while let Some(open) = rest.find('[') {
        let Some(end) = specifier_end(&rest[open..]).map(|end| open + end) else { break };
        let name = &rest[open + 1..end - 1];
        out.push_str(&rest[..open]);
        if !name.trim_start().starts_with('#') && hit(name) {
            let Some(to) = to else { return Renamed::Dead };
            out.push_str(&format!("[{}]", escape(to)));
            changed = true;
        } else {
            out.push_str(&rest[open..end]);
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    out.push(']');
    if changed { Renamed::To(out) } else { Renamed::Same }
}

/// The end of one `[…]` specifier.
fn specifier_end(text: &str) -> Option<usize> {
    if !text.starts_with('[') {
        return None;
    }
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\'' => drop(characters.next()),
            ']' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn unescape(name: &str) -> String {
    let mut plain = String::new();
    let mut characters = name.chars();
    while let Some(character) = characters.next() {
        plain.push(if character == '\'' { characters.next().unwrap_or('\'') } else { character });
    }
    plain
}

fn escape(name: &str) -> String {
    let mut escaped = String::new();
    for character in name.chars() {
        if matches!(character, '[' | ']' | '#' | '\'') {
            escaped.push('\'');
        }
        escaped.push(character);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selections_of_every_form() {
        let read = |text| parse(text).map(|s| format!("{}|{}", s.items.join(","), s.columns.join(",")));
        for (text, expected) in [
            ("[Qty]", "|Qty"),
            ("[@Qty]", "this row|Qty"),
            ("[@[a b]]", "this row|a b"),
            ("[@]", "this row|"),
            ("[]", "|"),
            ("[#All]", "all|"),
            ("[[#This Row],[Qty]]", "this row|Qty"),
            ("[[#Headers],[A]:[C]]", "headers|A,C"),
            ("[[#Headers],[#Data],[x]]", "headers,data|x"),
            ("['[x']]", "|[x]"),
            ("[[#This Row],Qty]", "this row|Qty"),
        ] {
            assert_eq!(read(text).as_deref(), Some(expected), "{text}");
        }
    }
}
