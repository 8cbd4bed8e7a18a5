//! Cache of records between calls, by a key of everything that decides them.
//!
//! **State**     one file a record, `DIR/ab/abcdef….record`: a line that identifies the format, the SHA-256 of
//!               the rest, and the record in postcard's variable-length encoding. For a run whose flows are
//!               wanted, `….rows` beside it: its part of each table.
//! **Key**       SHA-256 of the code (package version and a digest of the sources), of `Scenario::identity` and
//!               of the seed: equal keys are equal runs.
//! **Errors**    a damaged, truncated or foreign file counts as missing. A directory that cannot be written to
//!               is reported once, and stores nothing.
//! **Processes** files appear complete, by rename, so any number of processes may share the cache. A record is
//!               stored as soon as its run has ended: a killed process loses only the runs in progress. The
//!               record of a long run is flushed to the disk; a short run takes less time than a flush, so a
//!               power failure may lose those that the system had not yet written, on Linux those of the last
//!               half minute.

use crate::tables::Rows;
use bytes::Bytes;
use postcard::{from_bytes, to_stdvec};
use sha2::{Digest, Sha256};
use sidestep_lab::{Record, Scenario};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Version of the code that runs: the package's version and a digest of the sources that decide a run.
pub const CODE: &str = concat!(env!("CARGO_PKG_VERSION"), "-", env!("SIDESTEP_CODE"));

/// First line of a record file.
const MAGIC: &[u8] = b"sidestep record 2\n";

/// First line of a file of rows.
const ROWS: &[u8] = b"sidestep rows 5\n";

/// Age above which a temporary file belongs to a process that has ended.
const STALE: Duration = Duration::from_secs(600);

/// CPU time of a run, in seconds, below which its record is not flushed: a flush takes 1 to 20 ms.
const SYNC_S: f64 = 0.1;

/// Directory of records.
#[derive(Debug)]
pub struct Cache {
    dir: PathBuf,
    written: AtomicU64,
    damaged: AtomicU64,
    bytes: AtomicU64,
    /// First reason why a record could not be stored.
    refused: Mutex<Option<String>>,
}

/// Key of a run: a digest, stored as bytes. Hexadecimal digits would need three times as much memory, which
/// matters with very many runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key([u8; 32]);

impl Key {
    /// Computes the key of scheme number `scheme` of the scenario with `seed`, under this code.
    pub fn of(scenario: &Scenario, scheme: usize, seed: u64) -> Key {
        Key::under(CODE, &scenario.identity(scheme), seed)
    }

    fn under(code: &str, identity: &str, seed: u64) -> Key {
        let text = format!("code = {code}\nseed = {seed}\n{identity}");
        Key(Sha256::digest(text.as_bytes()).into())
    }
}

