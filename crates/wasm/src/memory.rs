//! Raw interface of the module: memory, calls, frames. Only this file and `opened.rs` have `unsafe` code.
//!
//! **Decision**     none.
//! **State**        the last answer and the last panic's message; a module has one thread.
//! **Errors**       if the answer is a refusal, [`sidestep_call`] returns 1 and [`sidestep_frame`] 0; the JSON
//!                  of the refusal is at [`sidestep_answer`].
//!
//! The page allocates memory, writes to it, and calls. The next call overwrites the data to which
//! [`sidestep_answer`] points.

use crate::families;
use std::cell::RefCell;
use std::slice;

/// Result of a call, for the page: addresses and lengths of JSON and bytes.
#[repr(C)]
#[derive(Default)]
struct CallResult {
    json: usize,
    json_length: usize,
    bytes: usize,
    bytes_length: usize,
}

#[derive(Default)]
struct Last {
    json: Vec<u8>,
    bytes: Vec<u8>,
    found: Box<CallResult>,
}

thread_local! {
    static LAST: RefCell<Last> = RefCell::default();
    // Separate from `LAST`: a panic may come while that is borrowed.
    static PANIC: RefCell<(String, Box<CallResult>)> = RefCell::default();
}

/// Allocates `length` bytes, all 0, for the page to write to.
#[unsafe(no_mangle)]
pub extern "C" fn sidestep_allocate(length: usize) -> *mut u8 {
    listen_for_panics();
    Box::into_raw(vec![0_u8; length].into_boxed_slice()).cast()
}

/// Frees memory from [`sidestep_allocate`] that no call has consumed.
///
/// # Safety
///
/// `at` is from [`sidestep_allocate`] with this `length`, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_release(at: *mut u8, length: usize) {
    // SAFETY: as the caller promises, this is a boxed slice of that length without another owner.
    drop(unsafe { owned(at, length) });
}

/// Calls `method` with `arguments`, which the page keeps, and `bytes`, which the module consumes. Returns 0 for
/// an answer and 1 for a refusal.
///
/// # Safety
///
/// Each pointer is from [`sidestep_allocate`] with its length; `bytes` is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_call(
    method: *const u8,
    method_length: usize,
    arguments: *const u8,
    arguments_length: usize,
    bytes: *mut u8,
    bytes_length: usize,
) -> u32 {
    // SAFETY: as the caller promises, both slices have these lengths, and nothing writes to them during this
    // call.
    let (method, arguments) = unsafe {
        (
            slice::from_raw_parts(method, method_length),
            slice::from_raw_parts(arguments, arguments_length),
        )
    };
    // SAFETY: as the caller promises, this is a boxed slice of that length without another owner.
    let bytes = unsafe { owned(bytes, bytes_length) };
    let outcome = families::call(
        &String::from_utf8_lossy(method),
        &String::from_utf8_lossy(arguments),
        bytes.into_vec(),
    );
    match outcome {
        Ok(answer) => {
            keep(answer.json.to_string(), answer.bytes);
            0
        }
        Err(refusal) => {
            keep(refusal.json().to_string(), Vec::new());
            1
        }
    }
}

/// Returns the address of the last answer: four numbers, as in [`CallResult`].
#[unsafe(no_mangle)]
pub extern "C" fn sidestep_answer() -> *const u8 {
    LAST.with_borrow(|last| (&raw const *last.found).cast())
}

/// Returns the address of the message of the panic that stopped the module: two numbers, address and length.
#[unsafe(no_mangle)]
pub extern "C" fn sidestep_panic() -> *const u8 {
    PANIC.with_borrow_mut(|(words, found)| {
        (found.json, found.json_length) = (words.as_ptr() as usize, words.len());
        (&raw const **found).cast()
    })
}

/// Moves an open recording to an instant, and returns the address of the frame: the twelve numbers of `View` in
/// `player.rs`. Returns 0 for a refusal.
#[cfg(feature = "player")]
#[unsafe(no_mangle)]
pub extern "C" fn sidestep_frame(player: u32, at: f64, span: f64) -> *const u8 {
    match crate::player::frame(player, at, span) {
        Ok(view) => view.cast(),
        Err(refusal) => {
            keep(refusal.json().to_string(), Vec::new());
            std::ptr::null()
        }
    }
}

/// # Safety
///
/// `at` and `length` are those of a boxed slice without another owner; or `at` is null, or the length is 0.
unsafe fn owned(at: *mut u8, length: usize) -> Box<[u8]> {
    if at.is_null() || length == 0 {
        return Box::default();
    }
    // SAFETY: as the caller promises.
    unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(at, length)) }
}

fn keep(json: String, bytes: Vec<u8>) {
    LAST.with_borrow_mut(|last| {
        (last.json, last.bytes) = (json.into_bytes(), bytes);
        *last.found = CallResult {
            json: last.json.as_ptr() as usize,
            json_length: last.json.len(),
            bytes: last.bytes.as_ptr() as usize,
            bytes_length: last.bytes.len(),
        };
    });
}

/// Keeps the message of a panic. A test reports panics itself.
fn listen_for_panics() {
    #[cfg(target_arch = "wasm32")]
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| {
            std::panic::set_hook(Box::new(|panic| {
                PANIC.with_borrow_mut(|(words, _)| *words = panic.to_string());
            }));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls as the page does; returns status, JSON, bytes.
    fn ask(method: &str, arguments: &str, bytes: &[u8]) -> (u32, String, Vec<u8>) {
        let put = |bytes: &[u8]| {
            let at = sidestep_allocate(bytes.len());
            // SAFETY: the allocation has this length.
            unsafe { at.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
            at
        };
        let (m, a, b) = (
            put(method.as_bytes()),
            put(arguments.as_bytes()),
            put(bytes),
        );
        // SAFETY: all three are from `sidestep_allocate` with these lengths, and released memory is not used
        // again.
        let status = unsafe {
            let status = sidestep_call(m, method.len(), a, arguments.len(), b, bytes.len());
            sidestep_release(m, method.len());
            sidestep_release(a, arguments.len());
            status
        };
        // SAFETY: the answer points to a `CallResult`, whose two ranges live until the next call.
        let (json, bytes) = unsafe {
            let found = &*sidestep_answer().cast::<CallResult>();
            (
                slice::from_raw_parts(found.json as *const u8, found.json_length).to_vec(),
                slice::from_raw_parts(found.bytes as *const u8, found.bytes_length).to_vec(),
            )
        };
        (status, String::from_utf8(json).unwrap(), bytes)
    }

    #[test]
    fn what_there_is_not_is_refused_in_words() {
        let (status, json, bytes) = ask("nobody.asks", "{}", b"");
        assert_eq!((status, bytes.len()), (1, 0));
        assert_eq!(
            json,
            r#"{"message":"unknown call \"nobody.asks\"","details":[]}"#
        );
    }

    #[cfg(feature = "player")]
    #[test]
    fn a_file_that_is_no_recording_is_refused_in_words() {
        let (status, json, _) = ask("player.open", "{}", b"not one");
        assert!(
            status == 1 && json.contains("the file is not a recording"),
            "{json}"
        );
    }
}
