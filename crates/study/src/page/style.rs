//! The style of a page: the sheet, and what plots look like where the reader's pages are dark.

use crate::plot::dark;

/// All of it.
pub fn sheet() -> String {
    let plots: String = dark()
        .map(|(light, dark)| {
            let (light, dark) = (light.hex(), dark.hex());
            format!(
                "svg [fill=\"{light}\"]{{fill:{dark}}}svg [stroke=\"{light}\"]{{stroke:{dark}}}\n"
            )
        })
        .collect();
    let sheet = include_str!("style.css");
    format!("{sheet}@media screen and (prefers-color-scheme:dark){{\n{plots}}}\n")
}
