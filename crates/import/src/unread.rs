//! Formats that are known and not read: each is refused by its name, with what to do instead.
//!
//! **Decision**     one table. The first entry that fits the beginning of a file is its format.

use crate::names::{IMPORT_THE_CAPTURE, is_of_packets};
use std::borrow::Cow;

/// Format that is known and not read.
#[derive(Clone, Copy)]
pub struct Unread {
    /// Name, with its article.
    pub name: &'static str,
    is_one: fn(&Start<'_>) -> bool,
    /// Advice.
    pub instead: &'static str,
}

impl Unread {
    /// Returns true for JSON, which a configuration of SONiC is too.
    pub fn is_json(&self) -> bool {
        self.name.ends_with("JSON")
    }
}

/// Beginning of a file.
pub struct Start<'a> {
    bytes: &'a [u8],
    text: Cow<'a, str>,
}

/// Length of the beginning.
const ENOUGH: usize = 1 << 16;

/// Length of the beginning in which a table of a SONiC configuration is looked for.
const MANY_TABLES: usize = 4 << 20;

impl<'a> Start<'a> {
    /// Takes the beginning of a file, up to the end of a line.
    pub fn of(bytes: &'a [u8]) -> Start<'a> {
        let mut start = &bytes[..bytes.len().min(ENOUGH)];
        if start.len() < bytes.len()
            && let Some(end) = start.iter().rposition(|byte| *byte == b'\n')
        {
            start = &start[..end];
        }
        Start {
            bytes,
            text: String::from_utf8_lossy(start),
        }
    }

    /// Returns the text without a byte order mark and leading blanks.
    pub fn text(&self) -> &str {
        self.text.trim_start_matches('\u{feff}').trim_start()
    }

    /// Iterates over the lines, without empty ones and comments.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        let lines = self.text().lines().map(str::trim);
        lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
    }

    fn first(&self) -> &str {
        self.lines().next().unwrap_or_default()
    }

    fn starts(&self, magic: &[&[u8]]) -> bool {
        magic.iter().any(|magic| self.bytes.starts_with(magic))
    }

    fn has_line(&self, word: &str) -> bool {
        self.lines()
            .any(|line| line.split_whitespace().next() == Some(word))
    }
}

macro_rules! unread {
    ($($name:literal, $is_one:expr, $instead:expr;)*) => {
        /// Known formats.
        pub const UNREAD: &[Unread] = &[
            $(Unread { name: $name, is_one: $is_one, instead: $instead },)*
        ];
    };
}

