//! Derive macros `Settings` and `Words`, for the types of a policy's settings: one field declares one setting.
//!
//! The macros generate the table that lists and documents print, the code that reads values into the fields, and
//! the checks of bounds with their messages. `sidestep-types` has the traits and re-exports both macros.

#![forbid(unsafe_code)]

mod field;
mod settings;
#[cfg(test)]
mod tests;
mod words;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Implements `sidestep_types::Settings` for a struct with named fields.
///
/// Each field is a setting. Lists and documents print its doc comment; its type determines the unit.
/// `#[setting(…)]` takes
///
/// - `default = "20 pkt"`: the default, as a user writes it; without one the setting is required
/// - `off = "off"`: the word that sets an `Option` to `None`
/// - `word = "shared"`: a word that a user may write instead of a value of the unit; the type of the field reads it
/// - `key = "max"`: the name of the setting, if it is not the name of the field
/// - `range = 1..=1000` or `above = 0`: the bounds; `because = "…"` is added to their message, after a colon
/// - `beside(per = "flow" | "destination")`: the setting has an effect only if the setting `per` is one of these words
/// - `beside(latency)`: the setting has an effect only if the setting `latency` is not off
/// - `unless = "load"`: where the setting `load` is given, this one is off instead of its default
/// - `bytes`: the field is a whole number whose unit is bytes
/// - `flatten`: the type of the field is itself a struct of settings, and its rows are inserted here; with
///   `flatten = Group` the rows of `Group`, which is converted to the type of the field by `into`
/// - `common`: another table has the row of the setting
/// - `skip`: the field is no setting and is read as `Default::default()`; with `flatten = Group` the rows of `Group` are
///   inserted nevertheless
///
/// With `#[settings(check)]` on the struct, reading ends with `self.check()`, which refuses settings that contradict
/// each other.
#[proc_macro_derive(Settings, attributes(setting, settings))]
pub fn settings(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    settings::derive(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Implements `sidestep_types::Words` for an enum without fields, the type of a setting whose values are words.
///
/// The word of a variant is its name in lower case, or the text in `#[word("per-flow")]`.
#[proc_macro_derive(Words, attributes(word))]
pub fn words(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    words::derive(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
