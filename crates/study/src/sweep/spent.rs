//! Counts of the runs that a call made, and of those that earlier calls had made.

use super::CacheUse;
use crate::format::some;
use crate::manifest::RunOrigin;
use sidestep_types::Bytes;

/// Runs made by a call, and runs taken from the cache.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Runs made, completed or interrupted.
    pub made: u64,
    /// Runs taken from the cache.
    pub cached: u64,
    /// Runs that an interruption prevented.
    pub not_run: u64,
    /// Use of the cache.
    pub cache: Option<CacheUse>,
}

impl Spent {
    /// Counts a run.
    pub fn count(&mut self, how: RunOrigin) {
        match how {
            RunOrigin::Ran => self.made += 1,
            RunOrigin::Cached => self.cached += 1,
            RunOrigin::NotRun => self.not_run += 1,
        }
    }

    /// Formats one line, and a second one if the cache could not be written.
    pub fn to_text(&self) -> String {
        let mut text = format!("{} made", some(self.made as usize, "run"));
        if let Some(cache) = &self.cache {
            let all = self.made + self.cached + self.not_run;
            text.push_str(&format!(
                ", {} taken from the cache {} ({}), of {all}",
                self.cached,
                cache.dir.display(),
                Bytes(cache.total_bytes)
            ));
            if self.not_run > 0 && cache.refused.is_none() {
                text.push_str("; repeat the command to continue");
            }
            if cache.damaged > 0 {
                text.push_str(&format!(
                    "; {} repeated because of damaged records",
                    cache.damaged
                ));
            }
            if let Some(why) = &cache.refused {
                text.push_str(&format!("\nno run could be cached: {why}"));
            }
        }
        text.push('\n');
        text
    }
}
