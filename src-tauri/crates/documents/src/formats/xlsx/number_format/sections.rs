//! One section of a format code: its tokens and how a number is written by them.

use super::{
    dates::{DateSystem, Moment},
    general,
};

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Literal(String),
    /// `0`, `#` or `?`.
    Digit(char),
    Point,
    Comma,
    Percent,
    /// `E+`, `E-`.
    Exponent {
        always_signed: bool,
    },
    Slash,
    Text,
    General,
    Date(DatePart),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum DatePart {
    Year(usize),
    Month(usize),
    Day(usize),
    Hour(usize),
    Minute(usize),
    Second(usize),
    /// Digits behind the seconds' point.
    Fraction(usize),
    AmPm {
        short: bool,
    },
    ElapsedHours(usize),
    ElapsedMinutes(usize),
    ElapsedSeconds(usize),
}

/// A parsed section.
#[derive(Debug, Clone)]
pub(super) struct Section {
    tokens: Vec<Token>,
    condition: Option<(String, f64)>,
}

/// The sections of a code, split at `;` outside quotes, brackets and escapes.
pub(super) fn split(code: &str) -> Vec<String> {
    let mut sections = vec![String::new()];
    let mut characters = code.chars();
    let mut quoted = false;
    while let Some(character) = characters.next() {
        if let Some(section) = sections.last_mut().filter(|_| character != ';' || quoted) {
            section.push(character);
            if character == '\\' && !quoted {
                section.extend(characters.next());
            }
        } else {
            sections.push(String::new());
        }
        quoted ^= character == '"';
    }
    sections
}

/// A condition such as `>=100`, without its brackets.
pub(super) fn condition(inner: &str) -> Option<(String, f64)> {
    let operator = inner.len() - inner.trim_start_matches(['<', '>', '=']).len();
    let known = ["<", ">", "=", "<=", ">=", "<>"].contains(&&inner[..operator]);
    let limit = inner[operator..].trim().parse().ok().filter(|limit: &f64| known && limit.is_finite())?;
    Some((inner[..operator].to_owned(), limit))
}

/// The section for a number, and the number as that section shows it (without its sign where the section stands for it).
pub(super) fn pick(code: &str, number: f64) -> (Section, f64) {
    let sections: Vec<Section> = split(code).iter().map(|text| Section::parse(text)).collect();
    let numeric = &sections[..sections.len().min(3)];
    if numeric.iter().any(|section| section.condition.is_some()) {
        let found = numeric.iter().find(|section| section.admits(number)).or(numeric.last());
        return (found.cloned().unwrap_or_else(|| Section::parse("General")), number);
    }
    let position = match numeric.len() {
        0 | 1 => 0,
        2 => usize::from(number < 0.0),
        _ if number > 0.0 => 0,
        _ if number < 0.0 => 1,
        _ => 2,
    };
    let shown = if position == 1 { number.abs() } else { number };
    (numeric.get(position).cloned().unwrap_or_else(|| Section::parse("General")), shown)
}

