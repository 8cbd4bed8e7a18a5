//! Files that the switch reads and writes at paths where others may have put something else.
//!
//! **Decision**     only regular files within a limit are read: with a device, pipe or folder, a start or a
//!                  reload could wait or grow for ever. Only new files are written, for their owner alone (mode
//!                  0600). An existing file is never written into, and an existing link never followed; a file
//!                  to be replaced must belong to the switch's own user, and is removed first.
//! **State**        none.
//! **Units**        bytes.
//! **Errors**       path, expected, got.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Bytes of the longest config: a hundred thousand stations. Assumed.
pub const CONFIG: u64 = 16 << 20;

/// Reads the text of a file of at most `most` bytes.
///
/// ```
/// use sidestep_softswitch::process::files::{CONFIG, read};
///
/// let error = read("/dev/zero".as_ref(), CONFIG).unwrap_err();
/// assert_eq!(error, "cannot read /dev/zero: expected a file of at most 16777216 bytes, got a device");
/// ```
pub fn read(path: &Path, most: u64) -> Result<String, String> {
    let name = path.display();
    let mut bytes = Vec::new();
    let mut file = open(path, most, 0)?;
    (&mut file)
        .take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| format!("cannot read {name}: {e}"))?;
    if bytes.len() as u64 > most {
        return Err(beyond(path, most, "more"));
    }
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        format!(
            "cannot read {name}: expected text in UTF-8, got byte 0x{:02x} at {at}",
            e.as_bytes()[at]
        )
    })
}

/// Opens a file of at most `most` bytes; `flags` are additional flags of open(2). The reader must check the
/// limit again: files of some file systems do not report their length.
pub fn open(path: &Path, most: u64, flags: libc::c_int) -> Result<File, String> {
    let say = |e: io::Error| format!("cannot read {}: {e}", path.display());
    let fits = |about: Metadata| match about.file_type().is_file() {
        false => Err(beyond(path, most, kind(about.file_type()))),
        true if about.len() > most => {
            Err(beyond(path, most, &format!("one of {} bytes", about.len())))
        }
        true => Ok(()),
    };
    // Checked before opening: opening a device may have side effects, and opening a pipe waits for a writer.
    if flags & libc::O_NOFOLLOW == 0 {
        fits(std::fs::metadata(path).map_err(say)?)?;
    }
    let mut options = OpenOptions::new();
    options.read(true);
    options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | flags);
    let file = options.open(path).map_err(say)?;
    // Checked again: the file may have been replaced since.
    fits(file.metadata().map_err(say)?)?;
    Ok(file)
}

fn beyond(path: &Path, most: u64, got: &str) -> String {
    let name = path.display();
    format!("cannot read {name}: expected a file of at most {most} bytes, got {got}")
}

/// Creates a file that must not exist, for its owner only. A link at `path` counts as existing, wherever it
/// leads.
pub fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    options.custom_flags(libc::O_NOFOLLOW).open(path)
}

/// Creates a file as [`create`] does, in place of a file of this process's user, if there is one.
pub fn replace(path: &Path) -> io::Result<File> {
    match std::fs::symlink_metadata(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => {}
        Err(e) => return Err(e),
        Ok(there) => {
            // SAFETY: no memory is passed.
            let me = unsafe { libc::geteuid() };
            let got = match there.file_type().is_file() {
                true if there.uid() == me => None,
                true => Some(format!("a file of user {}", there.uid())),
                false => Some(kind(there.file_type()).to_string()),
            };
            if let Some(got) = got {
                let why = format!("expected nothing there or a file of user {me}, got {got}");
                return Err(io::Error::new(ErrorKind::AlreadyExists, why));
            }
            std::fs::remove_file(path)?;
        }
    }
    create(path)
}

