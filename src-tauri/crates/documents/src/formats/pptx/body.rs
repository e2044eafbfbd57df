//! A text body (`p:txBody`, `a:txBody`, `c:rich`) as paragraphs of pieces: which characters lie in which run. Reading only.
//!
//! The text of a body joins its paragraphs with `\n`; a line break inside a paragraph is `\v` (U+000B), an object that is no text
//! (an equation) is U+FFFC. Fields (slide number, date) show their text but cannot be edited.

use std::ops::Range;

use crate::package::xml::{NodeId, Ns, Xml};

/// A line break inside a paragraph.
pub(super) const BREAK: char = '\u{B}';
/// Something inside a paragraph that is no text.
const OBJECT: char = '\u{FFFC}';

/// What a piece of a paragraph is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceKind {
    Run,
    Break,
    Field,
    Object,
}

/// A child of a paragraph that shows something.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) kind: PieceKind,
    pub(super) element: NodeId,
    /// Bytes of the paragraph's text.
    pub(super) range: Range<usize>,
}

/// One `a:p`.
#[derive(Debug, Clone)]
pub(super) struct Paragraph {
    pub(super) element: NodeId,
    pub(super) pieces: Vec<Piece>,
    pub(super) text: String,
}

/// The paragraphs of a text body.
#[derive(Debug, Clone)]
pub(super) struct Body {
    pub(super) element: NodeId,
    pub(super) paragraphs: Vec<Paragraph>,
}

impl Body {
    pub(super) fn read(xml: &Xml, element: NodeId) -> Body {
        let paragraphs = xml.children_named(element, Ns::A, "p").map(|p| Paragraph::read(xml, p)).collect();
        Body { element, paragraphs }
    }

    /// All paragraphs, joined with `\n`.
    pub(super) fn text(&self) -> String {
        let texts: Vec<&str> = self.paragraphs.iter().map(|paragraph| paragraph.text.as_str()).collect();
        texts.join("\n")
    }
}

impl Paragraph {
    pub(super) fn read(xml: &Xml, element: NodeId) -> Paragraph {
        let mut paragraph = Paragraph { element, pieces: Vec::new(), text: String::new() };
        for child in xml.children(element) {
            paragraph.push(xml, child);
        }
        paragraph
    }

    fn push(&mut self, xml: &Xml, child: NodeId) {
        let start = self.text.len();
        let kind = match (xml.namespace(child), xml.local_name(child)) {
            (Ns::A, "pPr" | "endParaRPr") => return,
            (Ns::A, "r") => PieceKind::Run,
            (Ns::A, "br") => PieceKind::Break,
            (Ns::A, "fld") => PieceKind::Field,
            _ => PieceKind::Object,
        };
        match kind {
            PieceKind::Run | PieceKind::Field => {
                if let Some(text) = xml.child(child, Ns::A, "t") {
                    self.text.push_str(&xml.text(text));
                }
            }
            PieceKind::Break => self.text.push(BREAK),
            PieceKind::Object => self.text.push(OBJECT),
        }
        self.pieces.push(Piece { kind, element: child, range: start..self.text.len() });
    }

    /// Whether it holds something that must not be lost: a field or an object.
    pub(super) fn holds_more_than_text(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece.kind, PieceKind::Field | PieceKind::Object))
    }
}

/// The text bodies of a graphic frame that is neither table, chart nor SmartArt (a locked canvas holds `a:txBody`).
pub(super) fn bodies(xml: &Xml, element: NodeId) -> Vec<NodeId> {
    xml.descendants(element)
        .filter(|node| xml.is(*node, Ns::A, "txBody") || xml.is(*node, Ns::P, "txBody"))
        .collect()
}
