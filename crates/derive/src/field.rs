//! Parser of a field: its doc comment and `#[setting(…)]`.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::meta::ParseNestedMeta;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Expr, ExprLit, Field, Ident, Lit, LitStr, Result, Token, Type};

/// Field of a struct, read as a setting.
pub struct Setting<'a> {
    pub field: &'a Field,
    pub ident: &'a Ident,
    flatten: Option<Type>,
    skip: bool,
    common: bool,
    bytes: bool,
    key: Option<LitStr>,
    default: Option<TokenStream>,
    off: Option<LitStr>,
    word: Option<LitStr>,
    beside: Option<(String, Vec<LitStr>)>,
    unless: Option<LitStr>,
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
            flatten: None,
            skip: false,
            common: false,
            bytes: false,
            key: None,
            default: None,
            off: None,
            word: None,
            beside: None,
            unless: None,
            range: None,
            above: None,
            because: None,
        };
        let mut given: Vec<Ident> = Vec::new();
        for attr in field.attrs.iter().filter(|a| a.path().is_ident("setting")) {
            attr.parse_nested_meta(|meta| {
                given.push(meta.path.require_ident()?.clone());
                setting.take(meta)
            })?;
        }
        go_together(&given)?;
        if let (Some(unless), None) = (&setting.unless, &setting.off) {
            return Err(Error::new_spanned(unless, "unless needs a word for off"));
        }
        // A type that takes a word reads what it means to be without as well.
        if let (Some(off), None, false) = (&setting.off, &setting.word, is_option(&field.ty)) {
            return Err(Error::new_spanned(off, "off needs an Option"));
        }
        let listed = setting.flatten.is_none() && !setting.skip && !setting.common;
        if listed && doc(&field.attrs).is_empty() {
            return Err(Error::new_spanned(
                field,
                "expected a doc comment: lists and documents print it as the description of the \
                 setting",
            ));
        }
        Ok(setting)
    }

    fn take(&mut self, meta: ParseNestedMeta<'_>) -> Result<()> {
        let name = meta.path.require_ident()?.to_string();
        match name.as_str() {
            "flatten" if meta.input.peek(Token![=]) => self.flatten = Some(meta.value()?.parse()?),
            "flatten" => self.flatten = Some(self.field.ty.clone()),
            "skip" => self.skip = true,
            "common" => self.common = true,
            "bytes" => self.bytes = true,
            "key" => self.key = Some(meta.value()?.parse()?),
            "default" => self.default = Some(tokens(meta.value()?)?),
            "off" => self.off = Some(meta.value()?.parse()?),
            "word" => self.word = Some(meta.value()?.parse()?),
            "range" => self.range = Some(tokens(meta.value()?)?),
            "above" => self.above = Some(tokens(meta.value()?)?),
            "unless" => self.unless = Some(meta.value()?.parse()?),
            "because" => self.because = Some(meta.value()?.parse()?),
            "beside" => meta.parse_nested_meta(|other| {
                let words = match other.input.peek(Token![=]) {
                    true => {
                        Punctuated::<LitStr, Token![|]>::parse_separated_nonempty(other.value()?)?
                    }
                    false => Punctuated::new(),
                };
                let words = words.into_iter().collect();
                self.beside = Some((other.path.require_ident()?.to_string(), words));
                Ok(())
            })?,
            _ => {
                return Err(meta.error(
                    "expected flatten, skip, common, bytes, key, default, off, word, range, above, because, unless or beside",
                ));
            }
        }
        Ok(())
    }

    fn key(&self) -> LitStr {
        let own = || LitStr::new(&self.ident.to_string(), self.ident.span());
        self.key.clone().unwrap_or_else(own)
    }

    /// Returns the rows that the field adds to the table, as a slice.
    pub fn rows(&self) -> TokenStream {
        match &self.flatten {
            Some(group) => quote!(<#group as ::sidestep_types::Settings>::PARAMS),
            None if self.skip || self.common => quote!(&[]),
            None => {
                let param = self.param();
                quote!(&[#param])
            }
        }
    }

    /// Returns the type that declares the unit.
    fn unit(&self) -> TokenStream {
        match (self.bytes, &self.field.ty) {
            (true, _) => quote!(::sidestep_types::Bytes),
            (false, ty) => quote!(#ty),
        }
    }

    fn param(&self) -> TokenStream {
        let (key, ty, doc) = (self.key(), self.unit(), doc(&self.field.attrs));
        let (default, off) = (optional(&self.default), optional(&self.off));
        let word = optional(&self.word);
        let unless = optional(&self.unless);
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
                word: #word,
                beside: #beside,
                unless: #unless,
                doc: #doc,
            }
        }
    }

    /// Returns the expression that reads the field from `values`.
    pub fn read(&self) -> TokenStream {
        let (key, ty) = (self.key(), self.unit());
        if self.skip {
            return quote!(::core::default::Default::default());
        }
        if let Some(group) = &self.flatten {
            let read = quote!(<#group as ::sidestep_types::Settings>::read(values)?);
            let own = &self.field.ty;
            return match quote!(#group).to_string() == quote!(#own).to_string() {
                true => read,
                false => quote!(#read.into()),
            };
        }
        let because = self.because.iter();
        let because = quote!(concat!("" #(, ": ", #because)*));
        let above = self.above.iter().map(|above| match above.to_string().as_str() {
            "0" => quote! {
                ::sidestep_types::settings::above_zero::<#ty>(values, #key, #because)?;
            },
            _ => quote! {
                let above = (::core::ops::Bound::Excluded(#above), ::core::ops::Bound::Unbounded);
                ::sidestep_types::settings::within::<#ty>(values, #key, above, #because)?;
            },
        });
        let range = self.range.iter().map(|range| {
            quote! {
                ::sidestep_types::settings::within::<#ty>(values, #key, #range, #because)?;
            }
        });
        let read = match self.bytes {
            true => quote!(::sidestep_types::settings::bytes(#key, values.get(#key))?),
            false => quote!(<#ty as ::sidestep_types::Setting>::read(#key, values.get(#key))?),
        };
        quote!({ #(#above)* #(#range)* #read })
    }
}

/// Refuses words at a field of which one leaves another without an effect.
fn go_together(given: &[Ident]) -> Result<()> {
    let has = |word: &str| given.iter().any(|one| one == word);
    for (place, one) in given.iter().enumerate() {
        let fail = |why: String| Err(Error::new_spanned(one, why));
        if given[..place].contains(one) {
            return fail(format!("{one} is there twice"));
        }
        let group = ["flatten", "skip"];
        let row = ["default", "off", "word", "beside", "unless"];
        let idle = |other: &&str| match *other {
            "common" => has("common") && row.iter().any(|word| one == word),
            other => has(other) && !group.iter().any(|word| one == word),
        };
        if let Some(other) = ["flatten", "skip", "common"]
            .iter()
            .find(|other| idle(other))
        {
            return fail(format!("{one} has no effect beside {other}"));
        }
        if one == "because" && !has("range") && !has("above") {
            return fail(format!("{one} has no effect without range or above"));
        }
    }
    Ok(())
}

fn is_option(ty: &Type) -> bool {
    let Type::Path(path) = ty else {
        return false;
    };
    (path.path.segments.last()).is_some_and(|last| last.ident == "Option")
}

fn optional(value: &Option<impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

/// Returns the doc comment as one line.
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

/// Reads a Rust expression, up to the next comma.
fn tokens(input: ParseStream<'_>) -> Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        tokens.extend([input.parse::<TokenTree>()?]);
    }
    Ok(tokens)
}
