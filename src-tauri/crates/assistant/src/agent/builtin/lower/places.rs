//! Places that a person names by what stands there: "the paragraph that starts with …", 包含“…”的行, "the slide titled …".
//!
//! The document has been read; exactly one place must fit unless all are meant. Nothing is guessed among several.

use super::{Command, Target, Unlowered, unclear};

/// What must be said of a place.
enum Wanted<'c> {
    Contains(&'c str),
    Begins(&'c str),
    Titled(&'c str),
}

impl Wanted<'_> {
    fn fits(&self, text: &str) -> bool {
        match self {
            Wanted::Contains(words) => text.contains(words),
            Wanted::Begins(words) => text.trim_start().starts_with(words),
            Wanted::Titled(words) => {
                let title = text.trim().trim_start_matches('#').trim();
                title.to_lowercase() == words.trim().to_lowercase()
            }
        }
    }

    fn words(&self) -> &str {
        match self {
            Wanted::Contains(words) | Wanted::Begins(words) | Wanted::Titled(words) => words,
        }
    }
}

impl Command {
    fn wanted(&self) -> Option<Wanted<'_>> {
        let contains = || self.text("contains").map(Wanted::Contains);
        let begins = || self.text("begins").map(Wanted::Begins);
        contains().or_else(begins).or_else(|| self.text("titled").map(Wanted::Titled))
    }

    /// The numbers of the places that a command names by content: one, or with "all" any number of them.
    pub(super) fn found<'t>(
        &self,
        target: &'t Target<'_>,
        places: impl FnOnce(&'t super::Facts) -> Vec<(usize, String)>,
    ) -> Result<Vec<usize>, Unlowered> {
        let facts = target.facts.filter(|facts| facts.complete).ok_or(Unlowered::NeedsOutline)?;
        let wanted = self.wanted().ok_or(Unlowered::OtherFormat)?;
        let words = wanted.words();
        let fitting = places(facts).into_iter().filter(|(_, text)| wanted.fits(text));
        let numbers: Vec<usize> = fitting.map(|(number, _)| number).collect();
        match numbers.as_slice() {
            [] => Err(unclear(
                format!("There is no such place with “{words}” in the document."),
                format!("文档里没有带“{words}”的地方。"),
            )),
            [_] => Ok(numbers),
            _ if self.has("all") => Ok(numbers),
            several => {
                let told: Vec<String> = several.iter().take(8).map(usize::to_string).collect();
                Err(unclear(
                    format!(
                        "“{words}” stands at several places: {}. Name one by its number, or say all.",
                        told.join(", ")
                    ),
                    format!("有多处带“{words}”：{}。请说出编号，或者说“所有”。", told.join("、")),
                ))
            }
        }
    }
}

/// Numbers that follow each other as ranges.
pub(super) fn ranges_of(numbers: &[usize]) -> Vec<(usize, usize)> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, end)) if *end + 1 == *number => *end = *number,
            _ => ranges.push((*number, *number)),
        }
    }
    ranges
}
