//! Turns the folder of a plug-in, or its library, into a scheme.

use super::asked::Loaded;
use super::build::build;
use super::open::open;
use super::stamp;
use crate::Error;
use crate::caller::{CallerPolicies, CallerScheme, MakeBuffer, MakeRoute, MakeSched, Part};
use sha2::{Digest, Sha256};
use sidestep_plugin::PolicyFactory;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, process};

/// Loads the scheme of the plug-in at `path`: a folder, which is built first, or a library.
///
/// Its runs are cached under a digest of the library, which the manifest states as well.
pub fn load(path: &Path) -> Result<CallerScheme, Error> {
    let library = if path.is_dir() {
        build(path)?
    } else {
        path.to_path_buf()
    };
    let bytes = fs::read(&library).map_err(|e| Error::io("cannot read", &library, e))?;
    stamp::check(&library, &bytes)?;
    let digest: String = Sha256::digest(&bytes)
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    // The library is opened from a private copy: the checked bytes are the bytes opened, and a rebuilt library
    // is a new file.
    let copy = Copied::of(&bytes)?;
    let plugin = open(&copy.0)
        .map_err(|why| Error::Input(format!("cannot load {}: {why}", library.display())))?;
    let name = format!("plugin:{}", plugin.name);
    let mut own = CallerPolicies {
        key: Some(format!("sha256:{digest}")),
        ..CallerPolicies::default()
    };
    match &plugin.make {
        PolicyFactory::Route(maker) => {
            let make: Arc<MakeRoute> = Arc::new(|who| Ok(Box::new(Loaded::make(maker, who)?)));
            own.route = Some(Part { name, make });
        }
        PolicyFactory::Buffer(maker) => {
            let make: Arc<MakeBuffer> = Arc::new(|who| Ok(Box::new(Loaded::make(maker, who)?)));
            own.buffer = Some(Part { name, make });
        }
        PolicyFactory::Sched(maker) => {
            let make: Arc<MakeSched> = Arc::new(|who, _| Ok(Box::new(Loaded::make(maker, who)?)));
            own.sched = Some(Part { name, make });
        }
    }
    Ok(CallerScheme {
        name: plugin.name.into(),
        extends: plugin.extends.into(),
        own,
    })
}

/// File of this process, deleted when dropped.
struct Copied(PathBuf);

impl Copied {
    fn of(bytes: &[u8]) -> Result<Copied, Error> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("sidestep-plugin-{}-{count}.so", process::id()));
        let mut options = File::options();
        let file = options.write(true).create_new(true).mode(0o700).open(&path);
        let mut file = file.map_err(|e| Error::io("cannot write", &path, e))?;
        let copied = Copied(path);
        let written = file.write_all(bytes);
        written.map_err(|e| Error::io("cannot write", &copied.0, e))?;
        Ok(copied)
    }
}

impl Drop for Copied {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
