//! Style of a page: the style sheet, and the colours of plots for readers with a dark theme.

use crate::plot::dark;

/// Returns the whole style sheet.
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
