//! Looking things up: by value in a line or a table, by position in an area.

use std::cmp::Ordering;

use super::{
    super::{
        eval::{Eval, Operand, Outcome},
        parse::Expr,
        value::{ErrorValue, Matrix, Scalar},
    },
    Answer, array, criteria, one, wrong_arguments,
};
use crate::formats::xlsx::{
    address::{Area, CellRef},
    workbook::SheetKey,
};

pub(super) fn call(eval: &Eval<'_>, name: &str, arguments: &[Expr]) -> Answer {
    let result: Outcome<Operand> = match name {
        "VLOOKUP" => table_lookup(eval, arguments, false),
        "HLOOKUP" => table_lookup(eval, arguments, true),
        "LOOKUP" => lookup(eval, arguments),
        "MATCH" => match_position(eval, arguments),
        "XMATCH" => xmatch(eval, arguments),
        "XLOOKUP" => xlookup(eval, arguments),
        "INDEX" => index(eval, arguments),
        "HYPERLINK" => match arguments {
            [target] => eval.eval(target),
            [_, shown] => eval.eval(shown),
            _ => wrong_arguments(),
        },
        "SINGLE" => match arguments {
            [inner] => {
                let operand = eval.eval(inner)?;
                eval.single(&operand).map(Operand::Scalar)
            }
            _ => wrong_arguments(),
        },
        _ => return Ok(None),
    };
    result.map(Some)
}

pub(super) fn number(
    eval: &Eval<'_>,
    argument: Option<&Expr>,
    default: f64,
) -> Outcome<Result<f64, ErrorValue>> {
    match argument {
        None => Ok(Ok(default)),
        Some(Expr::Missing) => Ok(Ok(0.0)),
        Some(argument) => Ok(one(eval, argument)?.number(eval.dates())),
    }
}

/// How a value is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Exact,
    /// The largest that is not above, in ascending order.
    Below,
    /// The smallest that is not below, in descending order.
    Above,
}

/// The position of a value among others of its kind.
fn position(values: &mut dyn Iterator<Item = Scalar>, wanted: &Scalar, mode: Mode) -> Option<usize> {
    let pattern = match wanted {
        Scalar::Text(text) if mode == Mode::Exact => criteria::wildcards(text),
        _ => None,
    };
    let comparable = |value: &Scalar| match (value, wanted) {
        (Scalar::Number(_), Scalar::Number(_) | Scalar::Empty)
        | (Scalar::Text(_), Scalar::Text(_))
        | (Scalar::Boolean(_), Scalar::Boolean(_)) => value.compare(wanted).ok(),
        _ => None,
    };
    let mut best = None;
    for (at, value) in values.enumerate() {
        if let (Some(pattern), Scalar::Text(text)) = (&pattern, &value) {
            if criteria::fits(pattern, text) {
                return Some(at);
            }
            continue;
        }
        let Some(order) = comparable(&value) else { continue };
        match (mode, order) {
            (Mode::Exact, Ordering::Equal) => return Some(at),
            (Mode::Exact, _) => {}
            (Mode::Below, Ordering::Greater) | (Mode::Above, Ordering::Less) => break,
            (Mode::Below | Mode::Above, _) => best = Some(at),
        }
    }
    best
}

/// A row or column to look in, without reading the rest of its range.
enum Line {
    Cells { sheet: SheetKey, area: Area },
    Items(Vec<Scalar>),
}

impl Line {
    fn find(&self, eval: &Eval<'_>, wanted: &Scalar, mode: Mode) -> Outcome<Option<usize>> {
        match self {
            Line::Items(items) => Ok(position(&mut items.iter().cloned(), wanted, mode)),
            Line::Cells { sheet, area } => {
                let mut cells: Vec<(usize, Scalar)> = Vec::new();
                let down = area.cols() == 1;
                // An exact search may end at the first hit; the others read on anyway.
                eval.cells.scan(*sheet, *area, &mut |cell, value| {
                    let at = if down { cell.row - area.first.row } else { cell.col - area.first.col };
                    let hit = mode == Mode::Exact
                        && position(&mut std::iter::once(value.clone()), wanted, mode).is_some();
                    cells.push((at as usize, value));
                    !hit
                })?;
                let found = position(&mut cells.iter().map(|(_, value)| value.clone()), wanted, mode);
                Ok(found.map(|found| cells[found].0))
            }
        }
    }
}

