//! Settings as types: a struct with one field per setting, read from complete values.
//!
//! The derives of `sidestep-derive` write [`Settings`] for a struct and [`Words`] for an enum. The type of a
//! setting implements [`Setting`], and [`Ranged`] if it can have bounds.

use crate::{BitRate, Bytes, Entry, Param, ParamUnit, Refusal, Size, Time, Value, Values};
use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter};
use std::ops::{Bound, RangeBounds};

/// Name, summary and source of a policy, a transport or a shim, for its registry line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct About {
    /// Name used in TOML, on the command line, in Python, in the docs and on the page.
    pub name: &'static str,
    /// Summary in one line.
    pub summary: &'static str,
    /// Paper or other origin.
    pub source: &'static str,
}

impl About {
    /// Returns the registry line of the policy, transport or shim, whose settings are `S`.
    pub const fn entry<S: Settings>(self) -> Entry {
        Entry {
            name: self.name,
            summary: self.summary,
            source: self.source,
            params: S::PARAMS,
        }
    }
}

/// Settings of a policy, a transport or a shim. Implemented by a derive for a struct: each field is a setting.
///
/// ```
/// use sidestep_types::{Settings, Size, Value, Values, Words};
///
/// /// Unit of the queue length.
/// #[derive(Clone, Copy, Debug, PartialEq, Words)]
/// enum By {
///     Packets,
///     Bytes,
/// }
///
/// /// Settings of a policy that drops at random.
/// #[derive(Debug, PartialEq, Settings)]
/// struct Lossy {
///     /// number of packets of which one is dropped; assumed
///     #[setting(default = "1000", range = 1..=1_000_000)]
///     one_in: u32,
///     /// queue length from which packets are dropped
///     #[setting(default = "off", off = "off")]
///     from: Option<Size>,
///     /// unit of the queue length
///     #[setting(default = "packets")]
///     by: By,
/// }
///
/// let mut values = Values::defaults(Lossy::PARAMS);
/// let read = Lossy::read(&values).unwrap();
/// assert_eq!(read, Lossy { one_in: 1000, from: None, by: By::Packets });
/// values.set("one_in", Value::Count(0));
/// let refusal = Lossy::read(&values).unwrap_err();
/// assert_eq!(refusal.to_string(), "one_in must be from 1 to 1000000, got 0");
/// ```
pub trait Settings: Sized {
    /// Description of each setting, in the order of lists and documents.
    const PARAMS: &'static [Param];

    /// Reads the settings from values that contain all of [`Settings::PARAMS`]. Errors name the setting that is
    /// out of bounds or contradicts another.
    ///
    /// Panics if a value is missing or has the wrong unit, which is a bug of the caller.
    fn read(values: &Values) -> Result<Self, Refusal>;

    /// Returns the default settings. Panics if a setting is required.
    fn defaults() -> Self {
        let read = Self::read(&Values::defaults(Self::PARAMS));
        read.expect("the defaults go together")
    }
}

/// Empty settings: nothing can be set.
impl Settings for () {
    const PARAMS: &'static [Param] = &[];

    fn read(_: &Values) -> Result<(), Refusal> {
        Ok(())
    }
}

/// Type of the value of a setting.
pub trait Setting: Sized {
    /// Unit in which a user writes the setting.
    const UNIT: ParamUnit;

    /// Converts `value`, the value of the setting `name`, to this type. Panics if it has the wrong unit.
    fn read(name: &'static str, value: &Value) -> Result<Self, Refusal>;
}

/// Type of a setting that can have bounds.
pub trait Ranged: Setting {
    /// Type of the bounds: `u64` for every width of whole numbers, [`Fraction`] for `f64`.
    type Bound: PartialOrd + Display + Default;

    /// Converts `value` to the type of the bounds, to compare it with them; `None` if the setting is off.
    fn bound(name: &'static str, value: &Value) -> Option<Self::Bound>;
}

/// Enum whose variants a user writes as words. Implemented by a derive.
pub trait Words: Copy + 'static {
    /// The words, in the order of lists.
    const WORDS: &'static [&'static str];
    /// All variants, in the order of their words.
    const ALL: &'static [Self];

    /// Returns the variant with the word `name`.
    fn from_name(name: &str) -> Option<Self> {
        let at = Self::WORDS.iter().position(|word| *word == name)?;
        Some(Self::ALL[at])
    }

    /// Returns the word of this variant.
    fn word(self) -> &'static str
    where
        Self: PartialEq,
    {
        let at = Self::ALL.iter().position(|one| *one == self);
        Self::WORDS[at.expect("one of all")]
    }
}

