//! From text to tokens: tables, properties, and one door for all of them.

mod door;
mod preprocessor;
mod properties;
mod tokens;
