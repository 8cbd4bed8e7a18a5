//! Settings and words as the derives write them.

use sidestep_types::{Bytes, Param, ParamUnit, Settings, Size, Time, Value, Values, Words};

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

#[derive(Debug, PartialEq, Settings)]
#[settings(check)]
struct All {
    /// whose turn
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
            "whose turn",
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
