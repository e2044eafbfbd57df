//! Values as endpoints really send them: null, `""` and absent are one thing, numbers come as text and text as numbers.
//!
//! serde's `default` covers an absent field but not null, and one field of an unexpected type would lose the whole chunk. The types
//! here take every well-formed value; what makes no sense becomes nothing, unless a piece of a call may be in it.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::json::strict::Strict;

/// A scalar as text; null, lists and objects are nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Text<'a>(Option<Cow<'a, str>>);

impl<'a> Text<'a> {
    /// The text, unless it is empty.
    pub(crate) fn get(&self) -> Option<&str> {
        self.0.as_deref().filter(|text| !text.is_empty())
    }

    /// The text, unless there is nothing but white space in it.
    pub(crate) fn word(&self) -> Option<&str> {
        self.get().map(str::trim).filter(|word| !word.is_empty())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text<'a>, D::Error> {
        deserializer.deserialize_any(TextVisitor(PhantomData))
    }
}

struct TextVisitor<'a>(PhantomData<&'a ()>);

impl<'de: 'a, 'a> Visitor<'de> for TextVisitor<'a> {
    type Value = Text<'a>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'a>, E> {
        Ok(Text(Some(Cow::Borrowed(text))))
    }

    fn visit_str<E>(self, text: &str) -> Result<Text<'a>, E> {
        Ok(Text(Some(Cow::Owned(text.to_owned()))))
    }

    fn visit_string<E>(self, text: String) -> Result<Text<'a>, E> {
        Ok(Text(Some(Cow::Owned(text))))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Text<'a>, E> {
        Ok(Text(Some(Cow::Owned(number.to_string()))))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Text<'a>, E> {
        Ok(Text(Some(Cow::Owned(number.to_string()))))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Text<'a>, E> {
        Ok(Text(Some(Cow::Owned(number.to_string()))))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Text<'a>, E> {
        Ok(Text(None))
    }

    fn visit_unit<E>(self) -> Result<Text<'a>, E> {
        Ok(Text(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Text<'a>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Text(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Text<'a>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Text(None))
    }
}

/// A whole number, also one written as text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Whole(pub Option<i64>);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Whole, D::Error> {
        deserializer.deserialize_any(WholeVisitor)
    }
}

struct WholeVisitor;

impl<'de> Visitor<'de> for WholeVisitor {
    type Value = Whole;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_u64<E>(self, number: u64) -> Result<Whole, E> {
        Ok(Whole(i64::try_from(number).ok()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Whole, E> {
        Ok(Whole(Some(number)))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Whole, E> {
        Ok(Whole((number.fract() == 0.0).then_some(number as i64)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Whole, E> {
        Ok(Whole(text.trim().parse().ok()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Whole, E> {
        Ok(Whole(None))
    }

    fn visit_unit<E>(self) -> Result<Whole, E> {
        Ok(Whole(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Whole, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Whole(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Whole, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Whole(None))
    }
}

/// A list; one object instead of a list is a list of one, anything else is empty.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Many<T>(pub Vec<T>);

impl<T> Default for Many<T> {
    fn default() -> Many<T> {
        Many(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Many<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Many<T>, D::Error> {
        deserializer.deserialize_any(ManyVisitor(PhantomData))
    }
}

struct ManyVisitor<T>(PhantomData<T>);

macro_rules! scalars_are_nothing {
    ($($name:ident: $kind:ty),*; $nothing:expr) => {
        $(fn $name<E>(self, _: $kind) -> Result<Self::Value, E> { Ok($nothing) })*
        fn visit_unit<E>(self) -> Result<Self::Value, E> { Ok($nothing) }
        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
            if holds_container(text) { Err(E::custom(MISPLACED)) } else { Ok($nothing) }
        }
    };
}

/// An object wrapped once too often may be a piece of a call: passing over it would leave a shorter call that is valid too.
const MISPLACED: &str = "an object stands in a wrapping of its own";

fn holds_container(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

/// Whether there is an object with anything in it, or the text of one.
fn holds_object(value: &Value) -> bool {
    match value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => items.iter().any(holds_object),
        Value::String(text) => holds_container(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for ManyVisitor<T> {
    type Value = Many<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    scalars_are_nothing!(visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_bool: bool;
        Many(Vec::new()));

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Many<T>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element::<Maybe<T>>()? {
            items.extend(item.0);
        }
        Ok(Many(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Many<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|item| Many(vec![item]))
    }
}

/// An object, or nothing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Maybe<T>(pub Option<T>);

impl<T> Default for Maybe<T> {
    fn default() -> Maybe<T> {
        Maybe(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Maybe<T>, D::Error> {
        deserializer.deserialize_any(MaybeVisitor(PhantomData))
    }
}

struct MaybeVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for MaybeVisitor<T> {
    type Value = Maybe<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    scalars_are_nothing!(visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_bool: bool;
        Maybe(None));

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Maybe<T>, A::Error> {
        while let Some(item) = list.next_element::<Value>()? {
            if holds_object(&item) {
                return Err(serde::de::Error::custom(MISPLACED));
            }
        }
        Ok(Maybe(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Maybe<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|item| Maybe(Some(item)))
    }
}

/// Text that may also come as a list or an object: `content` and `arguments`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Loose<'a> {
    #[default]
    Nothing,
    Text(Cow<'a, str>),
    Other(Value),
}

impl<'de: 'a, 'a> Deserialize<'de> for Loose<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Loose<'a>, D::Error> {
        deserializer.deserialize_any(LooseVisitor(PhantomData))
    }
}

struct LooseVisitor<'a>(PhantomData<&'a ()>);

impl<'de: 'a, 'a> Visitor<'de> for LooseVisitor<'a> {
    type Value = Loose<'a>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Loose<'a>, E> {
        Ok(if text.is_empty() { Loose::Nothing } else { Loose::Text(Cow::Borrowed(text)) })
    }

    fn visit_str<E>(self, text: &str) -> Result<Loose<'a>, E> {
        Ok(if text.is_empty() { Loose::Nothing } else { Loose::Text(Cow::Owned(text.to_owned())) })
    }

    fn visit_unit<E>(self) -> Result<Loose<'a>, E> {
        Ok(Loose::Nothing)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Loose<'a>, E> {
        Ok(Loose::Other(Value::from(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Loose<'a>, E> {
        Ok(Loose::Other(Value::from(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Loose<'a>, E> {
        Ok(Loose::Other(Value::from(value)))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Loose<'a>, E> {
        Ok(Loose::Other(Value::from(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Loose<'a>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element_seed(Strict)? {
            items.push(item);
        }
        Ok(Loose::Other(Value::Array(items)))
    }

    /// Arguments that come as an object are as strict about repeated keys as those that come as text.
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Loose<'a>, A::Error> {
        Strict.visit_map(map).map(Loose::Other)
    }
}

/// A value that says something: null, false, 0, `""` and containers of nothing do not.
pub(crate) fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => items.iter().any(is_truthy),
        // A zeroed error structure in every good chunk is no error.
        Value::Object(map) => map.values().any(is_truthy),
    }
}
