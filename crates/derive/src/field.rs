//! Reads what stands at a field: its doc comment and `#[setting(…)]`.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Expr, ExprLit, Field, Ident, Lit, LitStr, Result, Token};

/// A field as a setting.
pub struct Setting<'a> {
    pub field: &'a Field,
    pub ident: &'a Ident,
    pub flatten: bool,
    key: Option<LitStr>,
    default: Option<LitStr>,
    off: Option<LitStr>,
    beside: Option<(String, Vec<LitStr>)>,
    range: Option<TokenStream>,
    above: Option<TokenStream>,
    because: Option<LitStr>,
}

impl<'a> Setting<'a> {
    pub fn of(field: &'a Field) -> Result<Setting<'a>> {
        let ident = field.ident.as_ref();
        let mut setting = Setting {
            field,
            ident: ident.ok_or_else(|| Error::new_spanned(field, "expected a named field"))?,
            flatten: false,
            key: None,
            default: None,
            off: None,
            beside: None,
            range: None,
            above: None,
            because: None,
        };
        for attr in field.attrs.iter().filter(|a| a.path().is_ident("setting")) {
            attr.parse_nested_meta(|meta| setting.take(meta))?;
        }
        if !setting.flatten && doc(&field.attrs).is_empty() {
            return Err(Error::new_spanned(
                field,
                "expected a doc comment: it is what lists and documents say about the setting",
            ));
        }
        Ok(setting)
    }

    fn take(&mut self, meta: ParseNestedMeta<'_>) -> Result<()> {
        let name = meta.path.require_ident()?.to_string();
        match name.as_str() {
            "flatten" => self.flatten = true,
            "key" => self.key = Some(meta.value()?.parse()?),
            "default" => self.default = Some(meta.value()?.parse()?),
            "off" => self.off = Some(meta.value()?.parse()?),
            "range" => self.range = Some(tokens(meta.value()?)?),
            "above" => self.above = Some(tokens(meta.value()?)?),
            "because" => self.because = Some(meta.value()?.parse()?),
            "beside" => meta.parse_nested_meta(|other| {
                let words =
                    Punctuated::<LitStr, Token![|]>::parse_separated_nonempty(other.value()?)?;
                let words = words.into_iter().collect();
                self.beside = Some((other.path.require_ident()?.to_string(), words));
                Ok(())
            })?,
            _ => {
                return Err(meta.error(
                    "expected flatten, key, default, off, range, above, because or beside",
                ));
            }
        }
        Ok(())
    }

    fn key(&self) -> LitStr {
        let own = || LitStr::new(&self.ident.to_string(), self.ident.span());
        self.key.clone().unwrap_or_else(own)
    }

    /// The setting's row of the table.
    pub fn param(&self) -> TokenStream {
        let (key, ty, doc) = (self.key(), &self.field.ty, doc(&self.field.attrs));
        let optional = |text: &Option<LitStr>| match text {
            Some(text) => quote!(::core::option::Option::Some(#text)),
            None => quote!(::core::option::Option::None),
        };
        let (default, off) = (optional(&self.default), optional(&self.off));
        let beside = match &self.beside {
            Some((other, words)) => quote!(::core::option::Option::Some((#other, &[#(#words),*]))),
            None => quote!(::core::option::Option::None),
        };
        quote! {
            ::sidestep_types::Param {
                name: #key,
                unit: <#ty as ::sidestep_types::Setting>::UNIT,
                default: #default,
                off: #off,
                word: ::core::option::Option::None,
                beside: #beside,
                doc: #doc,
            }
        }
    }

    /// The expression that reads the field from `values`.
    pub fn read(&self) -> TokenStream {
        let (key, ty) = (self.key(), &self.field.ty);
        if self.flatten {
            return quote!(<#ty as ::sidestep_types::Settings>::read(values)?);
        }
        let because = self.because.iter();
        let because = quote!(concat!("" #(, ": ", #because)*));
        let bounds = match (&self.range, &self.above) {
            (Some(range), _) => quote! {
                ::sidestep_types::settings::within::<#ty>(values, #key, #range, #because)?;
            },
            (None, Some(above)) if above.to_string() == "0" => quote! {
                ::sidestep_types::settings::above_zero::<#ty>(values, #key, #because)?;
            },
            (None, Some(above)) => quote! {
                let above = (::core::ops::Bound::Excluded(#above), ::core::ops::Bound::Unbounded);
                ::sidestep_types::settings::within::<#ty>(values, #key, above, #because)?;
            },
            (None, None) => quote!(),
        };
        quote!({ #bounds <#ty as ::sidestep_types::Setting>::read(#key, values.get(#key))? })
    }
}

/// The doc comment as one line.
pub fn doc(attrs: &[Attribute]) -> String {
    let line = |attr: &Attribute| match &attr.meta {
        syn::Meta::NameValue(doc) if doc.path.is_ident("doc") => match &doc.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(line),
                ..
            }) => Some(line.value().trim().to_string()),
            _ => None,
        },
        _ => None,
    };
    let lines: Vec<String> = attrs.iter().filter_map(line).collect();
    lines.join(" ").trim().to_string()
}

/// An expression of Rust, up to the next comma.
fn tokens(input: ParseStream<'_>) -> Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        tokens.extend([input.parse::<TokenTree>()?]);
    }
    Ok(tokens)
}
