//! Computing one formula from the values of cells. Pure: what it needs of the workbook comes through `Cells`.
//!
//! Plain formulas follow the rules of files without dynamic arrays: a range where one value is wanted is met at the formula's own
//! row or column. In array formulas, and in arguments that want arrays, operations run over all elements.

use std::rc::Rc;

use super::{
    functions,
    parse::{Expr, Operator, parse},
    value::{ErrorValue, Matrix, Scalar, add},
};
use crate::formats::xlsx::{
    address::{Area, Axis, CellRef},
    formula::{
        Form,
        rewrite::{OffSheet, translate},
        structured::Selection,
    },
    number_format::DateSystem,
    workbook::SheetKey,
};

/// Why a formula gave no value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Stop {
    /// These cells must be computed first.
    Need(Vec<(SheetKey, CellRef)>),
    /// It cannot be computed here: why.
    Unknown(String),
}

pub(super) type Outcome<T> = Result<T, Stop>;

pub(super) fn unknown<T>(why: impl Into<String>) -> Outcome<T> {
    Err(Stop::Unknown(why.into()))
}

/// A table as formulas see it.
#[derive(Debug, Clone)]
pub(super) struct TableShape {
    pub(super) sheet: SheetKey,
    pub(super) area: Area,
    pub(super) header_rows: u32,
    pub(super) totals_rows: u32,
    pub(super) columns: Vec<String>,
}

/// The workbook as formulas see it.
pub(super) trait Cells {
    fn value(&self, sheet: SheetKey, cell: CellRef) -> Outcome<Scalar>;
    /// Visits the cells of an area that are not empty, row by row, until the visitor answers `false`.
    fn scan(
        &self,
        sheet: SheetKey,
        area: Area,
        visit: &mut dyn FnMut(CellRef, Scalar) -> bool,
    ) -> Outcome<()>;
    fn sheet(&self, name: &str) -> Option<SheetKey>;
    /// All sheets from one to another in tab order.
    fn sheets(&self, first: &str, last: &str) -> Option<Vec<SheetKey>>;
    /// The text of a defined name, as seen from a sheet.
    fn name(&self, home: SheetKey, sheet: Option<&str>, name: &str) -> Option<String>;
    /// A table by name, or the one that holds a cell.
    fn table(&self, name: Option<&str>, home: SheetKey, at: CellRef) -> Option<TableShape>;
    fn dates(&self) -> DateSystem;
    /// Whether a row is hidden, and whether a filter did it.
    fn hidden(&self, sheet: SheetKey, row: u32) -> (bool, bool);
    /// Whether a cell's formula is a SUBTOTAL or AGGREGATE, which others of that kind leave out.
    fn is_subtotal(&self, sheet: SheetKey, cell: CellRef) -> bool;
    /// The tab position of a sheet from 1, and how many there are.
    fn sheet_number(&self, sheet: SheetKey) -> (usize, usize);
}

/// What an expression gives.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Operand {
    Scalar(Scalar),
    Matrix(Rc<Matrix>),
    Areas(Vec<(SheetKey, Area)>),
    Missing,
}

impl<T: Into<Scalar>> From<T> for Operand {
    fn from(value: T) -> Operand {
        Operand::Scalar(value.into())
    }
}

impl Operand {
    pub(super) fn matrix(matrix: Matrix) -> Operand {
        Operand::Matrix(Rc::new(matrix))
    }
}

/// Arrays with more elements than this are not computed.
pub(super) const MOST_ELEMENTS: u64 = 4_000_000;
/// Names in names, functions in functions.
const DEEPEST: usize = 256;

/// One formula at work.
pub(super) struct Eval<'c> {
    pub(super) cells: &'c dyn Cells,
    pub(super) sheet: SheetKey,
    pub(super) at: CellRef,
    /// Operations run over all elements.
    pub(super) arrays: bool,
    pub(super) depth: usize,
}

