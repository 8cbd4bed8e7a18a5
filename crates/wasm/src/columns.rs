//! Columns of numbers, as bytes behind an answer's JSON.
//!
//! In the JSON stands `{"$": "f64", "at": 16, "length": 3}` where the column belongs: the type, its place in the bytes, how many numbers. The page puts
//! a typed array there. Each begins at a multiple of eight; the least byte of a number is first, as in WebAssembly's memory.

use serde_json::{Value, json};

/// Columns of one answer.
#[derive(Debug, Default)]
pub struct Columns {
    /// What goes with the answer.
    pub bytes: Vec<u8>,
}

impl Columns {
    fn put(&mut self, kind: &str, length: usize, bytes: impl Iterator<Item = u8>) -> Value {
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        let at = self.bytes.len();
        self.bytes.extend(bytes);
        json!({ "$": kind, "at": at, "length": length })
    }

    /// A `Float64Array`.
    pub fn f64(&mut self, column: &[f64]) -> Value {
        let bytes = column.iter().flat_map(|value| value.to_le_bytes());
        self.put("f64", column.len(), bytes)
    }

    /// A `Uint32Array`.
    pub fn u32(&mut self, column: &[u32]) -> Value {
        let bytes = column.iter().flat_map(|value| value.to_le_bytes());
        self.put("u32", column.len(), bytes)
    }

    /// A `Uint8Array`.
    pub fn u8(&mut self, column: &[u8]) -> Value {
        self.put("u8", column.len(), column.iter().copied())
    }
}
