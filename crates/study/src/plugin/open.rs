//! Opens a library whose stamp is this program's.

// One of two files here with unsafe code.
#![allow(unsafe_code)]

use sidestep_plugin::Plugin;
use std::ffi::{CStr, CString, c_char};
use std::path::Path;

/// What the library at `path` exports. It stays open until the program ends.
///
/// The caller has compared its stamp with this program's, and is the only one who can write to the file.
pub fn open(path: &Path) -> Result<&'static Plugin, String> {
    let name = CString::new(path.as_os_str().as_encoded_bytes()).map_err(|e| e.to_string())?;
    // SAFETY: `name` is a C string. What the library does as it is opened is what the standard library does: the
    // compiler of its stamp puts nothing else there, and a plug-in is the user's own code.
    let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        return Err(said());
    }
    // SAFETY: `library` is open, and the name is a C string.
    let found = unsafe { libc::dlsym(library, c"SIDESTEP_PLUGIN".as_ptr()) };
    if found.is_null() {
        return Err(said());
    }
    // SAFETY: `export!` alone writes a stamp, and beside it a static `Plugin` of this name. Stamps are equal, so
    // compiler and sources of that type are those of this program, and with them its layout. It is never written to
    // and, since the library stays open, lives as long as the program.
    Ok(unsafe { &*found.cast::<Plugin>() })
}

/// What the loader says of its last failure.
fn said() -> String {
    // SAFETY: takes no arguments.
    let text: *mut c_char = unsafe { libc::dlerror() };
    if text.is_null() {
        return "the loader does not say why".into();
    }
    // SAFETY: a C string of this thread's, until its next call of the loader.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}
