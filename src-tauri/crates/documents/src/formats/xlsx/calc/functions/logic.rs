//! IF and its kin. Branches that are not taken are not computed, unless the condition is an array.

use super::{
    super::{
        eval::{Eval, Operand, Outcome},
        parse::Expr,
        value::{ErrorValue, Scalar},
    },
    Answer, Origin, answer, each, one, scalars, wrong_arguments,
};

pub(super) fn call(eval: &Eval<'_>, name: &str, arguments: &[Expr]) -> Answer {
    let result: Outcome<Operand> = match name {
        "IF" => condition(eval, arguments),
        "IFERROR" => fallback(eval, arguments, |_| true),
        "IFNA" => fallback(eval, arguments, |error| error == ErrorValue::NotAvailable),
        "IFS" => first_true(eval, arguments),
        "SWITCH" => switch(eval, arguments),
        "CHOOSE" => choose(eval, arguments),
        "AND" => all(eval, arguments, true, |so_far, value| so_far && value),
        "OR" => all(eval, arguments, false, |so_far, value| so_far || value),
        "XOR" => all(eval, arguments, false, |so_far, value| so_far != value),
        "NOT" => scalars(eval, arguments, 1..=1, |values| Ok((!values[0].truth()?).into())),
        "TRUE" => Ok(true.into()),
        "FALSE" => Ok(false.into()),
        _ => return Ok(None),
    };
    result.map(Some)
}

fn is_array(eval: &Eval<'_>, operand: &Operand) -> bool {
    match operand {
        Operand::Matrix(matrix) => matrix.items.len() > 1,
        Operand::Areas(areas) => eval.arrays && areas.iter().any(|(_, area)| area.size() > 1),
        Operand::Scalar(_) | Operand::Missing => false,
    }
}

fn condition(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    if arguments.is_empty() || arguments.len() > 3 {
        return wrong_arguments();
    }
    let test = eval.eval(&arguments[0])?;
    let branch = |at: usize, default: bool| match arguments.get(at) {
        None => Ok(Operand::from(default)),
        Some(Expr::Missing) => Ok(Operand::from(0.0)),
        Some(expr) => eval.eval(expr),
    };
    if is_array(eval, &test) {
        let operands = [test, branch(1, true)?, branch(2, false)?];
        return eval.map(&operands, |values| match values[0].truth() {
            Ok(true) => values[1].clone(),
            Ok(false) => values[2].clone(),
            Err(error) => Scalar::Error(error),
        });
    }
    match eval.single(&test)?.truth() {
        Ok(true) => branch(1, true),
        Ok(false) => branch(2, false),
        Err(error) => Ok(error.into()),
    }
}

fn fallback(eval: &Eval<'_>, arguments: &[Expr], caught: fn(ErrorValue) -> bool) -> Outcome<Operand> {
    let [first, second] = arguments else { return wrong_arguments() };
    let value = eval.eval(first)?;
    if is_array(eval, &value) {
        let other = eval.eval(second)?;
        return eval.map(&[value, other], |values| match values[0].error() {
            Some(error) if caught(error) => values[1].clone(),
            _ => values[0].clone(),
        });
    }
    match eval.single(&value)? {
        Scalar::Error(error) if caught(error) => match second {
            Expr::Missing => Ok(0.0.into()),
            second => eval.eval(second),
        },
        value => Ok(Operand::Scalar(value)),
    }
}

fn first_true(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    if arguments.is_empty() || !arguments.len().is_multiple_of(2) {
        return wrong_arguments();
    }
    for pair in arguments.chunks_exact(2) {
        match one(eval, &pair[0])?.truth() {
            Ok(true) => return eval.eval(&pair[1]),
            Ok(false) => {}
            Err(error) => return Ok(error.into()),
        }
    }
    Ok(ErrorValue::NotAvailable.into())
}

fn switch(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let [subject, rest @ ..] = arguments else { return wrong_arguments() };
    let subject = one(eval, subject)?;
    if let Some(error) = subject.error() {
        return Ok(error.into());
    }
    let pairs = rest.chunks_exact(2);
    let default = pairs.remainder().first();
    for pair in pairs {
        let case = one(eval, &pair[0])?;
        match subject.compare(&case) {
            Ok(std::cmp::Ordering::Equal) => return eval.eval(&pair[1]),
            Ok(_) => {}
            Err(error) => return Ok(error.into()),
        }
    }
    match default {
        Some(default) => eval.eval(default),
        None => Ok(ErrorValue::NotAvailable.into()),
    }
}

fn choose(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let [index, choices @ ..] = arguments else { return wrong_arguments() };
    let operand = eval.eval(index)?;
    if is_array(eval, &operand) {
        let mut operands = vec![operand];
        for choice in choices {
            operands.push(eval.eval(choice)?);
        }
        let dates = eval.dates();
        return eval.map(&operands, |values| match values[0].number(dates) {
            Ok(index) if index >= 1.0 && (index as usize) < values.len() => values[index as usize].clone(),
            Ok(_) => Scalar::Error(ErrorValue::Value),
            Err(error) => Scalar::Error(error),
        });
    }
    match eval.single(&operand)?.number(eval.dates()) {
        Ok(index) if index >= 1.0 && index < choices.len() as f64 + 1.0 => {
            eval.eval(&choices[index as usize - 1])
        }
        Ok(_) => Ok(ErrorValue::Value.into()),
        Err(error) => Ok(error.into()),
    }
}

/// AND, OR, XOR: text in cells is passed over; without any logical value it is an error.
fn all(eval: &Eval<'_>, arguments: &[Expr], start: bool, join: fn(bool, bool) -> bool) -> Outcome<Operand> {
    let mut so_far = start;
    let mut any = false;
    let mut failed = None;
    each(eval, arguments, &mut |value, origin| match (&value, origin) {
        (Scalar::Error(error), _) => drop(failed.get_or_insert(*error)),
        (Scalar::Text(_), Origin::Cell | Origin::Array) => {}
        _ => match value.truth() {
            Ok(value) => {
                so_far = join(so_far, value);
                any = true;
            }
            Err(error) => drop(failed.get_or_insert(error)),
        },
    })?;
    match failed {
        Some(error) => Ok(error.into()),
        None if !any => Ok(ErrorValue::Value.into()),
        None => answer(Ok(so_far)),
    }
}