/// Fraction, not reduced: the numerator and the denominator as the user wrote them. The denominator is above 0.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Fraction(pub u64, pub u64);

impl Fraction {
    /// The whole: 1/1.
    pub const ONE: Fraction = Fraction(1, 1);
}

impl PartialEq for Fraction {
    fn eq(&self, other: &Fraction) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Fraction) -> Option<Ordering> {
        let times = |a: u64, b: u64| u128::from(a) * u128::from(b);
        Some(times(self.0, other.1).cmp(&times(other.0, self.1)))
    }
}

impl Default for Fraction {
    fn default() -> Fraction {
        Fraction(0, 1)
    }
}

impl Display for Fraction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Fraction(0, _) => f.write_str("0"),
            Fraction(above, 1) => write!(f, "{above}"),
            Fraction(above, below) => write!(f, "{above}/{below}"),
        }
    }
}

/// List of at least one whole number, separated by spaces: `"4 2 1"`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Counts(pub Vec<u64>);

/// Rate in events per million seconds. A user writes it per second: `"300 /s"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd)]
pub struct PerMegasecond(pub u64);

impl Display for PerMegasecond {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} /s", self.0 as f64 / 1e6)
    }
}

/// Range of bytes, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteRange(pub u64, pub u64);

/// Path of a file, or name of a shipped data set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileName(pub String);

fn other_unit(name: &str, value: &Value) -> ! {
    panic!("parameter {name:?} is {value:?}")
}

/// Implements [`Setting`] for types with exactly one unit. Each line gives the type, its unit, and the conversion
/// from a [`Value`].
macro_rules! plain {
    ($($type:ty: $unit:ident, $value:pat => $read:expr;)*) => { $(
        impl Setting for $type {
            const UNIT: ParamUnit = ParamUnit::$unit;

            fn read(name: &'static str, value: &Value) -> Result<Self, Refusal> {
                match value {
                    $value => Ok($read),
                    other => other_unit(name, other),
                }
            }
        }
    )* };
}

plain! {
    bool: Flag, Value::Flag(flag) => *flag;
    Time: Time, Value::Time(time) => *time;
    Bytes: Bytes, Value::Bytes(bytes) => *bytes;
    BitRate: Rate, Value::Rate(rate) => *rate;
    Size: Size, Value::Size(size) => *size;
    Fraction: Fraction, Value::Fraction(above, below) => Fraction(*above, *below);
    f64: Fraction, Value::Fraction(above, below) => *above as f64 / *below as f64;
    PerMegasecond: PerSecond, Value::PerMegasecond(events) => PerMegasecond(*events);
    ByteRange: ByteRange, Value::ByteRange(least, most) => ByteRange(*least, *most);
    Counts: Counts, Value::Counts(counts) => Counts(counts.clone());
    FileName: File, Value::Word(path) => FileName(path.clone());
}

/// Implements [`Ranged`] for types that are their own bounds.
macro_rules! ordered {
    ($($type:ident),*) => { $(
        impl Ranged for $type {
            type Bound = $type;

            fn bound(name: &'static str, value: &Value) -> Option<$type> {
                match value {
                    Value::Off => None,
                    value => Some(<$type as Setting>::read(name, value).expect("as it stands")),
                }
            }
        }
    )* };
}

ordered!(Time, Bytes, PerMegasecond);

/// Implements [`Ranged`] for fractions. The bounds of an `f64` are fractions too.
macro_rules! fractions {
    ($($type:ty),*) => { $(
        impl Ranged for $type {
            type Bound = Fraction;

            fn bound(name: &'static str, value: &Value) -> Option<Fraction> {
                match value {
                    Value::Off => None,
                    Value::Fraction(above, below) => Some(Fraction(*above, *below)),
                    other => other_unit(name, other),
                }
            }
        }
    )* };
}

fractions!(Fraction, f64);

/// Implements [`Setting`] and [`Ranged`] for whole numbers. A value that is too large for the type is refused.
macro_rules! counts {
    ($($type:ty),*) => { $(
        impl Setting for $type {
            const UNIT: ParamUnit = ParamUnit::Count;

            fn read(name: &'static str, value: &Value) -> Result<Self, Refusal> {
                let got = count(name, value).unwrap_or_else(|| other_unit(name, value));
                let most = || Refusal::of(name, format!("must be at most {}", <$type>::MAX)).got(got);
                <$type>::try_from(got).map_err(|_| most())
            }
        }

        impl Ranged for $type {
            type Bound = u64;

            fn bound(name: &'static str, value: &Value) -> Option<u64> {
                count(name, value)
            }
        }
    )* };
}

counts!(u8, u16, u32, u64, usize);

