//! What a policy, topology or workload says about itself: its name, its paper, its parameters.
//!
//! One [`Entry`] per registry line feeds scenario reading, `sidestep list`, the docs and
//! the checks. A parameter's default is written as a user would write it and read by the
//! same code.

use crate::{
    BitRate, Bytes, ParseQuantityError, Quantity, Size, Time, Unit, parse_fraction, parse_quantity,
    parse_size,
};

/// One line of a registry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// The word that TOML, command line, Python, docs and page all use.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What can be set about it.
    pub params: &'static [Param],
}

/// One parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Param {
    /// Its key.
    pub name: &'static str,
    /// What it must be.
    pub unit: ParamUnit,
    /// The value when nothing is said; `None` makes it required.
    pub default: Option<&'static str>,
    /// The word that means "without", where that is allowed; reads as [`Value::Off`].
    pub off: Option<&'static str>,
    /// A word that is taken instead of a value of its unit; reads as [`Value::Word`].
    pub word: Option<&'static str>,
    /// Another parameter of the same table and those of its words beside which this one means something, where there are
    /// none all but the word for "off"; `None` when it always does.
    pub beside: Option<(&'static str, &'static [&'static str])>,
    /// What it is, in one line, with where the default comes from.
    pub doc: &'static str,
}

impl Param {
    /// A parameter that must be given.
    pub const fn required(name: &'static str, unit: ParamUnit, doc: &'static str) -> Param {
        Param {
            name,
            unit,
            default: None,
            off: None,
            word: None,
            beside: None,
            doc,
        }
    }

    /// A parameter with a default.
    pub const fn with_default(
        name: &'static str,
        unit: ParamUnit,
        default: &'static str,
        doc: &'static str,
    ) -> Param {
        Param {
            name,
            unit,
            default: Some(default),
            off: None,
            word: None,
            beside: None,
            doc,
        }
    }

    /// The same, and `word` means "without".
    pub const fn or_off(mut self, word: &'static str) -> Param {
        self.off = Some(word);
        self
    }

    /// The same, and it means nothing but where the parameter `other` is one of `words`.
    pub const fn beside(mut self, other: &'static str, words: &'static [&'static str]) -> Param {
        self.beside = Some((other, words));
        self
    }

    /// The same, and `word` is taken instead of a value of its unit.
    pub const fn or_word(mut self, word: &'static str) -> Param {
        self.word = Some(word);
        self
    }
}

/// What a parameter must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamUnit {
    /// `"50 us"`
    Time,
    /// `"20 kB"`
    Bytes,
    /// `"64..1500"`, both ends included, or `"1460 B"`
    ByteRange,
    /// `"1 Gbps"`
    Rate,
    /// `"100 pkt"` or `"150 kB"`
    Size,
    /// `"300 /s"`
    PerSecond,
    /// `"1/16"`
    Fraction,
    /// `8`
    Count,
    /// `"4 2 1"`
    Counts,
    /// `true`
    Flag,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A file's path or a shipped data set's name.
    File,
    /// One or several of another unit, with commas between: `"100 kB, 1 MB"`.
    List(&'static ParamUnit),
}

impl ParamUnit {
    /// What a value looks like, for help and messages.
    pub fn example(self) -> String {
        match self {
            ParamUnit::Time => "a time like \"50 us\"".into(),
            ParamUnit::Bytes => "a size like \"20 kB\"".into(),
            ParamUnit::ByteRange => "bytes like \"64..1500\" or \"1460 B\"".into(),
            ParamUnit::Rate => "a rate like \"1 Gbps\"".into(),
            ParamUnit::Size => "a queue size like \"100 pkt\" or \"150 kB\"".into(),
            ParamUnit::PerSecond => "a frequency like \"300 /s\"".into(),
            ParamUnit::Fraction => "a fraction like \"1/16\"".into(),
            ParamUnit::Count => "a whole number".into(),
            ParamUnit::Counts => "whole numbers like \"4 2 1\"".into(),
            ParamUnit::Flag => "true or false".into(),
            ParamUnit::Word(words) => format!("one of {}", words.join(", ")),
            ParamUnit::File => "a file or the name of a shipped one".into(),
            ParamUnit::List(each) => format!("{}, or several with commas", each.example()),
        }
    }
}

/// A parameter's value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// The parameter's "without" word.
    Off,
    /// A span.
    Time(Time),
    /// A number of bytes.
    Bytes(Bytes),
    /// The fewest and the most bytes.
    ByteRange(u64, u64),
    /// A link rate.
    Rate(BitRate),
    /// Packets or bytes.
    Size(Size),
    /// Events in a million seconds.
    PerMegasecond(u64),
    /// Numerator and denominator.
    Fraction(u64, u64),
    /// A whole number.
    Count(u64),
    /// Whole numbers, one at the least.
    Counts(Vec<u64>),
    /// Yes or no.
    Flag(bool),
    /// A word or a path.
    Word(String),
    /// Several, at least one, in the order in which they were written.
    List(Vec<Value>),
}

impl Value {
    /// Reads `text`, as written in a file or on the command line, as a value of `param`.
    pub fn parse(text: &str, param: &Param) -> Result<Value, ParseQuantityError> {
        if param.off.is_some_and(|off| off == text.trim()) {
            return Ok(Value::Off);
        }
        if let Some(word) = param.word.filter(|word| *word == text.trim()) {
            return Ok(Value::Word(word.to_string()));
        }
        Value::of_unit(text, param.unit)
    }

    fn of_unit(text: &str, unit: ParamUnit) -> Result<Value, ParseQuantityError> {
        let quantity = |unit| {
            parse_quantity(text, unit).map(|q| match q {
                Quantity::Time(t) => Value::Time(t),
                Quantity::Bytes(b) => Value::Bytes(b),
                Quantity::Rate(r) => Value::Rate(r),
                Quantity::Packets(n) => Value::Count(n),
                Quantity::PerMegasecond(n) => Value::PerMegasecond(n),
            })
        };
        let refuse = |expected| ParseQuantityError {
            expected,
            got: format!("{text:?}"),
        };
        match unit {
            ParamUnit::Time => quantity(Unit::Time),
            ParamUnit::Bytes => quantity(Unit::Bytes),
            ParamUnit::ByteRange => {
                let range = parse_byte_range(text).filter(|(least, most)| least <= most);
                let expected = "bytes like \"64..1500\", the smaller first, or \"1460 B\"";
                let (least, most) = range.ok_or_else(|| refuse(expected))?;
                Ok(Value::ByteRange(least, most))
            }
            ParamUnit::Rate => quantity(Unit::Rate),
            ParamUnit::PerSecond => quantity(Unit::PerSecond),
            ParamUnit::Size => parse_size(text).map(Value::Size),
            ParamUnit::Fraction => parse_fraction(text).map(|(a, b)| Value::Fraction(a, b)),
            ParamUnit::Count => (text.trim().replace('_', "").parse())
                .map(Value::Count)
                .map_err(|_| refuse("a whole number like 40")),
            ParamUnit::Counts => {
                let each = text.split_whitespace();
                let all: Option<Vec<u64>> =
                    each.map(|one| one.replace('_', "").parse().ok()).collect();
                let all = all.filter(|all| !all.is_empty());
                all.map(Value::Counts)
                    .ok_or_else(|| refuse("whole numbers like \"4 2 1\""))
            }
            ParamUnit::Flag => (text.trim().parse())
                .map(Value::Flag)
                .map_err(|_| refuse("true or false")),
            // The caller lists the words and suggests the nearest one.
            ParamUnit::Word(words) if !words.contains(&text.trim()) => {
                Err(refuse("one of the words it knows"))
            }
            ParamUnit::Word(_) | ParamUnit::File => Ok(Value::Word(text.trim().to_string())),
            ParamUnit::List(each) => {
                let items = text
                    .split(',')
                    .map(|item| Value::of_unit(item.trim(), *each));
                items.collect::<Result<_, _>>().map(Value::List)
            }
        }
    }
}

/// `"64..1500"` or `"64 B..1.5 kB"`, and one number as both ends.
fn parse_byte_range(text: &str) -> Option<(u64, u64)> {
    let bytes = |text: &str| match parse_quantity(text, Unit::Bytes) {
        Ok(Quantity::Bytes(bytes)) => Some(bytes.0),
        _ => text.trim().replace('_', "").parse().ok(),
    };
    match text.split_once("..") {
        Some((least, most)) => Some((bytes(least)?, bytes(most)?)),
        None => bytes(text).map(|bytes| (bytes, bytes)),
    }
}

/// The values of one entry's parameters, complete: every parameter has one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values(Vec<(&'static str, Value)>);

impl Values {
    /// The defaults of `params`. Panics when one is required, since that is a caller's mistake.
    pub fn defaults(params: &'static [Param]) -> Values {
        let mut values = Values::default();
        for param in params {
            let text = param.default.expect("every parameter here has a default");
            let value = Value::parse(text, param).expect("a default reads as its own unit");
            values.set(param.name, value);
        }
        values
    }

    /// Sets or replaces one.
    pub fn set(&mut self, name: &'static str, value: Value) {
        match self.0.iter_mut().find(|(n, _)| *n == name) {
            Some(slot) => slot.1 = value,
            None => self.0.push((name, value)),
        }
    }

    /// The value of `name`. Panics when the entry has no such parameter: a typo in this code.
    pub fn get(&self, name: &str) -> &Value {
        let found = self.0.iter().find(|(n, _)| *n == name);
        &found.unwrap_or_else(|| panic!("no parameter {name:?}")).1
    }
}

/// Typed getters; each panics when the parameter is of another unit, since the registry says which it is.
macro_rules! getters {
    ($($(#[$doc:meta])* $get:ident $get_or_off:ident: $variant:ident($($field:ident),+) => $type:ty;)*) => {
        impl Values {
            $(
                $(#[$doc])*
                pub fn $get(&self, name: &str) -> $type {
                    self.$get_or_off(name).unwrap_or_else(|| panic!("parameter {name:?} is off"))
                }
                /// The same, or `None` when it is off.
                #[allow(unused_parens)]
                pub fn $get_or_off(&self, name: &str) -> Option<$type> {
                    match self.get(name) {
                        Value::Off => None,
                        Value::$variant($($field),+) => Some(($($field.to_owned()),+)),
                        other => panic!("parameter {name:?} is {other:?}"),
                    }
                }
            )*
        }
    };
}

getters! {
    /// A span.
    time time_or_off: Time(t) => Time;
    /// A number of bytes.
    bytes bytes_or_off: Bytes(b) => Bytes;
    /// The fewest and the most bytes.
    byte_range byte_range_or_off: ByteRange(a, b) => (u64, u64);
    /// A link rate.
    rate rate_or_off: Rate(r) => BitRate;
    /// Packets or bytes.
    size size_or_off: Size(s) => Size;
    /// Events in a million seconds.
    per_megasecond per_megasecond_or_off: PerMegasecond(n) => u64;
    /// Numerator and denominator.
    fraction fraction_or_off: Fraction(a, b) => (u64, u64);
    /// A whole number.
    count count_or_off: Count(n) => u64;
    /// Whole numbers.
    counts counts_or_off: Counts(c) => Vec<u64>;
    /// Yes or no.
    flag flag_or_off: Flag(f) => bool;
    /// A word or a path.
    word word_or_off: Word(w) => String;
    /// Several.
    list list_or_off: List(all) => Vec<Value>;
}

impl Values {
    /// The list `name` as whole numbers or bytes. Panics, as the getters do.
    pub fn numbers(&self, name: &str) -> Vec<u64> {
        self.numbers_or_off(name)
            .unwrap_or_else(|| panic!("parameter {name:?} is off"))
    }

    /// The same, or `None` when it is off.
    pub fn numbers_or_off(&self, name: &str) -> Option<Vec<u64>> {
        let each = |value: &Value| match value {
            Value::Count(n) | Value::Bytes(Bytes(n)) => *n,
            other => panic!("parameter {name:?} has {other:?} in its list"),
        };
        let all = self.list_or_off(name)?;
        Some(all.iter().map(each).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMS: &[Param] = &[
        Param::with_default("mark_at", ParamUnit::Size, "20 pkt", "").or_off("off"),
        Param::with_default("degree", ParamUnit::Count, "40", ""),
        Param::with_default("gain", ParamUnit::Fraction, "1/16", ""),
        Param::with_default("kind", ParamUnit::Word(&["a", "b"]), "a", ""),
    ];

    #[test]
    fn defaults_read_as_a_user_would_write_them() {
        let mut values = Values::defaults(PARAMS);
        assert_eq!(values.size("mark_at"), Size::Packets(20));
        assert_eq!(values.count("degree"), 40);
        assert_eq!(values.fraction("gain"), (1, 16));
        assert_eq!(values.word("kind"), "a");
        values.set("mark_at", Value::parse("off", &PARAMS[0]).unwrap());
        assert_eq!(values.size_or_off("mark_at"), None);
        let weights = Param::required("weights", ParamUnit::Counts, "");
        for (text, read) in [(" 4 2  1_000", vec![4, 2, 1000]), ("7", vec![7])] {
            values.set("weights", Value::parse(text, &weights).unwrap());
            assert_eq!(values.counts("weights"), read);
        }
    }

    #[test]
    fn a_list_has_one_or_several_of_its_unit() {
        let sizes = Param::required("at", ParamUnit::List(&ParamUnit::Bytes), "").or_off("off");
        let read = |text: &str| {
            let mut values = Values::default();
            values.set("at", Value::parse(text, &sizes)?);
            Ok(values.numbers_or_off("at"))
        };
        assert_eq!(read("100 kB"), Ok(Some(vec![100_000])));
        assert_eq!(read("1 kB,2 kB , 1 B"), Ok(Some(vec![1_000, 2_000, 1])));
        assert_eq!(read("off"), Ok(None));
        let why: ParseQuantityError = read("1 kB, ").unwrap_err();
        assert_eq!(why.got, "\"\"");
        assert!(read("").is_err() && read("1 kB; 2 kB").is_err());
        let counts = Param::required("n", ParamUnit::List(&ParamUnit::Count), "");
        let all = Value::parse("2, 4", &counts);
        assert_eq!(all, Ok(Value::List(vec![Value::Count(2), Value::Count(4)])));
    }

    #[test]
    fn a_value_of_the_wrong_kind_is_refused() {
        assert!(Value::parse("forty", &PARAMS[1]).is_err());
        assert!(Value::parse("c", &PARAMS[3]).is_err());
        assert!(Value::parse("off", &PARAMS[1]).is_err());
        let weights = Param::required("weights", ParamUnit::Counts, "");
        for text in ["", " ", "4,2", "4 -1", "four"] {
            assert!(Value::parse(text, &weights).is_err(), "{text}");
        }
    }
}
