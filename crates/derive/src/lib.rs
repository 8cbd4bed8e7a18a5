//! `Settings` and `Words` for the types that hold a policy's settings: one field declares one setting.
//!
//! The derives write the table that lists and documents print, the reading of values into the fields, and the
//! bounds with their messages. `sidestep-types` has the traits and re-exports both.

#![forbid(unsafe_code)]

mod field;
mod settings;
#[cfg(test)]
mod tests;
mod words;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct with named fields the settings of a policy, a transport or a shim: `sidestep_types::Settings`.
///
/// A field is a setting. Its doc comment is the line that lists and documents print; its type says the unit. Of
/// `#[setting(…)]` it takes
///
/// - `default = "20 pkt"`, as a user writes it; without one the setting is required
/// - `off = "off"`, the word that reads as `None` of an `Option`
/// - `word = "shared"`, a word that is taken instead of a value of the unit, where the type reads it
/// - `key = "max"`, where the field is called otherwise
/// - `range = 1..=1000`, or `above = 0`, and `because = "…"`, which follows after a colon in the message
/// - `beside(per = "flow" | "destination")`: it has an effect only where the setting `per` is one of these words
/// - `beside(latency)`: it has an effect only where the setting `latency` is not off
/// - `bytes`: a whole number that is written as bytes
/// - `flatten`: the field's own settings stand here; with `flatten = Group` those of `Group`, from which the field is made
/// - `common`: it has its row in another table
/// - `skip`: no setting, the default of its type; with `flatten = Group` the rows stand here all the same
///
/// `#[settings(check)]` on the struct calls `self.check()` once all is read: what does not go together.
#[proc_macro_derive(Settings, attributes(setting, settings))]
pub fn settings(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    settings::derive(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Makes an enum without fields a setting that is one of its words: `sidestep_types::Words`.
///
/// The word of a variant is its name in lower case, or what `#[word("per-flow")]` says.
#[proc_macro_derive(Words, attributes(word))]
pub fn words(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    words::derive(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
