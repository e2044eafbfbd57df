//! The functions that are computed, by name. What is not in the tables is not guessed: its formula loses its stored result.

/// `?` in a function that answers `Option<Outcome<…>>` would leave the wrong one.
macro_rules! either {
    ($result:expr) => {
        match $result {
            Ok(value) => value,
            Err(error) => return Ok(Operand::from(error)),
        }
    };
}

mod aggregate;
mod criteria;
mod date;
mod finance;
mod information;
mod logic;
mod lookup;
mod math;
mod places;
mod reshape;
mod statistics;
mod text;

use std::rc::Rc;

use super::{
    eval::{Eval, IntoScalar, Operand, Outcome, unknown},
    parse::Expr,
    value::{ErrorValue, Matrix, Scalar},
};

/// Functions whose result changes without any cell changing, or that ask the machine.
const VOLATILE: &[&str] = &["NOW", "TODAY", "RAND", "RANDBETWEEN", "RANDARRAY", "INFO", "CELL"];

/// Functions that read cells no reference names.
const DYNAMIC: &[&str] = &["INDIRECT", "OFFSET"];

/// Functions that depend on where things stand.
const POSITIONAL: &[&str] = &[
    "ROW",
    "ROWS",
    "COLUMN",
    "COLUMNS",
    "ADDRESS",
    "CELL",
    "FORMULATEXT",
    "SHEET",
    "SHEETS",
    "OFFSET",
    "INDIRECT",
];

pub(super) fn is_dynamic(name: &str) -> bool {
    DYNAMIC.contains(&name)
}

pub(super) fn is_positional(name: &str) -> bool {
    POSITIONAL.contains(&name)
}

/// Computes a call.
pub(super) fn call(eval: &Eval<'_>, name: &str, arguments: &[Expr]) -> Outcome<Operand> {
    if VOLATILE.contains(&name) {
        return unknown(format!("{name} is volatile"));
    }
    let groups = [
        logic::call,
        math::call,
        aggregate::call,
        criteria::call,
        statistics::call,
        text::call,
        lookup::call,
        places::call,
        date::call,
        information::call,
        finance::call,
        reshape::call,
    ];
    for group in groups {
        if let Some(result) = group(eval, name, arguments)? {
            return Ok(result);
        }
    }
    unknown(format!("the function {name} is not known here"))
}

/// What a group of functions answers: nothing when it does not know the name.
pub(super) type Answer = Outcome<Option<Operand>>;

/// Too few or too many arguments cannot stand in a file that Excel wrote.
pub(super) fn wrong_arguments<T>() -> Outcome<T> {
    unknown("a function has the wrong number of arguments")
}

/// A function of scalars, over arrays where its arguments are.
pub(super) fn scalars(
    eval: &Eval<'_>,
    arguments: &[Expr],
    count: std::ops::RangeInclusive<usize>,
    apply: impl Fn(&[Scalar]) -> Result<Scalar, ErrorValue>,
) -> Outcome<Operand> {
    if !count.contains(&arguments.len()) {
        return wrong_arguments();
    }
    let operands = arguments.iter().map(|argument| eval.eval(argument)).collect::<Outcome<Vec<_>>>()?;
    eval.map(&operands, |values| {
        if let Some(error) = values.iter().find_map(Scalar::error) {
            return Scalar::Error(error);
        }
        apply(values).into_scalar()
    })
}

/// A function of numbers; arguments left out at the end take defaults.
pub(super) fn numbers(
    eval: &Eval<'_>,
    arguments: &[Expr],
    defaults: &[f64],
    count: std::ops::RangeInclusive<usize>,
    apply: impl Fn(&[f64]) -> Result<f64, ErrorValue>,
) -> Outcome<Operand> {
    let dates = eval.dates();
    let most = *count.end();
    scalars(eval, arguments, count, |values| {
        let mut given = values.iter().map(|value| value.number(dates)).collect::<Result<Vec<_>, _>>()?;
        let missing = most - given.len();
        given.extend_from_slice(&defaults[defaults.len().saturating_sub(missing)..]);
        apply(&given).map(Scalar::from)
    })
}

/// Where a value that a function collects comes from; text and booleans in cells are passed over by most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Direct,
    Array,
    Cell,
}

/// Visits every value of the arguments; empty cells are not visited.
pub(super) fn each(
    eval: &Eval<'_>,
    arguments: &[Expr],
    visit: &mut dyn FnMut(Scalar, Origin),
) -> Outcome<()> {
    for argument in arguments {
        match eval.eval(argument)? {
            Operand::Scalar(value) => visit(value, Origin::Direct),
            Operand::Missing => visit(Scalar::Empty, Origin::Direct),
            Operand::Matrix(matrix) => {
                matrix.items.iter().for_each(|value| visit(value.clone(), Origin::Array))
            }
            Operand::Areas(areas) => {
                for (sheet, area) in areas {
                    eval.cells.scan(sheet, area, &mut |_, value| {
                        visit(value, Origin::Cell);
                        true
                    })?;
                }
            }
        }
    }
    Ok(())
}

/// The numbers of the arguments as SUM takes them: text and booleans count only where they are written in the formula.
pub(super) fn collect_numbers(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Result<Vec<f64>, ErrorValue>> {
    let dates = eval.dates();
    let mut numbers = Vec::new();
    let mut failed = None;
    each(eval, arguments, &mut |value, origin| match (value, origin) {
        (Scalar::Error(error), _) => drop(failed.get_or_insert(error)),
        (Scalar::Number(number), _) => numbers.push(number),
        (value, Origin::Direct) => match value.number(dates) {
            Ok(number) => numbers.push(number),
            Err(error) => drop(failed.get_or_insert(error)),
        },
        _ => {}
    })?;
    Ok(failed.map_or(Ok(numbers), Err))
}

/// One argument as one value.
pub(super) fn one(eval: &Eval<'_>, argument: &Expr) -> Outcome<Scalar> {
    let operand = eval.eval(argument)?;
    eval.single(&operand)
}

/// One argument as an array, operations inside running over all elements.
pub(super) fn array(eval: &Eval<'_>, argument: &Expr) -> Outcome<Rc<Matrix>> {
    let eval = eval.over_arrays();
    let operand = eval.eval(argument)?;
    eval.to_matrix(&operand)
}

/// A result or error as an operand.
pub(super) fn answer(result: Result<impl Into<Scalar>, ErrorValue>) -> Outcome<Operand> {
    Ok(Operand::Scalar(result.into_scalar()))
}