fn lines_of(operand: &Operand, matrix: impl Fn() -> Outcome<std::rc::Rc<Matrix>>) -> Outcome<Option<Line>> {
    if let Operand::Areas(areas) = operand
        && let [(sheet, area)] = areas.as_slice()
        && (area.rows() == 1 || area.cols() == 1)
    {
        return Ok(Some(Line::Cells { sheet: *sheet, area: *area }));
    }
    let matrix = matrix()?;
    let is_line = matrix.rows == 1 || matrix.cols == 1;
    Ok(is_line.then(|| Line::Items(matrix.items.clone())))
}

fn table_lookup(eval: &Eval<'_>, arguments: &[Expr], across: bool) -> Outcome<Operand> {
    let ([wanted, table, index] | [wanted, table, index, _]) = arguments else { return wrong_arguments() };
    let nearest = match arguments.get(3) {
        None => true,
        Some(Expr::Missing) => false,
        Some(argument) => either!(one(eval, argument)?.truth()),
    };
    let mode = if nearest { Mode::Below } else { Mode::Exact };
    let index = either!(number(eval, Some(index), 1.0)?).trunc();
    let table = eval.eval(table)?;
    let (rows, cols) = match &table {
        Operand::Areas(areas) if areas.len() == 1 => (areas[0].1.rows() as f64, areas[0].1.cols() as f64),
        Operand::Matrix(matrix) => (matrix.rows as f64, matrix.cols as f64),
        Operand::Scalar(Scalar::Error(error)) => return Ok((*error).into()),
        _ => return Ok(ErrorValue::NotAvailable.into()),
    };
    if index < 1.0 {
        return Ok(ErrorValue::Value.into());
    }
    if index > if across { rows } else { cols } {
        return Ok(ErrorValue::Ref.into());
    }
    let offset = index as u32 - 1;
    let line = match &table {
        Operand::Areas(areas) => {
            let (sheet, area) = areas[0];
            let line = if across {
                area.with(crate::formats::xlsx::address::Axis::Rows, area.first.row, area.first.row)
            } else {
                area.with(crate::formats::xlsx::address::Axis::Cols, area.first.col, area.first.col)
            };
            Line::Cells { sheet, area: line }
        }
        Operand::Matrix(matrix) if across => Line::Items(matrix.row(0).to_vec()),
        Operand::Matrix(matrix) => {
            Line::Items((0..matrix.rows).map(|row| matrix.get(row, 0).clone()).collect())
        }
        _ => return Ok(ErrorValue::Value.into()),
    };
    let fetch = |at: usize| -> Outcome<Scalar> {
        match &table {
            Operand::Areas(areas) => {
                let (sheet, area) = areas[0];
                let cell = if across {
                    CellRef::new(area.first.row + offset, area.first.col + at as u32)
                } else {
                    CellRef::new(area.first.row + at as u32, area.first.col + offset)
                };
                eval.cells.value(sheet, cell)
            }
            Operand::Matrix(matrix) if across => Ok(matrix.get(offset as usize, at).clone()),
            Operand::Matrix(matrix) => Ok(matrix.get(at, offset as usize).clone()),
            _ => Ok(Scalar::Error(ErrorValue::Value)),
        }
    };
    let wanted = eval.eval(wanted)?;
    each_wanted(eval, &wanted, &|wanted| {
        if let Some(error) = wanted.error() {
            return Ok(Scalar::Error(error));
        }
        match line.find(eval, wanted, mode)? {
            Some(at) => fetch(at),
            None => Ok(Scalar::Error(ErrorValue::NotAvailable)),
        }
    })
}

