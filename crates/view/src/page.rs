//! The page, and what its security policy lets it do.
//!
//! **Decision**     what it may connect to: nothing, or where it came from. The rest of the policy is the page's own, with the
//!                  hashes of its scripts.
//! **Errors**       a file without such a policy is no page of ours.

use crate::Error;
use std::path::Path;

/// The page that was built into the program.
const BUILT_IN: Option<&str> = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// A page: text before its policy, the policy, text after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    before: String,
    policy: String,
    after: String,
}

/// What a page may connect to while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connect {
    /// Nothing: it has everything inside.
    Nothing,
    /// To where it came from.
    Origin,
}

impl Page {
    /// The page that was built into the program, or what to do where there is none.
    pub fn built_in() -> Result<Page, Error> {
        let missing = "the page is not part of this build: make it with `make web`, then build the command again, or give it \
                       with --page web/dist/index.html";
        let text = BUILT_IN.ok_or_else(|| Error::Work(missing.into()))?;
        Page::parse(text)
            .ok_or_else(|| Error::Work("the page of this build has no security policy".into()))
    }

    /// Reads a page from a file.
    pub fn read(path: &Path) -> Result<Page, Error> {
        let shown = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|why| Error::Input(format!("--page: cannot read {shown}: {why}")))?;
        Page::parse(&text).ok_or_else(|| {
            Error::Input(format!(
                "--page: expected the page that `make web` makes, got {shown}, which has no <meta http-equiv=\
                 \"Content-Security-Policy\">"
            ))
        })
    }

    /// Finds the policy in a page.
    fn parse(text: &str) -> Option<Page> {
        let named = text.find("http-equiv=\"Content-Security-Policy\"")?;
        let tag = text[..named].rfind("<meta")?;
        let end = tag + text[tag..].find('>')?;
        let begin = tag + text[tag..end].find("content=\"")? + "content=\"".len();
        let length = text[begin..end].find('"')?;
        Some(Page {
            before: text[..begin].into(),
            policy: text[begin..begin + length].into(),
            after: text[begin + length..].into(),
        })
    }

    /// The page's policy, with this to connect to.
    pub(crate) fn policy(&self, connect: Connect) -> String {
        let source = match connect {
            Connect::Nothing => "connect-src 'none'",
            Connect::Origin => "connect-src 'self'",
        };
        let parts = self.policy.split(';').map(str::trim);
        let others = parts.filter(|part| !part.is_empty() && !part.starts_with("connect-src"));
        let all: Vec<&str> = others.chain([source]).collect();
        all.join("; ")
    }

    /// The page, with this to connect to.
    pub(crate) fn text(&self, connect: Connect) -> String {
        let policy = self.policy(connect);
        [&self.before, policy.as_str(), &self.after].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<head><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" \
                        content=\"default-src 'none'; connect-src 'none'; script-src 'sha256-x='\"></head>";

    #[test]
    fn a_page_keeps_its_policy_but_for_what_it_connects_to() {
        let page = Page::parse(PAGE).unwrap();
        let policy = "default-src 'none'; script-src 'sha256-x='; connect-src 'self'";
        assert_eq!(page.policy(Connect::Origin), policy);
        let rest = PAGE.split_once("content=\"default").unwrap().0;
        let text = page.text(Connect::Nothing);
        assert!(text.starts_with(rest), "{text}");
        assert!(
            text.ends_with("'sha256-x='; connect-src 'none'\"></head>"),
            "{text}"
        );
    }

    #[test]
    fn what_has_no_policy_is_no_page() {
        for text in [
            "",
            "<head></head>",
            "http-equiv=\"Content-Security-Policy\"",
        ] {
            assert_eq!(Page::parse(text), None, "{text}");
        }
    }
}
