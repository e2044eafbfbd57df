//! Support library of the suite.
