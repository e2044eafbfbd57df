//! What a value is.

use super::{
    super::{
        eval::{Eval, Operand, Outcome},
        parse::Expr,
        value::{ErrorValue, Scalar},
    },
    Answer, one, wrong_arguments,
};

pub(super) fn call(eval: &Eval<'_>, name: &str, arguments: &[Expr]) -> Answer {
    let test = |holds: fn(&Scalar) -> bool| match arguments {
        [argument] => {
            let operand = eval.eval(argument)?;
            eval.map(&[operand], |values| holds(&values[0]).into())
        }
        _ => wrong_arguments(),
    };
    let result: Outcome<Operand> = match name {
        "ISBLANK" => test(|value| *value == Scalar::Empty),
        "ISNUMBER" => test(|value| matches!(value, Scalar::Number(_))),
        "ISTEXT" => test(|value| matches!(value, Scalar::Text(_))),
        "ISNONTEXT" => test(|value| !matches!(value, Scalar::Text(_))),
        "ISLOGICAL" => test(|value| matches!(value, Scalar::Boolean(_))),
        "ISERROR" => test(|value| value.error().is_some()),
        "ISERR" => test(|value| value.error().is_some_and(|error| error != ErrorValue::NotAvailable)),
        "ISNA" => test(|value| value.error() == Some(ErrorValue::NotAvailable)),
        "ISEVEN" => parity(eval, arguments, true),
        "ISODD" => parity(eval, arguments, false),
        "ISREF" => match arguments {
            [argument] => Ok(matches!(eval.eval(argument)?, Operand::Areas(_)).into()),
            _ => wrong_arguments(),
        },
        "ISFORMULA" => return Ok(None),
        "NA" => Ok(ErrorValue::NotAvailable.into()),
        "N" => number_of(eval, arguments),
        "TYPE" => kind(eval, arguments),
        "ERROR.TYPE" => match arguments {
            [argument] => Ok(match one(eval, argument)?.error() {
                Some(error) => error.number().into(),
                None => ErrorValue::NotAvailable.into(),
            }),
            _ => wrong_arguments(),
        },
        "SHEET" => match arguments {
            [] => Ok((eval.cells.sheet_number(eval.sheet).0 as f64).into()),
            [argument] => match eval.eval(argument)? {
                Operand::Areas(areas) if !areas.is_empty() => {
                    Ok((eval.cells.sheet_number(areas[0].0).0 as f64).into())
                }
                _ => Ok(ErrorValue::Value.into()),
            },
            _ => wrong_arguments(),
        },
        "SHEETS" => match arguments {
            [] => Ok((eval.cells.sheet_number(eval.sheet).1 as f64).into()),
            [argument] => match eval.eval(argument)? {
                Operand::Areas(areas) => Ok((areas.len() as f64).into()),
                _ => Ok(ErrorValue::Value.into()),
            },
            _ => wrong_arguments(),
        },
        _ => return Ok(None),
    };
    result.map(Some)
}

fn parity(eval: &Eval<'_>, arguments: &[Expr], even: bool) -> Outcome<Operand> {
    super::numbers(eval, arguments, &[], 1..=1, |n| Ok(n[0].trunc().rem_euclid(2.0))).and_then(|operand| {
        eval.map(&[operand], |values| match values[0] {
            Scalar::Number(rest) => ((rest == 0.0) == even).into(),
            ref other => other.clone(),
        })
    })
}

fn number_of(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let [argument] = arguments else { return wrong_arguments() };
    let operand = match eval.eval(argument)? {
        // N of a range is N of its first cell.
        Operand::Areas(areas) if !areas.is_empty() => {
            Operand::Scalar(eval.cells.value(areas[0].0, areas[0].1.first)?)
        }
        operand => operand,
    };
    eval.map(&[operand], |values| match &values[0] {
        Scalar::Number(number) => (*number).into(),
        Scalar::Boolean(value) => f64::from(u8::from(*value)).into(),
        Scalar::Error(error) => Scalar::Error(*error),
        Scalar::Text(_) | Scalar::Empty => 0.0.into(),
    })
}

fn kind(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let [argument] = arguments else { return wrong_arguments() };
    let operand = eval.eval(argument)?;
    if let Operand::Matrix(matrix) = &operand
        && matrix.items.len() > 1
    {
        return Ok(64.0.into());
    }
    Ok(match eval.single(&operand)? {
        Scalar::Number(_) | Scalar::Empty => 1.0,
        Scalar::Text(_) => 2.0,
        Scalar::Boolean(_) => 4.0,
        Scalar::Error(_) => 16.0,
    }
    .into())
}