/// Computes a formula of a cell; array formulas give all their elements.
pub(super) fn compute(
    cells: &dyn Cells,
    sheet: SheetKey,
    at: CellRef,
    formula: &str,
    arrays: bool,
) -> Outcome<Matrix> {
    let Some(expr) = parse(formula) else { return unknown("it is not understood") };
    let eval = Eval { cells, sheet, at, arrays, depth: 0 };
    let operand = eval.eval(&expr)?;
    if arrays {
        let matrix = eval.to_matrix(&operand)?;
        return Ok(Rc::unwrap_or_clone(matrix));
    }
    eval.single(&operand).map(Matrix::single)
}

impl<'c> Eval<'c> {
    pub(super) fn dates(&self) -> DateSystem {
        self.cells.dates()
    }

    /// The same with operations over all elements.
    pub(super) fn over_arrays(&self) -> Eval<'c> {
        Eval { cells: self.cells, sheet: self.sheet, at: self.at, arrays: true, depth: self.depth }
    }

    fn deeper(&self) -> Outcome<Eval<'c>> {
        if self.depth >= DEEPEST {
            return unknown("it is nested too deeply");
        }
        Ok(Eval { depth: self.depth + 1, ..*self })
    }

    pub(super) fn eval(&self, expr: &Expr) -> Outcome<Operand> {
        Ok(match expr {
            Expr::Number(number) => (*number).into(),
            Expr::Text(text) => Operand::Scalar(Scalar::Text(text.clone())),
            Expr::Boolean(value) => (*value).into(),
            Expr::Error(error) => (*error).into(),
            Expr::Missing => Operand::Missing,
            Expr::Reference { sheet, last_sheet, form } => {
                self.reference(sheet.as_deref(), last_sheet.as_deref(), form)?
            }
            Expr::Name { sheet, name } => self.name(sheet.as_deref(), name)?,
            Expr::Structured { table, selection } => self.structured(table.as_deref(), selection)?,
            Expr::Negate(inner) => {
                let operand = self.deeper()?.eval(inner)?;
                self.map(&[operand], |values| {
                    values[0].number(self.dates()).map(|number| -number).into_scalar()
                })?
            }
            Expr::Plus(inner) => {
                let operand = self.deeper()?.eval(inner)?;
                self.map(&[operand], |values| values[0].clone())?
            }
            Expr::Percent(inner) => {
                let operand = self.deeper()?.eval(inner)?;
                self.map(&[operand], |values| {
                    values[0].number(self.dates()).map(|number| number / 100.0).into_scalar()
                })?
            }
            Expr::Binary(..) => self.binary(expr)?,
            Expr::Range(a, b) => self.range(a, b)?,
            Expr::Intersection(a, b) => self.intersection(a, b)?,
            Expr::Union(items) => {
                let mut areas = Vec::new();
                for item in items {
                    match self.deeper()?.eval(item)? {
                        Operand::Areas(more) => areas.extend(more),
                        Operand::Scalar(Scalar::Error(error)) => return Ok(error.into()),
                        _ => return Ok(ErrorValue::Value.into()),
                    }
                }
                Operand::Areas(areas)
            }
            Expr::Call(name, arguments) => functions::call(&self.deeper()?, name, arguments)?,
            Expr::Array(rows) => self.array(rows)?,
            Expr::Foreign(why) => return unknown(format!("it reads {why}")),
        })
    }

    /// Runs of binary operators lean left; the spine is walked, not recursed into, as formulas may add thousands of terms.
    fn binary(&self, expr: &Expr) -> Outcome<Operand> {
        let inner = self.deeper()?;
        let mut spine = Vec::new();
        let mut leftmost = expr;
        while let Expr::Binary(operator, left, right) = leftmost {
            spine.push((*operator, right));
            leftmost = left;
        }
        let mut value = inner.eval(leftmost)?;
        for (operator, right) in spine.into_iter().rev() {
            let right = inner.eval(right)?;
            value =
                self.map(&[value, right], |values| apply(operator, &values[0], &values[1], self.dates()))?;
        }
        Ok(value)
    }

    fn array(&self, rows: &[Vec<Expr>]) -> Outcome<Operand> {
        let cols = rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut matrix = Matrix::new(rows.len(), cols);
        for (row, items) in rows.iter().enumerate() {
            for (col, item) in items.iter().enumerate() {
                let value = self.single(&self.deeper()?.eval(item)?)?;
                matrix.set(row, col, value);
            }
        }
        Ok(Operand::matrix(matrix))
    }

    fn reference(&self, sheet: Option<&str>, last: Option<&str>, form: &Form) -> Outcome<Operand> {
        let Some(area) = form.area() else { return Ok(ErrorValue::Ref.into()) };
        let sheets = match (sheet, last) {
            (None, _) => vec![self.sheet],
            (Some(first), Some(last)) => match self.cells.sheets(first, last) {
                Some(sheets) => sheets,
                None => return Ok(ErrorValue::Ref.into()),
            },
            (Some(name), None) => match self.cells.sheet(name) {
                Some(sheet) => vec![sheet],
                None => return Ok(ErrorValue::Ref.into()),
            },
        };
        Ok(Operand::Areas(sheets.into_iter().map(|sheet| (sheet, area)).collect()))
    }

    fn name(&self, sheet: Option<&str>, name: &str) -> Outcome<Operand> {
        let Some(text) = self.cells.name(self.sheet, sheet, name) else {
            // A table's bare name is its data.
            return match self.cells.table(Some(name), self.sheet, self.at) {
                Some(_) => self.structured(Some(name), &Selection::default()),
                None => Ok(ErrorValue::Name.into()),
            };
        };
        // Relative corners of a name count from A1 (they wrap at the edges).
        let text = translate(&text, i64::from(self.at.row) - 1, i64::from(self.at.col) - 1, OffSheet::Wrap);
        let Some(expr) = parse(&text) else { return unknown(format!("the name {name} is not understood")) };
        self.deeper()?.over_arrays().eval(&expr)
    }

    fn structured(&self, table: Option<&str>, selection: &Selection) -> Outcome<Operand> {
        let Some(shape) = self.cells.table(table, self.sheet, self.at) else {
            return Ok(ErrorValue::Ref.into());
        };
        Ok(match structured_area(&shape, selection, self.at.row) {
            Ok(area) => Operand::Areas(vec![(shape.sheet, area)]),
            Err(error) => error.into(),
        })
    }

    fn range(&self, a: &Expr, b: &Expr) -> Outcome<Operand> {
        let (a, b) = (self.deeper()?.eval(a)?, self.deeper()?.eval(b)?);
        Ok(match (a, b) {
            (Operand::Areas(a), Operand::Areas(b)) => match (a.as_slice(), b.as_slice()) {
                ([(sheet, a)], [(other, b)]) if sheet == other => Operand::Areas(vec![(*sheet, a.hull(b))]),
                _ => ErrorValue::Value.into(),
            },
            (Operand::Scalar(Scalar::Error(error)), _) | (_, Operand::Scalar(Scalar::Error(error))) => {
                error.into()
            }
            _ => ErrorValue::Value.into(),
        })
    }

    fn intersection(&self, a: &Expr, b: &Expr) -> Outcome<Operand> {
        let (a, b) = (self.deeper()?.eval(a)?, self.deeper()?.eval(b)?);
        let (Operand::Areas(a), Operand::Areas(b)) = (a, b) else { return Ok(ErrorValue::Value.into()) };
        let common: Vec<(SheetKey, Area)> = a
            .iter()
            .flat_map(|(sheet, a)| {
                b.iter()
                    .filter(move |(other, _)| other == sheet)
                    .filter_map(move |(_, b)| Some((*sheet, a.intersection(b)?)))
            })
            .collect();
        Ok(if common.is_empty() { ErrorValue::Null.into() } else { Operand::Areas(common) })
    }

    /// One value: a range is met at this formula's row or column, an array gives its first element.
    pub(super) fn single(&self, operand: &Operand) -> Outcome<Scalar> {
        match operand {
            Operand::Scalar(value) => Ok(value.clone()),
            Operand::Missing => Ok(Scalar::Empty),
            Operand::Matrix(matrix) => Ok(matrix.items.first().cloned().unwrap_or(Scalar::Empty)),
            Operand::Areas(areas) => match areas.as_slice() {
                [(sheet, area)] => match self.meet(*area) {
                    Some(cell) => self.cells.value(*sheet, cell),
                    None => Ok(Scalar::Error(ErrorValue::Value)),
                },
                _ => Ok(Scalar::Error(ErrorValue::Value)),
            },
        }
    }

    fn meet(&self, area: Area) -> Option<CellRef> {
        if area.size() == 1 {
            return Some(area.first);
        }
        let within = |axis: Axis| {
            let (first, last) = area.on(axis);
            (first..=last).contains(&self.at.on(axis))
        };
        if area.cols() == 1 && within(Axis::Rows) {
            return Some(CellRef::new(self.at.row, area.first.col));
        }
        if area.rows() == 1 && within(Axis::Cols) {
            return Some(CellRef::new(area.first.row, self.at.col));
        }
        None
    }

    /// All elements of an operand.
    pub(super) fn to_matrix(&self, operand: &Operand) -> Outcome<Rc<Matrix>> {
        Ok(match operand {
            Operand::Matrix(matrix) => matrix.clone(),
            Operand::Scalar(value) => Rc::new(Matrix::single(value.clone())),
            Operand::Missing => Rc::new(Matrix::single(Scalar::Empty)),
            Operand::Areas(areas) => match areas.as_slice() {
                [(sheet, area)] => Rc::new(self.area_matrix(*sheet, *area)?),
                _ => Rc::new(Matrix::single(Scalar::Error(ErrorValue::Value))),
            },
        })
    }

    fn area_matrix(&self, sheet: SheetKey, area: Area) -> Outcome<Matrix> {
        if area.size() > MOST_ELEMENTS {
            return unknown("it works on too many cells at once");
        }
        let mut matrix = Matrix::new(area.rows() as usize, area.cols() as usize);
        self.cells.scan(sheet, area, &mut |cell, value| {
            let (row, col) = (cell.row - area.first.row, cell.col - area.first.col);
            matrix.set(row as usize, col as usize, value);
            true
        })?;
        Ok(matrix)
    }

    /// Applies a function of scalars to operands, element by element where they are arrays.
    pub(super) fn map(&self, operands: &[Operand], apply: impl Fn(&[Scalar]) -> Scalar) -> Outcome<Operand> {
        let spreads = |operand: &Operand| match operand {
            Operand::Matrix(matrix) => matrix.items.len() != 1,
            Operand::Areas(areas) => self.arrays && (areas.len() != 1 || areas[0].1.size() > 1),
            Operand::Scalar(_) | Operand::Missing => false,
        };
        if !operands.iter().any(spreads) {
            let values = operands.iter().map(|operand| self.single(operand)).collect::<Outcome<Vec<_>>>()?;
            return Ok(Operand::Scalar(apply(&values)));
        }
        let matrices = operands
            .iter()
            .map(|operand| match operand {
                Operand::Areas(_) if !self.arrays => self.single(operand).map(Matrix::single).map(Rc::new),
                _ => self.to_matrix(operand),
            })
            .collect::<Outcome<Vec<_>>>()?;
        let rows = matrices.iter().map(|matrix| matrix.rows).max().unwrap_or(1);
        let cols = matrices.iter().map(|matrix| matrix.cols).max().unwrap_or(1);
        if (rows as u64) * (cols as u64) > MOST_ELEMENTS {
            return unknown("it works on too many cells at once");
        }
        let mut result = Matrix::new(rows, cols);
        let mut values = Vec::with_capacity(matrices.len());
        for row in 0..rows {
            for col in 0..cols {
                values.clear();
                values.extend(matrices.iter().map(|matrix| matrix.spread(row, col)));
                result.set(row, col, apply(&values));
            }
        }
        Ok(Operand::matrix(result))
    }
}

