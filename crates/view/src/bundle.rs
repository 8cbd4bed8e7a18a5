//! Data that a page is opened with, as JSON: `Bundle` of `web/src/engine/api.ts`.

use crate::PageContents;
use serde_json::{Value, json};

/// Version of the bundle.
const VERSION: u32 = 1;

/// Returns the bundle of a served page, which refers to recordings by address.
pub fn served(shown: &PageContents) -> String {
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

/// Returns the address of recording `i`, relative to the page.
fn address(i: usize) -> String {
    format!("recordings/{i}.srec")
}

/// Returns the bundle's text around the recordings' bytes: a part before each, and a last part after all. The
/// bytes go between the parts, as base64.
pub fn around(shown: &PageContents) -> Vec<String> {
    let title = safe(&json!(shown.title));
    let mut parts = Vec::new();
    let mut text = format!("{{\"version\":{VERSION},\"title\":{title},\"recordings\":[");
    for (i, recording) in shown.recordings.iter().enumerate() {
        let about = safe(&recording.about());
        // Reopens the object at its end.
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

/// Returns JSON that is safe inside a `<script>`: `<` occurs in strings only, where it is escaped. So neither
/// `</script>` nor `<!--` can occur.
fn safe(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}
