//! Columns of numbers, as bytes that accompany an answer's JSON.
//!
//! The JSON has `{"$": "f64", "at": 16, "length": 3}` in place of a column: the type, the offset in the bytes,
//! the number of values. The page replaces it by a typed array. Each column begins at a multiple of eight;
//! numbers are little-endian, as in WebAssembly's memory.

use serde_json::{Value, json};

/// Columns of one answer.
#[derive(Debug, Default)]
pub struct Columns {
    /// Bytes that accompany the answer.
    pub bytes: Vec<u8>,
}

impl Columns {
    fn put(&mut self, kind: &str, length: usize, bytes: impl Iterator<Item = u8>) -> Value {
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        let at = self.bytes.len();
        self.bytes.extend(bytes);
        json!({ "$": kind, "at": at, "length": length })
    }

    /// Adds a `Float64Array`.
    pub fn f64(&mut self, column: &[f64]) -> Value {
        let bytes = column.iter().flat_map(|value| value.to_le_bytes());
        self.put("f64", column.len(), bytes)
    }

    /// Adds a `Uint32Array`.
    pub fn u32(&mut self, column: &[u32]) -> Value {
        let bytes = column.iter().flat_map(|value| value.to_le_bytes());
        self.put("u32", column.len(), bytes)
    }

    /// Adds a `Uint8Array`.
    pub fn u8(&mut self, column: &[u8]) -> Value {
        self.put("u8", column.len(), column.iter().copied())
    }
}
