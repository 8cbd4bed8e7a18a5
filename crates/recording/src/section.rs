//! Sections: a header of 13 bytes, then deflated bytes with their checksum.
//!
//! Deflate in zlib's frame, which browsers read without a library (`DecompressionStream("deflate")`). All
//! numbers are little-endian.

use crate::refused::Refused;
use crc32fast::hash as crc32;
use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

/// Newest version that this program reads and writes: recordings in which packets are sampled.
pub const VERSION: u16 = 2;
/// Version of recordings that have every packet.
pub(crate) const WHOLE: u16 = 1;

/// First bytes of every recording. The first byte is not text, and the line ends reveal a transfer in text
/// mode.
pub(crate) const MAGIC: [u8; 8] = *b"\x89SREC\r\n\x1a";
/// Last bytes of every recording.
pub(crate) const END: [u8; 8] = *b"SRECend\n";
/// Bytes of the preamble: magic, version, and two bytes that are 0.
pub(crate) const PREAMBLE: usize = 12;
/// Bytes of the footer: the offset of the tail, and [`END`].
pub(crate) const FOOTER: usize = 16;
/// Bytes of a section's header: kind, length, packed length, checksum.
const SECTION_HEAD: usize = 13;
/// Largest unpacked size of a section, bytes.
pub(crate) const MOST_RAW: usize = 64 << 20;
/// Compression level of miniz: 1 is the fastest and 10 the smallest.
const LEVEL: u8 = 1;

/// Kind of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Section {
    Head = b'H',
    Chunk = b'C',
    Tail = b'T',
}

impl Section {
    fn word(self) -> &'static str {
        match self {
            Section::Head => "head",
            Section::Chunk => "chunk",
            Section::Tail => "tail",
        }
    }
}

/// Appends a section.
pub(crate) fn put_section(out: &mut Vec<u8>, section: Section, raw: &[u8]) {
    assert!(
        raw.len() <= MOST_RAW,
        "a {} of a recording has at most {MOST_RAW} bytes, got {}",
        section.word(),
        raw.len()
    );
    let packed = match section {
        // Head and tail are small JSON, which miniz packs better than fdeflate does.
        Section::Head | Section::Tail => compress_to_vec_zlib(raw, LEVEL),
        // Chunks become half as large again as with miniz, in a tenth of the time: `docs/reference/recording.md` has the
        // measurement.
        Section::Chunk => fdeflate::compress_to_vec(raw),
    };
    out.push(section as u8);
    out.extend((raw.len() as u32).to_le_bytes());
    out.extend((packed.len() as u32).to_le_bytes());
    out.extend(crc32(&packed).to_le_bytes());
    out.extend(packed);
}

/// Unpacks the section at `offset`. Returns its bytes and the offset of the next section.
pub(crate) fn section_at(
    file: &[u8],
    offset: u64,
    section: Section,
) -> Result<(Vec<u8>, u64), Refused> {
    let wrong = |what: &str, expected: String, got: String| {
        let what = format!("the {} of the recording {what}", section.word());
        Refused::new(what, format!("byte {offset}"), expected, got)
    };
    let body_end = file.len().saturating_sub(FOOTER);
    let at = usize::try_from(offset)
        .ok()
        .filter(|at| *at < body_end)
        .ok_or_else(|| {
            wrong(
                "lies outside the file",
                format!("a place before byte {body_end}"),
                offset.to_string(),
            )
        })?;
    let head = file.get(at..at + SECTION_HEAD).ok_or_else(|| {
        let left = file.len() - at;
        wrong(
            "is cut off",
            format!("{SECTION_HEAD} bytes"),
            left.to_string(),
        )
    })?;
    if head[0] != section as u8 {
        return Err(wrong(
            "does not begin at its offset",
            format!("the byte {:?}", section as u8 as char),
            format!("{:?}", head[0] as char),
        ));
    }
    let number =
        |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let (raw_len, packed_len, sum) = (number(1) as usize, number(5) as usize, number(9));
    if raw_len > MOST_RAW {
        return Err(wrong(
            "is too large",
            format!("at most {MOST_RAW} bytes unpacked"),
            raw_len.to_string(),
        ));
    }
    let begin = at + SECTION_HEAD;
    let packed = file
        .get(begin..begin.saturating_add(packed_len).min(body_end))
        .unwrap_or_default();
    if packed.len() != packed_len {
        return Err(wrong(
            "is cut off",
            format!("{packed_len} bytes"),
            packed.len().to_string(),
        ));
    }
    let got = crc32(packed);
    // A fuzzer would never pass the checksum.
    if got != sum && !cfg!(fuzzing) {
        return Err(wrong(
            "is damaged",
            format!("the checksum {sum:08x}"),
            format!("{got:08x}"),
        ));
    }
    let raw = decompress_to_vec_zlib_with_limit(packed, raw_len).map_err(|e| {
        wrong(
            "cannot be unpacked",
            "a zlib stream".into(),
            e.status_text().into(),
        )
    })?;
    if raw.len() != raw_len {
        return Err(wrong(
            "has a wrong length",
            format!("{raw_len} bytes"),
            raw.len().to_string(),
        ));
    }
    Ok((raw, (begin + packed_len) as u64))
}

trait StatusText {
    fn status_text(&self) -> &'static str;
}

impl StatusText for miniz_oxide::inflate::DecompressError {
    fn status_text(&self) -> &'static str {
        use miniz_oxide::inflate::TINFLStatus as S;
        match self.status {
            S::HasMoreOutput => "more bytes than its header states",
            S::Adler32Mismatch => "bytes with a wrong Adler-32 sum",
            S::NeedsMoreInput | S::FailedCannotMakeProgress => "an early end",
            _ => "bytes that are not a zlib stream",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }
}
