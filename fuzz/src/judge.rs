//! The judge's target: any text gets a verdict, the same one again from what was recorded.
//!
//! Nothing is run and no disk is read: the world is a described one.

use ricasso_engine::policy::{Policy, Preset, judge};
use ricasso_engine::request::{Caller, Manner, OnFailure, Request, Stdin, Step};
use ricasso_engine::scene::{Answer, Described, Fact, Look, Query, Recorded, Scene};
use std::sync::{LazyLock, Mutex};

static POLICIES: LazyLock<Vec<Policy>> =
    LazyLock::new(|| [Preset::Read, Preset::Workspace, Preset::Open].map(Policy::preset).into());

/// Writes down what the world says.
struct Noting {
    world: Described,
    facts: Mutex<Vec<Fact>>,
}

impl Look for Noting {
    fn look(&self, query: &Query) -> Answer {
        let answer = self.world.look(query);
        if let Ok(mut facts) = self.facts.lock() {
            facts.push(Fact { query: query.clone(), answer: answer.clone() });
        }
        answer
    }
}

/// Judges a text under each preset, and once more from the record.
pub fn check(text: &[u8]) -> Result<(), String> {
    let request = Request {
        steps: vec![Step::Shell(text.to_vec().into())],
        on_failure: OnFailure::Stop,
        cwd: "/home/user/project".into(),
        workspace: Some("/home/user/project".into()),
        env: Vec::new(),
        stdin: Stdin::Closed,
        manner: Manner::default(),
        timeout: None,
        caller: Caller { door: "library".into(), session: "fuzz".into(), client: None },
    };
    for policy in POLICIES.iter() {
        let world = Described::new()
            .set("HOME", "/home/user")
            .link("/home/user/project/link", "/home/user/out");
        let noting = Noting { world, facts: Mutex::default() };
        let first = judge(&request, policy, &noting);
        for reason in &first.reasons {
            let Some([start, end]) = reason.span else { continue };
            if start > end || end > text.len() {
                return Err(format!(
                    "the span {start}..{end} of {} is not in the text",
                    reason.rule
                ));
            }
            if reason.message.is_empty() || reason.remedy.is_empty() {
                return Err(format!("{} explains nothing", reason.rule));
            }
        }
        let facts = noting.facts.into_inner().unwrap_or_default();
        let again = judge(&request, policy, &Recorded::new(Scene { facts }));
        if again.verdict.name() != first.verdict.name() || again.reasons != first.reasons {
            return Err(format!(
                "{} the first time, {} from the record",
                first.verdict.name(),
                again.verdict.name()
            ));
        }
    }
    Ok(())
}
