//! Functions that give arrays: turned, multiplied, made, sorted, filtered.

use std::cmp::Ordering;

use super::{
    super::{
        eval::{Eval, MOST_ELEMENTS, Operand, Outcome, unknown},
        parse::Expr,
        value::{ErrorValue, Matrix, Scalar},
    },
    Answer, array, one, wrong_arguments,
};

pub(super) fn call(eval: &Eval<'_>, name: &str, arguments: &[Expr]) -> Answer {
    let result: Outcome<Operand> = match name {
        "TRANSPOSE" => match arguments {
            [argument] => Ok(Operand::matrix(array(eval, argument)?.transposed())),
            _ => wrong_arguments(),
        },
        "MMULT" => multiply(eval, arguments),
        "SEQUENCE" => sequence(eval, arguments),
        "UNIQUE" => unique(eval, arguments),
        "SORT" => sort(eval, arguments),
        "FILTER" => filter(eval, arguments),
        _ => return Ok(None),
    };
    result.map(Some)
}

fn option(eval: &Eval<'_>, argument: Option<&Expr>, default: f64) -> Outcome<f64> {
    match argument {
        None | Some(Expr::Missing) => Ok(default),
        Some(argument) => Ok(one(eval, argument)?.number(eval.dates()).unwrap_or(default)),
    }
}

fn multiply(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let [a, b] = arguments else { return wrong_arguments() };
    let (a, b) = (array(eval, a)?, array(eval, b)?);
    let all_numbers = a.items.iter().chain(&b.items).all(|value| matches!(value, Scalar::Number(_)));
    if a.cols != b.rows || !all_numbers {
        return Ok(ErrorValue::Value.into());
    }
    let number = |value: &Scalar| if let Scalar::Number(number) = value { *number } else { 0.0 };
    let mut product = Matrix::new(a.rows, b.cols);
    for row in 0..a.rows {
        for col in 0..b.cols {
            let total: f64 = (0..a.cols).map(|k| number(a.get(row, k)) * number(b.get(k, col))).sum();
            product.set(row, col, total.into());
        }
    }
    Ok(Operand::matrix(product))
}

fn sequence(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let rows = option(eval, arguments.first(), 1.0)?.trunc();
    let cols = option(eval, arguments.get(1), 1.0)?.trunc();
    let start = option(eval, arguments.get(2), 1.0)?;
    let step = option(eval, arguments.get(3), 1.0)?;
    if rows < 1.0 || cols < 1.0 {
        return Ok(ErrorValue::Calc.into());
    }
    if rows * cols > MOST_ELEMENTS as f64 {
        return unknown("it makes too many values");
    }
    let mut matrix = Matrix::new(rows as usize, cols as usize);
    for (at, slot) in matrix.items.iter_mut().enumerate() {
        *slot = (start + step * at as f64).into();
    }
    Ok(Operand::matrix(matrix))
}

fn rows_of(matrix: &Matrix) -> Vec<Vec<Scalar>> {
    (0..matrix.rows).map(|row| matrix.row(row).to_vec()).collect()
}

fn from_rows(rows: Vec<Vec<Scalar>>, cols: usize) -> Operand {
    if rows.is_empty() {
        return ErrorValue::Calc.into();
    }
    Operand::matrix(Matrix { rows: rows.len(), cols, items: rows.into_iter().flatten().collect() })
}

fn same_row(a: &[Scalar], b: &[Scalar]) -> bool {
    a.iter().zip(b).all(|(a, b)| match (a, b) {
        (Scalar::Empty, Scalar::Empty) => true,
        (Scalar::Empty, _) | (_, Scalar::Empty) => false,
        (Scalar::Error(a), Scalar::Error(b)) => a == b,
        (a, b) => a.compare(b) == Ok(Ordering::Equal),
    })
}

fn unique(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let [source, options @ ..] = arguments else { return wrong_arguments() };
    let by_column = option(eval, options.first(), 0.0)? != 0.0;
    let once = option(eval, options.get(1), 0.0)? != 0.0;
    let source = array(eval, source)?;
    let source = if by_column { source.transposed() } else { (*source).clone() };
    let rows = rows_of(&source);
    if rows.len() > 20_000 {
        return unknown("it works on too many rows at once");
    }
    let mut kept: Vec<Vec<Scalar>> = Vec::new();
    for row in &rows {
        let count = rows.iter().filter(|other| same_row(row, other)).count();
        let known = kept.iter().any(|known| same_row(row, known));
        let repeats = once && count > 1;
        if !known && !repeats {
            kept.push(row.clone());
        }
    }
    let result = from_rows(kept, source.cols);
    Ok(match (by_column, &result) {
        (true, Operand::Matrix(matrix)) => Operand::matrix(matrix.transposed()),
        _ => result,
    })
}

fn order(a: &Scalar, b: &Scalar) -> Ordering {
    match (a, b) {
        (Scalar::Empty, Scalar::Empty) => Ordering::Equal,
        // Empty cells come last whichever way.
        (Scalar::Empty, _) => Ordering::Greater,
        (_, Scalar::Empty) => Ordering::Less,
        _ => a.compare(b).unwrap_or(Ordering::Equal),
    }
}

fn sort(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let [source, options @ ..] = arguments else { return wrong_arguments() };
    let by = option(eval, options.first(), 1.0)?;
    let descending = option(eval, options.get(1), 1.0)? < 0.0;
    let by_column = option(eval, options.get(2), 0.0)? != 0.0;
    let source = array(eval, source)?;
    let source = if by_column { source.transposed() } else { (*source).clone() };
    if by < 1.0 || by as usize > source.cols {
        return Ok(ErrorValue::Value.into());
    }
    let key = by as usize - 1;
    let mut rows = rows_of(&source);
    rows.sort_by(|a, b| {
        let natural = order(&a[key], &b[key]);
        let empty = a[key] == Scalar::Empty || b[key] == Scalar::Empty;
        if descending && !empty { natural.reverse() } else { natural }
    });
    let result = from_rows(rows, source.cols);
    Ok(match (by_column, &result) {
        (true, Operand::Matrix(matrix)) => Operand::matrix(matrix.transposed()),
        _ => result,
    })
}

fn filter(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let [source, keep, options @ ..] = arguments else { return wrong_arguments() };
    let (source, keep) = (array(eval, source)?, array(eval, keep)?);
    let mut flags = Vec::new();
    for value in &keep.items {
        match value.truth() {
            Ok(flag) => flags.push(flag),
            Err(error) => return Ok(error.into()),
        }
    }
    let by_column = keep.rows == 1 && keep.cols > 1;
    let turned = if by_column { source.transposed() } else { (*source).clone() };
    if flags.len() != turned.rows {
        return Ok(ErrorValue::Value.into());
    }
    let rows: Vec<Vec<Scalar>> =
        rows_of(&turned).into_iter().zip(&flags).filter(|(_, keep)| **keep).map(|(row, _)| row).collect();
    if rows.is_empty() {
        return match options.first() {
            Some(otherwise) => eval.eval(otherwise),
            None => Ok(ErrorValue::Calc.into()),
        };
    }
    let result = from_rows(rows, turned.cols);
    Ok(match (by_column, &result) {
        (true, Operand::Matrix(matrix)) => Operand::matrix(matrix.transposed()),
        _ => result,
    })
}
