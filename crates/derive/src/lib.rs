//! `Settings` and `Words` for the types that hold a policy's settings: one field declares one setting.
//!
//! The derives write the table printed in lists and documents, the reading of values into the fields, and the
//! bounds with their messages. `sidestep-types` has the traits and re-exports both derives.

#![forbid(unsafe_code)]

mod field;
mod settings;
mod words;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Implements `sidestep_types::Settings` for a struct with named fields: the settings of a policy, a transport
/// or a shim.
///
/// Each field is a setting. Lists and documents print its doc comment; its type declares the unit.
/// `#[setting(…)]` accepts
///
/// - `default = "20 pkt"`, as a user writes it; without a default the setting is required
/// - `off = "off"`, the word that reads as `None` of an `Option`
/// - `key = "max"`, if the key differs from the name of the field
/// - `range = 1..=1000`, or `above = 0`, and `because = "…"`, which is added to the message after a colon
/// - `beside(per = "flow" | "destination")`: the setting has an effect only if the setting `per` is one of
///   these words
/// - `bytes`: a whole number that is written as bytes
/// - `flatten`: inserts the settings of the field's type; `flatten = Group` inserts those of `Group` and
///   converts it into the field
/// - `common`: the row of the setting is in another table
/// - `skip`: the field is not a setting and has its type's default; with `flatten = Group` the rows are
///   inserted nevertheless
///
/// `#[settings(check)]` on the struct calls `self.check()` after all fields are read, to refuse values that do
/// not go together.
#[proc_macro_derive(Settings, attributes(setting, settings))]
pub fn settings(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    settings::derive(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Implements `sidestep_types::Words` for an enum without fields: a setting that is one of its words.
///
/// The word of a variant is its name in lower case, or the text of `#[word("per-flow")]`.
#[proc_macro_derive(Words, attributes(word))]
pub fn words(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    words::derive(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
