//! Wrong inputs of each reader of text, with their messages: `fixtures/wrong/`.

mod common;

use common::{fixtures, is_golden};
use sidestep_import::{Columns, Format, Nodes, Options, import};
use std::collections::BTreeSet;
use std::fs;

/// Least number of wrong inputs of a reader.
const LEAST: usize = 50;

/// Reads `\n`-free text with escapes: `\xff`, `\e`, `\t` and `\0`.
fn unescaped(line: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = line.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next().unwrap() {
            b'x' => {
                let digits: Vec<u8> = rest.by_ref().take(2).collect();
                let digits = String::from_utf8(digits).unwrap();
                bytes.push(u8::from_str_radix(&digits, 16).unwrap());
            }
            b'e' => bytes.push(0x1b),
            b't' => bytes.push(b'\t'),
            b'0' => bytes.push(0),
            other => panic!("an unknown escape: {other}"),
        }
    }
    bytes
}

/// Reads the options of a case.
fn options(words: &str) -> Result<Options, String> {
    let mut options = Options::new();
    let mut words = words.split(' ').filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        match word {
            "--drop-triggered" => options.drop_triggered = true,
            "--topology" => {
                let bytes = fs::read(fixtures().join("topology.txt")).unwrap();
                options.nodes = Some(Nodes::read("topology.txt", &bytes).unwrap());
            }
            "--packet" => options.packet = Some(words.next().unwrap().parse().unwrap()),
            "--columns" => options.columns = Some(Columns::read(words.next().unwrap())?),
            columns => options.columns = Some(Columns::read(columns)?),
        }
    }
    Ok(options)
}

/// Returns the text of a file of cases with the messages of now, and the number of cases.
fn answered(text: &str, format: Format) -> (String, usize) {
    let mut made = String::new();
    let (mut input, mut words): (Vec<Vec<u8>>, &str) = (Vec::new(), "");
    let mut cases = BTreeSet::new();
    let mut title = "";
    for line in text.lines() {
        if line.is_empty() || line.starts_with("# ") && title.is_empty() {
            made.push_str(&format!("{line}\n"));
            if title.is_empty() {
                continue;
            }
        }
        match line.split_at(line.len().min(2)) {
            ("= ", of) => {
                (title, words) = (of, "");
                input.clear();
            }
            ("$ ", of) => words = of,
            ("! ", _) => {
                let bytes = input.join(&b'\n');
                assert!(
                    cases.insert((words, bytes.clone())),
                    "{title}: a case twice"
                );
                let said = options(words).and_then(|options| import("f", &bytes, format, &options));
                let said = said.expect_err(title);
                assert!(
                    said.starts_with("f:") || said.starts_with("--"),
                    "{title}: {said}"
                );
                assert!(
                    said.len() < 500 && !said.contains(['\x1b', '\n']),
                    "{title}: {said}"
                );
                made.push_str(&format!("! {said}\n"));
                title = "";
                continue;
            }
            _ => input.push(unescaped(line)),
        }
        if !line.is_empty() {
            made.push_str(&format!("{line}\n"));
        }
    }
    (made, cases.len())
}

#[test]
fn fifty_wrong_inputs_of_each_reader_of_text_are_refused_with_these_messages() {
    for (file, format) in [
        ("csv.txt", Format::Csv),
        ("hpcc-flows.txt", Format::HpccFlows),
        ("hpcc-topology.txt", Format::HpccTopology),
        ("htsim.txt", Format::Htsim),
        ("cdf.txt", Format::Cdf),
    ] {
        let place = fixtures().join("wrong").join(file);
        let kept = fs::read_to_string(&place).unwrap();
        let (now, many) = answered(&kept, format);
        is_golden(&format!("wrong/{file}"), &now);
        assert!(many >= LEAST, "{file}: {many} cases");
    }
}
