//! Conversion of header bytes into numbers.

/// Returns the sum of `bytes` as 16-bit words, with the carries added in (RFC 1071).
#[inline]
pub(super) fn ones_sum(bytes: &[u8]) -> u16 {
    let mut sum: u64 = 0;
    let mut words = bytes.chunks_exact(4);
    for word in &mut words {
        sum += u64::from(u32::from_be_bytes(array(word)));
    }
    let rest = words.remainder();
    let mut last = [0; 4];
    last[..rest.len()].copy_from_slice(rest);
    sum += u64::from(u32::from_be_bytes(last));
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

/// Returns `bytes` as an array; their number must be `N`.
#[inline]
pub(super) fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("a slice of that length")
}
