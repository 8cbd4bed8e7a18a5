//! `sidestep completions` and `sidestep man`: shell completions and manual pages, generated from the argument
//! definitions.

use crate::failure::{Failure, Outcome};
use crate::out;
use clap::builder::PossibleValuesParser;
use clap::{Args, Command, ValueHint};
use clap_complete::Shell;
use sidestep_study::catalog::{self, KINDS, figures};
use sidestep_study::schema::keys::keys;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sidestep completions bash > ~/.local/share/bash-completion/completions/sidestep
  sidestep completions zsh > ~/.zfunc/_sidestep          with ~/.zfunc in fpath
  sidestep completions fish > ~/.config/fish/completions/sidestep.fish

Completes commands, options, names of scenarios, schemes, figures and policies, kinds of `list`, and \
keys of `--set`. Names of positional arguments: in bash, zsh and fish.")]
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

/// Prints the completions of `root` for one shell. Names come from the lists that `sidestep list` prints, keys of `--set`
/// from the schema.
pub fn completions(args: &CompletionsArgs, root: Command) -> Outcome {
    let mut root = with_words(root);
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut root, "sidestep", &mut text);
    let mut text = String::from_utf8_lossy(&text).into_owned();
    match args.shell {
        Shell::Bash => text = after_commas(&text),
        Shell::Zsh => text = beside_files(&text),
        Shell::Fish => text.push_str(&positionals_of_fish(&root, "")),
        _ => {}
    }
    out::say(&text);
    Ok(0)
}

/// Words that an argument offers to completions, although it accepts others.
enum Offer {
    /// Names; files are accepted as well.
    NamesOrFiles(Vec<String>),
    /// Names.
    Names(Vec<String>),
    /// Keys, which the user continues with a value.
    Keys(Vec<String>),
}

/// Returns what argument `id` of a command offers; `None` for an argument with words of its own, or without any.
fn offer(command: &str, id: &str) -> Option<Offer> {
    let names = |kind: &str| -> Vec<String> {
        let items = catalog::kind(kind).map_or(Vec::new(), |kind| kind.items);
        items.into_iter().map(|item| item.name).collect()
    };
    Some(match (command, id) {
        ("run" | "check" | "up", "scenario" | "scenarios") => {
            Offer::NamesOrFiles([names("scenarios"), figures()].concat())
        }
        ("run", "schemes") => Offer::NamesOrFiles(names(id)),
        ("reproduce", "what") => {
            let figures = figures();
            let papers: BTreeSet<String> = (figures.iter())
                .filter_map(|figure| Some(figure.split_once('/')?.0.to_string()))
                .collect();
            Offer::Names(papers.into_iter().chain(figures).collect())
        }
        ("list", "kind") => Offer::Names(KINDS.iter().map(|kind| kind.to_string()).collect()),
        ("vectors", "policy") => {
            let kinds = ["routes", "buffers", "schedulers"];
            Offer::Names(kinds.into_iter().flat_map(names).collect())
        }
        (_, "sets") => Offer::Keys(keys()),
        _ => return None,
    })
}

/// Adds to each argument the words that it offers, which the command itself does not require.
fn with_words(command: Command) -> Command {
    let name = command.get_name().to_string();
    let command = command.mut_args(|arg| {
        let (words, continued) = match offer(&name, arg.get_id().as_str()) {
            None => return arg,
            Some(Offer::NamesOrFiles(words) | Offer::Names(words)) => (words, false),
            Some(Offer::Keys(words)) => (words, true),
        };
        // Clap needs words that live as long as the process, which ends after this.
        let words = words.into_iter().map(|word| &*word.leak());
        let arg = arg.value_parser(PossibleValuesParser::new(words));
        match continued {
            // Bash then adds no space.
            true => arg.value_hint(ValueHint::Other),
            false => arg,
        }
    });
    command.mut_subcommands(with_words)
}

/// Lets bash complete each name of a list: for `dctcp,d` it offers `dctcp,dibs`.
fn after_commas(text: &str) -> String {
    let Some(Offer::NamesOrFiles(words)) = offer("run", "schemes") else {
        return text.to_string();
    };
    let words = words.join(" ");
    let alone = format!("COMPREPLY=($(compgen -W \"{words}\" -- \"${{cur}}\"))");
    let each = format!(
        "local before=\"\"\n\
         {indent}if [[ \"${{cur}}\" == *,* ]]; then before=\"${{cur%,*}},\"; fi\n\
         {indent}COMPREPLY=($(compgen -P \"${{before}}\" -W \"{words}\" -- \"${{cur##*,}}\"))",
        indent = " ".repeat(20)
    );
    text.replace(&alone, &each)
}

/// Lets zsh offer files beside names, and no space after a key: Clap's generator writes words alone.
fn beside_files(text: &str) -> String {
    let mut text = text.to_string();
    let both = ["scenario", "schemes"].map(|id| offer("run", id));
    for words in both.into_iter().flatten() {
        if let Offer::NamesOrFiles(words) = words {
            let words = words.join(" ");
            let either =
                format!(":{{_alternative \"names:name:({words})\" \"files:file:_files\"}}'");
            text = text.replace(&format!(":({words})'"), &either);
        }
    }
    if let Some(Offer::Keys(words)) = offer("run", "sets") {
        let words = words.join(" ");
        let keys = format!(":{{compadd -S \"\" -- {words}}}'");
        text = text.replace(&format!(":({words})'"), &keys);
    }
    text
}

/// Returns the words of positional arguments for fish, of which Clap's generator writes options only. `within` are the commands
/// around this one, as a condition.
fn positionals_of_fish(command: &Command, within: &str) -> String {
    let mut text = String::new();
    for arg in command.get_positionals() {
        let words = match offer(command.get_name(), arg.get_id().as_str()) {
            Some(Offer::NamesOrFiles(words) | Offer::Names(words)) => words.join(" "),
            _ => continue,
        };
        text.push_str(&format!(
            "complete -c sidestep -n \"{within}\" -a \"{words}\"\n"
        ));
    }
    for below in command.get_subcommands() {
        let seen = match within.is_empty() {
            true => "__fish_sidestep_using_subcommand".to_string(),
            false => format!("{within}; and __fish_seen_subcommand_from"),
        };
        for name in below.get_name_and_visible_aliases() {
            text.push_str(&positionals_of_fish(below, &format!("{seen} {name}")));
        }
    }
    text
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
