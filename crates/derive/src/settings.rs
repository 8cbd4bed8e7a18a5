//! Generator of `impl Settings`.

use crate::field::Setting;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Result};

pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let fields = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => &fields.named,
            other => return Err(Error::new_spanned(other, "expected named fields")),
        },
        _ => return Err(Error::new_spanned(&input.ident, "expected a struct")),
    };
    let settings: Vec<Setting> = fields.iter().map(Setting::of).collect::<Result<_>>()?;
    let parts = settings.iter().map(Setting::rows);
    let reads = settings.iter().map(|setting| {
        let (ident, read) = (setting.ident, setting.read());
        quote!(#ident: #read)
    });
    let check = match checks(input)? {
        true => quote!(settings.check()?;),
        false => quote!(),
    };
    let ident = &input.ident;
    Ok(quote! {
        impl ::sidestep_types::Settings for #ident {
            const PARAMS: &'static [::sidestep_types::Param] = {
                const PARTS: &[&[::sidestep_types::Param]] = &[#(#parts),*];
                const ALL: [::sidestep_types::Param; ::sidestep_types::settings::total(PARTS)] =
                    ::sidestep_types::settings::join(PARTS);
                &ALL
            };

            fn read(
                values: &::sidestep_types::Values,
            ) -> ::core::result::Result<Self, ::sidestep_types::Refusal> {
                let settings = #ident { #(#reads),* };
                #check
                ::core::result::Result::Ok(settings)
            }
        }
    })
}

/// Returns true if the struct has `#[settings(check)]`.
fn checks(input: &DeriveInput) -> Result<bool> {
    let mut checks = false;
    for attr in input.attrs.iter().filter(|a| a.path().is_ident("settings")) {
        attr.parse_nested_meta(|meta| {
            checks = meta.path.is_ident("check");
            match checks {
                true => Ok(()),
                false => Err(meta.error("expected check")),
            }
        })?;
    }
    Ok(checks)
}
