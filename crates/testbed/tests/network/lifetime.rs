//! Tests of creation, refusal and removal, also with failures in between.

use crate::common::{Bed, DCTCP, build, own_name, skip, star, table1, traces, until};
use crate::needs_namespaces;
use sidestep_testbed::Error;
use sidestep_testbed::network::down::down;
use sidestep_testbed::network::status::status;
use sidestep_testbed::network::switches::Engine;
use sidestep_testbed::network::up::{TestbedPlan, up};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

#[test]
fn down_leaves_nothing_of_what_up_made() {
    needs_namespaces!();
    let mut print = star("gone", 3);
    print.settings = table1(DCTCP);
    let name = print.name.clone();
    assert_eq!(traces(&name), [""; 0]);
    match build(&print) {
        Err(Error::Input(why)) => return skip(&format!("skipped: {why}")),
        built => built.unwrap(),
    };
    let standing = status(&name).unwrap().expect("it is up");
    assert!(standing.state.complete && standing.missing.is_empty());
    let there = traces(&name);
    // Four namespaces, the folder, and DCTCP unless the kernel has its own.
    assert!(there.len() >= 5, "{there:?}");
    assert!(down(&name, false).unwrap());
    assert_eq!(traces(&name), [""; 0]);
    assert!(
        !down(&name, false).unwrap(),
        "there was nothing left to remove"
    );
}

#[test]
fn a_second_up_says_what_is_in_the_way_and_touches_nothing() {
    needs_namespaces!();
    let print = star("two", 2);
    let _bed = Bed::up(print.clone());
    let before = traces(&print.name);
    let why = build(&print).unwrap_err().to_string();
    let remove = format!("`sidestep testbed down --name {}`", print.name);
    assert!(why.contains("is up") && why.contains(&remove), "{why}");
    assert_eq!(traces(&print.name), before);
}

#[test]
fn a_namespace_of_the_same_name_is_in_the_way() {
    needs_namespaces!();
    let print = star("way", 2);
    let space = print.host_space(0);
    let ip = |args: &[&str]| {
        std::process::Command::new("ip")
            .args(args)
            .status()
            .unwrap()
    };
    assert!(ip(&["netns", "add", &space]).success());
    let why = build(&print).unwrap_err().to_string();
    assert!(
        why.contains(&space) && why.contains("already exist"),
        "{why}"
    );
    let why = down(&print.name, false).unwrap_err().to_string();
    assert!(why.contains(&space) && why.contains("--force"), "{why}");
    assert!(down(&print.name, true).unwrap());
    assert_eq!(traces(&print.name), [""; 0]);
}

#[test]
fn a_namespace_that_is_this_machines_own_is_left_alone() {
    needs_namespaces!();
    let print = star("own", 2);
    let space = print.host_space(0);
    let ip = |args: &[&str]| {
        let status = std::process::Command::new("ip").args(args).status();
        status.unwrap().success()
    };
    let me = std::process::id().to_string();
    assert!(ip(&["netns", "attach", &space, &me]));
    // If it killed the processes in the namespace, this process would be among them.
    let _ = down(&print.name, true);
    assert!(ip(&["netns", "delete", &space]));
}

#[test]
fn a_name_that_is_a_path_removes_nothing() {
    needs_namespaces!();
    let folder = std::path::Path::new("/run").join(own_name("victim"));
    std::fs::create_dir_all(&folder).unwrap();
    let name = format!("../{}", folder.file_name().unwrap().to_str().unwrap());
    for name in [name.as_str(), "/", "", "a/b", ".."] {
        let why = down(name, true).unwrap_err().to_string();
        assert!(why.contains("name of a testbed"), "{why}");
    }
    assert!(folder.exists());
    std::fs::remove_dir(&folder).unwrap();
}

#[test]
fn an_up_that_fails_takes_back_what_it_made() {
    needs_namespaces!();
    let mut print = star("fail", 2);
    print.settings = table1(DCTCP);
    // The switch is started last; this one ends at once.
    let engine = Engine::Switch(
        PathBuf::from("/bin/sh"),
        vec!["-c".into(), "echo no way; exit 3".into()],
    );
    let plan = TestbedPlan {
        blueprint: &print,
        engine: &engine,
        note: serde_json::Value::Null,
    };
    let why = match up(&plan, &AtomicBool::new(false)).unwrap_err() {
        // The requirements of DCTCP are checked before anything is built.
        Error::Input(why) => return skip(&format!("skipped: {why}")),
        why => why.to_string(),
    };
    assert!(
        why.contains("no way") && why.contains("exit status: 3"),
        "{why}"
    );
    assert_eq!(traces(&print.name), [""; 0]);
}

#[test]
fn an_up_that_is_interrupted_takes_back_what_it_made() {
    needs_namespaces!();
    let print = star("stop", 2);
    let plan = TestbedPlan {
        blueprint: &print,
        engine: &Engine::Bridge,
        note: serde_json::Value::Null,
    };
    let why = up(&plan, &AtomicBool::new(true)).unwrap_err().to_string();
    assert!(why.contains("interrupted"), "{why}");
    assert_eq!(traces(&print.name), [""; 0]);
}

#[test]
fn down_removes_what_a_killed_up_left_at_any_point() {
    needs_namespaces!();
    // The child is this test program, which only builds the testbed.
    if let Ok(name) = std::env::var("BE_BUILD") {
        let mut print = star("kill", 4);
        print.name = name;
        print.settings = table1(DCTCP);
        let _ = build(&print);
        return;
    }
    for wait_ms in [5, 60, 400, 900, 1200] {
        let name = own_name("kill");
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "lifetime::down_removes_what_a_killed_up_left_at_any_point",
            ])
            .env("BE_BUILD", &name)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(wait_ms));
        child.kill().unwrap();
        child.wait().unwrap();
        let left = traces(&name);
        down(&name, false).unwrap();
        assert_eq!(
            traces(&name),
            [""; 0],
            "killed after {wait_ms} ms, when there was {left:?}"
        );
    }
}

#[test]
fn down_ends_processes_in_the_namespaces() {
    needs_namespaces!();
    let print = star("proc", 2);
    build(&print).unwrap();
    let mut child = std::process::Command::new("ip")
        .args([
            "netns",
            "exec",
            &print.switch_space(0),
            "sh",
            "-c",
            "trap '' TERM; sleep 60; sleep 60",
        ])
        .spawn()
        .unwrap();
    until("the process is in the namespace", || {
        let standing = status(&print.name).unwrap().expect("it is up");
        standing.processes[0].contains(&(child.id() as i32))
    });
    assert_eq!(child.try_wait().unwrap(), None);
    down(&print.name, false).unwrap();
    assert!(!child.wait().unwrap().success());
    assert_eq!(traces(&print.name), [""; 0]);
}

#[test]
fn bridges_stand_in_for_no_shims() {
    needs_namespaces!();
    let mut print = star("shim", 2);
    print.shims = "shims = [\"order\"]\n".into();
    let why = build(&print).unwrap_err().to_string();
    assert!(why.contains("bridges have none"), "{why}");
    assert!(traces(&print.name).is_empty(), "it is taken back");
}
