//! The page, and its content security policy.
//!
//! **Decision**     the connections it may make: none, or to its origin. The rest of the policy is the page's
//!                  own, with the hashes of its scripts.
//! **Errors**       a file without such a policy is refused.

use crate::Error;
use std::path::Path;

/// Page built into the program.
const BUILT_IN: Option<&str> = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// Page, split into the text before its policy, the policy, and the text after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    before: String,
    policy: String,
    after: String,
}

/// Connections that a page may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connect {
    /// No connection: the file contains everything.
    Nothing,
    /// To its origin.
    Origin,
}

impl Page {
    /// Returns the page built into the program, or an error that tells how to build it.
    pub fn built_in() -> Result<Page, Error> {
        let missing = "this build contains no page: run `make web` and build the command again, or \
                       use --page web/dist/index.html";
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
                "--page: expected a page built by `make web`, got {shown}, which has no <meta \
                 http-equiv=\"Content-Security-Policy\">"
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

    /// Returns the page's policy with these connections.
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

    /// Returns the page with these connections.
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
