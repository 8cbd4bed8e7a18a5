//! Questions by name: which family answers, and how refusals look.
//!
//! A method is called `family.question`, as in `player.open`. Arguments and answers are JSON; bytes may come with either.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Some questions, and who answers them.
pub struct Family {
    /// What stands before the point in their methods.
    pub name: &'static str,
    /// Answers a question, which is what stands behind the point, from its arguments in JSON and the bytes that came with it. A question that
    /// is not its own gets [`unknown`].
    pub answer: fn(question: &str, arguments: &str, bytes: Vec<u8>) -> Outcome,
}

/// An answer, or why there is none.
pub type Outcome = Result<Answer, Refusal>;

/// An answer: JSON, and bytes where it has some.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// JSON.
    pub json: Value,
    /// What the JSON points to, or a file.
    pub bytes: Vec<u8>,
}

/// What is wrong: the words of `Refused`, and where each problem is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Refusal {
    /// In words.
    pub message: String,
    /// Problems with the attributes of the command's `--json`.
    pub details: Vec<Value>,
}

impl Refusal {
    /// A refusal that is said in one sentence.
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
    /// An answer without bytes.
    pub fn of(value: &impl Serialize) -> Outcome {
        let json = serde_json::to_value(value).map_err(Refusal::new)?;
        Ok(Answer {
            json,
            bytes: Vec::new(),
        })
    }
}

/// The arguments of a question.
pub fn arguments<T: DeserializeOwned>(json: &str) -> Result<T, Refusal> {
    let read = serde_json::from_str(json);
    read.map_err(|why| Refusal::new(format!("the arguments are others than expected: {why}")))
}

/// There is no such question.
pub fn unknown(question: &str) -> Outcome {
    Err(Refusal::new(format!("there is no question {question:?}")))
}
