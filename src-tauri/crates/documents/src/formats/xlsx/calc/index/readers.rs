//! Who reads a cell or an area: single cells in a map, areas in a tree over their first rows.

use std::collections::HashMap;

use super::Address;
use crate::formats::xlsx::{
    address::{Area, CellRef},
    workbook::SheetKey,
};

/// Who reads what, by sheet: single cells in a map, areas sorted by first row with the furthest last row of each run of them.
pub(super) struct Readers {
    cells: HashMap<Address, Vec<u32>>,
    areas: HashMap<SheetKey, Vec<(Area, u32)>>,
    /// `reach[k]` is the largest last row among the areas of a node of an implicit binary tree.
    reach: HashMap<SheetKey, Vec<u32>>,
}

impl Readers {
    pub(super) fn new(reads: &[(SheetKey, Area, u32)]) -> Readers {
        let mut cells: HashMap<Address, Vec<u32>> = HashMap::new();
        let mut areas: HashMap<SheetKey, Vec<(Area, u32)>> = HashMap::new();
        for (sheet, area, formula) in reads {
            if area.size() == 1 {
                cells.entry((*sheet, area.first)).or_default().push(*formula);
            } else {
                areas.entry(*sheet).or_default().push((*area, *formula));
            }
        }
        let mut reach = HashMap::new();
        for (sheet, list) in &mut areas {
            list.sort_unstable_by_key(|(area, _)| area.first.row);
            reach.insert(*sheet, reach_of(list));
        }
        Readers { cells, areas, reach }
    }

    /// Visits every formula that reads a cell of an area.
    pub(super) fn of(&self, sheet: SheetKey, area: Area, visit: &mut dyn FnMut(u32)) {
        const FEW: u64 = 4_096;
        if area.size() <= FEW {
            for row in area.first.row..=area.last.row {
                for col in area.first.col..=area.last.col {
                    let found = self.cells.get(&(sheet, CellRef::new(row, col)));
                    found.into_iter().flatten().for_each(|formula| visit(*formula));
                }
            }
        } else {
            for ((other, cell), formulas) in &self.cells {
                if *other == sheet && area.contains(*cell) {
                    formulas.iter().for_each(|formula| visit(*formula));
                }
            }
        }
        if let (Some(list), Some(reach)) = (self.areas.get(&sheet), self.reach.get(&sheet)) {
            search(list, reach, 1, 0, list.len(), area, visit);
        }
    }
}

/// The tree over `list`: node 1 is all of it, node k has the halves 2k and 2k + 1.
fn reach_of(list: &[(Area, u32)]) -> Vec<u32> {
    let mut reach = vec![0; 4 * list.len().max(1)];
    fill(list, &mut reach, 1, 0, list.len());
    reach
}

fn fill(list: &[(Area, u32)], reach: &mut [u32], node: usize, from: usize, to: usize) -> u32 {
    let furthest = match to - from {
        0 => 0,
        1 => list[from].0.last.row,
        _ => {
            let middle = (from + to) / 2;
            let left = fill(list, reach, 2 * node, from, middle);
            left.max(fill(list, reach, 2 * node + 1, middle, to))
        }
    };
    reach[node] = furthest;
    furthest
}

fn search(
    list: &[(Area, u32)],
    reach: &[u32],
    node: usize,
    from: usize,
    to: usize,
    area: Area,
    visit: &mut dyn FnMut(u32),
) {
    if from >= to || reach[node] < area.first.row || list[from].0.first.row > area.last.row {
        return;
    }
    if to - from == 1 {
        if list[from].0.meets(&area) {
            visit(list[from].1);
        }
        return;
    }
    let middle = (from + to) / 2;
    search(list, reach, 2 * node, from, middle, area, visit);
    search(list, reach, 2 * node + 1, middle, to, area, visit);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_of_areas_are_found() {
        let sheet = SheetKey(0);
        let area = |text: &str| Area::parse(text).unwrap();
        let reads: Vec<(SheetKey, Area, u32)> =
            (1..=100).map(|row| (sheet, area(&format!("B1:B{row}")), row)).collect();
        let readers = Readers::new(&reads);
        let mut found = Vec::new();
        readers.of(sheet, area("B98"), &mut |formula| found.push(formula));
        found.sort_unstable();
        assert_eq!(found, [98, 99, 100]);
    }
}
