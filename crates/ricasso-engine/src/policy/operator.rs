//! `commands.operators = "deny"`: one command, and nothing that joins, redirects or substitutes.
//!
//! Operators are judged by their place in the grammar: inside quotes they are text. It must never
//! look at what a command does; that is for the rules.

use super::judge::{Findings, Weight, reason};
use super::verdict::ReasonLayer;
use super::walk::Reads;
use ricasso_shell::tree::{
    Command, Form, Joint, Kind, List, Operator, Part, Piece, Pipeline, Redirect, Simple, Stage,
    Word,
};
use ricasso_shell::{Script, Span};

/// Builtins that run a text or another program in place of the shell.
const DYNAMIC: [&[u8]; 4] = [b"eval", b"exec", b"source", b"."];
/// What may stand before them.
const BEFORE: [&[u8]; 3] = [b"env", b"command", b"builtin"];

/// Refuses a text that is more than one plain command.
pub(super) fn judge(text: &[u8], reads: Reads, findings: &mut Findings) {
    let script = ricasso_shell::read(text, reads.shell());
    let Some((span, what)) = find(&script) else {
        return plain(&script, findings);
    };
    let message = format!("this policy takes one plain command, and here is {what}");
    let remedy = "send one command at a time, without joining, redirecting or substituting";
    let span = Some([span.start, span.end]);
    findings.add(
        Weight::Deny,
        reason("commands.operators", ReasonLayer::Policy, span, message, remedy),
    );
}

/// A text that starts no program, or has a word of the shell before it.
fn plain(script: &Script, findings: &mut Findings) {
    let first = script.body.items.first().map(|item| &item.pipeline);
    if let Some(pipeline) = first.filter(|pipeline| pipeline.negated || pipeline.timed) {
        let message = "a word of the shell is not on the list of programs".to_string();
        let span = Some([pipeline.span.start, pipeline.span.end]);
        let remedy = "start with the program itself";
        let layer = ReasonLayer::Programs;
        return findings.add(Weight::Deny, reason("programs.allow", layer, span, message, remedy));
    }
    let is_named = |stage: &Stage| match &stage.command.kind {
        Kind::Simple(simple) => !simple.words.is_empty(),
        _ => true,
    };
    if !first.is_some_and(|pipeline| pipeline.stages.iter().all(is_named)) {
        let message = "the text starts no program".to_string();
        let remedy = "name a program after the assignments";
        let span = Some([0, script.text().len()]);
        let layer = ReasonLayer::Policy;
        findings.add(Weight::Deny, reason("commands.empty", layer, span, message, remedy));
    }
}

