//! Source of the text of a user's files.
//!
//! The simulator opens no file. Its caller (command line, Python, browser, test) provides an implementation
//! that can.

/// Text by path.
///
/// ```
/// use sidestep_sim::Files;
///
/// struct One;
///
/// impl Files for One {
///     fn read(&self, path: &str) -> Result<String, String> {
///         match path {
///             "flows.csv" => Ok("start,src,dst,size\n1 ms,0,1,20 kB\n".into()),
///             _ => Err("no such file".into()),
///         }
///     }
/// }
///
/// assert!(One.read("flows.csv").is_ok());
/// ```
pub trait Files {
    /// Returns the text of the file at `path`, as the user wrote it.
    ///
    /// Errors say why it cannot be read, without the path, which the caller prints.
    fn read(&self, path: &str) -> Result<String, String>;
}

/// No files: only shipped distributions can be read.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &str) -> Result<String, String> {
        Err("no files can be read here".into())
    }
}
