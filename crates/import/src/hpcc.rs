//! Flow lists of the HPCC family of ns-3 simulators.
//!
//! ```text
//! 2                                   number of flows
//! 2 1 3 100 200000000 2.000000001     src dst priority dport bytes start in seconds
//! 3 1 3 100 5000 2.1
//! ```
//!
//! **Decision**     lists of several simulators have the same shape. A form of [`FORMS`] is read if the values of
//!                  all lines fit it and fit no other; otherwise `--columns` chooses.
//! **Errors**       no size is rounded. Sizes in packets need the payload of a packet, `--packet`.

use crate::counts::counted;
use crate::flows::{self, Flow};
use crate::limits::MOST_HOSTS;
use crate::lines::{Text, shown};
use crate::number::{scaled, whole};

use crate::{Imported, Options};
use std::collections::BTreeSet;

/// Meaning of a field of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Src,
    Dst,
    /// Priority group.
    Group,
    Port,
    Bytes,
    Packets,
    /// Start in seconds.
    Start,
    /// End of sending in seconds.
    Stop,
    Skipped,
}

/// Fields with their words.
const FIELDS: [(&str, Field); 9] = [
    ("src", Field::Src),
    ("dst", Field::Dst),
    ("pg", Field::Group),
    ("dport", Field::Port),
    ("bytes", Field::Bytes),
    ("packets", Field::Packets),
    ("start", Field::Start),
    ("stop", Field::Stop),
    ("-", Field::Skipped),
];

/// Form of the lines of a list.
#[derive(Clone, Debug)]
struct Form {
    fields: Vec<Field>,
    /// Simulators that write it, and the values that speak for it.
    why: String,
    by_hand: bool,
}

/// Known forms: fields, simulators that write them, and the values that speak for them.
const FORMS: [(&str, &str, &str); 7] = [
    (
        "src,dst,pg,dport,bytes,start",
        "HPCC",
        "field 5 is a whole number in every line, and field 6 is smaller in some",
    ),
    (
        "src,dst,pg,packets,start,stop",
        "the older ns-3 RDMA simulator",
        "field 6 is in no line before field 5",
    ),
    (
        "src,dst,pg,bytes,start,stop",
        "ns-3 with TCP",
        "field 6 is in no line before field 5",
    ),
    (
        "src,dst,pg,bytes,start",
        "ConWeave",
        "field 3 is below 8 in every line, and field 4 a whole number",
    ),
    (
        "src,dst,dport,bytes,start",
        "forks without priority groups",
        "field 3 is above 7 in every line, and field 4 a whole number",
    ),
    (
        "src,dst,packets,start,stop",
        "forks without priority groups",
        "field 5 is in no line before field 4",
    ),
    (
        "src,dst,bytes,start,stop",
        "forks without priority groups",
        "field 5 is in no line before field 4",
    ),
];

impl Form {
    fn of(words: &str, why: String) -> Form {
        let known = |word| FIELDS.iter().find(|(known, _)| *known == word);
        let fields = words.split(',').filter_map(known).map(|(_, field)| *field);
        Form {
            fields: fields.collect(),
            why,
            by_hand: false,
        }
    }

    /// Reads `--columns`.
    fn by_hand(columns: &crate::Columns) -> Result<Form, String> {
        let places = columns.placed(&FIELDS.map(|(word, _)| word))?;
        let fields: Vec<Field> = places.into_iter().map(|place| FIELDS[place].1).collect();
        let has = |field| fields.contains(&field);
        if !has(Field::Src) || !has(Field::Dst) || !has(Field::Start) {
            let got = columns.said();
            return Err(format!(
                "--columns: expected src, dst and start, got {}",
                shown(&got)
            ));
        }
        if has(Field::Bytes) == has(Field::Packets) {
            let got = columns.said();
            return Err(format!(
                "--columns: expected either bytes or packets, got {}",
                shown(&got)
            ));
        }
        Ok(Form {
            fields,
            why: "as --columns says".into(),
            by_hand: true,
        })
    }

