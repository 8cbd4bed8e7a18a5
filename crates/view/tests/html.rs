//! Tests of the single file: written atomically, and with the recorded bytes.

use crate::common::{PAGE, Room, recording, shown};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sidestep_view::write_html;
use std::fs;
use std::os::unix::fs::PermissionsExt;

const BEGIN: &str = "<script type=\"application/json\" id=\"bundle\">";

#[test]
fn the_file_has_the_page_and_every_recording_and_connects_to_nothing() {
    let room = Room::new();
    let dir = room.result("r", &["dctcp", "dibs"], &[1]);
    let found = shown(&[&dir]).unwrap();
    let path = room.path("page/burst.html");
    fs::create_dir(room.path("page")).unwrap();
    let bytes = write_html(&room.page(), &found, &path, false).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(bytes, text.len() as u64);
    assert!(text.contains("; connect-src 'none'\"></head>"), "{text}");
    // The page's own text stays, even if it looks like the end of the body.
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (json, after) = rest.split_once("</script>").unwrap();
    assert!(
        before.ends_with("the page \"</body>\"") && after == "</body></html>",
        "{text}"
    );
    // A title and a summary that would end the block, or begin a comment in it, are escaped.
    assert!(!json.contains('<'), "{json}");
    let bundle: Value = serde_json::from_str(json).unwrap();
    assert_eq!(
        (&bundle["version"], &bundle["title"]),
        (&1.into(), &"an <incast>".into())
    );
    assert_eq!(bundle["summary"]["schemes"]["dibs"]["a"], "</script><!--");
    for (i, scheme) in ["dctcp", "dibs"].iter().enumerate() {
        let listed = &bundle["recordings"][i];
        assert_eq!(
            (&listed["scheme"], &listed["seed"]),
            (&(*scheme).into(), &"1".into())
        );
        assert!(listed.get("url").is_none());
        let data = STANDARD.decode(listed["data"].as_str().unwrap()).unwrap();
        assert!(data == recording(scheme, 1));
    }
    // The file has default permissions, and no other file is left.
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    let plain = fs::metadata(room.path("page.html"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode, plain);
    assert_eq!(fs::read_dir(room.path("page")).unwrap().count(), 1);
}

#[test]
fn an_empty_bundle_of_the_page_is_filled() {
    let room = Room::new();
    let found = shown(&[&room.file("a.srec", &recording("dibs", 1))]).unwrap();
    let page = room.page_of(&PAGE.replace("<body>", &format!("<body>{BEGIN}</script>")));
    let path = room.path("o.html");
    write_html(&page, &found, &path, false).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches(BEGIN).count(), 1);
    assert!(
        text.contains(&format!("<body>{BEGIN}{{\"version\":1,")),
        "{text}"
    );
}

#[test]
fn nothing_is_overwritten_without_force_and_nothing_is_left_of_a_failure() {
    let room = Room::new();
    let found = shown(&[&room.file("a.srec", &recording("dibs", 1))]).unwrap();
    let path = room.file("out/mine.html", b"mine");
    let write = |force| write_html(&room.page(), &found, &path, force).map_err(|e| e.to_string());
    let says = write(false).unwrap_err();
    assert!(
        says.starts_with("--html: ") && says.contains(" already exists: choose another file"),
        "{says}"
    );
    assert_eq!(fs::read(&path).unwrap(), b"mine");
    assert!(write(true).unwrap() > 100);
    assert!(fs::read_to_string(&path).unwrap().contains(BEGIN));
    // A dangling link counts as an existing file.
    let link = room.path("out/link.html");
    std::os::unix::fs::symlink(room.path("nowhere"), &link).unwrap();
    assert!(write_html(&room.page(), &found, &link, false).is_err());

    // The recording became shorter after it was opened.
    fs::write(room.path("a.srec"), b"short").unwrap();
    let says = write(true).unwrap_err();
    assert!(
        says.contains("a became shorter while it was read"),
        "{says}"
    );
    assert!(
        fs::read_to_string(&path).unwrap().contains(BEGIN),
        "the old one stays"
    );
    let names: Vec<_> = fs::read_dir(room.path("out"))
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
    let says = write_html(&room.page(), &found, &room.path("no/such/o.html"), false);
    assert!(says.unwrap_err().to_string().starts_with("cannot write "));
    let says = write_html(&room.page(), &found, &room.path("out"), true).unwrap_err();
    assert!(
        says.to_string()
            .starts_with("--html: expected a file to write, got "),
        "{says}"
    );
}

#[test]
fn what_make_web_did_not_make_is_no_page() {
    let room = Room::new();
    let path = room.file("p.html", b"<p>hello");
    let says = sidestep_view::Page::read(&path).unwrap_err().to_string();
    assert!(
        says.starts_with("--page: expected a page built by `make web`, got "),
        "{says}"
    );
    let says = sidestep_view::Page::read(&room.path("none"))
        .unwrap_err()
        .to_string();
    assert!(says.starts_with("--page: cannot read "), "{says}");
}