unread! {
    "a gzip file", |s| s.starts(&[&[0x1f, 0x8b]]), "unpack it first: gunzip FILE";
    "a zstd file", |s| s.starts(&[b"(\xb5/\xfd"]), "unpack it first: unzstd FILE";
    "an xz file", |s| s.starts(&[b"\xfd7zXZ\0"]), "unpack it first: unxz FILE";
    "a bzip2 file", |s| s.starts(&[b"BZh"]), "unpack it first: bunzip2 FILE";
    "an lz4 file", |s| s.starts(&[b"\x04\"M\x18"]), "unpack it first: unlz4 FILE";
    "a ZIP archive or an XLSX workbook", |s| s.starts(&[b"PK\x03\x04"]),
        "unpack it, or save the sheet as CSV";
    "an XLS workbook", |s| s.starts(&[b"\xd0\xcf\x11\xe0"]), "save the sheet as CSV";
    "a Parquet file", |s| s.starts(&[b"PAR1"]),
        "make a CSV of it, as with duckdb: COPY (FROM 'in.parquet') TO 'out.csv'";
    "an Arrow file", |s| s.starts(&[b"ARROW1"]), "make a CSV of it";
    "an HDF5 file", |s| s.starts(&[b"\x89HDF"]), "make a CSV of it";
    "an SQLite database", |s| s.starts(&[b"SQLite format 3"]), "make a CSV of the table of flows";
    "text in UTF-16 or UTF-32", |s| s.starts(&[b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff"]),
        "save it in UTF-8: iconv -f UTF-16 -t UTF-8 IN > OUT";
    "a capture of snoop", |s| s.starts(&[b"snoop\0\0\0"]), "convert it: editcap -F pcap IN OUT";
    "a capture in ERF", |s| is_erf(s.bytes), "convert it: editcap -F pcap IN OUT";
    "nfdump's text", |s| s.first().starts_with("Date first seen  "), "write it as CSV: nfdump -r FILE -o csv";
    "a file of nfcapd", |s| s.starts(&[b"\x0c\xa5"]), "write it as CSV: nfdump -r FILE -o csv";
    "a file of SiLK", |s| s.starts(&[&[0xde, 0xad, 0xbe, 0xef]]), "write it as text: rwcut FILE";
    "a Chakra execution trace", |s| is_chakra(s.bytes),
        "run it in ASTRA-sim and export its messages as a CSV with start, src, dst and size";
    "flow records as JSON", |s| is_other_json(s),
        "make a CSV of it, as with jq -r '[.start, .src, .dst, .bytes] | @csv', with a header (the only JSON \
         read is SONiC's config_db.json, an object with tables like BUFFER_PROFILE)";
    "results of ns-3's FlowMonitor", |s| s.text().contains("<FlowMonitor"),
        "import the flows that were offered, not the results of a run";
    "packets as PDML", |s| s.text().contains("<pdml"), "import the capture itself";
    "a topology in GraphML", |s| s.text().contains("<graphml"),
        "write its edges as a CSV with the header a,b,rate,delay for [topology] kind = \"custom\"";
    "an XML file", |s| s.text().starts_with("<?xml") || s.text().starts_with("<network"),
        "write flows as a CSV with start, src, dst and size, or links as a CSV with a,b,rate,delay";
    "a topology in GML", |s| s.text().starts_with("graph [") || s.first() == "graph" && s.has_line("["),
        "write its edges as a CSV with the header a,b,rate,delay for [topology] kind = \"custom\"";
    "a graph of Graphviz", |s| ["graph ", "digraph ", "strict "].iter().any(|word| s.text().starts_with(word)),
        "write its edges as a CSV with the header a,b,rate,delay for [topology] kind = \"custom\"";
    "a network of ASTRA-sim", |s| s.lines().any(|line| line.starts_with("npus_count:")),
        "choose a [topology] of Sidestep's, or write its links as a CSV with a,b,rate,delay";
    "a lab of containerlab", |s| s.has_line("topology:") && (s.has_line("nodes:") || s.has_line("links:")),
        "write its links as a CSV with the header a,b,rate,delay for [topology] kind = \"custom\"";
    "a workload of ASTRA-sim", |s| is_astra_workload(s.first()),
        "run it in ASTRA-sim and export its messages as a CSV with start, src, dst and size";
    "a schedule in GOAL", |s| s.first().starts_with("num_ranks"),
        "its sends wait for each other, which a flow list cannot express: run it in a simulator of GOAL and \
         export its messages as a CSV with start, src, dst and size";
    "a topology of htsim (.topo)", |s| s.has_line("Tiers") || s.has_line("Podsize"),
        "set [topology] kind = \"fat_tree\" or \"leaf_spine\" with its numbers; the flows are in the .cm file";
    "a configuration of HPCC's ns-3",
        |s| s.has_line("TOPOLOGY_FILE") || s.has_line("FLOW_FILE"),
        "import the topology and the flow list that it names";
    "a configuration of TrafficGenerator", |s| s.has_line("req_size_dist"),
        "import the distribution of sizes that it names";
    "results of HPCC's ns-3 (fct.txt)", |s| is_fct(s.first()), "import the flow.txt that the run read";
    "packets as text of tcpdump or tshark", |s| is_packet_text(s),
        "import the capture itself: tcpdump -w FILE writes one";
    "a list with one row a packet", |s| is_of_packets(s.first()),
        IMPORT_THE_CAPTURE;
    "a CSV with the line \"sep=\" of a spreadsheet", |s| s.first().starts_with("sep="), "remove that line";
}

/// Returns the known format of a file that is not read.
pub fn of(start: &Start<'_>) -> Option<&'static Unread> {
    UNREAD.iter().find(|unread| (unread.is_one)(start))
}

/// Returns true for a JSON object with tables of a SONiC configuration.
pub fn is_sonic(start: &Start<'_>) -> bool {
    const TABLES: [&str; 9] = [
        "\"BUFFER_PROFILE\"",
        "\"BUFFER_POOL\"",
        "\"BUFFER_QUEUE\"",
        "\"BUFFER_PG\"",
        "\"WRED_PROFILE\"",
        "\"PORT_QOS_MAP\"",
        "\"DSCP_TO_TC_MAP\"",
        "\"CABLE_LENGTH\"",
        "\"DEVICE_METADATA\"",
    ];
    if !start.text().starts_with('{') {
        return false;
    }
    let long = &start.bytes[..start.bytes.len().min(MANY_TABLES)];
    let text = String::from_utf8_lossy(long);
    TABLES.iter().any(|table| {
        let after = text.split(*table).skip(1);
        after.take(8).any(|rest| rest.trim_start().starts_with(':'))
    })
}

fn is_other_json(start: &Start<'_>) -> bool {
    let text = start.text();
    let list = text.strip_prefix('[').map(str::trim_start);
    let json = text.starts_with('{')
        || list.is_some_and(|rest| rest.starts_with(['{', ']', '"']))
        || text.starts_with("[\n")
        || text.starts_with("[ ");
    json && !is_sonic(start)
}

/// Returns true for records of ERF: a time, a type, flags, a length, and again at that length.
fn is_erf(bytes: &[u8]) -> bool {
    let mut at = 0;
    for _ in 0..3 {
        let Some(head) = bytes.get(at..at + 16) else {
            return at > 0 && at == bytes.len();
        };
        let seconds = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
        let kind = head[8] & 0x7f;
        let length = usize::from(u16::from_be_bytes([head[10], head[11]]));
        // From 1990 to 2100, with a type that exists. In text the length would be larger.
        let fits = (631_152_000..4_102_444_800).contains(&seconds) && (1..=48).contains(&kind);
        if !fits || !(18..0x0900).contains(&length) {
            return false;
        }
        at += length;
    }
    true
}

/// Returns true for the first message of a Chakra trace: its length, and a version.
fn is_chakra(bytes: &[u8]) -> bool {
    let [length, 0x0a, digits, rest @ ..] = bytes else {
        return false;
    };
    let version = rest.get(..usize::from(*digits)).unwrap_or_default();
    *length >= digits.saturating_add(2)
        && version.contains(&b'.')
        && version.iter().all(|b| b.is_ascii_digit() || *b == b'.')
}

fn is_astra_workload(first: &str) -> bool {
    let word = first.split_whitespace().next().unwrap_or_default();
    ["HYBRID_", "TRANSFORMER_", "DLRM"]
        .iter()
        .any(|start| word.starts_with(start))
        || ["DATA", "MODEL", "MICRO"].contains(&word)
}

fn is_fct(first: &str) -> bool {
    let fields: Vec<&str> = first.split_whitespace().collect();
    let is_node = |word: &str| {
        word.len() == 8 && word.starts_with("0b") && word.bytes().all(|b| b.is_ascii_hexdigit())
    };
    fields.len() >= 8 && is_node(fields[0]) && is_node(fields[1])
}

/// Returns true for packets as tcpdump and tshark print them.
fn is_packet_text(start: &Start<'_>) -> bool {
    let some = start
        .lines()
        .filter(|line| !line.starts_with("reading from file"))
        .take(3);
    let mut any = false;
    for line in some {
        let words: Vec<&str> = line.split_whitespace().take(8).collect();
        let protocol = |word: &&str| ["IP", "IP6", "ARP,", "ethertype"].contains(word);
        let tcpdump =
            words.iter().skip(1).any(protocol) && (line.contains(" > ") || line.contains("ARP,"));
        let arrow = |word: &&str| ["→", "->"].contains(word);
        let tshark = words.len() > 5
            && words.iter().skip(2).take(3).any(arrow)
            && words[0].parse::<u64>().is_ok();
        any |= tcpdump || tshark;
    }
    any
}