impl Section {
    pub(super) fn parse(text: &str) -> Section {
        let mut section = Section { tokens: Vec::new(), condition: None };
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            rest = section.token(rest, character);
        }
        section.settle_minutes();
        section
    }

    /// Reads one token and gives what is left.
    fn token<'t>(&mut self, rest: &'t str, character: char) -> &'t str {
        let after = &rest[character.len_utf8()..];
        match character {
            '"' => {
                let end = after.find('"').unwrap_or(after.len());
                self.tokens.push(Token::Literal(after[..end].to_owned()));
                return after.get(end + 1..).unwrap_or("");
            }
            '\\' => return self.literal_character(after),
            '_' => {
                self.tokens.push(Token::Literal(" ".into()));
                return skip_character(after);
            }
            '*' => return skip_character(after),
            '[' => return self.bracket(after),
            '0' | '#' | '?' => self.tokens.push(Token::Digit(character)),
            '.' => self.tokens.push(Token::Point),
            ',' => self.tokens.push(Token::Comma),
            '%' => self.tokens.push(Token::Percent),
            '/' => self.tokens.push(Token::Slash),
            '@' => self.tokens.push(Token::Text),
            'E' | 'e' if after.starts_with(['+', '-']) => {
                self.tokens.push(Token::Exponent { always_signed: after.starts_with('+') });
                return &after[1..];
            }
            'G' | 'g' if rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("general")) => {
                self.tokens.push(Token::General);
                return &rest[7..];
            }
            'A' | 'a' if rest.get(..5).is_some_and(|word| word.eq_ignore_ascii_case("am/pm")) => {
                self.tokens.push(Token::Date(DatePart::AmPm { short: false }));
                return &rest[5..];
            }
            'A' | 'a' if rest.get(..3).is_some_and(|word| word.eq_ignore_ascii_case("a/p")) => {
                self.tokens.push(Token::Date(DatePart::AmPm { short: true }));
                return &rest[3..];
            }
            'y' | 'Y' | 'm' | 'M' | 'd' | 'D' | 'h' | 'H' | 's' | 'S' => return self.date(rest, character),
            _ => self.tokens.push(Token::Literal(character.to_string())),
        }
        after
    }

    fn literal_character<'t>(&mut self, after: &'t str) -> &'t str {
        if let Some(character) = after.chars().next() {
            self.tokens.push(Token::Literal(character.to_string()));
        }
        skip_character(after)
    }

    fn date<'t>(&mut self, rest: &'t str, character: char) -> &'t str {
        let count = rest.chars().take_while(|c| c.eq_ignore_ascii_case(&character)).count();
        self.tokens.push(Token::Date(match character.to_ascii_lowercase() {
            'y' => DatePart::Year(count),
            'm' => DatePart::Month(count),
            'd' => DatePart::Day(count),
            'h' => DatePart::Hour(count),
            _ => DatePart::Second(count),
        }));
        &rest[count..]
    }

    /// A colour, a condition, a currency with locale, or an elapsed time.
    fn bracket<'t>(&mut self, after: &'t str) -> &'t str {
        let end = after.find(']').unwrap_or(after.len());
        let inner = &after[..end];
        if let Some(currency) = inner.strip_prefix('$') {
            let symbol = currency.split('-').next().unwrap_or("");
            self.tokens.push(Token::Literal(symbol.to_owned()));
        } else if inner.starts_with(['<', '>', '=']) {
            self.condition = condition(inner).or(self.condition.take());
        } else if !inner.is_empty() {
            let count = inner.len();
            let all = |letter: char| inner.chars().all(|c| c.eq_ignore_ascii_case(&letter));
            let elapsed = match () {
                () if all('h') => Some(DatePart::ElapsedHours(count)),
                () if all('m') => Some(DatePart::ElapsedMinutes(count)),
                () if all('s') => Some(DatePart::ElapsedSeconds(count)),
                () => None,
            };
            self.tokens.extend(elapsed.map(Token::Date));
        }
        after.get(end + 1..).unwrap_or("")
    }

    /// `m` means minutes behind hours and before seconds (18.8.31); digits behind seconds are their fraction.
    fn settle_minutes(&mut self) {
        let dates: Vec<usize> =
            (0..self.tokens.len()).filter(|at| matches!(self.tokens[*at], Token::Date(_))).collect();
        for (position, &at) in dates.iter().enumerate() {
            let Token::Date(DatePart::Month(count)) = self.tokens[at] else { continue };
            let date_at = |position: usize| dates.get(position).map(|at| &self.tokens[*at]);
            let behind_hours = position.checked_sub(1).and_then(date_at).is_some_and(|token| {
                matches!(token, Token::Date(DatePart::Hour(_) | DatePart::ElapsedHours(_)))
            });
            let before_seconds = date_at(position + 1).is_some_and(|token| {
                matches!(token, Token::Date(DatePart::Second(_) | DatePart::ElapsedSeconds(_)))
            });
            if count <= 2 && (behind_hours || before_seconds) {
                self.tokens[at] = Token::Date(DatePart::Minute(count));
            }
        }
        if self.is_date() {
            self.settle_fractions();
        }
    }

    fn settle_fractions(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            let behind = self.tokens[at..].iter().skip(1);
            let zeros = behind.take_while(|token| matches!(token, Token::Digit(_))).count();
            if self.tokens[at] == Token::Point && zeros > 0 {
                self.tokens.splice(at..=at + zeros, [Token::Date(DatePart::Fraction(zeros))]);
            }
            at += 1;
        }
    }

    pub(super) fn is_date(&self) -> bool {
        self.tokens.iter().any(|token| matches!(token, Token::Date(_)))
    }

    fn admits(&self, number: f64) -> bool {
        match &self.condition {
            None => true,
            Some((operator, limit)) => match operator.as_str() {
                "<" => number < *limit,
                "<=" => number <= *limit,
                ">" => number > *limit,
                ">=" => number >= *limit,
                "<>" => number != *limit,
                _ => number == *limit,
            },
        }
    }

    pub(super) fn show_text(&self, text: &str) -> String {
        let piece = |token: &Token| match token {
            Token::Text => text.to_owned(),
            Token::Literal(literal) => literal.clone(),
            _ => String::new(),
        };
        self.tokens.iter().map(piece).collect()
    }

    /// The number in this section; `None` when it cannot be shown so (a negative date).
    pub(super) fn show(&self, number: f64, system: DateSystem) -> Option<String> {
        if self.is_date() {
            return self.show_date(number, system);
        }
        let is_digit = |token: &Token| matches!(token, Token::Digit(_));
        if self.tokens.iter().any(|token| matches!(token, Token::General))
            || !self.tokens.iter().any(is_digit)
        {
            return Some(self.show_without_digits(number));
        }
        if self.tokens.contains(&Token::Slash) {
            return self.show_fraction(number);
        }
        Some(self.show_digits(number))
    }

    fn show_without_digits(&self, number: f64) -> String {
        let piece = |token: &Token| match token {
            Token::General | Token::Text => general(number),
            Token::Literal(literal) => literal.clone(),
            Token::Percent => "%".into(),
            Token::Point => ".".into(),
            Token::Comma => ",".into(),
            Token::Slash => "/".into(),
            Token::Digit(_) | Token::Exponent { .. } | Token::Date(_) => String::new(),
        };
        self.tokens.iter().map(piece).collect()
    }

    fn show_digits(&self, number: f64) -> String {
        let digit_at: Vec<usize> =
            (0..self.tokens.len()).filter(|at| matches!(self.tokens[*at], Token::Digit(_))).collect();
        let (first, last) = (digit_at[0], digit_at[digit_at.len() - 1]);
        let exponent = self.tokens.iter().position(|token| matches!(token, Token::Exponent { .. }));
        let mantissa_end = exponent.unwrap_or(self.tokens.len());
        let point = self.tokens[..mantissa_end].iter().position(|token| *token == Token::Point);
        let whole_end = point.unwrap_or(mantissa_end);
        let percent = self.tokens.iter().filter(|token| **token == Token::Percent).count() as i32;
        let commas_behind =
            |at: usize| self.tokens[at + 1..].iter().take_while(|token| **token == Token::Comma).count();
        let last_whole = digit_at.iter().copied().rfind(|at| *at < whole_end);
        let trailing_commas = last_whole.map_or(0, commas_behind)
            + if last_whole == Some(last) { 0 } else { commas_behind(last) };
        let grouped = self.tokens[first..whole_end.max(first)].iter().enumerate().any(|(offset, token)| {
            *token == Token::Comma
                && self.tokens[first + offset + 1..whole_end].iter().any(|t| matches!(t, Token::Digit(_)))
        });
        let mut scaled = number.abs() * 100_f64.powi(percent) / 1000_f64.powi(trailing_commas as i32);
        let decimals = point.map_or(0, |point| {
            self.tokens[point..mantissa_end].iter().filter(|token| matches!(token, Token::Digit(_))).count()
        });
        let mut power = 0;
        if exponent.is_some() {
            let wholes = digit_at.iter().filter(|at| **at < whole_end).count().max(1) as i32;
            (scaled, power) = scientific(scaled, wholes, decimals);
        }
        let text = format!("{:.decimals$}", round_half_up(scaled, decimals));
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let negative = number < 0.0 && text.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
        let digits = Digits { whole, fraction, grouped, negative, power, whole_end, mantissa_end };
        self.lay_out(&digits)
    }

    /// Puts digits into their places, literals between them.
    fn lay_out(&self, digits: &Digits<'_>) -> String {
        let is_digit = |token: &&Token| matches!(token, Token::Digit(_));
        let places = self.tokens[..digits.whole_end].iter().filter(is_digit).count();
        let mut whole = digits.whole.trim_start_matches('0').to_owned();
        let surplus = whole.len().saturating_sub(places);
        let mut out = String::new();
        if digits.negative {
            out.push('-');
        }
        let mut place = 0;
        let mut fraction = digits.fraction.chars();
        for (at, token) in self.tokens.iter().enumerate() {
            match token {
                Token::Digit(kind) if at < digits.whole_end => {
                    let missing = places - place;
                    let taken: String =
                        if place == 0 { whole.drain(..surplus).collect() } else { String::new() };
                    let left = missing;
                    let digit = (whole.len() >= left).then(|| whole.remove(0));
                    for (offset, character) in taken.chars().enumerate() {
                        push_grouped(&mut out, character, surplus - offset + left - 1, digits.grouped);
                    }
                    let filler = match kind {
                        '0' => Some('0'),
                        '?' => Some(' '),
                        _ => None,
                    };
                    if let Some(character) = digit.or(filler) {
                        push_grouped(&mut out, character, left - 1, digits.grouped);
                    }
                    place += 1;
                }
                Token::Digit(kind) if at < digits.mantissa_end => {
                    let rest_is_zero = fraction.as_str().bytes().all(|byte| byte == b'0');
                    match (fraction.next(), kind) {
                        (Some(_), '#') if rest_is_zero => {}
                        (Some(_), '?') if rest_is_zero => out.push(' '),
                        (Some(character), _) => out.push(character),
                        (None, _) => {}
                    }
                }
                Token::Exponent { always_signed } => {
                    let width = self.tokens[at..].iter().filter(is_digit).count();
                    let sign = if digits.power < 0 {
                        "-"
                    } else if *always_signed {
                        "+"
                    } else {
                        ""
                    };
                    out.push_str(&format!("E{sign}{:0width$}", digits.power.abs()));
                }
                Token::Point => out.push('.'),
                Token::Percent => out.push('%'),
                Token::Literal(literal) => out.push_str(literal),
                _ => {}
            }
        }
        out
    }

    fn show_fraction(&self, number: f64) -> Option<String> {
        let slash = self.tokens.iter().position(|token| *token == Token::Slash)?;
        let is_digit = |token: &&Token| matches!(token, Token::Digit(_));
        let width = self.tokens[slash..].iter().filter(is_digit).count().max(1) as u32;
        let fixed: String = self.tokens[slash + 1..]
            .iter()
            .map(|token| if let Token::Literal(literal) = token { literal.as_str() } else { "" })
            .collect();
        let has_whole =
            self.tokens[..slash].iter().any(|token| matches!(token, Token::Literal(l) if l == " "));
        let magnitude = number.abs();
        let whole = if has_whole { magnitude.floor() } else { 0.0 };
        let part = magnitude - whole;
        let best = |denominator: i64| ((part * denominator as f64).round() as i64, denominator);
        let (numerator, denominator) = match fixed.trim().parse::<i64>() {
            Ok(denominator) if denominator > 0 => best(denominator),
            _ => (1..10_i64.pow(width.min(4))).map(best).min_by(|a, b| {
                let miss = |f: &(i64, i64)| (part - f.0 as f64 / f.1 as f64).abs();
                miss(a).total_cmp(&miss(b))
            })?,
        };
        let sign = if number < 0.0 { "-" } else { "" };
        Some(match (numerator, has_whole) {
            (0, _) => format!("{sign}{whole}"),
            (n, true) if n == denominator => format!("{sign}{}", whole + 1.0),
            (_, true) if whole != 0.0 => format!("{sign}{whole} {numerator}/{denominator}"),
            _ => format!("{sign}{numerator}/{denominator}"),
        })
    }

    fn show_date(&self, number: f64, system: DateSystem) -> Option<String> {
        let fraction = self.tokens.iter().find_map(|token| match token {
            Token::Date(DatePart::Fraction(digits)) => Some(*digits),
            _ => None,
        });
        let unit = 86_400.0 * 10_f64.powi(fraction.unwrap_or(0) as i32);
        let shows_seconds = self
            .tokens
            .iter()
            .any(|token| matches!(token, Token::Date(DatePart::Second(_) | DatePart::ElapsedSeconds(_))));
        // Seconds are rounded, larger units are cut off.
        let rounded = if shows_seconds { (number * unit).round() / unit } else { number };
        let moment = system.moment(rounded)?;
        let twelve = self.tokens.iter().any(|token| matches!(token, Token::Date(DatePart::AmPm { .. })));
        let piece = |token: &Token| match token {
            Token::Date(part) => date_part(*part, &moment, rounded, twelve),
            Token::Literal(literal) => literal.clone(),
            Token::Slash => "/".into(),
            Token::Comma => ",".into(),
            Token::Point => ".".into(),
            Token::Percent => "%".into(),
            Token::Digit(_) | Token::Exponent { .. } | Token::Text | Token::General => String::new(),
        };
        Some(self.tokens.iter().map(piece).collect())
    }
}