/// Runs a lookup for one value, or for each of an array of them.
fn each_wanted(
    eval: &Eval<'_>,
    wanted: &Operand,
    find: &dyn Fn(&Scalar) -> Outcome<Scalar>,
) -> Outcome<Operand> {
    let many = match wanted {
        Operand::Matrix(matrix) => matrix.items.len() > 1,
        Operand::Areas(_) => eval.arrays,
        Operand::Scalar(_) | Operand::Missing => false,
    };
    if !many {
        return find(&eval.single(wanted)?).map(Operand::Scalar);
    }
    let matrix = eval.to_matrix(wanted)?;
    let mut found = Matrix::new(matrix.rows, matrix.cols);
    for (at, value) in matrix.items.iter().enumerate() {
        found.items[at] = find(value)?;
    }
    Ok(Operand::matrix(found))
}

fn lookup(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let ([wanted, keys] | [wanted, keys, _]) = arguments else { return wrong_arguments() };
    let keys = array(eval, keys)?;
    let (line, results): (Vec<Scalar>, Vec<Scalar>) = match arguments.get(2) {
        Some(results) => (keys.items.clone(), array(eval, results)?.items.clone()),
        None if keys.cols > keys.rows => (keys.row(0).to_vec(), keys.row(keys.rows - 1).to_vec()),
        None => {
            (0..keys.rows).map(|row| (keys.get(row, 0).clone(), keys.get(row, keys.cols - 1).clone())).unzip()
        }
    };
    let wanted = eval.eval(wanted)?;
    each_wanted(eval, &wanted, &|wanted| {
        if let Some(error) = wanted.error() {
            return Ok(Scalar::Error(error));
        }
        let found = nearest_below(&line, wanted);
        Ok(found.and_then(|at| results.get(at).cloned()).unwrap_or(Scalar::Error(ErrorValue::NotAvailable)))
    })
}

/// As a binary search sees it: the last value that is not above, errors passed over (`LOOKUP(2,1/(…),…)` counts on that).
fn nearest_below(line: &[Scalar], wanted: &Scalar) -> Option<usize> {
    let kin = |value: &Scalar| {
        matches!(
            (value, wanted),
            (Scalar::Number(_), Scalar::Number(_) | Scalar::Empty)
                | (Scalar::Text(_), Scalar::Text(_))
                | (Scalar::Boolean(_), Scalar::Boolean(_))
        )
    };
    let (mut low, mut high) = (0, line.len());
    let mut best = None;
    while low < high {
        let middle = (low + high) / 2;
        let probe = (middle..high).find(|at| kin(&line[*at]));
        let Some(probe) = probe else {
            high = middle;
            continue;
        };
        match line[probe].compare(wanted) {
            Ok(Ordering::Greater) => high = middle,
            Ok(_) => {
                best = Some(probe);
                low = probe + 1;
            }
            Err(_) => return None,
        }
    }
    best
}

fn match_position(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let ([wanted, line] | [wanted, line, _]) = arguments else { return wrong_arguments() };
    let kind = either!(number(eval, arguments.get(2), 1.0)?);
    let mode = match kind {
        kind if kind > 0.0 => Mode::Below,
        kind if kind < 0.0 => Mode::Above,
        _ => Mode::Exact,
    };
    let over = eval.over_arrays();
    let operand = over.eval(line)?;
    if let Operand::Scalar(Scalar::Error(error)) = &operand {
        return Ok((*error).into());
    }
    let Some(line) = lines_of(&operand, || over.to_matrix(&operand))? else {
        return Ok(ErrorValue::NotAvailable.into());
    };
    let wanted = eval.eval(wanted)?;
    each_wanted(eval, &wanted, &|wanted| {
        if let Some(error) = wanted.error() {
            return Ok(Scalar::Error(error));
        }
        let found = line.find(eval, wanted, mode)?;
        Ok(found.map_or(Scalar::Error(ErrorValue::NotAvailable), |at| (at as f64 + 1.0).into()))
    })
}

