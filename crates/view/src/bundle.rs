//! What a page is opened with, as JSON: `Bundle` of `web/src/engine/api.ts`.

use crate::Shown;
use serde_json::{Value, json};

/// The version of the bundle.
const VERSION: u32 = 1;

/// What a page reads that is served: recordings by their addresses.
pub fn served(shown: &Shown) -> String {
    let listed = shown.recordings.iter().enumerate().map(|(i, recording)| {
        let mut about = recording.about();
        about["url"] = json!(address(i));
        about
    });
    let mut bundle = json!({
        "version": VERSION,
        "title": shown.title,
        "recordings": listed.collect::<Vec<_>>(),
    });
    if let Some(summary) = &shown.summary {
        bundle["summary"] = summary.clone();
    }
    bundle.to_string()
}

/// Where recording `i` is served, seen from the page.
fn address(i: usize) -> String {
    format!("recordings/{i}.srec")
}

/// The bundle around the recordings' own bytes: what comes before each, and at last what comes after all. Between
/// them stands base64.
pub fn around(shown: &Shown) -> Vec<String> {
    let title = safe(&json!(shown.title));
    let mut parts = Vec::new();
    let mut text = format!("{{\"version\":{VERSION},\"title\":{title},\"recordings\":[");
    for (i, recording) in shown.recordings.iter().enumerate() {
        let about = safe(&recording.about());
        // The object again, open at its end.
        let open = about.strip_suffix('}').unwrap_or(&about);
        let comma = if i == 0 { "" } else { "," };
        text.push_str(&format!("{comma}{open},\"data\":\""));
        parts.push(std::mem::take(&mut text));
        text.push_str("\"}");
    }
    text.push(']');
    if let Some(summary) = &shown.summary {
        text.push_str(&format!(",\"summary\":{}", safe(summary)));
    }
    text.push('}');
    parts.push(text);
    parts
}

/// JSON that can stand in a `<script>`: `<` is in strings alone, and there it may be written as its number. So neither
/// `</script>` nor `<!--` can come about.
fn safe(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}
