//! A scene: the facts that one judgement rested on, and somebody who answers from them alone.

use super::look::{Answer, Look, Query};
use crate::request::to_hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// A judgement may rest on this many facts. A text that needs more is not one that a person would
/// follow either; beyond it every answer is `Unknown`, which no rule takes for a yes.
pub const MAX_FACTS: usize = 4096;

/// One question with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// What was asked.
    pub query: Query,
    /// What the world said.
    pub answer: Answer,
}

/// All facts of one judgement, in the order in which they were asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scene {
    /// The facts; no question stands there twice.
    pub facts: Vec<Fact>,
}

impl Scene {
    /// SHA-256 over the scene's JSON, in hexadecimal; for the ledger.
    pub fn digest(&self) -> String {
        let json = serde_json::to_vec(self)
            .expect("a scene is made of texts and lists, and its map keys are names");
        to_hex(&Sha256::digest(json))
    }
}

/// Answers from a scene; what the scene does not hold is unknown.
#[derive(Debug, Clone)]
pub struct Recorded {
    answers: HashMap<Query, Answer>,
}

impl Recorded {
    /// Somebody who knows exactly this scene.
    pub fn new(scene: Scene) -> Self {
        let answers = scene.facts.into_iter().map(|fact| (fact.query, fact.answer)).collect();
        Self { answers }
    }
}

impl Look for Recorded {
    fn look(&self, query: &Query) -> Answer {
        self.answers.get(query).cloned().unwrap_or(Answer::Unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_scene_does_not_hold_is_unknown() {
        let fact =
            Fact { query: Query::Variable("HOME".into()), answer: Answer::Text("/h".into()) };
        let recorded = Recorded::new(Scene { facts: vec![fact] });
        assert_eq!(recorded.variable(b"HOME"), Some("/h".into()));
        assert_eq!(recorded.look(&Query::Variable("PATH".into())), Answer::Unknown);
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_no_text_is_kept_byte_for_byte() {
        use std::os::unix::ffi::OsStrExt;
        let odd = std::path::PathBuf::from(std::ffi::OsStr::from_bytes(b"/w/\xff"));
        let answer = Answer::Paths(vec![odd.clone()]);
        let scene = Scene { facts: vec![Fact { query: Query::Kind(odd), answer }] };
        let json = serde_json::to_string(&scene).unwrap();
        assert_eq!(serde_json::from_str::<Scene>(&json).unwrap(), scene);
    }

    #[test]
    fn a_scene_survives_json() {
        let query = Query::Program {
            name: "ls".into(),
            cwd: "/w".into(),
            search: super::super::Search::Inherited,
        };
        let scene = Scene { facts: vec![Fact { query, answer: Answer::Absent }] };
        let json = serde_json::to_string(&scene).unwrap();
        let back: Scene = serde_json::from_str(&json).unwrap();
        assert_eq!(back, scene);
        assert_eq!(back.digest(), scene.digest());
    }
}
