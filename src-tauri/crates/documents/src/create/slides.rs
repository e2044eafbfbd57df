//! Slides of a new presentation from an outline in Markdown: each heading of level 1 or 2 begins a slide, what follows is its text,
//! a quotation (`> …`) is its notes.

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
    for line in text.lines() {
        let line = line.trim();
        let heading = |marks: &str| {
            line.strip_prefix(marks).map(|title| title.trim().trim_end_matches('#').trim_end().to_owned())
        };
        if let Some(title) = heading("# ") {
            slides.push(Slide { title: Some(title), is_first_level: true, ..Slide::default() });
        } else if let Some(title) = heading("## ") {
            slides.push(Slide { title: Some(title), ..Slide::default() });
        } else if !line.is_empty() {
            if slides.is_empty() {
                slides.push(Slide::default());
            }
            let Some(slide) = slides.last_mut() else { continue };
            match line.strip_prefix('>') {
                Some(note) => slide.notes.push(note.trim_start().to_owned()),
                None => slide.body.push(without_marker(line).to_owned()),
            }
        }
    }
    slides
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
        assert!(operations("\n\n").is_empty());
        assert_eq!(operations("only text").len(), 1);
    }
}
