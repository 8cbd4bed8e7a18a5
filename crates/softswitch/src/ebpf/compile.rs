//! Compiling and loading the program: C to a BPF object by clang, into the kernel by bpftool.
//!
//! **Decision**     clang 14 or newer, as installed; sizes are the config's.
//! **State**        a folder of sources and the pins, both removed once the program is open.
//! **Errors**       name the Debian package of a missing tool; the messages of clang or the verifier follow.

use super::layout::PORT;
use super::plan::{Sizes, Way};
use super::{kernel, tools};
use crate::frame::Refusal;
use sidestep_switch::DropReason;
use std::fs;
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Sources, by their names.
pub(super) const SOURCES: [(&str, &str); 7] = [
    (
        "sidestep_switch.bpf.c",
        include_str!("../../bpf/sidestep_switch.bpf.c"),
    ),
    ("kernel.h", include_str!("../../bpf/kernel.h")),
    ("decide.h", include_str!("../../bpf/decide.h")),
    ("frame.h", include_str!("../../bpf/frame.h")),
    ("line.h", include_str!("../../bpf/line.h")),
    ("judge.h", include_str!("../../bpf/judge.h")),
    ("turns.h", include_str!("../../bpf/turns.h")),
];

/// Folder where the kernel keeps pins; bpftool mounts it if nobody has.
const PINS: &str = "/sys/fs/bpf";

/// Lines of a tool's messages that are passed on: the verifier's reason is at the end.
const LAST_LINES: usize = 12;

/// Checks that this machine can load and attach the program; an error says what is missing.
pub fn need() -> Result<(), String> {
    const WHO: &str = "the eBPF datapath";
    tools::need(WHO)?;
    tools::present(WHO, "tc", tools::find("tc").is_some(), "iproute2")?;
    kernel::attaches(kernel::TCX_INGRESS).map_err(|why| format!("{WHO} {why}"))
}

impl Way {
    fn defines(self) -> [String; 4] {
        [
            format!("-DSIDESTEP_ROUTE={}", self.route),
            format!("-DSIDESTEP_BUFFER={}", self.buffer),
            format!("-DSIDESTEP_QUEUED={}", u8::from(self.queued)),
            format!("-DSIDESTEP_SHARED={}", u8::from(self.shared)),
        ]
    }
}

/// Pins of a loaded program, removed when this is dropped.
pub(super) struct Pinned {
    /// Folder of the pins.
    pub path: PathBuf,
}

impl Drop for Pinned {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Folder that is removed with its contents.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns a name that is unique on this machine at this time.
fn unique() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("sidestep-switch-{}-{number}", std::process::id())
}

/// Compiles these sources and loads the program.
pub(super) fn load(sources: &[(&str, String)], sizes: Sizes) -> Result<Pinned, String> {
    let name = unique();
    let folder = Folder(std::env::temp_dir().join(&name));
    let failed = |e: std::io::Error| format!("cannot write to {}: {e}", folder.0.display());
    // Accessible to its owner only: its contents are about to run in the kernel.
    let mut builder = fs::DirBuilder::new();
    builder.mode(0o700).create(&folder.0).map_err(failed)?;
    let reasons = ("reasons.h", reasons());
    for (file, text) in sources.iter().chain([&reasons]) {
        let mut file = fs::File::create_new(folder.0.join(file)).map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
    }
    let object = folder.0.join("switch.o");
    let clang = tools::clang().ok_or("clang was found before, but is gone")?;
    let mut compile = Command::new(&clang);
    compile
        .args(["-O2", "-g", "-target", "bpf"])
        .arg(format!("-DSIDESTEP_PORTS={}", sizes.ports))
        .arg(format!("-DSIDESTEP_RING_BITS={}", sizes.ring_bits))
        .arg(format!("-DSIDESTEP_PLACES={}", sizes.places))
        .arg(format!("-DSIDESTEP_STILL={}", u8::from(sizes.still)))
        .args(sizes.way.into_iter().flat_map(Way::defines))
        .arg("-c")
        .arg(folder.0.join(SOURCES[0].0))
        .arg("-o")
        .arg(&object);
    ran(compile, &format!("{} -target bpf", clang.display()))?;
    let pinned = Pinned {
        path: Path::new(PINS).join(&name),
    };
    let mut load = tools::call("bpftool");
    (load.args(["prog", "loadall"]).arg(&object))
        .arg(&pinned.path)
        .arg("pinmaps")
        .arg(&pinned.path);
    ran(load, "bpftool prog loadall").map_err(|why| {
        format!(
            "{why}\nthe kernel must have CONFIG_BPF_SYSCALL, CONFIG_BPF_JIT and CONFIG_NET_CLS_BPF, and be Linux 6.6 \
             or newer"
        )
    })?;
    Ok(pinned)
}

/// Returns the header `reasons.h`: the numbers of drop reasons and refusals, how many there are of each, and
/// the bytes of a port that counts them.
fn reasons() -> String {
    let define = |name: &str, number: usize| format!("#define {name} {number}\n");
    let drop =
        |why: DropReason| define(&format!("DROP_{}", why.name().to_uppercase()), why as usize);
    let refusal = |why: Refusal| define(&why.name().to_uppercase(), why as usize);
    let counts = [
        define("DROP_REASONS", DropReason::COUNT),
        define("REFUSALS", Refusal::COUNT),
        define("PORT_BYTES", PORT),
    ];
    let all = DropReason::ALL.into_iter().map(drop);
    all.chain(Refusal::ALL.into_iter().map(refusal))
        .chain(counts)
        .collect()
}

/// Runs a tool to its end. An error contains the last lines of its messages.
pub(super) fn ran(mut command: Command, what: &str) -> Result<(), String> {
    let done =
        (command.stdin(Stdio::null()).output()).map_err(|e| format!("cannot run {what}: {e}"))?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    let lines: Vec<&str> = said.lines().filter(|line| !line.is_empty()).collect();
    let end = &lines[lines.len().saturating_sub(LAST_LINES)..];
    Err(format!("{what}: {}", end.join("\n")))
}
