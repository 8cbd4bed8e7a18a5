//! Builds the page into the program if `make web` has put it into `page/`. A program without it reports that
//! when the page is needed.

use std::path::Path;
use std::{env, fs};

fn main() {
    // Watches the folder, as cargo would rebuild every time for a missing file.
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
