//! `sidestep switch`

use crate::args::SwitchArgs;
use crate::failure::{Failure, Outcome};
use crate::out;
use crate::values::Datapath;
use sidestep_softswitch::ebpf;
use sidestep_softswitch::process::snapshot::Snapshot;
use sidestep_softswitch::process::{self, control, files, privileges, report};
use sidestep_softswitch::setup::{RunAs, Setup};
use std::path::{Path, PathBuf};

/// Switches frames, prints a config's values, or queries a running switch.
pub fn switch(args: &SwitchArgs) -> Outcome {
    let user = args.user.as_deref();
    if user.is_some_and(str::is_empty) {
        return Err(Failure::input(
            "--user: expected a name, a number, \"auto\" or \"keep\", got nothing",
        ));
    }
    let setup = read(&args.config, user).map_err(Failure::input)?;
    let in_kernel = args.datapath == Datapath::Ebpf;
    if in_kernel && args.ask.is_none() {
        ebpf::ProgramConfig::of(&setup).map_err(|why| cannot(&args.config, &why))?;
    }
    if args.check {
        out::say(&setup.to_toml());
        return Ok(0);
    }
    if let Some(question) = &args.ask {
        return ask(&setup, question, &args.config);
    }
    let missing = privileges::missing();
    if !missing.is_empty() {
        return Err(Failure::input(format!(
            "the switch opens interfaces: expected root or {}; try sudo",
            missing.join(" and ")
        )));
    }
    if in_kernel {
        ebpf::need().map_err(Failure::input)?;
        let last = ebpf::run(&setup).map_err(Failure::work)?;
        return end(args, &setup, &last);
    }
    // A relative path would name another file after a change of the working directory.
    let path = std::fs::canonicalize(&args.config).unwrap_or_else(|_| PathBuf::from(&args.config));
    let user = args.user.clone();
    let reread = move || read(&path, user.as_deref());
    let last = process::run(&setup, reread).map_err(Failure::work)?;
    end(args, &setup, &last)
}

fn end(args: &SwitchArgs, setup: &Setup, last: &Snapshot) -> Outcome {
    if args.json {
        out::say(&format!("{}\n", report::counters(&setup.name, last)));
    }
    Ok(0)
}

/// Lists what the datapath in the kernel cannot do with a config, one line per key.
fn cannot(config: &Path, why: &str) -> Failure {
    let lines = why
        .lines()
        .map(|line| format!("{}: {line}", config.display()));
    let lines: Vec<String> = lines.collect();
    Failure::input(format!(
        "the datapath in the kernel cannot do all of this config; use --datapath packet\n{}",
        lines.join("\n")
    ))
}

/// Reads a config; a `user` on the command line overrides the config's.
fn read(path: &Path, user: Option<&str>) -> Result<Setup, String> {
    let name = path.display().to_string();
    let text = files::read(path, files::CONFIG)?;
    let mut setup = Setup::read(&name, &text).map_err(|problems| {
        let lines: Vec<String> = problems.iter().map(|p| p.to_string()).collect();
        lines.join("\n")
    })?;
    if let Some(user) = user {
        setup.process.user = RunAs::from_word(user);
    }
    Ok(setup)
}

fn ask(setup: &Setup, question: &str, path: &Path) -> Outcome {
    let Some(socket) = &setup.process.control else {
        return Err(Failure::input(format!(
            "{}: --ask needs `control` in [process], got none",
            path.display()
        )));
    };
    let answer = control::ask(socket, question).map_err(Failure::work)?;
    out::say(&format!("{answer}\n"));
    Ok(0)
}