/// XMATCH and XLOOKUP: match modes 0, -1, 1, 2 and search modes 1 and -1.
fn extended(
    eval: &Eval<'_>,
    items: &[Scalar],
    wanted: &Scalar,
    mode: f64,
    search: f64,
) -> Result<Option<usize>, ErrorValue> {
    if let Some(error) = wanted.error() {
        return Err(error);
    }
    let _ = eval;
    let pattern = match wanted {
        Scalar::Text(text) if mode == 2.0 => criteria::wildcards(text),
        _ => None,
    };
    let equal = |value: &Scalar| match (&pattern, value, wanted) {
        (Some(pattern), Scalar::Text(text), _) => criteria::fits(pattern, text),
        (_, Scalar::Empty, Scalar::Empty) => true,
        (_, Scalar::Empty, _) | (_, _, Scalar::Empty) => false,
        _ => value.compare(wanted) == Ok(Ordering::Equal),
    };
    let order: Vec<usize> =
        if search < 0.0 { (0..items.len()).rev().collect() } else { (0..items.len()).collect() };
    if let Some(found) = order.iter().find(|at| equal(&items[**at])) {
        return Ok(Some(*found));
    }
    let side = match mode {
        -1.0 => Ordering::Less,
        1.0 => Ordering::Greater,
        _ => return Ok(None),
    };
    let mut best: Option<usize> = None;
    for &at in &order {
        let same_kind = matches!(
            (&items[at], wanted),
            (Scalar::Number(_), Scalar::Number(_)) | (Scalar::Text(_), Scalar::Text(_))
        );
        if !same_kind || items[at].compare(wanted) != Ok(side) {
            continue;
        }
        let nearer = best.is_none_or(|best| items[at].compare(&items[best]) == Ok(side.reverse()));
        if nearer {
            best = Some(at);
        }
    }
    Ok(best)
}

fn xmatch(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let [wanted, line, options @ ..] = arguments else { return wrong_arguments() };
    let mode = either!(number(eval, options.first(), 0.0)?);
    let search = either!(number(eval, options.get(1), 1.0)?);
    let line = array(eval, line)?;
    let wanted = eval.eval(wanted)?;
    each_wanted(eval, &wanted, &|wanted| {
        Ok(match extended(eval, &line.items, wanted, mode, search) {
            Ok(Some(at)) => (at as f64 + 1.0).into(),
            Ok(None) => Scalar::Error(ErrorValue::NotAvailable),
            Err(error) => Scalar::Error(error),
        })
    })
}

fn xlookup(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let [wanted, line, results, options @ ..] = arguments else { return wrong_arguments() };
    let mode = either!(number(eval, options.get(1), 0.0)?);
    let search = either!(number(eval, options.get(2), 1.0)?);
    let line = array(eval, line)?;
    let results = array(eval, results)?;
    for source in [&line, &results] {
        if let [Scalar::Error(error)] = source.items.as_slice() {
            return Ok((*error).into());
        }
    }
    let wanted = eval.eval(wanted)?;
    let down = line.cols == 1;
    let wanted_one = eval.single(&wanted)?;
    let whole = match (&wanted, down) {
        (Operand::Matrix(matrix), _) if matrix.items.len() > 1 => false,
        (_, true) => results.cols > 1,
        (_, false) => results.rows > 1,
    };
    if whole {
        // A whole row or column is the answer.
        return match extended(eval, &line.items, &wanted_one, mode, search) {
            Ok(Some(at)) => {
                let matrix = if down {
                    Matrix {
                        rows: 1,
                        cols: results.cols,
                        items: results.row(at.min(results.rows - 1)).to_vec(),
                    }
                } else {
                    Matrix::column((0..results.rows).map(|row| results.get(row, at).clone()).collect())
                };
                Ok(Operand::matrix(matrix))
            }
            Ok(None) => not_found(eval, options.first()),
            Err(error) => Ok(error.into()),
        };
    }
    let missing = match options.first() {
        None | Some(Expr::Missing) => Scalar::Error(ErrorValue::NotAvailable),
        Some(_) => {
            let operand = not_found(eval, options.first())?;
            eval.single(&operand)?
        }
    };
    each_wanted(eval, &wanted, &|wanted| {
        Ok(match extended(eval, &line.items, wanted, mode, search) {
            Ok(Some(at)) => results.items.get(at).cloned().unwrap_or(Scalar::Error(ErrorValue::Value)),
            Ok(None) => missing.clone(),
            Err(error) => Scalar::Error(error),
        })
    })
}

fn not_found(eval: &Eval<'_>, fallback: Option<&Expr>) -> Outcome<Operand> {
    match fallback {
        None | Some(Expr::Missing) => Ok(ErrorValue::NotAvailable.into()),
        Some(fallback) => eval.eval(fallback),
    }
}

