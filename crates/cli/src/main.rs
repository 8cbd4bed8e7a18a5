//! `sidestep`: the burst-tolerance lab on the command line.

#![forbid(unsafe_code)]

mod args;
mod bench;
mod bench_history;
mod bench_latency;
mod check;
mod executor;
mod faces;
mod failure;
mod import;
mod init;
mod list;
mod new_policy;
mod out;
mod reproduce;
mod run;
mod schema;
mod show;
mod stop;
mod switch;
mod testbed;
mod values;
mod vectors;
mod view;
mod why;

use clap::{CommandFactory, Parser};
use std::process::ExitCode;

fn main() -> ExitCode {
    let outcome = match args::Cli::parse().command {
        args::Command::Run(args) => run::run(&args),
        args::Command::Reproduce(args) => reproduce::reproduce(&args),
        args::Command::Check(args) => check::check(&args),
        args::Command::List(args) => list::list(&args),
        args::Command::Show(args) => show::show(&args),
        args::Command::Why(args) => why::why(&args),
        args::Command::View(args) => view::view(&args),
        args::Command::Bench(args) => bench::bench(&args),
        args::Command::Switch(args) => switch::switch(&args),
        args::Command::Testbed(args) => testbed::testbed(&args),
        args::Command::Vectors(args) => vectors::vectors(&args),
        args::Command::Init(args) => init::init(&args),
        args::Command::NewPolicy(args) => new_policy::new_policy(&args),
        args::Command::Import(args) => import::import(&args),
        args::Command::Schema(args) => schema::schema(&args),
        args::Command::Completions(args) => faces::completions(&args, args::Cli::command()),
        args::Command::Man(args) => faces::man(&args, args::Cli::command()),
    };
    match outcome {
        Ok(status) => ExitCode::from(status),
        Err(failure) => {
            for line in failure.words.lines() {
                out::complain(line);
            }
            ExitCode::from(failure.status)
        }
    }
}
