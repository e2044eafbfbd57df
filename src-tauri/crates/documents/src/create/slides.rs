//! Slides of a new presentation from an outline in Markdown: each heading of level 1 or 2 begins a slide, what follows is its text,
//! a quotation (`> …`) is its notes, `---` begins a slide without a title. An item that is indented lies a level deeper.

use crate::Edit;

#[derive(Debug, Default)]
struct Slide {
    title: Option<String>,
    is_first_level: bool,
    body: Vec<String>,
    notes: Vec<String>,
}

/// One operation for each slide.
pub(super) fn operations(text: &str) -> Vec<Edit> {
    let slides = read(text);
    slides.into_iter().enumerate().map(|(index, slide)| operation(index, slide)).collect()
}

/// The layouts are those of the blank presentation.
fn operation(index: usize, slide: Slide) -> Edit {
    let is_cover = index == 0 && slide.is_first_level && slide.body.len() <= 1;
    let layout = match (is_cover, slide.body.is_empty()) {
        (true, _) => "Title Slide",
        (false, true) if slide.title.is_some() => "Title Only",
        (false, _) => "Title and Content",
    };
    let text = |lines: Vec<String>| (!lines.is_empty()).then(|| lines.join("\n"));
    Edit::PptxAppendSlide {
        layout: Some(layout.into()),
        title: slide.title,
        body: (!slide.body.is_empty()).then_some(slide.body),
        notes: text(slide.notes),
    }
}

fn read(text: &str) -> Vec<Slide> {
    let mut slides: Vec<Slide> = Vec::new();
    for raw in text.lines() {
        let line = raw.trim();
        let heading = |marks: &str| {
            line.strip_prefix(marks).map(|title| title.trim().trim_end_matches('#').trim_end().to_owned())
        };
        if let Some(title) = heading("# ") {
            slides.push(Slide { title: Some(title), is_first_level: true, ..Slide::default() });
        } else if let Some(title) = heading("## ") {
            slides.push(Slide { title: Some(title), ..Slide::default() });
        } else if matches!(line, "---" | "***" | "___") {
            slides.push(Slide::default());
        } else if !line.is_empty() {
            if slides.is_empty() {
                slides.push(Slide::default());
            }
            let Some(slide) = slides.last_mut() else { continue };
            match line.strip_prefix('>') {
                Some(note) => slide.notes.push(note.trim_start().to_owned()),
                None => slide.body.push("\t".repeat(level(raw)) + without_marker(line)),
            }
        }
    }
    // A line between slides with titles only separates them.
    slides.retain(|slide| slide.title.is_some() || !slide.body.is_empty() || !slide.notes.is_empty());
    slides
}

/// The level that an item's indentation means, as `pptx_append_slide` takes it: tabs. Only items have levels (DrawingML knows nine).
fn level(raw: &str) -> usize {
    let text = raw.trim_start();
    if without_marker(text).len() == text.len() {
        return 0;
    }
    let indent = &raw[..raw.len() - text.len()];
    (indent.matches('\t').count() + indent.matches(' ').count() / 2).min(8)
}

/// The text of a list item or a deeper heading.
fn without_marker(line: &str) -> &str {
    let line = line.trim_start_matches('#').trim_start();
    for marker in ["- ", "* ", "+ "] {
        if let Some(text) = line.strip_prefix(marker) {
            return text.trim_start();
        }
    }
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    match line.get(digits..digits + 2) {
        Some(". " | ") ") if digits > 0 => line[digits + 2..].trim_start(),
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_outline_becomes_slides() {
        let text =
            "# Cover\nWho and when\n\n## Plan\n- first\n* second\n3. third\n> say hello\n> slowly\n## End\n";
        let told: Vec<_> = operations(text).iter().map(|edit| serde_json::to_value(edit).unwrap()).collect();
        assert_eq!(
            told,
            [
                json!({ "op": "pptx_append_slide", "layout": "Title Slide", "title": "Cover", "body": ["Who and when"] }),
                json!({ "op": "pptx_append_slide", "layout": "Title and Content", "title": "Plan",
                        "body": ["first", "second", "third"], "notes": "say hello\nslowly" }),
                json!({ "op": "pptx_append_slide", "layout": "Title Only", "title": "End" })
            ]
        );
        let deep =
            operations("# A\n\n## B\n- one\n  - two\n\t\t* three\n   not an item\n---\n# C\n---\nfree");
        let bodies: Vec<_> =
            deep.iter().map(|edit| serde_json::to_value(edit).unwrap()["body"].clone()).collect();
        assert_eq!(
            bodies,
            [json!(null), json!(["one", "\ttwo", "\t\tthree", "not an item"]), json!(null), json!(["free"])]
        );
        assert!(operations("\n\n").is_empty());
        assert_eq!(operations("only text").len(), 1);
    }
}