fn count(name: &str, value: &Value) -> Option<u64> {
    match value {
        Value::Off => None,
        Value::Count(count) => Some(*count),
        other => other_unit(name, other),
    }
}

/// List of values of one unit, separated by commas.
impl<T: Setting + 'static> Setting for Vec<T> {
    const UNIT: ParamUnit = ParamUnit::List(&T::UNIT);

    fn read(name: &'static str, value: &Value) -> Result<Self, Refusal> {
        match value {
            Value::List(all) => all.iter().map(|one| T::read(name, one)).collect(),
            other => other_unit(name, other),
        }
    }
}

/// Setting that can be off: `None` if the value is [`Value::Off`].
impl<T: Setting> Setting for Option<T> {
    const UNIT: ParamUnit = T::UNIT;

    fn read(name: &'static str, value: &Value) -> Result<Self, Refusal> {
        match value {
            Value::Off => Ok(None),
            value => T::read(name, value).map(Some),
        }
    }
}

impl<T: Ranged> Ranged for Option<T> {
    type Bound = T::Bound;

    fn bound(name: &'static str, value: &Value) -> Option<T::Bound> {
        T::bound(name, value)
    }
}

/// Reads the setting `name` as a word of `T`. Panics if `T` has no such word: words were compared with the list in
/// the table before.
pub fn word<T: Words>(name: &str, value: &Value) -> Result<T, Refusal> {
    match value {
        Value::Word(word) => {
            Ok(T::from_name(word)
                .unwrap_or_else(|| panic!("{name} {word:?} is listed but not known")))
        }
        other => other_unit(name, other),
    }
}

/// Reads the setting `name`, whose unit is bytes, into a whole number. A value that is too large is refused.
pub fn bytes<T: TryFrom<u64>>(name: &'static str, value: &Value) -> Result<T, Refusal> {
    let got = Bytes::read(name, value)?;
    T::try_from(got.0).map_err(|_| Refusal::of(name, "is too large").got(got))
}

/// Refuses the value of the setting `name` unless it is off or in `range`. `because` is appended to the message.
pub fn within<T: Ranged>(
    values: &Values,
    name: &'static str,
    range: impl RangeBounds<T::Bound>,
    because: &str,
) -> Result<(), Refusal> {
    match T::bound(name, values.get(name)) {
        Some(got) => bounded(name, got, range, because).map(drop),
        None => Ok(()),
    }
}

/// Returns `got`, the value of the setting `name`, or refuses it if it is not in `range`. `because` is appended to
/// the message.
pub fn bounded<B: PartialOrd + Display>(
    name: &'static str,
    got: B,
    range: impl RangeBounds<B>,
    because: &str,
) -> Result<B, Refusal> {
    if range.contains(&got) {
        return Ok(got);
    }
    let must = match (range.start_bound(), range.end_bound()) {
        (Bound::Included(least), Bound::Included(most)) => format!("from {least} to {most}"),
        (Bound::Included(least), _) => format!("at least {least}"),
        (Bound::Excluded(least), _) => format!("above {least}"),
        (Bound::Unbounded, Bound::Included(most)) => format!("at most {most}"),
        (Bound::Unbounded, Bound::Excluded(most)) => format!("below {most}"),
        (Bound::Unbounded, Bound::Unbounded) => unreachable!("everything is in it"),
    };
    Err(Refusal::of(name, format!("must be {must}{because}")).got(got))
}

/// Refuses 0 for the setting `name`, in any unit. `because` is appended to the message.
pub fn above_zero<T: Ranged>(
    values: &Values,
    name: &'static str,
    because: &str,
) -> Result<(), Refusal> {
    match T::bound(name, values.get(name)) {
        Some(got) if got <= T::Bound::default() => {
            Err(Refusal::of(name, format!("must be above 0{because}")).got(got))
        }
        _ => Ok(()),
    }
}

/// Returns the number of rows in all tables of `parts`.
pub const fn total(parts: &[&[Param]]) -> usize {
    let (mut total, mut part) = (0, 0);
    while part < parts.len() {
        total += parts[part].len();
        part += 1;
    }
    total
}

/// Concatenates the tables of `parts`. Panics unless `N` is the [`total`] of their rows.
pub const fn join<const N: usize>(parts: &[&[Param]]) -> [Param; N] {
    let mut all = [Param::required("", ParamUnit::Flag, ""); N];
    let (mut at, mut part) = (0, 0);
    while part < parts.len() {
        let mut row = 0;
        while row < parts[part].len() {
            all[at] = parts[part][row];
            at += 1;
            row += 1;
        }
        part += 1;
    }
    assert!(at == N, "an array as long as its parts");
    all
}
