//! Opens a library whose stamp equals this program's.

// This file is one of two in the crate with unsafe code.
#![allow(unsafe_code)]

use sidestep_plugin::Plugin;
use std::ffi::{CStr, CString, c_char};
use std::path::Path;

/// Opens the library at `path` and returns its export. The library stays open until the program ends.
///
/// The caller has compared its stamp with this program's, and is the only one who can write to the file.
pub fn open(path: &Path) -> Result<&'static Plugin, String> {
    let name = CString::new(path.as_os_str().as_encoded_bytes()).map_err(|e| e.to_string())?;
    // SAFETY: `name` is a C string. Opening the library runs the initialisers of the standard library only: the
    // compiler of its stamp adds no others, and a plug-in is the user's own code.
    let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        return Err(said());
    }
    // SAFETY: `library` is open, and the name is a C string.
    let found = unsafe { libc::dlsym(library, c"SIDESTEP_PLUGIN".as_ptr()) };
    if found.is_null() {
        return Err(said());
    }
    // SAFETY: only `export!` writes a stamp, together with a static `Plugin` of this name. The stamps are
    // equal, so compiler and sources of that type, and with them its layout, are those of this program. The
    // static is never written to and lives as long as the program, since the library stays open.
    Ok(unsafe { &*found.cast::<Plugin>() })
}

/// Returns the loader's text on its last failure.
fn said() -> String {
    // SAFETY: takes no arguments.
    let text: *mut c_char = unsafe { libc::dlerror() };
    if text.is_null() {
        return "the loader gives no reason".into();
    }
    // SAFETY: a C string of this thread, valid until its next call of the loader.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}
