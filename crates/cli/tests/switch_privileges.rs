//! Tests of a running switch's privileges: its user, the files it may write, and its systemd service.

mod common;

use common::skip;
use common::switching::{Running, reach, until, wiring};
use serde_json::json;
use sidestep_softswitch::process::user;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn it_drops_its_privileges_and_stops_on_sigterm() {
    let Some(wiring) = wiring(2) else { return };
    let running = Running::start(wiring, "100 Mbps", "", "metrics = \"127.0.0.1:9470\"");
    // One thread for each kind of question.
    running.says("switches 2 ports");
    let threads = has_no_power(&running, 2);
    assert!(threads >= 4, "{threads} threads");
    let me = user_of(&running);
    let own = number_of("sidestep");
    match own {
        Some(own) => assert_eq!(me, own),
        None => assert!((61_184..=65_519).contains(&me), "{me}"),
    }
    running.says(&format!("{me}"));
    let last = running.end();
    assert_eq!(last["switch"], "t");
    assert_eq!(last["ports"]["h0"]["io"]["running"], true);
}

/// Returns the number of a user of this machine.
fn number_of(name: &str) -> Option<u32> {
    user::user(name).ok().map(|user| user.uid)
}

/// Returns the value of a key in a thread's kernel status.
fn said(status: &str, key: &str) -> String {
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    line.unwrap_or_else(|| panic!("{key} {status}"))
        .trim()
        .to_string()
}

/// Returns the status of every thread of a switch.
fn threads(running: &Running) -> Vec<String> {
    let tasks = fs::read_dir(format!("/proc/{}/task", running.child.id())).unwrap();
    // A thread may end in between.
    let status = tasks.map(|task| fs::read_to_string(task.unwrap().path().join("status")));
    status.filter_map(Result::ok).collect()
}

/// Returns the user that all threads of a switch run as.
fn user_of(running: &Running) -> u32 {
    let ids: Vec<String> = threads(running)
        .iter()
        .map(|status| said(status, "Uid:"))
        .collect();
    let first = ids[0].split_whitespace().next().unwrap().to_string();
    let all = ids.iter().flat_map(|ids| ids.split_whitespace());
    assert!(all.into_iter().all(|id| id == first), "{ids:?}");
    first.parse().unwrap()
}

/// Checks that no thread of a switch has more privileges than an ordinary user with fewer system calls;
/// `seccomp` is 2 with a filter. Returns the number of threads.
fn has_no_power(running: &Running, seccomp: u8) -> usize {
    let threads = threads(running);
    for status in &threads {
        for key in ["CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:"] {
            assert_eq!(said(status, key), "0000000000000000", "{key} {status}");
        }
        assert_eq!(said(status, "NoNewPrivs:"), "1");
        assert_eq!(said(status, "Groups:"), "");
        assert_eq!(said(status, "Seccomp:"), seccomp.to_string());
        let ids = said(status, "Uid:") + " " + &said(status, "Gid:");
        assert!(ids.split_whitespace().all(|id| id != "0"), "{ids}");
    }
    threads.len()
}

#[test]
fn it_may_keep_its_privileges() {
    let Some(wiring) = wiring(1) else { return };
    let running = Running::start(wiring, "100 Mbps", "", "user = \"keep\"");
    running.says("switches 1 ports");
    assert_eq!(user_of(&running), 0);
    let status = threads(&running).remove(0);
    assert_eq!(said(&status, "Seccomp:"), "0");
}

#[test]
fn its_user_can_be_named_and_its_calls_left_free() {
    let Some(wiring) = wiring(1) else { return };
    let process = "user = \"nobody\"\nseccomp = false";
    let running = Running::start(wiring, "100 Mbps", "", process);
    running.says("switches 1 ports");
    has_no_power(&running, 0);
    assert_eq!(Some(user_of(&running)), number_of("nobody"));
    running.says("runs as user nobody");
}