    fn at<'r>(&self, row: &[&'r str], field: Field) -> Option<&'r str> {
        let at = self.fields.iter().position(|of| *of == field)?;
        row.get(at).copied()
    }

    /// Returns true if the values of a line can have these meanings.
    fn fits(&self, row: &[&str]) -> bool {
        let time = |field| self.at(row, field).map(|word| scaled(word, 12));
        let whole = |field| match self.at(row, field) {
            Some(word) => scaled(word, 0).is_some_and(|(_, cut)| !cut),
            None => true,
        };
        let below_8 = |word: &str| word.parse::<u8>().is_ok_and(|n| n < 8);
        let is_group = self.at(row, Field::Group).is_none_or(below_8);
        let port = self.at(row, Field::Port);
        let is_port = port.is_none_or(|word| word.parse().is_ok_and(|n: u64| n > 7));
        let in_order = match time(Field::Stop) {
            Some(stop) => stop.is_some() && stop >= time(Field::Start).flatten(),
            None => true,
        };
        // With priority and port the number of fields alone tells them apart.
        let apart = row.len() > 5 || is_group && is_port;
        let numbers = whole(Field::Bytes) && whole(Field::Packets) && in_order;
        row.len() == self.fields.len() && apart && numbers && time(Field::Start).flatten().is_some()
    }

    fn words(&self) -> String {
        let word = |field: &Field| {
            FIELDS
                .iter()
                .find(|(_, of)| of == field)
                .map(|(word, _)| *word)
        };
        let words: Vec<&str> = self.fields.iter().filter_map(word).collect();
        words.join(",")
    }
}

/// Line with its number, in fields.
type Row<'a> = (usize, Vec<&'a str>);

/// Imports a flow list.
pub fn import(name: &str, bytes: &[u8], options: &Options) -> Result<Imported, String> {
    let text = Text::read(name, bytes)?;
    let mut lines = text.lines();
    let (line, first) = lines.next().unwrap_or((1, ""));
    let wrong = || text.error(line, "the number of flows", &shown(first));
    let many: u64 = first.parse().map_err(|_| wrong())?;
    let most = usize::try_from(many).unwrap_or(usize::MAX);
    let rows = lines.by_ref().take(most);
    let rows: Vec<Row<'_>> = rows
        .map(|(line, row)| (line, row.split_whitespace().collect()))
        .collect();
    let form = choose(&text, &rows, options)?;
    let mut reader = Reader {
        text: &text,
        options,
        form: &form,
        rounded: 0,
        stops: 0,
        flows: Vec::with_capacity(rows.len()),
    };
    for (line, row) in &rows {
        reader.flow(*line, row)?;
    }
    if (rows.len() as u64) < many {
        let expected = counted(many, &format!("flows, as line {line} says"));
        let last = text.all().lines().count().max(1);
        return Err(text.error(last, &expected, &format!("{}", rows.len())));
    }
    let mut out = Imported::default();
    out.read("flows", many);
    out.drop(
        "lines after the number of flows in the first line, which the simulator ignores too",
        lines.count() as u64,
    );
    reader.finish(out)
}

/// Returns the form of the lines: the one that `--columns` gives, or else the only one that all lines fit.
fn choose(text: &Text<'_>, rows: &[Row<'_>], options: &Options) -> Result<Form, String> {
    if let Some(columns) = &options.columns {
        let form = Form::by_hand(columns)?;
        if form.fields.contains(&Field::Packets) != options.packet.is_some() {
            let got = columns.said();
            return Err(match options.packet {
                None => format!(
                    "--columns: expected --packet with packets, the payload of one like 1000, got {got}"
                ),
                Some(_) => format!("--packet: expected packets in --columns, got {got}"),
            });
        }
        return Ok(form);
    }
    let Some((line, first)) = rows.first() else {
        return Ok(Form::of(FORMS[0].0, FORMS[0].2.into()));
    };
    let of_length = |length| {
        let forms = FORMS
            .iter()
            .map(|(words, of, why)| Form::of(words, format!("the form of {of}, since {why}")));
        forms.filter(move |form| form.fields.len() == length)
    };
    let same: Vec<Form> = of_length(first.len()).collect();
    let Some(usual) = same.first() else {
        let got = first.join(" ");
        let expected = "src dst pg dport bytes start, or src dst pg bytes start (--columns names other fields)";
        return Err(text.error(*line, expected, &shown(&got)));
    };
    let mut fit: Vec<&Form> = same
        .iter()
        .filter(|form| rows.iter().all(|(_, row)| form.fits(row)))
        .collect();
    if options.packet.is_some() {
        fit.retain(|form| form.fields.contains(&Field::Packets));
        if fit.is_empty() {
            let got = first.join(" ");
            return Err(text.error(
                *line,
                "packets, since --packet is given (--columns names the fields)",
                &shown(&got),
            ));
        }
    }
    match fit[..] {
        // The usual form says what is wrong with a line.
        [] => Ok(usual.clone()),
        [one] => Ok(one.clone()),
        _ => {
            let names: Vec<String> = fit.iter().map(|form| form.words()).collect();
            let packets = fit.iter().any(|form| form.fields.contains(&Field::Packets));
            let packet = if packets {
                "; packets need --packet 1000, the payload of one"
            } else {
                ""
            };
            let got = format!(
                "values that fit {}: choose with --columns{packet}",
                names.join(" and ")
            );
            Err(text.error(*line, "values that fit one order of fields", &got))
        }
    }
}

