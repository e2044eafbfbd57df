//! Recorded changes of formatting: the old properties are forgotten, or put back.

use super::{super::revisions::Verdict, Plan};
use crate::package::xml::{NodeId, Xml};

impl Plan<'_, '_> {
    /// `rPrChange` and its kin: forget the old properties, or put them back.
    pub(super) fn property_change(&mut self, xml: &Xml, change: NodeId) {
        let Some(properties) = xml.parent(change) else { return };
        if self.verdict == Verdict::Accept {
            return self.edits.delete(xml.span(change));
        }
        let is_kept = |child: NodeId| match xml.local_name(change) {
            "rPrChange" => matches!(xml.local_name(child), "ins" | "del" | "moveFrom" | "moveTo"),
            "pPrChange" => matches!(xml.local_name(child), "rPr" | "sectPr"),
            "sectPrChange" => matches!(xml.local_name(child), "headerReference" | "footerReference"),
            "trPrChange" => matches!(xml.local_name(child), "ins" | "del"),
            "tcPrChange" => matches!(xml.local_name(child), "cellIns" | "cellDel" | "cellMerge"),
            _ => false,
        };
        // The old properties may record marks that the new ones hold too.
        let old_inner: String = xml
            .children(change)
            .next()
            .into_iter()
            .flat_map(|old| xml.children(old))
            .filter(|child| !is_kept(*child))
            .map(|child| xml.raw(child))
            .collect();
        let mut kept_any = false;
        let mut at = xml.content(properties).start;
        for child in xml.children(properties) {
            if is_kept(child) {
                kept_any = true;
                if matches!(xml.local_name(change), "rPrChange" | "sectPrChange") {
                    at = xml.span(child).end;
                }
            } else {
                self.edits.withdraw(&xml.span(child));
                self.edits.delete(xml.span(child));
                self.gone.push(xml.span(child));
            }
        }
        if !old_inner.is_empty() {
            self.edits.replace(at..at, old_inner);
        } else if !kept_any && matches!(xml.local_name(change), "rPrChange" | "pPrChange") {
            self.edits.withdraw(&xml.span(properties));
            self.edits.delete(xml.span(properties));
        }
    }
}
