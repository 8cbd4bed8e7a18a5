//! Makes the page part of the program when `make web` has put it into `page/`. Without it the program is built all the
//! same, and says then what to do.

use std::path::Path;
use std::{env, fs};

fn main() {
    // The folder is watched and not the file: cargo would build anew each time for a file that is not there.
    println!("cargo::rerun-if-changed=page");
    let own = env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where");
    let page = Path::new(&own).join("page/index.html");
    let text = match page.is_file() {
        true => format!("Some(include_str!({:?}))", page.display().to_string()),
        false => "None".to_string(),
    };
    let out = env::var_os("OUT_DIR").expect("cargo says where");
    fs::write(Path::new(&out).join("page.rs"), text).expect("the build folder can be written to");
}