/// A result or its error as a value.
pub(super) trait IntoScalar {
    fn into_scalar(self) -> Scalar;
}

impl<T: Into<Scalar>> IntoScalar for Result<T, ErrorValue> {
    fn into_scalar(self) -> Scalar {
        match self {
            Ok(value) => value.into(),
            Err(error) => Scalar::Error(error),
        }
    }
}

fn apply(operator: Operator, a: &Scalar, b: &Scalar, dates: DateSystem) -> Scalar {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let numbers = |compute: fn(f64, f64) -> Result<f64, ErrorValue>| {
        let both = a.number(dates).and_then(|a| Ok((a, b.number(dates)?)));
        both.and_then(|(a, b)| compute(a, b)).into_scalar()
    };
    let compared = |holds: fn(std::cmp::Ordering) -> bool| a.compare(b).map(holds).into_scalar();
    match operator {
        Operator::Add => numbers(|a, b| Ok(add(a, b))),
        Operator::Subtract => numbers(|a, b| Ok(add(a, -b))),
        Operator::Multiply => numbers(|a, b| Ok(a * b)),
        Operator::Divide => numbers(|a, b| if b == 0.0 { Err(ErrorValue::Div0) } else { Ok(a / b) }),
        Operator::Power => numbers(power),
        Operator::Join => {
            let both = a.text().and_then(|a| Ok(format!("{a}{}", b.text()?)));
            both.into_scalar()
        }
        Operator::Equal => compared(|order| order == Equal),
        Operator::Unequal => compared(|order| order != Equal),
        Operator::Less => compared(|order| order == Less),
        Operator::LessEqual => compared(|order| order != Greater),
        Operator::Greater => compared(|order| order == Greater),
        Operator::GreaterEqual => compared(|order| order != Less),
    }
}

