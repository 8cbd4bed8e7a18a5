//! Calls by name: the families that answer them, and the form of refusals.
//!
//! The name of a method is `family.question`, as in `player.open`. Arguments and answers are JSON; either may
//! carry bytes.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Family of questions, and the function that answers them.
pub struct Family {
    /// Name of the family: the part of its methods' names before the point.
    pub name: &'static str,
    /// Answers a question, named by the part after the point, from its arguments in JSON and the bytes that
    /// came with it. Returns [`unknown`] for a question that the family does not have.
    pub answer: fn(question: &str, arguments: &str, bytes: Vec<u8>) -> Outcome,
}

/// Answer, or the reason for which there is none.
pub type Outcome = Result<Answer, Refusal>;

/// Answer: JSON, and optional bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// JSON of the answer.
    pub json: Value,
    /// Bytes to which the JSON refers, or a file.
    pub bytes: Vec<u8>,
}

/// Refusal: the message of `Refused`, and the place of each problem.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Refusal {
    /// Message for people.
    pub message: String,
    /// Problems, with the attributes of the command's `--json`.
    pub details: Vec<Value>,
}

impl Refusal {
    /// Creates a refusal of one sentence.
    pub fn new(message: impl ToString) -> Refusal {
        Refusal {
            message: message.to_string(),
            details: Vec::new(),
        }
    }

    pub(crate) fn json(&self) -> Value {
        json!({ "message": self.message, "details": self.details })
    }
}

impl Answer {
    /// Creates an answer without bytes.
    pub fn of(value: &impl Serialize) -> Outcome {
        let json = serde_json::to_value(value).map_err(Refusal::new)?;
        Ok(Answer {
            json,
            bytes: Vec::new(),
        })
    }
}

/// Parses the arguments of a question.
pub fn arguments<T: DeserializeOwned>(json: &str) -> Result<T, Refusal> {
    let read = serde_json::from_str(json);
    read.map_err(|why| Refusal::new(format!("the arguments of the call are invalid: {why}")))
}

/// Refuses an unknown question.
pub fn unknown(question: &str) -> Outcome {
    Err(Refusal::new(format!("unknown call {question:?}")))
}