fn index(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let [source, lines @ ..] = arguments else { return wrong_arguments() };
    if lines.is_empty() || lines.len() > 3 {
        return wrong_arguments();
    }
    let operand = match eval.eval(source)? {
        Operand::Areas(areas) => {
            let which = either!(number(eval, lines.get(2), 1.0)?);
            let found = (which >= 1.0).then(|| areas.get(which as usize - 1).copied()).flatten();
            match found {
                Some(area) => Operand::Areas(vec![area]),
                None => return Ok(ErrorValue::Ref.into()),
            }
        }
        Operand::Scalar(Scalar::Error(error)) => return Ok(error.into()),
        other => Operand::Matrix(match other {
            Operand::Matrix(matrix) => matrix,
            _ => array(eval, source)?,
        }),
    };
    let (height, width) = match &operand {
        Operand::Areas(areas) => (areas[0].1.rows(), areas[0].1.cols()),
        Operand::Matrix(matrix) => (matrix.rows as u32, matrix.cols as u32),
        Operand::Scalar(_) | Operand::Missing => (1, 1),
    };
    let single_index = lines.len() == 1;
    let places: Vec<Operand> = lines.iter().take(2).map(|line| eval.eval(line)).collect::<Outcome<_>>()?;
    let spreads = places.iter().any(|place| match place {
        Operand::Matrix(matrix) => matrix.items.len() > 1,
        Operand::Areas(areas) => eval.arrays && areas.iter().any(|(_, area)| area.size() > 1),
        _ => false,
    });
    let locate = |first: f64, second: Option<f64>| -> Result<(u32, u32), ErrorValue> {
        let (row, col) = match second {
            Some(col) => (first, col),
            None if single_index && height == 1 && width > 1 => (1.0, first),
            None => (first, if single_index && width > 1 { 0.0 } else { 1.0 }),
        };
        if row < 0.0 || col < 0.0 {
            return Err(ErrorValue::Value);
        }
        let (row, col) = (row as u32, col as u32);
        if row > height || col > width { Err(ErrorValue::Ref) } else { Ok((row, col)) }
    };
    if spreads {
        let source = eval.to_matrix(&operand)?;
        let dates = eval.dates();
        return eval.map(&places, |values| {
            let numbers: Result<Vec<f64>, ErrorValue> =
                values.iter().map(|value| value.number(dates)).collect();
            let place = numbers.and_then(|numbers| locate(numbers[0], numbers.get(1).copied()));
            match place {
                Ok((row, col)) => source.get(row.max(1) as usize - 1, col.max(1) as usize - 1).clone(),
                Err(error) => Scalar::Error(error),
            }
        });
    }
    let mut numbers = Vec::new();
    for place in &places {
        numbers.push(either!(eval.single(place)?.number(eval.dates())));
    }
    let (row, col) = either!(locate(numbers[0], numbers.get(1).copied()));
    Ok(cut(&operand, row, col))
}

/// One element, or with zero a whole row, column or everything.
fn cut(operand: &Operand, row: u32, col: u32) -> Operand {
    match operand {
        Operand::Areas(areas) => {
            let (sheet, area) = areas[0];
            let span = |line: u32, first: u32, last: u32| match line {
                0 => (first, last),
                line => (first + line - 1, first + line - 1),
            };
            let (top, bottom) = span(row, area.first.row, area.last.row);
            let (left, right) = span(col, area.first.col, area.last.col);
            Operand::Areas(vec![(sheet, Area::between(CellRef::new(top, left), CellRef::new(bottom, right)))])
        }
        Operand::Matrix(matrix) => {
            let rows: Vec<usize> = if row == 0 { (0..matrix.rows).collect() } else { vec![row as usize - 1] };
            let cols: Vec<usize> = if col == 0 { (0..matrix.cols).collect() } else { vec![col as usize - 1] };
            let mut part = Matrix::new(rows.len(), cols.len());
            for (to_row, from_row) in rows.iter().enumerate() {
                for (to_col, from_col) in cols.iter().enumerate() {
                    part.set(to_row, to_col, matrix.get(*from_row, *from_col).clone());
                }
            }
            Operand::matrix(part)
        }
        other => other.clone(),
    }
}
