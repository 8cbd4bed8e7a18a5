//! Parameters of `[transport]` whose value is a word: lists, documents and tests iterate over them.

use crate::word_settings::{
    AckRule, BackoffEnds, Growth, LossDetection, Ranking, Recovery, Reduction, ThresholdRule,
};
use crate::{Estimator, TcpConfig};
use sidestep_types::Entry;

/// Parameter of `[transport]` whose value is one of a list of words, each with its own entry and page.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// Name of the parameter with its table: `transport.recovery`.
    pub key: &'static str,
    /// Kind of the words: the argument of `sidestep list`, and the name of a folder of `docs/`.
    pub kind: &'static str,
    /// Entry of each word.
    pub entries: &'static [Entry],
    /// Returns the word set in a connection's configuration.
    pub of: fn(&TcpConfig) -> &'static str,
}

macro_rules! choices {
    ($($key:literal, $kind:literal, $words:ident => $of:expr;)*) => {
        [$( Choice { key: $key, kind: $kind, entries: $words::ENTRIES, of: $of }, )*]
    };
}

/// All parameters whose value is a word, in the order of lists.
pub const CHOICES: &[Choice] = &choices! {
    "transport.recovery", "recoveries", Recovery => |tcp| tcp.recovery.name();
    "transport.loss_detection", "detections", LossDetection => |tcp| tcp.loss_detection().name();
    "transport.window_growth", "growths", Growth => |tcp| tcp.growth.name();
    "transport.reduction", "reductions", Reduction => |tcp| tcp.reduction.name();
    "transport.fast_retransmit_rule", "thresholds", ThresholdRule => |tcp| tcp.reordering.rule.name();
    "transport.delayed_ack_rule", "delayed_acks", AckRule => |tcp| tcp.ack_rule.name();
    "transport.rto_estimator", "estimators", Estimator => |tcp| tcp.rto.estimator.name();
    "transport.rto_backoff_ends", "backoffs", BackoffEnds => |tcp| tcp.rto.backoff_ends.name();
    "transport.rank", "rankings", Ranking => |tcp| tcp.ranking.name();
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PARAMS;
    use sidestep_types::ParamUnit;

    #[test]
    fn every_parameter_that_is_a_word_is_a_choice() {
        for param in PARAMS {
            if let ParamUnit::Word(words) = param.unit {
                let choice = CHOICES
                    .iter()
                    .find(|choice| choice.key == format!("transport.{}", param.name))
                    .unwrap_or_else(|| panic!("{} is not in CHOICES", param.name));
                let names: Vec<&str> = choice.entries.iter().map(|entry| entry.name).collect();
                assert_eq!(names, words);
                assert_eq!(Some((choice.of)(&TcpConfig::default())), param.default);
            }
        }
    }
}