impl Key {
    /// Returns its 64 hexadecimal digits.
    pub fn digits(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl Cache {
    /// Opens the cache in this directory, which is created with the first record. Removes stale temporary
    /// files.
    pub fn at(dir: &Path) -> Cache {
        let cache = Cache::beside(dir);
        cache.sweep();
        cache
    }

    /// Opens the cache without removing files, since other processes may be writing.
    pub fn beside(dir: &Path) -> Cache {
        Cache {
            dir: dir.to_path_buf(),
            written: AtomicU64::new(0),
            damaged: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            refused: Mutex::new(None),
        }
    }

    /// Removes half-written files of killed processes.
    fn sweep(&self) {
        let folders = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let files = folders.flat_map(|f| fs::read_dir(f.path()).into_iter().flatten().flatten());
        for file in files {
            let age = file.metadata().and_then(|m| m.modified());
            let old = age.is_ok_and(|t| t.elapsed().is_ok_and(|age| age > STALE));
            if old && file.path().extension().is_some_and(|e| e == "partial") {
                let _ = fs::remove_file(file.path());
            }
        }
    }

    fn path(&self, key: &Key, ending: &str) -> PathBuf {
        let digits = key.digits();
        self.dir
            .join(&digits[..2])
            .join(format!("{digits}.{ending}"))
    }

    /// Returns the stored bytes of a run's record, if it is intact.
    pub fn load_packed(&self, key: &Key) -> Option<Vec<u8>> {
        self.read(key, "record", |bytes| unpack(bytes).map(|_| bytes.to_vec()))
    }

    /// Returns true if there is a file for this run, intact or not.
    pub fn has(&self, key: &Key) -> bool {
        self.path(key, "record").is_file()
    }

    /// Loads the record of a run, if it is intact.
    pub fn load(&self, key: &Key) -> Option<Record> {
        self.read(key, "record", unpack)
    }

    /// Loads the record of a run and its rows, if both are intact.
    pub fn load_whole(&self, key: &Key) -> Option<(Record, Rows)> {
        let rows = self.read(key, "rows", unpack_rows)?;
        Some((self.load(key)?, rows))
    }

    fn read<T>(&self, key: &Key, ending: &str, unpack: fn(&[u8]) -> Option<T>) -> Option<T> {
        let bytes = fs::read(self.path(key, ending)).ok()?;
        let found = unpack(&bytes);
        if found.is_none() {
            self.damaged.fetch_add(1, Ordering::Relaxed);
        }
        found
    }

    /// Stores the record of a run, if the disk allows.
    pub fn store(&self, key: &Key, record: &Record) {
        self.store_packed(key, &pack(record), record.cpu_s);
    }

    /// Stores a packed record, whose run took `cpu_s` seconds of CPU time.
    pub fn store_packed(&self, key: &Key, record: &[u8], cpu_s: f64) {
        if self.keep(key, "record", record, cpu_s) {
            self.written.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Stores the rows of a run, then its record.
    pub fn store_whole(&self, key: &Key, record: &Record, rows: &Rows) {
        if self.keep(key, "rows", &pack_rows(rows), record.cpu_s) {
            self.store(key, record);
        }
    }

    fn keep(&self, key: &Key, ending: &str, bytes: &[u8], cpu_s: f64) -> bool {
        let kept = self.write(key, ending, bytes, cpu_s >= SYNC_S);
        match &kept {
            Ok(bytes) => {
                self.bytes.fetch_add(*bytes, Ordering::Relaxed);
            }
            Err(e) => {
                let mut refused = self.refused.lock().expect("no holder panics");
                refused.get_or_insert_with(|| e.to_string());
            }
        }
        kept.is_ok()
    }

    fn write(&self, key: &Key, ending: &str, bytes: &[u8], synced: bool) -> io::Result<u64> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let path = self.path(key, ending);
        let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let hidden = path.with_extension(format!("{process}-{count}.partial"));
        let mut file = match File::create(&hidden) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(path.parent().expect("a record is in a folder"))?;
                File::create(&hidden)?
            }
            made => made?,
        };
        let written = file.write_all(bytes).and_then(|()| match synced {
            true => file.sync_all(),
            false => Ok(()),
        });
        let placed = written.and_then(|()| fs::rename(&hidden, &path));
        if placed.is_err() {
            let _ = fs::remove_file(&hidden);
        }
        placed.map(|()| bytes.len() as u64)
    }

    /// Returns the use of the cache so far.
    pub fn used(&self) -> CacheUse {
        CacheUse {
            dir: self.dir.clone(),
            kept: self.written.load(Ordering::Relaxed),
            kept_bytes: self.bytes.load(Ordering::Relaxed),
            damaged: self.damaged.load(Ordering::Relaxed),
            total_bytes: size(&self.dir),
            refused: self.refused.lock().expect("no holder panics").clone(),
        }
    }
}

/// Use of a cache by one call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheUse {
    /// Directory.
    pub dir: PathBuf,
    /// Records stored by this call.
    pub kept: u64,
    /// Bytes stored by this call.
    pub kept_bytes: u64,
    /// Records that could not be read, whose runs were repeated.
    pub damaged: u64,
    /// Bytes of the whole cache, including other experiments.
    pub total_bytes: u64,
    /// Reason why a record could not be stored.
    pub refused: Option<String>,
}

fn size(dir: &Path) -> u64 {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let of = |entry: fs::DirEntry| match entry.metadata() {
        Ok(about) if about.is_dir() => size(&entry.path()),
        Ok(about) => about.len(),
        Err(_) => 0,
    };
    entries.map(of).sum()
}

