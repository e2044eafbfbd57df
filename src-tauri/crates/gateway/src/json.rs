//! JSON text that may be broken: is it whole, can it be put right without guessing, and what of it is known.

pub(crate) mod lexer;
pub(crate) mod repair;
pub(crate) mod strict;
