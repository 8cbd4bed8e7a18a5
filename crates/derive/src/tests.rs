//! Mistakes in what stands at a field are errors of the compiler, and say what was expected.

use crate::{settings, words};
use syn::parse_str;

/// Returns the error of the derive of `Settings` for a struct with this `body`.
fn refused(body: &str) -> String {
    of_settings(&format!("struct S {{ {body} }}"))
}

fn of_settings(text: &str) -> String {
    let made = settings::derive(&parse_str(text).expect("Rust"));
    made.expect_err("a mistake").to_string()
}

fn of_words(text: &str) -> String {
    let made = words::derive(&parse_str(text).expect("Rust"));
    made.expect_err("a mistake").to_string()
}

#[test]
fn a_setting_without_a_doc_comment_is_refused_but_not_a_group() {
    let said = refused("#[setting(default = \"1\")] n: u64");
    assert!(said.starts_with("expected a doc comment"), "{said}");
    let group = parse_str("struct S { #[setting(flatten)] group: G, #[setting(skip)] n: u64 }");
    assert!(settings::derive(&group.unwrap()).is_ok());
}

#[test]
fn an_unknown_word_is_refused_with_those_that_are_known() {
    let said = refused("/// n\n #[setting(defualt = \"1\")] n: u64");
    assert!(
        said.starts_with("expected flatten, skip, common, bytes, key, default"),
        "{said}"
    );
    assert_eq!(
        of_settings("#[settings(chekc)] struct S {}"),
        "expected check"
    );
}

#[test]
fn what_would_have_no_effect_is_refused() {
    for (at, said) in [
        (
            "flatten, default = \"1\"",
            "default has no effect beside flatten",
        ),
        ("skip, above = 0", "above has no effect beside skip"),
        ("common, off = \"off\"", "off has no effect beside common"),
        (
            "default = \"1\", because = \"why\"",
            "because has no effect without range or above",
        ),
        ("default = \"1\", default = \"2\"", "default is there twice"),
        (
            "default = \"1\", unless = \"load\"",
            "unless needs a word for off",
        ),
    ] {
        let body = format!("/// n\n #[setting({at})] n: u64");
        assert_eq!(refused(&body), said);
    }
}

#[test]
fn a_word_for_without_needs_a_type_that_can_be_without() {
    let said = refused("/// n\n #[setting(default = \"off\", off = \"off\")] n: u64");
    assert_eq!(said, "off needs an Option");
}

#[test]
fn other_shapes_than_named_fields_and_plain_variants_are_refused() {
    assert_eq!(of_settings("enum S { A }"), "expected a struct");
    assert_eq!(of_settings("struct S(u64);"), "expected named fields");
    assert_eq!(of_words("struct S { n: u64 }"), "expected an enum");
    assert_eq!(
        of_words("enum S { A, B(u64) }"),
        "expected a variant without fields"
    );
}