struct Reader<'a> {
    text: &'a Text<'a>,
    options: &'a Options,
    form: &'a Form,
    rounded: u64,
    stops: u64,
    /// Flows with their lines.
    flows: Vec<(usize, Flow)>,
}

impl Reader<'_> {
    fn flow(&mut self, line: usize, row: &[&str]) -> Result<(), String> {
        let text = self.text;
        let wrong = |expected: &str, got: &str| text.error(line, expected, &shown(got));
        if row.len() != self.form.fields.len() {
            let expected = self.form.words().replace(',', " ");
            return Err(wrong(&expected, &row.join(" ")));
        }
        let at = |field| self.form.at(row, field);
        let src = self.node(line, at(Field::Src).unwrap_or_default())?;
        let dst = self.node(line, at(Field::Dst).unwrap_or_default())?;
        let size = self.size(line, row)?;
        let said = at(Field::Start).unwrap_or_default();
        let (start, fine) = scaled(said, 12).ok_or_else(|| wrong("a start in seconds", said))?;
        self.rounded += u64::from(fine);
        if let Some(stop) = at(Field::Stop) {
            let (stop, _) = scaled(stop, 12).ok_or_else(|| wrong("a stop in seconds", stop))?;
            if stop < start {
                let expected = format!("a stop that is not before the start, {said}");
                return Err(wrong(&expected, at(Field::Stop).unwrap_or_default()));
            }
            self.stops += 1;
        }
        if let Some(port) = at(Field::Port) {
            port.parse::<u64>().map_err(|_| wrong("a port", port))?;
        }
        let class = match at(Field::Group) {
            None => None,
            Some(word) => {
                // In five fields a larger number can be a port.
                let most = if row.len() == 5 && !self.form.by_hand {
                    7
                } else {
                    u8::MAX
                };
                let group = word.parse().ok().filter(|group: &u8| *group <= most);
                let expected = format!("a priority group from 0 to {most}");
                let group = group.ok_or_else(|| wrong(&expected, word))?;
                Some(format!("pg{group}"))
            }
        };
        let flow = Flow {
            start,
            src,
            dst,
            size: Some(size),
            class,
            group: None,
        };
        self.flows.push((line, flow));
        Ok(())
    }

    /// Reads a size in bytes or packets, which is never rounded.
    fn size(&self, line: usize, row: &[&str]) -> Result<u64, String> {
        let number = |word: &str, expected: &str| {
            whole(word).ok_or_else(|| self.text.error(line, expected, &shown(word)))
        };
        match self.form.at(row, Field::Packets) {
            None => number(
                self.form.at(row, Field::Bytes).unwrap_or_default(),
                "a whole number of bytes",
            ),
            Some(word) => {
                let packets = number(word, "a whole number of packets")?;
                let bytes = packets.checked_mul(self.options.packet.unwrap_or(0));
                bytes.ok_or_else(|| {
                    self.text
                        .error(line, "packets of less than 2^64 B in all", &shown(word))
                })
            }
        }
    }

    fn node(&self, line: usize, word: &str) -> Result<u32, String> {
        let number: Option<u64> = word.parse().ok().filter(|n| *n < u64::from(MOST_HOSTS));
        let number =
            number.ok_or_else(|| self.text.error(line, "the number of a node", &shown(word)))?;
        match &self.options.nodes {
            None => Ok(number as u32),
            Some(nodes) => nodes.host(number).ok_or_else(|| {
                self.text
                    .error(line, "a host of the topology", &shown(word))
            }),
        }
    }

    fn finish(self, mut out: Imported) -> Result<Imported, String> {
        let Form { why, .. } = self.form;
        out.note(format!("Fields are read as {}: {why}", self.form.words()));
        if let Some(packet) = self.options.packet {
            out.note(format!(
                "Sizes are numbers of packets, of {packet} B of payload each (--packet)"
            ));
        }
        if self.stops > 0 {
            out.note(
                "Stop times are not used: a flow of Sidestep's ends when all of its bytes have arrived",
            );
        }
        out.rounded(self.rounded, "starts");
        match &self.options.nodes {
            Some(nodes) => out.note(format!(
                "Node numbers are mapped to the {} hosts of the topology",
                nodes.len()
            )),
            None => out.note(
                "Node n is read as host n; if the topology numbers switches before hosts, pass it \
                 with --topology",
            ),
        }
        let mut all = self.flows;
        let classes: BTreeSet<&Option<String>> = all.iter().map(|(_, flow)| &flow.class).collect();
        if classes.len() > 1 {
            out.note("The class is the priority group; in Sidestep all groups share one queue");
        } else {
            all.iter_mut().for_each(|(_, flow)| flow.class = None);
        }
        flows::write_placed(all, "line", self.options, &mut out)?;
        Ok(out)
    }
}
