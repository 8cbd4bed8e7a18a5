//! The module's raw interface: memory, calls, frames. `unsafe` stands here and in `opened.rs`.
//!
//! **Decision**     none.
//! **State**        the last answer and the last panic's words, of the one thread that a module has.
//! **Errors**       [`sidestep_call`] is 1 and [`sidestep_frame`] 0 when the answer is a refusal, whose JSON is at [`sidestep_answer`].
//!
//! The page asks for memory, writes there, and calls. What [`sidestep_answer`] points to is written again by the next call.

use crate::families;
use std::cell::RefCell;
use std::slice;

/// What the page finds after a call: where JSON and bytes are, and how long.
#[repr(C)]
#[derive(Default)]
struct Found {
    json: usize,
    json_length: usize,
    bytes: usize,
    bytes_length: usize,
}

#[derive(Default)]
struct Last {
    json: Vec<u8>,
    bytes: Vec<u8>,
    found: Box<Found>,
}

thread_local! {
    static LAST: RefCell<Last> = RefCell::default();
    // Of its own: a panic may come while the other is in use.
    static PANIC: RefCell<(String, Box<Found>)> = RefCell::default();
}

/// Memory for so many bytes, all 0, that the page may write to.
#[unsafe(no_mangle)]
pub extern "C" fn sidestep_allocate(length: usize) -> *mut u8 {
    listen_for_panics();
    Box::into_raw(vec![0_u8; length].into_boxed_slice()).cast()
}

/// Takes back what [`sidestep_allocate`] gave and no call has taken.
///
/// # Safety
///
/// `at` is from [`sidestep_allocate`] with this `length`, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_release(at: *mut u8, length: usize) {
    // SAFETY: as the caller promises, it is a boxed slice of that length, and nobody else has it.
    drop(unsafe { owned(at, length) });
}

/// Asks `method` with `arguments`, which stay the page's, and `bytes`, which the module takes; 0 with an answer and 1 with a refusal.
///
/// # Safety
///
/// Each is from [`sidestep_allocate`] with its length; `bytes` is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_call(
    method: *const u8,
    method_length: usize,
    arguments: *const u8,
    arguments_length: usize,
    bytes: *mut u8,
    bytes_length: usize,
) -> u32 {
    // SAFETY: as the caller promises, so many bytes are there, and nothing writes to them during this call.
    let (method, arguments) = unsafe {
        (
            slice::from_raw_parts(method, method_length),
            slice::from_raw_parts(arguments, arguments_length),
        )
    };
    // SAFETY: as the caller promises, it is a boxed slice of that length, and nobody else has it.
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

/// Where the last answer is: four numbers, as in [`Found`].
#[unsafe(no_mangle)]
pub extern "C" fn sidestep_answer() -> *const u8 {
    LAST.with_borrow(|last| (&raw const *last.found).cast())
}

/// Where the words of the panic are that stopped the module: two numbers, place and length.
#[unsafe(no_mangle)]
pub extern "C" fn sidestep_panic() -> *const u8 {
    PANIC.with_borrow_mut(|(words, found)| {
        (found.json, found.json_length) = (words.as_ptr() as usize, words.len());
        (&raw const **found).cast()
    })
}

/// Goes to an instant of a recording that is open, and says where the frame is: the twelve numbers of `View` in `player.rs`; 0 when that is refused.
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
/// `at` and `length` are those of a boxed slice that nobody else has; or there is nothing, with the length 0.
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
        *last.found = Found {
            json: last.json.as_ptr() as usize,
            json_length: last.json.len(),
            bytes: last.bytes.as_ptr() as usize,
            bytes_length: last.bytes.len(),
        };
    });
}

/// Keeps the words of a panic. A test has its own way to tell them.
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

    /// Asks as the page does: status, JSON, bytes.
    fn ask(method: &str, arguments: &str, bytes: &[u8]) -> (u32, String, Vec<u8>) {
        let put = |bytes: &[u8]| {
            let at = sidestep_allocate(bytes.len());
            // SAFETY: so many bytes are there.
            unsafe { at.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
            at
        };
        let (m, a, b) = (
            put(method.as_bytes()),
            put(arguments.as_bytes()),
            put(bytes),
        );
        // SAFETY: all three are from `sidestep_allocate` with these lengths, and what is released is not used again.
        let status = unsafe {
            let status = sidestep_call(m, method.len(), a, arguments.len(), b, bytes.len());
            sidestep_release(m, method.len());
            sidestep_release(a, arguments.len());
            status
        };
        // SAFETY: it points to a `Found`, whose two ranges are alive until the next call.
        let (json, bytes) = unsafe {
            let found = &*sidestep_answer().cast::<Found>();
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
            r#"{"message":"there is no question \"nobody.asks\"","details":[]}"#
        );
    }

    #[cfg(feature = "player")]
    #[test]
    fn a_file_that_is_no_recording_is_refused_in_words() {
        let (status, json, _) = ask("player.open", "{}", b"not one");
        assert!(
            status == 1 && json.contains("this is no recording"),
            "{json}"
        );
    }
}