/// Returns true if the bytes are an intact record of this version.
pub fn is_record(bytes: &[u8]) -> bool {
    opened(MAGIC, bytes).is_some()
}

/// Unpacks a record that was packed by this process, or found intact.
pub(super) fn read(packed: &[u8]) -> Record {
    unpack(packed).expect("it was packed here, or found whole")
}

pub(super) fn pack(record: &Record) -> Vec<u8> {
    let body = to_stdvec(record).expect("a record has no part that cannot be written");
    sealed(MAGIC, &body)
}

fn unpack(bytes: &[u8]) -> Option<Record> {
    from_bytes(opened(MAGIC, bytes)?).ok()
}

fn pack_rows(rows: &Rows) -> Vec<u8> {
    let mut body = Vec::new();
    for table in &rows.tables {
        body.extend_from_slice(&(table.len() as u64).to_le_bytes());
        body.extend_from_slice(table);
    }
    sealed(ROWS, &body)
}

fn unpack_rows(bytes: &[u8]) -> Option<Rows> {
    let mut rest = opened(ROWS, bytes)?;
    let mut next = || {
        let (len, after) = rest.split_first_chunk()?;
        let len = usize::try_from(u64::from_le_bytes(*len)).ok()?;
        let (table, after) = after.split_at_checked(len)?;
        rest = after;
        Some(Bytes::copy_from_slice(table))
    };
    let mut tables = [const { Bytes::new() }; Rows::NAMES.len()];
    for table in &mut tables {
        *table = next()?;
    }
    rest.is_empty().then_some(Rows { tables })
}

/// Seals a file: its format, a digest of the body, and the body.
fn sealed(magic: &[u8], body: &[u8]) -> Vec<u8> {
    let mut bytes = magic.to_vec();
    bytes.extend_from_slice(&Sha256::digest(body));
    bytes.extend_from_slice(body);
    bytes
}