struct Digits<'d> {
    whole: &'d str,
    fraction: &'d str,
    grouped: bool,
    negative: bool,
    power: i32,
    whole_end: usize,
    mantissa_end: usize,
}

/// Adds a digit with `left` digits to come before the point.
fn push_grouped(out: &mut String, digit: char, left: usize, grouped: bool) {
    out.push(digit);
    if grouped && left > 0 && left.is_multiple_of(3) {
        out.push(',');
    }
}

fn skip_character(text: &str) -> &str {
    let mut characters = text.chars();
    characters.next();
    characters.as_str()
}

/// Mantissa and power, the power a multiple of the digits before the point (`##0.0E+0` counts in thousands).
fn scientific(number: f64, wholes: i32, decimals: usize) -> (f64, i32) {
    if number == 0.0 {
        return (0.0, 0);
    }
    let mut power = (number.log10().floor() as i32).div_euclid(wholes) * wholes;
    let mut mantissa = number / 10_f64.powi(power);
    if round_half_up(mantissa, decimals) >= 10_f64.powi(wholes) {
        power += wholes;
        mantissa = number / 10_f64.powi(power);
    }
    (mantissa, power)
}

/// Rounds as Excel shows: halves away from zero, judged on 15 digits.
fn round_half_up(number: f64, decimals: usize) -> f64 {
    let scale = 10_f64.powi(decimals as i32);
    let scaled = number * scale;
    if !scaled.is_finite() || scaled >= 1e15 {
        return number;
    }
    let steadied: f64 = format!("{scaled:.14e}").parse().unwrap_or(scaled);
    (steadied + 0.5).floor() / scale
}

