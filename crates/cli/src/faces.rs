//! `sidestep completions` and `sidestep man`: shell completions and manual pages, generated from the argument
//! definitions.

use crate::failure::{Failure, Outcome};
use crate::out;
use clap::{Args, Command};
use clap_complete::Shell;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sidestep completions bash > ~/.local/share/bash-completion/completions/sidestep
  sidestep completions zsh > ~/.zfunc/_sidestep          with ~/.zfunc in fpath
  sidestep completions fish > ~/.config/fish/completions/sidestep.fish")]
pub struct CompletionsArgs {
    /// Shell
    pub shell: Shell,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sidestep man | man -l -                                read it
  sidestep man --dir ~/.local/share/man/man1             a page for each command as well")]
pub struct ManArgs {
    /// Write a page for each command into this directory, which is created if missing
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// Prints the completions of `root` for one shell.
pub fn completions(args: &CompletionsArgs, mut root: Command) -> Outcome {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut root, "sidestep", &mut text);
    out::say(&String::from_utf8_lossy(&text));
    Ok(0)
}

/// Prints the page of `root`, or writes one for it and each of its subcommands.
pub fn man(args: &ManArgs, mut root: Command) -> Outcome {
    root.build();
    let Some(dir) = &args.dir else {
        out::say(&page(&root)?);
        return Ok(0);
    };
    std::fs::create_dir_all(dir).map_err(|why| cannot("make the directory", dir, &why))?;
    let many = pages(&root, dir)?;
    out::say(&format!("{many} pages in {}\n", dir.display()));
    Ok(0)
}

/// Writes the pages of `command` and all its subcommands; returns their number.
fn pages(command: &Command, dir: &Path) -> Result<usize, Failure> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    let place = dir.join(format!("{name}.1"));
    std::fs::write(&place, page(command)?).map_err(|why| cannot("write", &place, &why))?;
    let below = command
        .get_subcommands()
        .filter(|of| of.get_name() != "help");
    below
        .map(|of| pages(of, dir))
        .sum::<Result<usize, Failure>>()
        .map(|many| many + 1)
}

fn page(command: &Command) -> Result<String, Failure> {
    let mut text = Vec::new();
    let rendered = clap_mangen::Man::new(command.clone()).render(&mut text);
    rendered.map_err(|why| Failure::work(format!("cannot make the page: {why}")))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn cannot(what: &str, place: &Path, why: &std::io::Error) -> Failure {
    Failure::work(format!("cannot {what} {}: {why}", place.display()))
}