type Met = (Span, &'static str);

fn find(script: &Script) -> Option<Met> {
    let broken = || script.unreadable().and_then(|_| bare(script.text()));
    list(&script.body).or_else(|| behind(script)).or_else(broken)
}

/// The first byte outside quotes that is an operator wherever it stands, in a text that no shell
/// reads: an operator is told of before any other fault.
fn bare(text: &[u8]) -> Option<Met> {
    let mut quote = None;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match (quote, byte) {
            (None | Some(b'"'), b'\\') => at += 1,
            (None, b'\'' | b'"') => quote = Some(*byte),
            (Some(open), byte) if open == *byte => quote = None,
            (None, b';' | b'&' | b'|' | b'>' | b'(' | b'\n' | b'`') | (Some(b'"'), b'`') => {
                return Some((Span { start: at, end: at + 1 }, "an operator"));
            }
            (None | Some(b'"'), b'$') if matches!(text.get(at + 1), Some(b'(' | b'{')) => {
                return Some((Span { start: at, end: at + 2 }, "an expansion"));
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// A `;` behind the last command.
fn behind(script: &Script) -> Option<Met> {
    let end = script.body.items.last()?.pipeline.span.end;
    let rest = script.text().get(end..)?;
    let at = rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let span = Span { start: end + at, end: end + at + 1 };
    (rest[at] == b';').then_some((span, "a ;"))
}

fn list(list: &List) -> Option<Met> {
    for (index, item) in list.items.iter().enumerate() {
        let after = Span { start: item.pipeline.span.end, end: item.pipeline.span.end };
        let joint = match item.joint {
            Joint::Background => Some("a & behind a command"),
            Joint::And => Some("&&"),
            Joint::Or => Some("||"),
            Joint::Sequence if index + 1 < list.items.len() => Some("a ; or a second line"),
            Joint::Sequence => None,
        };
        if let Some(what) = joint {
            return Some((reach(after, list.span), what));
        }
        if let Some(met) = pipeline(&item.pipeline) {
            return Some(met);
        }
    }
    None
}

/// One byte more, where there is one: the operator itself stands behind the command.
fn reach(span: Span, whole: Span) -> Span {
    Span { start: span.start, end: (span.end + 1).min(whole.end.max(span.end)) }
}

fn pipeline(pipeline: &Pipeline) -> Option<Met> {
    match pipeline.stages.as_slice() {
        [] => None,
        [stage] => command(&stage.command),
        [first, ..] => {
            let end = first.command.span.end;
            Some((reach(Span { start: end, end }, pipeline.span), "a |"))
        }
    }
}

fn command(command: &Command) -> Option<Met> {
    let met = match &command.kind {
        Kind::Simple(one) => simple(one),
        Kind::Subshell(_)
        | Kind::Group(_)
        | Kind::If(_)
        | Kind::Loop(_)
        | Kind::For(_)
        | Kind::ForArith(_)
        | Kind::Case(_)
        | Kind::Test(_)
        | Kind::Arith(_)
        | Kind::Function(_)
        | Kind::Coproc(_) => Some((command.span, "a compound command")),
    };
    met.or_else(|| command.redirects.iter().find_map(redirect))
}

fn simple(simple: &Simple) -> Option<Met> {
    let name = simple.words.iter().find(|word| {
        let value = word.value();
        value.is_none_or(|value| !BEFORE.contains(&&*value))
    });
    let dynamic = name.filter(|word| word.value().is_some_and(|value| DYNAMIC.contains(&&*value)));
    if let Some(word) = dynamic {
        return Some((word.span, "a builtin that runs a text or another program"));
    }
    let assigned = simple.assignments.iter().map(|assignment| &assignment.value);
    assigned.chain(&simple.words).find_map(word)
}

fn redirect(redirect: &Redirect) -> Option<Met> {
    match redirect.operator {
        Operator::Read | Operator::HereString => word(&redirect.target),
        Operator::HereDocument => Some((redirect.span, "a here-document")),
        _ => Some((redirect.span, "a redirection of output")),
    }
}

fn word(word: &Word) -> Option<Met> {
    parts(&word.parts)
}

fn parts(parts: &[Part]) -> Option<Met> {
    parts.iter().find_map(|part| {
        let what = match &part.kind {
            Piece::Double(inner) | Piece::Locale(inner) | Piece::ExtGlob(_, inner) => {
                return self::parts(inner);
            }
            Piece::Substitution(substitution) => match substitution.form {
                Form::Paren | Form::Brace => "a command substitution",
                Form::Backtick => "a command substitution in backticks",
            },
            Piece::Parameter(_) if part.span.end - part.span.start > 2 => {
                return braced(part);
            }
            Piece::Arith(_) => "an arithmetic expansion",
            Piece::Process(_) => "a process substitution",
            Piece::Array(_) => "an array",
            _ => return None,
        };
        Some((part.span, what))
    })
}

/// `${…}` is refused, a plain `$name` is not: the contract names the former alone.
fn braced(part: &Part) -> Option<Met> {
    match &part.kind {
        Piece::Parameter(parameter) => {
            let plain = parameter.name.len() + 1 == part.span.end - part.span.start;
            (!plain).then_some((part.span, "a ${ expansion"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(text: &str) -> Option<&'static str> {
        find(&ricasso_shell::read(text.as_bytes(), ricasso_shell::Shell::Bash)).map(|met| met.1)
    }

    #[test]
    fn every_operator_is_found_where_the_shell_reads_one() {
        let texts = [
            "ls; rm -rf /",
            "ls;",
            "a && b",
            "a || b",
            "ls &",
            "cat file | bash",
            "cat a |& b",
            "echo `whoami`",
            "echo $(id)",
            "echo ${HOME}",
            "echo \"$(id)\"",
            "echo \"${x}\"",
            "eval 'bad'",
            "exec /bin/sh",
            "source ~/.bashrc",
            ". ./x.sh",
            "\\eval x",
            "env eval x",
            "command exec sh",
            "'eval' x",
            "echo foo > /tmp/out",
            "echo a>b",
            "echo a >> b",
            "ls 2>&1",
            "ls 2>/dev/null",
            "ls\nrm x",
            "(ls)",
            "{ ls; }",
            "if a; then b; fi",
            "diff <(ls) x",
            "cat <<EOF\nhi\nEOF",
            "f() { ls; }",
            "A=$(id) ls",
            "[[ -f x ]]",
            "cat < $(id)",
            "x=(a b)",
            "|",
            "| ls",
            "&",
            ">",
            "ls >",
            "cat >(id)",
            "ls \"$(id",
        ];
        for text in texts {
            assert!(met(text).is_some(), "{text:?}");
        }
    }

    #[test]
    fn what_is_quoted_or_an_argument_is_no_operator() {
        let texts = [
            "rg 'a;b' .",
            "rg 'foo|bar' src",
            "grep 'a & b' f",
            "rg '\\$\\{HOME' .",
            "rg exec src",
            "ls source",
            "git log --grep=exec",
            "rg ' > ' src",
            "rg '`' README.md",
            "FOO=bar git log",
            "awk '$1 > 5' f",
            "find . \\( -name a -o -name b \\)",
            "jq '.a | .b' f.json",
            "wc -l src/**/*.py",
            "cat < file",
            "ls # a; b | c",
            "cat $HOME/x",
            "ls\n",
            "ls 'a | b",
        ];
        for text in texts {
            assert_eq!(met(text), None, "{text:?}");
        }
    }
}
