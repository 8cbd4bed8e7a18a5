//! Tests of the code that the derives generate.

use sidestep_types::{
    Bytes, Fraction, Param, ParamUnit, Settings, Size, Time, Value, Values, Words,
};

#[derive(Clone, Copy, Debug, PartialEq, Words)]
enum Per {
    Flow,
    #[word("whole-switch")]
    Switch,
}

#[derive(Debug, PartialEq, Settings)]
struct Step {
    /// mark from here
    /// on
    #[setting(default = "20 pkt", off = "off")]
    mark_at: Option<Size>,
}

/// Group from which a field is made.
#[derive(Settings)]
struct Raw {
    /// a share
    #[setting(default = "1/2", above = 0, range = ..=Fraction::ONE)]
    share: f64,
}

impl From<Raw> for u64 {
    fn from(raw: Raw) -> u64 {
        (raw.share * 100.0) as u64
    }
}

#[derive(Debug, PartialEq, Settings)]
struct Others {
    #[setting(flatten = Raw)]
    percent: u64,
    /// payload
    #[setting(default = "1460 B", bytes, range = Bytes(1)..=Bytes(9_000))]
    mss: u32,
    #[setting(common)]
    limit: u8,
    #[setting(skip, flatten = Step)]
    marks: u8,
    /// several
    #[setting(default = "1, 2")]
    several: Vec<u64>,
}

#[derive(Debug, PartialEq, Settings)]
#[settings(check)]
struct All {
    /// flows that take turns
    #[setting(default = "flow")]
    per: Per,
    #[setting(flatten)]
    step: Step,
    /// packets in a turn
    #[setting(key = "burst", default = "1", range = 1..=300, beside(per = "flow"))]
    packets: u16,
    /// bytes in a turn
    #[setting(default = "1 kB", range = Bytes(84)..=Bytes(4_000_000))]
    quantum: Bytes,
    /// pause
    #[setting(
        default = "off",
        off = "off",
        above = 0,
        because = "packets have no order then"
    )]
    gap: Option<Time>,
    /// no bounds
    limit: u8,
}

impl All {
    fn check(&self) -> Result<(), sidestep_types::Refusal> {
        match self.packets == 300 && self.per == Per::Switch {
            true => Err(sidestep_types::Refusal::about(
                &["burst", "per"],
                "burst needs less",
            )),
            false => Ok(()),
        }
    }
}

fn values(sets: &[(&str, &str)]) -> Values {
    let mut values = Values::default();
    for param in All::PARAMS {
        let set = sets.iter().find(|(name, _)| *name == param.name);
        let text = set.map(|(_, text)| *text).or(param.default).unwrap_or("8");
        values.set(param.name, Value::parse(text, param).unwrap());
    }
    values
}

fn refused(sets: &[(&str, &str)]) -> String {
    All::read(&values(sets)).unwrap_err().to_string()
}

#[test]
fn a_field_is_a_row_of_the_table_in_its_place() {
    let rows = [
        Param::with_default(
            "per",
            ParamUnit::Word(&["flow", "whole-switch"]),
            "flow",
            "flows that take turns",
        ),
        Param::with_default("mark_at", ParamUnit::Size, "20 pkt", "mark from here on")
            .or_off("off"),
        Param::with_default("burst", ParamUnit::Count, "1", "packets in a turn")
            .beside("per", &["flow"]),
        Param::with_default("quantum", ParamUnit::Bytes, "1 kB", "bytes in a turn"),
        Param::with_default("gap", ParamUnit::Time, "off", "pause").or_off("off"),
        Param::required("limit", ParamUnit::Count, "no bounds"),
    ];
    assert_eq!(All::PARAMS, rows);
}

#[test]
fn values_are_read_into_the_fields() {
    let sets = [
        ("per", "whole-switch"),
        ("mark_at", "off"),
        ("burst", "300"),
        ("gap", "2 us"),
    ];
    let mut sets = sets.to_vec();
    sets[2].1 = "299";
    let read = All::read(&values(&sets)).unwrap();
    let expected = All {
        per: Per::Switch,
        step: Step { mark_at: None },
        packets: 299,
        quantum: Bytes(1000),
        gap: Some(Time::from_us(2)),
        limit: 8,
    };
    assert_eq!(read, expected);
    assert_eq!(Step::defaults().mark_at, Some(Size::Packets(20)));
}

#[test]
fn a_value_out_of_bounds_is_refused_in_one_wording() {
    for (name, text, said) in [
        ("burst", "0", "burst must be from 1 to 300, got 0"),
        ("burst", "70000", "burst must be from 1 to 300, got 70000"),
        (
            "quantum",
            "10 B",
            "quantum must be from 84 B to 4 MB, got 10 B",
        ),
        (
            "gap",
            "0 us",
            "gap must be above 0: packets have no order then, got 0 ps",
        ),
        ("limit", "256", "limit must be at most 255, got 256"),
    ] {
        assert_eq!(refused(&[(name, text)]), said);
    }
    let together = [("burst", "300"), ("per", "whole-switch")];
    assert_eq!(refused(&together), "burst needs less");
}

#[test]
fn a_field_is_made_from_a_group_or_listed_elsewhere_or_no_setting() {
    let names: Vec<&str> = Others::PARAMS.iter().map(|param| param.name).collect();
    assert_eq!(names, ["share", "mss", "mark_at", "several"]);
    let mut values = Values::defaults(Others::PARAMS);
    values.set("limit", Value::Count(7));
    let read = Others::read(&values).unwrap();
    let expected = Others {
        percent: 50,
        mss: 1460,
        limit: 7,
        marks: 0,
        several: vec![1, 2],
    };
    assert_eq!(read, expected);
    for (name, value, said) in [
        (
            "share",
            Value::Fraction(0, 3),
            "share must be above 0, got 0",
        ),
        (
            "share",
            Value::Fraction(3, 2),
            "share must be at most 1, got 3/2",
        ),
        (
            "mss",
            Value::Bytes(Bytes(0)),
            "mss must be from 1 B to 9 kB, got 0 B",
        ),
    ] {
        let mut values = values.clone();
        values.set(name, value);
        assert_eq!(Others::read(&values).unwrap_err().to_string(), said);
    }
}
