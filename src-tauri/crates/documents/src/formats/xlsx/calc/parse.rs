//! From tokens to an expression (operators by ECMA-376-1, 18.17.2.2; unary minus binds tighter than `^`).

use std::rc::Rc;

use super::value::ErrorValue;
use crate::formats::xlsx::formula::{
    Form, Token, TokenKind,
    structured::{self, Selection},
    tokens,
};

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expr {
    Number(f64),
    Text(Rc<str>),
    Boolean(bool),
    Error(ErrorValue),
    /// An argument left out.
    Missing,
    Reference {
        sheet: Option<String>,
        last_sheet: Option<String>,
        form: Form,
    },
    Name {
        sheet: Option<String>,
        name: String,
    },
    Structured {
        table: Option<String>,
        selection: Selection,
    },
    Negate(Box<Expr>),
    /// Unary plus, which does nothing but end a reference.
    Plus(Box<Expr>),
    Percent(Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    Range(Box<Expr>, Box<Expr>),
    Intersection(Box<Expr>, Box<Expr>),
    Union(Vec<Expr>),
    Call(String, Vec<Expr>),
    Array(Vec<Vec<Expr>>),
    /// What cannot be computed here, and why.
    Foreign(&'static str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Join,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// Reads a formula; `None` when it is not understood.
pub(super) fn parse(formula: &str) -> Option<Expr> {
    let mut parser = Parser { text: formula, tokens: tokens(formula), at: 0, depth: 0 };
    let mut items = vec![parser.comparison()?];
    // Names may hold a bare union: `Data!$A$1,Data!$C$1`.
    while parser.take(",") {
        items.push(parser.comparison()?);
    }
    parser.skip_space();
    if parser.at != parser.tokens.len() {
        return None;
    }
    if items.len() == 1 { items.pop() } else { Some(Expr::Union(items)) }
}

/// Nesting beyond this is not computed; Excel allows 64 levels of functions.
const DEEPEST: usize = 100;

struct Parser<'f> {
    text: &'f str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl<'f> Parser<'f> {
    fn skip_space(&mut self) {
        while self.tokens.get(self.at).is_some_and(|token| token.kind == TokenKind::Space) {
            self.at += 1;
        }
    }

    fn slice(&self, token: &Token) -> &'f str {
        &self.text[token.range.clone()]
    }

    /// The operator that comes next, blanks passed over.
    fn peek(&mut self) -> Option<&'f str> {
        self.skip_space();
        let token = self.tokens.get(self.at)?;
        (token.kind == TokenKind::Operator).then(|| self.slice(token))
    }

    fn take(&mut self, operator: &str) -> bool {
        let found = self.peek() == Some(operator);
        self.at += usize::from(found);
        found
    }

    fn comparison(&mut self) -> Option<Expr> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let mut left = self.joined()?;
        loop {
            let operator = match self.peek() {
                Some("=") => Operator::Equal,
                Some("<>") => Operator::Unequal,
                Some("<") => Operator::Less,
                Some("<=") => Operator::LessEqual,
                Some(">") => Operator::Greater,
                Some(">=") => Operator::GreaterEqual,
                _ => break,
            };
            self.at += 1;
            left = Expr::Binary(operator, Box::new(left), Box::new(self.joined()?));
        }
        self.depth -= 1;
        Some(left)
    }

    fn joined(&mut self) -> Option<Expr> {
        let mut left = self.sum()?;
        while self.take("&") {
            left = Expr::Binary(Operator::Join, Box::new(left), Box::new(self.sum()?));
        }
        Some(left)
    }

    fn sum(&mut self) -> Option<Expr> {
        let mut left = self.product()?;
        loop {
            let operator = match self.peek() {
                Some("+") => Operator::Add,
                Some("-") => Operator::Subtract,
                _ => return Some(left),
            };
            self.at += 1;
            left = Expr::Binary(operator, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Option<Expr> {
        let mut left = self.power()?;
        loop {
            let operator = match self.peek() {
                Some("*") => Operator::Multiply,
                Some("/") => Operator::Divide,
                _ => return Some(left),
            };
            self.at += 1;
            left = Expr::Binary(operator, Box::new(left), Box::new(self.power()?));
        }
    }

    fn power(&mut self) -> Option<Expr> {
        let mut left = self.percent()?;
        while self.take("^") {
            left = Expr::Binary(Operator::Power, Box::new(left), Box::new(self.percent()?));
        }
        Some(left)
    }

    fn percent(&mut self) -> Option<Expr> {
        let mut inner = self.unary()?;
        while self.take("%") {
            inner = Expr::Percent(Box::new(inner));
        }
        Some(inner)
    }

    fn unary(&mut self) -> Option<Expr> {
        let mut signs = Vec::new();
        loop {
            if self.take("-") {
                signs.push('-');
            } else if self.take("+") {
                signs.push('+');
            } else if self.take("@") {
                signs.push('@');
            } else {
                break;
            }
        }
        let mut inner = self.reference_operators()?;
        for sign in signs.into_iter().rev() {
            inner = match sign {
                '-' => Expr::Negate(Box::new(inner)),
                '+' => Expr::Plus(Box::new(inner)),
                _ => Expr::Call("SINGLE".into(), vec![inner]),
            };
        }
        Some(inner)
    }

    /// `:` and the blank that intersects.
    fn reference_operators(&mut self) -> Option<Expr> {
        let mut left = self.primary()?;
        loop {
            let before = self.at;
            if self.take(":") {
                left = Expr::Range(Box::new(left), Box::new(self.primary()?));
                continue;
            }
            let blank = self.at > before;
            let starts_reference = self.tokens.get(self.at).is_some_and(|token| {
                matches!(
                    token.kind,
                    TokenKind::Reference(_)
                        | TokenKind::Name(_)
                        | TokenKind::Structured { .. }
                        | TokenKind::Function
                ) || (token.kind == TokenKind::Operator && self.slice(token) == "(")
            });
            if !(blank && starts_reference) {
                return Some(left);
            }
            left = Expr::Intersection(Box::new(left), Box::new(self.primary()?));
        }
    }

    fn primary(&mut self) -> Option<Expr> {
        self.skip_space();
        let token = self.tokens.get(self.at)?.clone();
        self.at += 1;
        let text = self.slice(&token);
        Some(match token.kind {
            TokenKind::Number => Expr::Number(text.parse().ok()?),
            TokenKind::Text => Expr::Text(text.get(1..text.len() - 1)?.replace("\"\"", "\"").into()),
            TokenKind::Boolean => Expr::Boolean(text.eq_ignore_ascii_case("true")),
            TokenKind::Error if text.starts_with("#REF!") => Expr::Error(ErrorValue::Ref),
            TokenKind::Error => Expr::Error(ErrorValue::parse(text)?),
            TokenKind::Reference(reference) => {
                let prefix = reference.prefix;
                if prefix.as_ref().is_some_and(|prefix| prefix.workbook.is_some()) {
                    return Some(Expr::Foreign("another workbook"));
                }
                let (sheet, last_sheet) = prefix.map_or((None, None), |p| (Some(p.sheet), p.last_sheet));
                let inner = Expr::Reference { sheet, last_sheet, form: reference.form };
                if reference.spill { Expr::Call("ANCHORARRAY".into(), vec![inner]) } else { inner }
            }
            TokenKind::Name(prefix) => {
                if prefix.as_ref().is_some_and(|prefix| prefix.workbook.is_some()) {
                    return Some(Expr::Foreign("another workbook"));
                }
                let start = prefix.as_ref().map_or(token.range.start, |prefix| prefix.range.end);
                let name = self.text[start..token.range.end].to_owned();
                Expr::Name { sheet: prefix.map(|prefix| prefix.sheet), name }
            }
            TokenKind::Structured { table } => {
                let name = &self.text[table.clone()];
                let selection = structured::parse(&self.text[table.end..token.range.end])?;
                Expr::Structured { table: (!name.is_empty()).then(|| name.to_owned()), selection }
            }
            TokenKind::Function => {
                let name = function_name(text);
                if !self.take("(") {
                    return None;
                }
                Expr::Call(name, self.arguments()?)
            }
            TokenKind::Operator if text == "(" => self.parenthesis()?,
            TokenKind::Operator if text == "{" => self.array()?,
            TokenKind::Operator | TokenKind::Space => return None,
        })
    }

    /// Behind `(`: one expression, or a union of several.
    fn parenthesis(&mut self) -> Option<Expr> {
        let mut items = vec![self.comparison()?];
        while self.take(",") {
            items.push(self.comparison()?);
        }
        if !self.take(")") {
            return None;
        }
        if items.len() == 1 { items.pop() } else { Some(Expr::Union(items)) }
    }

    fn arguments(&mut self) -> Option<Vec<Expr>> {
        let mut arguments = Vec::new();
        if self.take(")") {
            return Some(arguments);
        }
        loop {
            match self.peek() {
                Some("," | ")") => arguments.push(Expr::Missing),
                _ => arguments.push(self.comparison()?),
            }
            if self.take(")") {
                return Some(arguments);
            }
            if !self.take(",") {
                return None;
            }
        }
    }

    fn array(&mut self) -> Option<Expr> {
        let mut rows = vec![Vec::new()];
        loop {
            let item = self.unary()?;
            rows.last_mut()?.push(item);
            if self.take(",") {
                continue;
            }
            if self.take(";") {
                rows.push(Vec::new());
                continue;
            }
            return self.take("}").then_some(Expr::Array(rows));
        }
    }
}

/// A function's name in upper case, without the prefixes that files put before newer ones.
fn function_name(text: &str) -> String {
    let upper = text.to_ascii_uppercase();
    let bare = upper.strip_prefix("_XLFN.").unwrap_or(&upper);
    bare.strip_prefix("_XLWS.").unwrap_or(bare).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_bind_as_in_excel() {
        let Some(Expr::Binary(Operator::Power, left, _)) = parse("-2^2") else { panic!("power last") };
        assert!(matches!(*left, Expr::Negate(_)));
        assert!(matches!(parse("1+2*3"), Some(Expr::Binary(Operator::Add, ..))));
        assert!(matches!(parse("A1:B2 B1:C3"), Some(Expr::Intersection(..))));
        assert!(matches!(parse("SUM((A1,B2),3)"), Some(Expr::Call(_, arguments)) if arguments.len() == 2));
        assert!(matches!(parse("IF(A1,,1)"), Some(Expr::Call(_, arguments)) if arguments.len() == 3));
        assert!(matches!(parse("{1,2;3,-4}"), Some(Expr::Array(rows)) if rows.len() == 2));
        assert_eq!(parse("SUM(1"), None);
        assert_eq!(parse("1+"), None);
        assert_eq!(parse(&"(".repeat(5_000)), None);
    }
}
