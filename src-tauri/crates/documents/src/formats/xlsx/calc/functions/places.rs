//! References that formulas make and ask about: where they lie, how large they are, how they are written.

use super::{
    super::{
        eval::{Eval, Operand, Outcome, unknown},
        parse::{Expr, parse},
        value::{ErrorValue, Matrix, Scalar},
    },
    Answer,
    lookup::number,
    one, scalars, wrong_arguments,
};
use crate::formats::xlsx::address::{Area, CellRef, LAST_COL, LAST_ROW, column_letters, quote_sheet};

pub(super) fn call(eval: &Eval<'_>, name: &str, arguments: &[Expr]) -> Answer {
    let result: Outcome<Operand> = match name {
        "OFFSET" => offset(eval, arguments),
        "INDIRECT" => indirect(eval, arguments),
        // `@`: the value at the formula's own row or column.
        "SINGLE" => match arguments {
            [operand] => one(eval, operand).map(Operand::Scalar),
            _ => wrong_arguments(),
        },
        "ROW" | "COLUMN" => line_number(eval, name, arguments),
        "ROWS" | "COLUMNS" => line_count(eval, name, arguments),
        "AREAS" => match arguments {
            [argument] => match eval.eval(argument)? {
                Operand::Areas(areas) => Ok((areas.len() as f64).into()),
                _ => Ok(ErrorValue::Value.into()),
            },
            _ => wrong_arguments(),
        },
        "ADDRESS" => address(eval, arguments),
        _ => return Ok(None),
    };
    result.map(Some)
}

fn offset(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let [base, rows, cols, size @ ..] = arguments else { return wrong_arguments() };
    let Operand::Areas(areas) = eval.eval(base)? else { return Ok(ErrorValue::Value.into()) };
    let [(sheet, area)] = areas.as_slice() else { return Ok(ErrorValue::Value.into()) };
    let rows = either!(number(eval, Some(rows), 0.0)?).trunc();
    let cols = either!(number(eval, Some(cols), 0.0)?).trunc();
    let sized = |argument: Option<&Expr>, own: u32| match argument {
        None | Some(Expr::Missing) => Ok(Ok(f64::from(own))),
        argument => number(eval, argument, f64::from(own)),
    };
    let height = either!(sized(size.first(), area.rows())?).trunc();
    let width = either!(sized(size.get(1), area.cols())?).trunc();
    if height == 0.0 || width == 0.0 {
        return Ok(ErrorValue::Ref.into());
    }
    let start = |first: u32, by: f64, length: f64| {
        let start = f64::from(first) + by;
        if length < 0.0 { (start + length + 1.0, start) } else { (start, start + length - 1.0) }
    };
    let (top, bottom) = start(area.first.row, rows, height);
    let (left, right) = start(area.first.col, cols, width);
    if top < 1.0 || left < 1.0 || bottom > f64::from(LAST_ROW) || right > f64::from(LAST_COL) {
        return Ok(ErrorValue::Ref.into());
    }
    let moved =
        Area::between(CellRef::new(top as u32, left as u32), CellRef::new(bottom as u32, right as u32));
    Ok(Operand::Areas(vec![(*sheet, moved)]))
}

fn indirect(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let [text, rest @ ..] = arguments else { return wrong_arguments() };
    if let Some(style) = rest.first()
        && !either!(one(eval, style)?.truth())
    {
        return unknown("it reads addresses in R1C1 form");
    }
    let text = either!(one(eval, text)?.text());
    match parse(text.trim()) {
        Some(
            expr @ (Expr::Reference { .. } | Expr::Name { .. } | Expr::Structured { .. } | Expr::Range(..)),
        ) => match eval.eval(&expr)? {
            Operand::Scalar(Scalar::Error(_)) => Ok(ErrorValue::Ref.into()),
            operand => Ok(operand),
        },
        Some(Expr::Foreign(why)) => unknown(format!("it reads {why}")),
        _ => Ok(ErrorValue::Ref.into()),
    }
}

fn line_number(eval: &Eval<'_>, name: &str, arguments: &[Expr]) -> Outcome<Operand> {
    let rows = name == "ROW";
    let area = match arguments {
        [] => Area::cell(eval.at),
        [argument] => match eval.eval(argument)? {
            Operand::Areas(areas) if areas.len() == 1 => areas[0].1,
            Operand::Scalar(Scalar::Error(error)) => return Ok(error.into()),
            _ => return Ok(ErrorValue::Value.into()),
        },
        _ => return wrong_arguments(),
    };
    let first = if rows { area.first.row } else { area.first.col };
    let count = if rows { area.rows() } else { area.cols() };
    if !eval.arrays || count == 1 {
        return Ok(f64::from(first).into());
    }
    let items: Vec<Scalar> = (0..count).map(|offset| f64::from(first + offset).into()).collect();
    let column = Matrix::column(items);
    Ok(Operand::matrix(if rows { column } else { column.transposed() }))
}

fn line_count(eval: &Eval<'_>, name: &str, arguments: &[Expr]) -> Outcome<Operand> {
    let [argument] = arguments else { return wrong_arguments() };
    let (rows, cols) = match eval.eval(argument)? {
        Operand::Areas(areas) if areas.len() == 1 => (areas[0].1.rows() as usize, areas[0].1.cols() as usize),
        Operand::Matrix(matrix) => (matrix.rows, matrix.cols),
        Operand::Scalar(Scalar::Error(error)) => return Ok(error.into()),
        _ => (1, 1),
    };
    Ok((if name == "ROWS" { rows } else { cols } as f64).into())
}

fn address(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let dates = eval.dates();
    if arguments.len() > 5 {
        return wrong_arguments();
    }
    scalars(eval, arguments, 2..=5, |values| {
        let (row, col) = (values[0].number(dates)?, values[1].number(dates)?);
        let kind = values.get(2).map_or(Ok(1.0), |value| match value {
            Scalar::Empty => Ok(1.0),
            value => value.number(dates),
        })?;
        let a1 = values.get(3).map_or(Ok(true), |value| match value {
            Scalar::Empty => Ok(true),
            value => value.truth(),
        })?;
        let in_sheet =
            (1.0..=f64::from(LAST_ROW)).contains(&row) && (1.0..=f64::from(LAST_COL)).contains(&col);
        if !in_sheet || !(1.0..5.0).contains(&kind) || !a1 {
            return Err(ErrorValue::Value);
        }
        let kind = kind as u32;
        let mark = |fixed: bool| if fixed { "$" } else { "" };
        let cell = format!(
            "{}{}{}{}",
            mark(matches!(kind, 1 | 3)),
            column_letters(col as u32),
            mark(matches!(kind, 1 | 2)),
            row as u32
        );
        Ok(match values.get(4) {
            Some(sheet) => format!("{}!{cell}", quote_sheet(&sheet.text()?)).into(),
            None => cell.into(),
        })
    })
}
