//! Page and recordings in one file, which works from disk.
//!
//! **Decision**     none: recordings are base64 in a JSON block. That is no script, so the hashes of the page's
//!                  policy hold; and the policy allows no connection.
//! **Errors**       an existing file, unless it may be replaced; a disk that cannot be written. Then no part of
//!                  the file remains.

use crate::page::Connect;
use crate::{Error, Page, PageContents, Recording, bundle};
use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderWriter;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// File size in bytes above which a browser takes seconds to open the file, and memory of several times its
/// size.
pub const LARGE: u64 = 100_000_000;

/// Writes the file atomically; returns its size in bytes. Replaces an existing file only if `force` is true.
pub fn write_html(
    page: &Page,
    shown: &PageContents,
    path: &Path,
    force: bool,
) -> Result<u64, Error> {
    if !force && path.symlink_metadata().is_ok() {
        return Err(taken(path));
    }
    let cannot = |why: io::Error| Error::Work(format!("cannot write {}: {why}", path.display()));
    let name = path.file_name().filter(|_| !path.is_dir());
    let Some(name) = name else {
        let words = format!("--html: expected a file to write, got {}", path.display());
        return Err(Error::Input(words));
    };
    // A path of one part has the empty path as its parent.
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let part = format!(".{}.", name.to_string_lossy());
    let mut file = begun(&part, folder).map_err(cannot)?;
    write(file.as_file_mut(), page, shown).map_err(cannot)?;
    let bytes = file.as_file().metadata().map_err(cannot)?.len();
    let placed = match force {
        true => file.persist(path),
        false => file.persist_noclobber(path),
    };
    placed.map_err(|why| match why.error.kind() {
        io::ErrorKind::AlreadyExists => taken(path),
        _ => cannot(why.error),
    })?;
    Ok(bytes)
}

fn taken(path: &Path) -> Error {
    Error::Input(format!(
        "--html: {} already exists: choose another file, or replace it with --force",
        path.display()
    ))
}

/// Creates a hidden file beside the one to write, which is removed unless it is renamed. Its permissions are
/// the user's default.
fn begun(part: &str, folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(part).suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

fn write(file: &mut File, page: &Page, shown: &PageContents) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, file);
    let text = page.text(Connect::Nothing);
    let (before, after) = place(&text);
    out.write_all(before.as_bytes())?;
    out.write_all(b"<script type=\"application/json\" id=\"bundle\">")?;
    let around = bundle::around(shown);
    for (part, recording) in around.iter().zip(&shown.recordings) {
        out.write_all(part.as_bytes())?;
        encode(recording, &mut out)?;
    }
    out.write_all(around[shown.recordings.len()].as_bytes())?;
    out.write_all(b"</script>")?;
    out.write_all(after.as_bytes())?;
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.sync_all()
}

/// Writes a recording in base64.
fn encode(recording: &Recording, out: &mut impl Write) -> io::Result<()> {
    let mut encoder = EncoderWriter::new(out, &STANDARD);
    let mut room = vec![0; 1 << 16];
    let mut at = 0;
    while at < recording.bytes {
        // Bytes appended since the file was opened are not part of the recording.
        let left = usize::try_from(recording.bytes - at).unwrap_or(usize::MAX);
        let most = left.min(room.len());
        let got = recording.read_at(at, &mut room[..most])?;
        if got == 0 {
            let words = format!("{} became shorter while it was read", recording.name);
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, words));
        }
        encoder.write_all(&room[..got])?;
        at += got as u64;
    }
    encoder.finish().map(|_| ())
}

/// Splits the page where the bundle goes: in place of an empty bundle, else at the end of the body. The page's
/// scripts are modules, which run after all of it is read.
fn place(text: &str) -> (&str, &str) {
    const EMPTY: &str = "<script type=\"application/json\" id=\"bundle\"></script>";
    match text.split_once(EMPTY) {
        Some(parts) => parts,
        None => text.split_at(text.rfind("</body>").unwrap_or(text.len())),
    }
}