#[test]
fn the_command_names_a_user_whatever_the_config_says() {
    let Some(wiring) = wiring(1) else { return };
    let process = "user = \"no-such-user\"";
    let running = Running::start_as(wiring, "100 Mbps", "", process, &["--user", "61000"]);
    running.says("switches 1 ports");
    assert_eq!(user_of(&running), 61_000);
    // Also after a reload: another user would need a restart.
    assert_eq!(running.ask("reload").unwrap()["done"], "reload");
    let config = fs::read_to_string(running.path("t.toml")).unwrap();
    let path = running.path("other.toml");
    fs::write(&path, config.replace("s.sock", "other.sock")).unwrap();
    let sidestep = |words: &[&str]| {
        let mut command = (running.wiring.switch).command(env!("CARGO_BIN_EXE_sidestep"));
        let done = command.arg("switch").arg(&path).args(words).output();
        let done = done.unwrap();
        (done.status.code(), String::from_utf8(done.stderr).unwrap())
    };
    for (words, status, expected) in [
        (
            &[][..],
            1,
            "expected a user of this machine or a number, got \"no-such-user\"",
        ),
        (
            &["--user", "root"],
            1,
            "expected an ordinary user, or \"keep\" to stay root, got \"root\"",
        ),
        (
            &["--user", "", "--check"],
            2,
            "--user: expected a name, a number",
        ),
        (&["--user", "x", "--ask", "counters"], 2, ""),
    ] {
        let (code, said) = sidestep(words);
        assert_eq!(code, Some(status), "{words:?}: {said}");
        assert!(said.contains(expected), "{words:?}: {said}");
    }
}

#[test]
fn started_by_an_ordinary_user_with_what_it_takes_it_gives_that_up() {
    let Some(wiring) = wiring(2) else { return };
    let by = "setpriv --reuid 61001 --regid 61001 --clear-groups --inh-caps +net_admin,+net_raw,+setpcap \
              --ambient-caps +net_admin,+net_raw,+setpcap";
    let running = Running::start_by(by, wiring, "100 Mbps", "", "");
    running.says("switches 2 ports");
    has_no_power(&running, 2);
    assert_eq!(user_of(&running), 61_001);
    running.says("runs as user 61001, as it was started");
    assert!(reach(&running.wiring, 0, 1, "10.9.0.2"));
}