pub(super) fn power(base: f64, exponent: f64) -> Result<f64, ErrorValue> {
    if base == 0.0 && exponent == 0.0 {
        return Err(ErrorValue::Num);
    }
    if base == 0.0 && exponent < 0.0 {
        return Err(ErrorValue::Div0);
    }
    let result = base.powf(exponent);
    if result.is_finite() { Ok(result) } else { Err(ErrorValue::Num) }
}

/// The area that a structured reference selects of a table.
pub(super) fn structured_area(
    shape: &TableShape,
    selection: &Selection,
    row: u32,
) -> Result<Area, ErrorValue> {
    let column = |name: &String| {
        let found = shape.columns.iter().position(|known| known.to_lowercase() == name.to_lowercase());
        found.map(|at| shape.area.first.col + at as u32).ok_or(ErrorValue::Ref)
    };
    let (first_col, last_col) = match selection.columns.as_slice() {
        [] => (shape.area.first.col, shape.area.last.col),
        [one] => (column(one)?, column(one)?),
        [first, .., last] => (column(first)?, column(last)?),
    };
    let (top, bottom) = (shape.area.first.row, shape.area.last.row);
    let data_first = top + shape.header_rows;
    let data_last = bottom - shape.totals_rows;
    let mut rows: Option<(u32, u32)> = None;
    let items: Vec<&str> = selection.items.iter().map(|item| item.trim()).collect();
    for item in if items.is_empty() { vec!["data"] } else { items } {
        let part = match item {
            "all" => (top, bottom),
            "data" => (data_first, data_last),
            "headers" if shape.header_rows > 0 => (top, data_first - 1),
            "totals" if shape.totals_rows > 0 => (data_last + 1, bottom),
            "this row" if (data_first..=data_last).contains(&row) => (row, row),
            "this row" => return Err(ErrorValue::Value),
            _ => return Err(ErrorValue::Ref),
        };
        rows = Some(rows.map_or(part, |(a, b)| (a.min(part.0), b.max(part.1))));
    }
    let (first_row, last_row) = rows.ok_or(ErrorValue::Ref)?;
    Ok(Area::between(CellRef::new(first_row, first_col), CellRef::new(last_row, last_col)))
}