/// Describes a kind of file.
pub fn kind(of: FileType) -> &'static str {
    match () {
        () if of.is_file() => "a file",
        () if of.is_dir() => "a folder",
        () if of.is_symlink() => "a symbolic link",
        () if of.is_fifo() => "a pipe",
        () if of.is_socket() => "a socket",
        () => "a device",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    fn fifo(path: &Path) {
        let path = CString::new(path.as_os_str().as_bytes()).unwrap();
        // SAFETY: the path ends with a zero.
        assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
    }

    #[test]
    fn what_does_not_end_is_not_read() {
        let room = tempfile::tempdir().unwrap();
        let at = |name: &str| room.path().join(name);
        fifo(&at("fifo"));
        symlink("/dev/zero", at("zero")).unwrap();
        for (path, got) in [
            ("/dev/zero".into(), "a device"),
            (at("zero"), "a device"),
            (at("fifo"), "a pipe"),
            (room.path().into(), "a folder"),
        ] {
            let error = read(&path, 9).unwrap_err();
            let expected = format!("expected a file of at most 9 bytes, got {got}");
            assert!(error.ends_with(&expected), "{error}");
            assert!(error.contains(&path.display().to_string()), "{error}");
        }
    }

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("x");
        std::fs::write(&path, "123456789").unwrap();
        assert_eq!(read(&path, 9).unwrap(), "123456789");
        let error = read(&path, 8).unwrap_err();
        assert!(
            error.ends_with("at most 8 bytes, got one of 9 bytes"),
            "{error}"
        );
        // This file reports a length of 0.
        let error = read("/proc/self/status".as_ref(), 8).unwrap_err();
        assert!(error.ends_with("at most 8 bytes, got more"), "{error}");
        std::fs::write(&path, b"ab\xffc").unwrap();
        let error = read(&path, 9).unwrap_err();
        assert!(
            error.ends_with("expected text in UTF-8, got byte 0xff at 2"),
            "{error}"
        );
        let error = read(&room.path().join("none"), 9).unwrap_err();
        assert!(error.contains("none: No such file"), "{error}");
    }

    #[test]
    fn a_link_is_not_followed_where_it_shall_not_be() {
        let room = tempfile::tempdir().unwrap();
        let (path, link) = (room.path().join("x"), room.path().join("link"));
        std::fs::write(&path, "x").unwrap();
        symlink(&path, &link).unwrap();
        assert!(open(&link, 9, 0).is_ok());
        assert!(open(&path, 9, libc::O_NOFOLLOW).is_ok());
        let error = open(&link, 9, libc::O_NOFOLLOW).unwrap_err();
        assert!(
            error.contains("link: Too many levels of symbolic links"),
            "{error}"
        );
    }

    #[test]
    fn a_new_file_is_its_owners_alone_and_takes_nobodys_place() {
        let room = tempfile::tempdir().unwrap();
        let at = |name: &str| room.path().join(name);
        let file = create(&at("new")).unwrap();
        assert_eq!(file.metadata().unwrap().mode() & 0o7777, 0o600);
        std::fs::write(at("victim"), "kept").unwrap();
        symlink(at("victim"), at("link")).unwrap();
        symlink(at("nowhere"), at("dangling")).unwrap();
        fifo(&at("fifo"));
        for name in ["new", "victim", "link", "dangling", "fifo"] {
            let error = create(&at(name)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{name}: {error}");
        }
        assert!(!at("nowhere").exists());
        for (name, got) in [
            ("link", "got a symbolic link"),
            ("dangling", "got a symbolic link"),
            ("fifo", "got a pipe"),
        ] {
            let error = replace(&at(name)).unwrap_err().to_string();
            assert!(error.ends_with(got), "{error}");
        }
        assert_eq!(std::fs::read(at("victim")).unwrap(), b"kept");
    }

    #[test]
    fn a_file_that_is_replaced_is_another_one() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("x");
        std::fs::write(&path, "before").unwrap();
        // The old file stays intact under its other name, and for processes that have it open.
        std::fs::hard_link(&path, room.path().join("other")).unwrap();
        let file = replace(&path).unwrap();
        let about = file.metadata().unwrap();
        assert_eq!((about.mode() & 0o7777, about.len()), (0o600, 0));
        assert_eq!(std::fs::read(room.path().join("other")).unwrap(), b"before");
        // SAFETY: no memory is passed.
        if unsafe { libc::geteuid() } == 0 {
            std::os::unix::fs::chown(&path, Some(65_534), None).unwrap();
            let error = replace(&path).unwrap_err().to_string();
            assert!(
                error.ends_with("of user 0, got a file of user 65534"),
                "{error}"
            );
        }
    }
}
