//! Tests of changes to TOML documents.

use super::*;

fn read(text: &str) -> Document {
    Document::read("a.toml", text).unwrap()
}

/// Returns the text after the values of `[topology]` are set.
fn set(text: &str, values: &[(&str, &str)], alone: bool) -> String {
    let mut document = read(text);
    let values: Vec<(&str, String)> = (values.iter())
        .map(|(key, value)| (*key, value.to_string()))
        .collect();
    let done = document.set(&["topology"], &values, alone);
    done.map_or_else(|why| why, |()| document.text().to_string())
}

#[test]
fn values_of_a_section_are_changed_in_each_form() {
    let k6 = [("k", "6")];
    for (text, alone, expected) in [
        (
            "[topology]\nk = 4 # four\n\n# next\n[b]\n",
            false,
            "[topology]\nk = 6 # four\n\n# next\n[b]\n",
        ),
        ("[topology]\nk = 4", false, "[topology]\nk = 6"),
        ("[topology]", false, "[topology]\nk = 6\n"),
        (
            "[topology] # network\nrate = \"1 Gbps\"\n",
            false,
            "[topology] # network\nrate = \"1 Gbps\"\nk = 6\n",
        ),
        (
            "[topology] # network\nrate = \"1 Gbps\" # slow\n# end\n",
            true,
            "[topology] # network\nk = 6\n# end\n",
        ),
        (
            "[topology]\nkinds = [\n  1, # one\n  2,\n]\nk = 1\n",
            true,
            "[topology]\nk = 6\n",
        ),
        (
            "topology = { kind = \"x\", k = 4 } # here\na = 1\n",
            false,
            "topology = { kind = \"x\", k = 6 } # here\na = 1\n",
        ),
        ("topology = { kind = \"x\" }", true, "topology = { k = 6 }"),
        ("a = 1", false, "a = 1\n\n[topology]\nk = 6\n"),
        ("", false, "\n[topology]\nk = 6\n"),
        (
            "topology.k = 4\n",
            false,
            "expected [topology] as a section of its own, got it in parts: write its keys below one header [topology]",
        ),
        (
            "[topology]\nk.a = 4\n",
            false,
            "expected topology.k with its value, got it in parts",
        ),
        (
            "topology = 4\n",
            false,
            "expected [topology], got a single value",
        ),
        (
            "[[topology]]\nk = 4\n",
            false,
            "expected [topology], got a single value",
        ),
        (
            "[topology.at]\nk = 4\n",
            false,
            "expected [topology] as a section of its own, got it in parts: write its keys below one header [topology]",
        ),
        (
            "[topology]\nk = 4\n[topology.at.a]\nk = 4\n",
            true,
            "[topology]\nk = 6\n[topology.at.a]\nk = 4\n",
        ),
    ] {
        assert_eq!(set(text, &k6, alone), expected, "{text}");
    }
}

#[test]
fn values_at_the_top_stay_above_the_sections() {
    for (text, expected) in [
        ("", "duration = \"2 s\"\n"),
        ("# mine\n[a]\n", "duration = \"2 s\"\n# mine\n[a]\n"),
        (
            "x = [\n1,\n] # all\n[a]\nduration = 1\n",
            "x = [\n1,\n] # all\nduration = \"2 s\"\n[a]\nduration = 1\n",
        ),
        (
            "duration = \"1 s\" # one\n[[a]]\n",
            "duration = \"2 s\" # one\n[[a]]\n",
        ),
    ] {
        let mut document = read(text);
        document.set_top("duration", "\"2 s\"");
        assert_eq!(document.text(), expected, "{text}");
        read(document.text());
    }
}

#[test]
fn sections_with_errors_become_comments_up_to_the_next_ones_comment() {
    let text = "a = 1\n\n# claims\n[[claim]]\nid = \"x\"\n\n[[claim]]\nid = \"y\"\nby = [\n 1]\n\n# next\n[source]\na = \"b\"\n";
    let mut document = read(text);
    assert_eq!(document.comment_out("claim", &[1, 13], "why"), 0);
    assert_eq!(document.text(), text);
    assert_eq!(document.comment_out("claim", &[9], "why"), 1);
    let one = "a = 1\n\n# claims\n[[claim]]\nid = \"x\"\n\n# why\n# [[claim]]\n# id = \"y\"\n# by = [\n#  1]\n\n# next\n[source]\na = \"b\"\n";
    assert_eq!(document.text(), one);
    let mut document = read(text);
    assert_eq!(document.comment_out("claim", &[4, 8], "why"), 2);
    let both = one.replace(
        "[[claim]]\nid = \"x\"\n\n# why\n",
        "# why\n# [[claim]]\n# id = \"x\"\n\n",
    );
    assert_eq!(
        document.text(),
        both.replace("# # [[claim]]\n", "# [[claim]]\n")
    );
    read(document.text());
}

#[test]
fn what_is_no_toml_is_refused_with_its_line() {
    let said = |text: &str| Document::read("a.toml", text).err().unwrap();
    assert!(
        said("a = 1\nb = \n").starts_with("a.toml:2: "),
        "{}",
        said("a = 1\nb = \n")
    );
    assert!(said("a = 1\na = 2\n").starts_with("a.toml:2: duplicate key"));
}
