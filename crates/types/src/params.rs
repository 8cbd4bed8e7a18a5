//! Self-description of policies, topologies and workloads: name, paper, parameters.
//!
//! One [`Entry`] per registry line feeds the reading of scenarios, `sidestep list`, the docs and the checks.
//! The default of a parameter is written as a user would write it and read by the same code.

use crate::{
    BitRate, Bytes, ParseQuantityError, Quantity, Size, Time, Unit, parse_fraction, parse_quantity,
    parse_size,
};

/// Line of a registry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Name used in TOML, on the command line, in Python, in the docs and on the page.
    pub name: &'static str,
    /// Summary in one line.
    pub summary: &'static str,
    /// Paper or other origin.
    pub source: &'static str,
    /// Parameters that a user can set.
    pub params: &'static [Param],
}

/// Description of one parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Param {
    /// Key in TOML.
    pub name: &'static str,
    /// Type and unit of the value.
    pub unit: ParamUnit,
    /// Default value; `None` makes the parameter required.
    pub default: Option<&'static str>,
    /// Word that means "without", if allowed; reads as [`Value::Off`].
    pub off: Option<&'static str>,
    /// Word accepted instead of a value with a unit; reads as [`Value::Word`].
    pub word: Option<&'static str>,
    /// Parameter of the same table beside which this one has an effect, and the words of it that give the
    /// effect; without words, every word but the one for "off". `None` if it always has an effect.
    pub beside: Option<(&'static str, &'static [&'static str])>,
    /// Parameter of the same table that replaces the default of this one: where that one is given, this one is
    /// off.
    pub unless: Option<&'static str>,
    /// Description in one line, with the origin of the default.
    pub doc: &'static str,
}

impl Param {
    /// Describes a parameter that must be given.
    pub const fn required(name: &'static str, unit: ParamUnit, doc: &'static str) -> Param {
        Param {
            name,
            unit,
            default: None,
            off: None,
            word: None,
            beside: None,
            unless: None,
            doc,
        }
    }

    /// Describes a parameter with a default.
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
            unless: None,
            doc,
        }
    }

    /// Adds the word that means "without".
    pub const fn or_off(mut self, word: &'static str) -> Param {
        self.off = Some(word);
        self
    }

    /// Restricts the effect to scenarios where the parameter `other` is one of `words`.
    pub const fn beside(mut self, other: &'static str, words: &'static [&'static str]) -> Param {
        self.beside = Some((other, words));
        self
    }

    /// Adds a word that is accepted instead of a value with a unit.
    pub const fn or_word(mut self, word: &'static str) -> Param {
        self.word = Some(word);
        self
    }
}

/// Type and unit of a parameter, with examples.
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
    /// A word from this list.
    Word(&'static [&'static str]),
    /// Path of a file or name of a shipped data set.
    File,
    /// At least one value of another unit, separated by commas: `"100 kB, 1 MB"`.
    List(&'static ParamUnit),
}

impl ParamUnit {
    /// Returns an example of a value, for help and messages.
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

/// Value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// The word that means "without".
    Off,
    /// Span of time.
    Time(Time),
    /// Number of bytes.
    Bytes(Bytes),
    /// Smallest and largest number of bytes.
    ByteRange(u64, u64),
    /// Link rate.
    Rate(BitRate),
    /// Size in packets or bytes.
    Size(Size),
    /// Events per million seconds.
    PerMegasecond(u64),
    /// Numerator and denominator.
    Fraction(u64, u64),
    /// Whole number.
    Count(u64),
    /// At least one whole number.
    Counts(Vec<u64>),
    /// True or false.
    Flag(bool),
    /// Word or path.
    Word(String),
    /// At least one value, in the order written.
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
            // The caller lists the words and suggests the nearest.
            ParamUnit::Word(words) if !words.contains(&text.trim()) => {
                Err(refuse("one of the known words"))
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

/// Reads `"64..1500"` or `"64 B..1.5 kB"`; a single number is both ends.
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

/// Complete values of the parameters of an entry: every parameter has a value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values(Vec<(&'static str, Value)>);

impl Values {
    /// Returns the defaults of `params`. Panics if a parameter is required, since that is a mistake of the
    /// caller.
    pub fn defaults(params: &'static [Param]) -> Values {
        let mut values = Values::default();
        for param in params {
            let text = param.default.expect("every parameter here has a default");
            let value = Value::parse(text, param).expect("a default reads as its own unit");
            values.set(param.name, value);
        }
        values
    }

    /// Sets or replaces the value of a parameter.
    pub fn set(&mut self, name: &'static str, value: Value) {
        match self.0.iter_mut().find(|(n, _)| *n == name) {
            Some(slot) => slot.1 = value,
            None => self.0.push((name, value)),
        }
    }

    /// Returns the value of `name`. Panics if the entry has no such parameter: a typo in this code.
    pub fn get(&self, name: &str) -> &Value {
        let found = self.0.iter().find(|(n, _)| *n == name);
        &found.unwrap_or_else(|| panic!("no parameter {name:?}")).1
    }
}

/// Generates typed getters. Each panics if the parameter has another unit, since the registry declares the
/// unit.
macro_rules! getters {
    ($($(#[$doc:meta])* $get:ident $get_or_off:ident: $variant:ident($($field:ident),+) => $type:ty;)*) => {
        impl Values {
            $(
                $(#[$doc])*
                pub fn $get(&self, name: &str) -> $type {
                    self.$get_or_off(name).unwrap_or_else(|| panic!("parameter {name:?} is off"))
                }
                /// Returns the list, or `None` if the parameter is off.
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
    /// Returns a span of time.
    time time_or_off: Time(t) => Time;
    /// Returns a number of bytes.
    bytes bytes_or_off: Bytes(b) => Bytes;
    /// Returns the smallest and the largest number of bytes.
    byte_range byte_range_or_off: ByteRange(a, b) => (u64, u64);
    /// Returns a link rate.
    rate rate_or_off: Rate(r) => BitRate;
    /// Returns a size in packets or bytes.
    size size_or_off: Size(s) => Size;
    /// Returns events per million seconds.
    per_megasecond per_megasecond_or_off: PerMegasecond(n) => u64;
    /// Returns numerator and denominator.
    fraction fraction_or_off: Fraction(a, b) => (u64, u64);
    /// Returns a whole number.
    count count_or_off: Count(n) => u64;
    /// Returns whole numbers.
    counts counts_or_off: Counts(c) => Vec<u64>;
    /// Returns true or false.
    flag flag_or_off: Flag(f) => bool;
    /// Returns a word or a path.
    word word_or_off: Word(w) => String;
    /// Returns a list of values.
    list list_or_off: List(all) => Vec<Value>;
}

impl Values {
    /// Returns the list `name` as whole numbers or bytes. Panics like the getters.
    pub fn numbers(&self, name: &str) -> Vec<u64> {
        self.numbers_or_off(name)
            .unwrap_or_else(|| panic!("parameter {name:?} is off"))
    }

    /// Returns the list, or `None` if the parameter is off.
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
