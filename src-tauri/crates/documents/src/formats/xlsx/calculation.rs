//! The workbook's calculation settings: the chain of formulas that may no longer fit, and the request to calculate on load.

use super::session::Session;
use crate::{
    EditError,
    package::xml::{Ns, Splices},
};

/// What stands behind `calcPr` in a workbook (ECMA-376-1, 18.2.27), for where a new one goes.
const BEHIND: &[&str] = &[
    "oleSize",
    "customWorkbookViews",
    "pivotCaches",
    "smartTagPr",
    "smartTagTypes",
    "webPublishing",
    "fileRecoveryPr",
    "webPublishObjects",
    "extLst",
];

impl Session<'_, '_> {
    /// Drops a calculation chain that no longer fits (Excel makes a new one), and asks for a calculation where results are missing.
    pub(super) fn finish_calculation(&mut self) -> Result<(), EditError> {
        if self.formula_removed || self.calculation_order_changed {
            self.drop_chain()?;
        }
        if self.full_calculation {
            self.ask_for_calculation()?;
        }
        Ok(())
    }

    fn drop_chain(&mut self) -> Result<(), EditError> {
        let part = self.book.part.clone();
        let relationships = self.book.package.relationships(&part)?;
        let chains: Vec<_> = relationships.of_kind("calcChain").cloned().collect();
        for chain in chains {
            let target = chain.part().filter(|target| self.book.package.has(target));
            if let Some(target) = target {
                self.book.package.remove(&target)?;
                self.book.package.remove_relationship(&part, &chain.id)?;
            }
        }
        Ok(())
    }

    fn ask_for_calculation(&mut self) -> Result<(), EditError> {
        let xml = &self.book.xml;
        let root = xml.root();
        let mut splices = Splices::default();
        match xml.child(root, Ns::S, "calcPr") {
            Some(properties) => {
                let set = xml.value(properties, Ns::None, "fullCalcOnLoad");
                if set.is_none_or(|value| !matches!(&*value, "1" | "true")) {
                    xml.set_attribute(
                        &mut splices,
                        properties,
                        Ns::None,
                        "fullCalcOnLoad",
                        "fullCalcOnLoad",
                        "1",
                    )?;
                }
            }
            None => {
                let behind = xml.children(root).find(|child| BEHIND.contains(&xml.local_name(*child)));
                let at = behind.map_or(xml.content(root).end, |child| xml.span(child).start);
                splices.insert(at, format!("<{}calcPr fullCalcOnLoad=\"1\"/>", xml.prefix(root)));
            }
        }
        self.book.edit_workbook(splices)
    }
}