fn date_part(part: DatePart, moment: &Moment, serial: f64, twelve: bool) -> String {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
    let seconds = moment.seconds;
    let (hour, minute, second) =
        ((seconds / 3600.0) as u32, (seconds / 60.0) as u32 % 60, seconds as u32 % 60);
    let month = MONTHS[(moment.month as usize).clamp(1, 12) - 1];
    let day = DAYS[(moment.weekday as usize).clamp(1, 7) - 1];
    let pad = |number: u64, width: usize| format!("{number:0width$}");
    match part {
        DatePart::Year(1 | 2) => pad(moment.year.rem_euclid(100) as u64, 2),
        DatePart::Year(_) => pad(moment.year as u64, 4),
        DatePart::Month(3) => month[..3].to_owned(),
        DatePart::Month(4) => month.to_owned(),
        DatePart::Month(5) => month[..1].to_owned(),
        DatePart::Month(width) => pad(u64::from(moment.month), width.min(2)),
        DatePart::Day(3) => day[..3].to_owned(),
        DatePart::Day(count @ (1 | 2)) => pad(u64::from(moment.day), count),
        DatePart::Day(_) => day.to_owned(),
        DatePart::Hour(width) if twelve => pad(u64::from((hour + 11) % 12 + 1), width.min(2)),
        DatePart::Hour(width) => pad(u64::from(hour), width.min(2)),
        DatePart::Minute(width) => pad(u64::from(minute), width.min(2)),
        DatePart::Second(width) => pad(u64::from(second), width.min(2)),
        DatePart::Fraction(digits) => {
            let scale = 10_f64.powi(digits as i32);
            format!(".{}", pad((seconds.fract() * scale).round() as u64, digits))
        }
        DatePart::AmPm { short } => match (hour < 12, short) {
            (true, false) => "AM".into(),
            (false, false) => "PM".into(),
            (true, true) => "A".into(),
            (false, true) => "P".into(),
        },
        DatePart::ElapsedHours(width) => pad((serial * 24.0 + 1e-9) as u64, width),
        DatePart::ElapsedMinutes(width) => pad((serial * 1_440.0 + 1e-9) as u64, width),
        DatePart::ElapsedSeconds(width) => pad((serial * 86_400.0).round() as u64, width),
    }
}
