//! Generator of `impl Words` and of the `impl Setting` that uses it.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Result, Variant};

pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "expected an enum"));
    };
    let words: Vec<TokenStream> = data.variants.iter().map(word).collect::<Result<_>>()?;
    let (ident, variants) = (&input.ident, data.variants.iter().map(|v| &v.ident));
    Ok(quote! {
        impl ::sidestep_types::Words for #ident {
            const WORDS: &'static [&'static str] = &[#(#words),*];
            const ALL: &'static [Self] = &[#(#ident::#variants),*];
        }

        impl ::sidestep_types::Setting for #ident {
            const UNIT: ::sidestep_types::ParamUnit =
                ::sidestep_types::ParamUnit::Word(<#ident as ::sidestep_types::Words>::WORDS);

            fn read(
                name: &'static str,
                value: &::sidestep_types::Value,
            ) -> ::core::result::Result<Self, ::sidestep_types::Refusal> {
                ::sidestep_types::settings::word(name, value)
            }
        }
    })
}

fn word(variant: &Variant) -> Result<TokenStream> {
    if !matches!(variant.fields, Fields::Unit) {
        return Err(Error::new_spanned(
            variant,
            "expected a variant without fields",
        ));
    }
    let said = variant.attrs.iter().find(|a| a.path().is_ident("word"));
    match said {
        Some(attr) => attr.parse_args(),
        None => {
            let name = variant.ident.to_string().to_lowercase();
            Ok(quote!(#name))
        }
    }
}
