//! Bytes as signed numbers, without a copy.
#![expect(unsafe_code, reason = "the standard library has no safe view of bytes as signed numbers")]

/// The same bytes as signed numbers.
pub(in crate::vector) fn as_signed(bytes: &[u8]) -> &[i8] {
    // SAFETY: u8 and i8 have the same size and alignment, and every bit pattern is a
    // value of both; the length and the lifetime are those of the slice.
    unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len()) }
}
