//! Scenes as SVG: text stays text, in a sans-serif font of the reader if Inter is missing.

use super::drawing::{Anchor, Color, Drawing, Item, Shape, Stroke, TextStyle};
use std::fmt::Write;

/// Writes the drawing as an SVG document.
pub fn svg(drawing: &Drawing) -> String {
    let (w, h) = (drawing.width, drawing.height);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
         font-family=\"Inter, 'Helvetica Neue', Helvetica, Arial, sans-serif\" role=\"img\" aria-label=\"{}\">\n<title>{0}</title>\n",
        escape(&drawing.title).replace('"', "&quot;")
    );
    for item in &drawing.items {
        write_item(&mut out, item);
    }
    out.push_str("</svg>\n");
    out
}

fn write_item(out: &mut String, item: &Item) {
    match item {
        Item::Rect {
            at: [x, y, w, h],
            fill,
        } => push(
            out,
            format_args!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill=\"{}\"/>",
                hex(*fill)
            ),
        ),
        Item::Line { points, stroke } => {
            let mut d = String::new();
            for (i, (x, y)) in points.iter().enumerate() {
                let command = if i == 0 { 'M' } else { 'L' };
                write!(d, "{command}{} {}", short(*x), short(*y)).expect("a string takes it all");
            }
            push(
                out,
                format_args!("<path d=\"{d}\" fill=\"none\" {}/>", look(stroke)),
            );
        }
        Item::Mark {
            at,
            shape,
            radius,
            stroke,
            fill,
            hint,
        } => {
            let (form, place) = match shape {
                Shape::Circle => {
                    let (x, y) = (short(at.0), short(at.1));
                    ("circle", format!("cx=\"{x}\" cy=\"{y}\" r=\"{radius}\""))
                }
                corners => {
                    let corner = |(x, y): &(f32, f32)| format!("{},{}", short(*x), short(*y));
                    let corners = corners.corners(*at, *radius);
                    let corners: Vec<String> = corners.iter().map(corner).collect();
                    ("polygon", format!("points=\"{}\"", corners.join(" ")))
                }
            };
            let look = format_args!("{place} fill=\"{}\" {}", hex(*fill), look(stroke)).to_string();
            match hint.as_str() {
                "" => push(out, format_args!("<{form} {look}/>")),
                hint => push(
                    out,
                    format_args!("<{form} {look}><title>{}</title></{form}>", escape(hint)),
                ),
            }
        }
        Item::Text { at, words, style } => write_text(out, *at, words, style),
    }
}

fn write_text(out: &mut String, (x, y): (f32, f32), words: &str, style: &TextStyle) {
    let (x, y) = (short(x), short(y));
    let anchor = match style.anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let weight = if style.bold {
        " font-weight=\"600\""
    } else {
        ""
    };
    let turn = if style.upwards {
        format!(" transform=\"rotate(-90 {x} {y})\"")
    } else {
        String::new()
    };
    push(
        out,
        format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" fill=\"{}\" text-anchor=\"{anchor}\"{weight}{turn}>{}</text>",
            style.size,
            hex(style.color),
            escape(words)
        ),
    );
}

fn push(out: &mut String, args: std::fmt::Arguments<'_>) {
    writeln!(out, "{args}").expect("a string takes it all");
}

fn look(stroke: &Stroke) -> String {
    let mut look = format!(
        "stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"",
        hex(stroke.color),
        stroke.width
    );
    if !stroke.dash.is_empty() {
        let dash: Vec<String> = stroke.dash.iter().map(f32::to_string).collect();
        write!(look, " stroke-dasharray=\"{}\"", dash.join(" ")).expect("a string takes it all");
    }
    look
}

/// Rounds to a hundredth of a point.
fn short(v: f32) -> String {
    let text = format!("{v:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn hex(color: Color) -> String {
    color.hex()
}

/// Replaces characters that neither XML nor a terminal accepts as text: a control character, or one that
/// changes the text direction, becomes `\u{fffd}`.
pub fn visible(c: char) -> char {
    match c {
        '\t' | '\n' | '\r' => ' ',
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

fn escape(words: &str) -> String {
    let words: String = words.chars().map(visible).collect();
    words
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_escaped_and_numbers_short() {
        let mut drawing = Drawing::new(10.0, 10.0, "a < b & c".into());
        let stroke = Stroke {
            color: Color(1, 2, 255),
            width: 1.5,
            dash: &[4.0, 2.0],
        };
        drawing.line(vec![(0.0, 1.0), (2.12345, 3.5)], &stroke);
        let text = svg(&drawing);
        assert!(text.contains("<title>a &lt; b &amp; c</title>"), "{text}");
        let coded = svg(&Drawing::new(1.0, 1.0, "a\u{1b}[31m \"b\"\u{202e}".into()));
        assert!(
            coded.contains("<title>a\u{fffd}[31m &quot;b&quot;\u{fffd}<"),
            "{coded}"
        );
        assert!(text.contains("d=\"M0 1L2.12 3.5\""), "{text}");
        assert!(
            text.contains("stroke=\"#0102ff\"") && text.contains("stroke-dasharray=\"4 2\""),
            "{text}"
        );
    }
}