/// Returns the body of a sealed file, if it is complete.
fn opened<'a>(magic: &[u8], bytes: &'a [u8]) -> Option<&'a [u8]> {
    let rest = bytes.strip_prefix(magic)?;
    let (digest, body) = rest.split_at_checked(32)?;
    (Sha256::digest(body).as_slice() == digest).then_some(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_lab::stats::Sample;
    use sidestep_sim::{NoFiles, TraceFilter};
    use sidestep_types::Time;

    const TEXT: &str = "duration = \"1 ms\"\nschemes = [\"dctcp\", \"dibs\"]\n\
        [topology]\nkind = \"fat_tree\"\nk = 4\n\
        [workload.query]\nkind = \"incast\"\ndegree = 15\nsize = \"40 kB\"\n";

    fn scenario(sets: &[&str]) -> Scenario {
        let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
        let read = Scenario::read("t.toml", TEXT, &sets, &NoFiles);
        read.unwrap_or_else(|problems| panic!("{problems:?}"))
    }

    fn record() -> Record {
        let go = &mut |_: &_| sidestep_lab::Watch::Go;
        let run = sidestep_lab::run(&scenario(&[]), 1, 1, TraceFilter::None, go);
        Record::of(&run.unwrap())
    }

    #[test]
    fn what_is_kept_is_found_again() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(&dir.path().join("deep/cache"));
        let (key, record) = (Key::of(&scenario(&[]), 1, 1), record());
        assert_eq!(cache.load(&key), None);
        cache.store(&key, &record);
        assert_eq!(cache.load(&key), Some(record));
        let used = cache.used();
        assert_eq!(
            (used.kept, used.damaged, used.refused.clone()),
            (1, 0, None)
        );
        assert!(
            used.total_bytes == used.kept_bytes && used.kept_bytes < 1000,
            "{used:?}"
        );
    }

    /// Checks the size that docs/how-to/reproduce.md gives for a run with very many flows.
    #[test]
    fn a_million_flows_take_little_and_more_take_no_more() {
        let dir = tempfile::tempdir().unwrap();
        let size = |flows: u64| {
            let mut record = record();
            let class = &mut record.classes[0];
            for i in 0..flows {
                // Two crossed cycles: 20 us to 3 s, in no order, and none twice.
                let far = (i * 7_919 % 100_003) as f64 / 100_003.0;
                let ps = 2e7 * (1.5e5f64.ln() * far).exp() + (i / 100_003) as f64;
                class.fct.done(Time::from_ps(ps as u64));
                class.slowdown.done(Time::from_ps((ps / 20.0) as u64));
            }
            record.classes[0].fct.sort();
            record.classes[0].slowdown.sort();
            let (cache, key) = (Cache::at(dir.path()), Key::of(&scenario(&[]), 1, flows));
            cache.store(&key, &record);
            assert_eq!(cache.load(&key), Some(record));
            cache.used().kept_bytes
        };
        // Exact: two lists of a quarter of a million values of 2 to 5 bytes.
        let most = size(Sample::EACH as u64 - 100);
        assert!((500_000..2_600_000).contains(&most), "{most}");
        let (one, four) = (size(1_000_000), size(4_000_000));
        // Rounded: one byte for the value and one or two for its count, 17,000 values in each list.
        assert!((60_000..80_000).contains(&one), "{one}");
        assert!((90_000..120_000).contains(&four), "{four}");
    }

    #[test]
    fn a_damaged_file_is_as_good_as_none() {
        let dir = tempfile::tempdir().unwrap();
        let (key, record) = (Key::of(&scenario(&[]), 1, 1), record());
        let whole = pack(&record);
        let path = Cache::at(dir.path()).path(&key, "record");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        for at in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 0x10;
            for bytes in [&flipped, &whole[..at]] {
                assert_eq!(unpack(bytes), None, "{at}");
            }
        }
        fs::write(&path, &whole[..whole.len() / 2]).unwrap();
        let cache = Cache::at(dir.path());
        assert_eq!((cache.load(&key), cache.used().damaged), (None, 1));
        cache.store(&key, &record);
        assert_eq!(cache.load(&key), Some(record));
    }

    #[test]
    fn rows_are_kept_beside_their_record_and_both_or_neither_are_found() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path());
        let (key, record) = (Key::of(&scenario(&[]), 1, 1), record());
        let tables =
            [&b"flows"[..], b"", b"", b"ports", b"", b"counts", b""].map(Bytes::from_static);
        let rows = Rows { tables };
        cache.store(&key, &record);
        assert_eq!(cache.load_whole(&key), None, "no rows");
        cache.store_whole(&key, &record, &rows);
        assert_eq!(cache.load_whole(&key), Some((record, rows.clone())));
        let whole = pack_rows(&rows);
        for at in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 0x10;
            for bytes in [&flipped, &whole[..at]] {
                assert_eq!(unpack_rows(bytes), None, "{at}");
            }
        }
        fs::remove_file(cache.path(&key, "record")).unwrap();
        assert_eq!(cache.load_whole(&key), None, "no record");
    }

    #[test]
    fn the_key_changes_with_all_that_decides_and_nothing_else() {
        let key = |sets: &[&str], scheme, seed| Key::of(&scenario(sets), scheme, seed);
        let first = key(&[], 1, 1);
        for same in [&["title=other"][..], &["seeds=1..9"], &["drain=1 s"]] {
            assert_eq!(key(same, 1, 1), first, "{same:?}");
        }
        // Neither another scheme's values nor the set of schemes change the key.
        assert_eq!(key(&["scheme.dctcp.switch.capacity=50 pkt"], 1, 1), first);
        assert_eq!(key(&["schemes=dibs"], 0, 1), first);
        let others = [
            key(&[], 0, 1),
            key(&[], 1, 2),
            key(&["scheme.dibs.switch.capacity=50 pkt"], 1, 1),
            key(&["duration=2 ms"], 1, 1),
            key(&["topology.k=6"], 1, 1),
            key(&["workload.query.degree=14"], 1, 1),
            Key::under("other code", &scenario(&[]).identity(1), 1),
        ];
        for (i, other) in others.iter().enumerate() {
            assert!(*other != first && !others[..i].contains(other), "{i}");
        }
    }

    #[test]
    fn a_place_that_cannot_be_written_keeps_nothing_and_says_why() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, "no directory").unwrap();
        let cache = Cache::at(&file);
        let key = Key::of(&scenario(&[]), 1, 1);
        cache.store(&key, &record());
        assert_eq!(cache.load(&key), None);
        assert!(cache.used().refused.is_some());
    }
}
