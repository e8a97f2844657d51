//! Loops without end that start processes without waiting for any.

use ricasso_shell::tree::{ForArith, Joint, Kind, List, Loop, Test};
use ricasso_shell::{Script, Span};

/// Whether the loop never ends by itself and everything in it runs beside it.
pub(super) fn floods(script: &Script, looped: &Loop) -> bool {
    all_beside(&looped.body) && is_constant(script, &looped.condition, looped.until)
}

/// The same of `for ((;;))`.
pub(super) fn floods_counted(script: &Script, each: &ForArith) -> bool {
    let clauses = each.clauses.span.of(script.text());
    let mut clauses = clauses.split(|byte| *byte == b';');
    let condition = clauses.nth(1).unwrap_or_default().trim_ascii();
    all_beside(&each.body) && (condition.is_empty() || is_number(condition) == Some(true))
}

fn all_beside(body: &List) -> bool {
    !body.items.is_empty() && body.items.iter().all(|item| item.joint == Joint::Background)
}

/// Whether the condition always holds, or never behind `until`.
fn is_constant(script: &Script, condition: &List, until: bool) -> bool {
    let [item] = condition.items.as_slice() else { return false };
    let [stage] = item.pipeline.stages.as_slice() else { return false };
    let holds = match &stage.command.kind {
        Kind::Simple(simple) => {
            let words: Option<Vec<_>> = simple.words.iter().map(|word| word.value()).collect();
            words.and_then(|words| {
                plain(&words.iter().map(|word| word.as_ref()).collect::<Vec<&[u8]>>())
            })
        }
        Kind::Arith(arith) => number_at(script, arith.span),
        Kind::Test(test) => tested(test),
        _ => None,
    };
    holds.is_some_and(|holds| (holds != until) != item.pipeline.negated)
}

/// What a command of plain words comes to, where that is always the same.
fn plain(words: &[&[u8]]) -> Option<bool> {
    match words {
        [b"true" | b":"] => Some(true),
        [b"false"] => Some(false),
        [b"[", inner @ .., b"]"] | [b"test", inner @ ..] => match inner {
            [one] => Some(!one.is_empty()),
            [one, b"=" | b"==" | b"-eq", other] => Some(one == other),
            _ => None,
        },
        _ => None,
    }
}

fn tested(test: &Test) -> Option<bool> {
    let [term] = test.terms.as_slice() else { return None };
    let operands: Option<Vec<_>> = term.operands.iter().map(|word| word.value()).collect();
    let operands = operands?;
    match (operands.as_slice(), term.operator.as_deref()) {
        ([one], None) => Some(!one.is_empty()),
        ([one, other], Some(b"=" | b"==" | b"-eq")) => Some(one == other),
        (_, _) => None,
    }
}

fn number_at(script: &Script, span: Span) -> Option<bool> {
    is_number(span.of(script.text()).trim_ascii())
}

/// Whether a number is not zero.
fn is_number(text: &[u8]) -> Option<bool> {
    let digits = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    digits.then(|| text.iter().any(|byte| *byte != b'0'))
}
