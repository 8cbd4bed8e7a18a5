//! Settings as types: a struct with one field per setting, read from complete values.
//!
//! The derives of `sidestep-derive` write [`Settings`] for a struct and [`Words`] for an enum. The type of a
//! setting implements [`Setting`], and [`Ranged`] if it can have bounds.

use crate::{BitRate, Bytes, Entry, Param, ParamUnit, Refusal, Size, Time, Value, Values};
use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter};
use std::ops::{Bound, RangeBounds};

/// Self-description of a policy, a transport or a shim, without its settings.
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
    /// Builds the registry line of an item with the settings `S`.
    pub const fn entry<S: Settings>(self) -> Entry {
        Entry {
            name: self.name,
            summary: self.summary,
            source: self.source,
            params: S::PARAMS,
        }
    }
}

/// Settings of a policy, a transport or a shim: each field is a setting.
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
    /// out of bounds or does not fit the others.
    ///
    /// Panics when a value is missing or of another unit: a mistake of the caller.
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

/// Type of one setting.
pub trait Setting: Sized {
    /// Unit in which a user writes the setting.
    const UNIT: ParamUnit;

    /// Reads `value`, the value of the setting `name`. Panics if it has another unit.
    fn read(name: &'static str, value: &Value) -> Result<Self, Refusal>;
}

/// Type of a setting that can have bounds.
pub trait Ranged: Setting {
    /// Type in which bounds are written.
    type Bound: PartialOrd + Display + Default;

    /// Returns the value in the type of its bounds; `None` if the setting is off.
    fn bound(name: &'static str, value: &Value) -> Option<Self::Bound>;
}

/// Type of a setting that is a word of a list.
pub trait Words: Copy + 'static {
    /// The words, in the order of lists.
    const WORDS: &'static [&'static str];
    /// Values named by the words, in the same order.
    const ALL: &'static [Self];

    /// Returns the value that the word `name` stands for.
    fn from_name(name: &str) -> Option<Self> {
        let at = Self::WORDS.iter().position(|word| *word == name)?;
        Some(Self::ALL[at])
    }

    /// The word that stands for it.
    fn word(self) -> &'static str
    where
        Self: PartialEq,
    {
        let at = Self::ALL.iter().position(|one| *one == self);
        Self::WORDS[at.expect("one of all")]
    }
}

/// Share of a whole, or factor: numerator and denominator as written. The denominator is above 0.
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

/// At least one whole number: `"4 2 1"`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Counts(pub Vec<u64>);

/// Events in a million seconds, written as those in one: `"300 /s"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd)]
pub struct PerMegasecond(pub u64);

impl Display for PerMegasecond {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} /s", self.0 as f64 / 1e6)
    }
}

/// The fewest and the most bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteRange(pub u64, pub u64);

/// Path of a file, or name of a shipped one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileName(pub String);

fn other_unit(name: &str, value: &Value) -> ! {
    panic!("parameter {name:?} is {value:?}")
}

/// Implements [`Setting`] for types that hold a value of one unit unchanged.
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

/// Implements [`Ranged`] for the plain types with an order.
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

/// Implements [`Setting`] and [`Ranged`] for whole numbers, limited to the width of the field.
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

/// Optional setting: `None` is the word that means "without".
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

/// Reads the setting `name` as a word of `T`. The table lists only known words, so an unknown word is a mistake
/// in the code and panics.
pub fn word<T: Words>(name: &str, value: &Value) -> Result<T, Refusal> {
    match value {
        Value::Word(word) => {
            Ok(T::from_name(word)
                .unwrap_or_else(|| panic!("{name} {word:?} is listed but not known")))
        }
        other => other_unit(name, other),
    }
}

/// Reads the setting `name`, written as bytes, as a whole number.
pub fn bytes<T: TryFrom<u64>>(name: &'static str, value: &Value) -> Result<T, Refusal> {
    let got = Bytes::read(name, value)?;
    T::try_from(got.0).map_err(|_| Refusal::of(name, "is too large").got(got))
}

/// Refuses the value of the setting `name` unless it is off or in `range`. The message ends with `because`.
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

/// The value `got` of the setting `name`, refused unless it is in `range`. `because` ends the message.
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

/// Refuses 0 for the setting `name`, in any unit. The message ends with `because`.
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

/// Returns the number of rows of all `parts`.
pub const fn total(parts: &[&[Param]]) -> usize {
    let (mut total, mut part) = (0, 0);
    while part < parts.len() {
        total += parts[part].len();
        part += 1;
    }
    total
}

/// Concatenates the rows of `parts`. Panics unless there are `N` rows, which is their [`total`].
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