#[test]
fn a_capture_is_its_users_alone_and_never_by_way_of_a_link() {
    let Some(wiring) = wiring(1) else { return };
    let process = "capture = \"ROOM/c.pcapng\"";
    let running = Running::start(wiring, "100 Mbps", "", process);
    running.says("switches 1 ports");
    let me = user_of(&running);
    let own = |path: &Path| {
        let about = fs::symlink_metadata(path).unwrap();
        assert_eq!(
            (about.uid(), about.mode() & 0o7777),
            (me, 0o600),
            "{path:?}"
        );
    };
    own(&running.path("c.pcapng"));
    for (name, question) in [
        ("asked", r#"{"do": "capture", "file": "ROOM/asked"}"#),
        ("asked", r#"{"do": "note"}"#),
        ("noted", r#"{"do": "note", "file": "ROOM/noted"}"#),
    ] {
        let room = running.path("").display().to_string();
        running.ask(&question.replace("ROOM", &room)).unwrap();
        own(&running.path(name));
    }
    // A file that the switch may write, and a link to it.
    let (victim, link) = (running.path("victim"), running.path("link"));
    fs::write(&victim, "kept").unwrap();
    fs::set_permissions(&victim, fs::Permissions::from_mode(0o666)).unwrap();
    symlink(&victim, &link).unwrap();
    running.ask(r#"{"do": "note"}"#).unwrap();
    for what in ["capture", "note"] {
        let question = json!({"do": what, "file": link}).to_string();
        let error = running.ask(&question).unwrap_err();
        assert!(
            error.contains("link") && error.contains("exists"),
            "{error}"
        );
    }
    // A switch replaces only its own file when it starts.
    let config = fs::read_to_string(running.path("t.toml")).unwrap();
    let config = config.replace("s.sock", "other.sock");
    for (to, user, expected) in [
        (
            "link",
            "61002",
            "expected nothing there or a file of user 61002, got a symbolic link (it is opened as user 61002)",
        ),
        ("c.pcapng", "61002", &format!("got a file of user {me}")),
        ("none/c.pcapng", "61002", "No such file"),
    ] {
        fs::write(running.path("u.toml"), config.replace("c.pcapng", to)).unwrap();
        // Ends a switch that starts nevertheless.
        let mut command = running.wiring.switch.command("timeout");
        command
            .args(["120", env!("CARGO_BIN_EXE_sidestep"), "switch"])
            .arg(running.path("u.toml"))
            .args(["--user", user]);
        let done = command.output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(1), "{said}");
        assert!(said.contains(expected), "{said}");
    }
    assert_eq!(fs::read_to_string(&victim).unwrap(), "kept");
}

#[test]
fn a_capture_is_begun_anew_at_each_start() {
    let Some(wiring) = wiring(1) else { return };
    let process = "user = \"61003\"\ncapture = \"ROOM/c.pcapng\"";
    let running = Running::start(wiring, "100 Mbps", "", process);
    running.says("switches 1 ports");
    let path = running.path("c.pcapng");
    let before = fs::metadata(&path).unwrap().ino();
    // Keeps the inode number, so that the next file gets another one.
    fs::hard_link(&path, running.path("before")).unwrap();
    let config = running.path("t.toml");
    running.ask("stop").unwrap();
    running.says("stopped");
    let mut again = (running
        .wiring
        .switch
        .command(env!("CARGO_BIN_EXE_sidestep")))
    .arg("switch")
    .arg(&config)
    .stderr(Stdio::null())
    .spawn()
    .unwrap();
    let inode = || fs::metadata(&path).map(|about| about.ino()).ok();
    until("another file is there", || {
        inode().is_some_and(|inode| inode != before)
    });
    // SAFETY: the child has not been waited for, so its number is still valid.
    unsafe { libc::kill(again.id() as i32, libc::SIGTERM) };
    again.wait().unwrap();
}

/// Runs the service with systemd itself, in a temporary container: `scripts/service.sh` reports what it saw.
#[test]
fn systemd_starts_its_unit_reloads_it_and_starts_it_again() {
    // SAFETY: only reads a number.
    if unsafe { libc::geteuid() } != 0 {
        return skip("skipped: expected root, for a container");
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut script = Command::new("bash");
    script.arg(root.join("scripts/service.sh"));
    let done = script.arg(env!("CARGO_BIN_EXE_sidestep")).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    let why = String::from_utf8_lossy(&done.stderr).into_owned();
    match done.status.code() {
        // No systemd-nspawn or no overlays: the switch is not at fault.
        Some(3) => skip(&format!("skipped: {why}")),
        Some(0) => {
            let seen = said.lines().filter(|line| line.starts_with("seen: "));
            assert!(seen.count() >= 8, "{said}");
        }
        _ => panic!("{said}{why}"),
    }
}

/// Checks the unit of the documents, which is installed unchanged but for the program's path.
#[test]
fn its_unit_is_one_that_systemd_reads_and_finds_tight() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let unit = fs::read_to_string(root.join("docs/service/sidestep-switch@.service")).unwrap();
    let (program, here) = ("/usr/local/bin/sidestep", env!("CARGO_BIN_EXE_sidestep"));
    assert!(
        unit.contains(&format!("ExecStart={program} switch ")),
        "{unit}"
    );
    let room = tempfile::tempdir().unwrap();
    let path = room.path().join("sidestep-switch@edge0.service");
    fs::write(&path, unit.replace(program, here)).unwrap();
    let analyze = |words: &[&str]| {
        let mut command = Command::new("systemd-analyze");
        command.args(words).arg(&path).env("SYSTEMD_COLORS", "0");
        command.output()
    };
    let verified = match analyze(&["verify", "--man=no"]) {
        Ok(verified) => verified,
        // The switch is not at fault: a machine without systemd may have all the rest.
        Err(why) => {
            eprintln!("left out: systemd-analyze: {why}");
            return;
        }
    };
    let said = String::from_utf8_lossy(&verified.stderr).into_owned();
    assert!(verified.status.success(), "{said}");
    let version = Command::new("systemd-analyze").arg("--version").output();
    let version = String::from_utf8_lossy(&version.unwrap().stdout).into_owned();
    let number = version
        .split_whitespace()
        .nth(1)
        .and_then(|n| n.parse().ok());
    if number.is_none_or(|number: u32| number < 252) {
        eprintln!("left out: {version}: expected 252 or newer to judge a file");
        return;
    }
    // systemd warns of an unknown key, and does not count it as an error.
    assert!(!said.contains("Unknown"), "{said}");
    // In tenths; 2.6 with systemd 252, which objects to what a switch needs: packet sockets and the host's
    // network.
    let judged = analyze(&["security", "--offline=yes", "--threshold=30"]).unwrap();
    let said = String::from_utf8_lossy(&judged.stdout).into_owned();
    assert!(judged.status.success(), "{said}");
}
