//! Composes texts in which a command MARK hides in nested constructs.
//!
//! Nothing else in the texts has an effect outside the directory they run in.

use ricasso_fuzz::random::Random;

/// Each context puts a command somewhere; `None` where it cannot hold that command.
type Context = fn(&str, usize) -> Option<String>;

/// A text with MARK one to six constructs deep.
pub(crate) fn text(random: &mut Random) -> String {
    let inner = [
        "MARK",
        "MARK",
        "MARK",
        "A=1 MARK",
        "\"MARK\"",
        "MA''RK",
        "$'\\x4dARK'",
        "MARK >/dev/null",
        "MARK 'a' \"b c\"",
        "! MARK",
        ">/dev/null MARK",
        "MA\\\nRK",
        "time -p MARK",
        "{fd}</dev/null MARK",
    ];
    let mut command = (*random.pick(&inner)).to_owned();
    for level in 0..1 + random.below(6) {
        let context = random.pick(&CONTEXTS);
        let serial = level * 1000 + random.below(1000);
        if let Some(text) = context(&command, serial) {
            command = text;
        }
    }
    command
}

fn backtick(command: &str) -> String {
    command.replace('\\', "\\\\").replace('`', "\\`").replace('$', "\\$")
}

/// Whether a context that is read by lines can hold the command.
fn one_line(command: &str) -> bool {
    !command.contains('\n')
}

const CONTEXTS: [Context; 76] = [
    |c, _| Some(format!("echo $({c}\n)")),
    |c, _| Some(format!("echo \"a $({c}\n) b\"")),
    |c, _| Some(format!("echo `{}\n`", backtick(c))),
    |c, _| (!c.contains('"')).then(|| format!("echo \"x`{}\n`\"", backtick(c))),
    |c, _| Some(format!("( {c}\n)")),
    |c, _| Some(format!("({c}\n)")),
    |c, _| Some(format!("( ({c}\n) )")),
    |c, _| Some(format!("((:); {c}\n)")),
    |c, _| Some(format!("echo $((:); {c}\n)")).filter(|_| one_line(c) && !c.contains('`')),
    |c, _| Some(format!("{{ {c}\n}}")),
    |c, _| Some(format!("{{\n\n{c}\n}} >/dev/null 2>&1")),
    |c, _| Some(format!("! {{ {c}\n}}")),
    |c, _| Some(format!("time ! {{ {c}\n}}")),
    |c, _| Some(format!("if {c}\nthen :\nfi")),
    |c, _| Some(format!("if false; then :; elif {c}\nthen :\nfi")),
    |c, _| Some(format!("if false; then :; else {c}\nfi")),
    |c, _| Some(format!("if ( : ) then {c}\nfi")),
    |c, _| Some(format!("if [[ a ]] then {c}\nfi")),
    |c, _| Some(format!("while {c}\nfalse; do :; done")),
    |c, _| Some(format!("until {c}\ntrue; do :; done")),
    |c, _| Some(format!("while :; do {c}\nbreak; done")),
    |c, _| Some(format!("for i in a; do {c}\ndone")),
    |c, _| Some(format!("for i in a; {{ {c}\n}}")),
    |c, _| Some(format!("for ((i = 0; i < 1; i++)); do {c}\ndone")),
    |c, _| Some(format!("for ((i = 0; i < 1; i++)) {{ {c}\n}}")),
    |c, _| Some(format!("for ((i = $({c}\necho 0); i < 1; i++)); do :; done")),
    |c, _| Some(format!("for i in $({c}\n); do :; done")),
    |c, _| Some(format!("select i in a; do {c}\nbreak; done <<<1")),
    |c, _| Some(format!("case x in y) :;; (x|z) {c}\n;; esac")),
    |c, _| Some(format!("case x in x) : ;& y) {c}\nesac")),
    |c, _| Some(format!("case x in x) : ;;& *) {c}\n;; esac")),
    |c, _| Some(format!("case $({c}\n) in *) ;; esac")),
    |c, _| Some(format!("case x in $({c}\n)) ;; esac")),
    |c, n| Some(format!("f{n}() {{ {c}\n}}; f{n}")),
    |c, n| Some(format!("f{n}() ( {c}\n)\nf{n}")),
    |c, n| Some(format!("function f{n} {{\n{c}\n}}\nf{n}")),
    |c, n| Some(format!("f{n}() if {c}\nthen :; fi; f{n}")),
    |c, n| Some(format!("f{n}() [[ -n $({c}\n) ]]; f{n}")),
    |c, _| Some(format!("x=$({c}\n)")),
    |c, _| Some(format!("x+=\"$({c}\n)\" y=1")),
    |c, _| Some(format!("a=(1 \"$({c}\n)\")")),
    |c, _| Some(format!("a=([$({c}\necho 1)]=2)")),
    |c, _| Some(format!("a[$({c}\necho 1)]=2")),
    |c, _| Some(format!("declare v=\"$({c}\n)\" w=(1)")),
    |c, _| Some(format!("A=\"$({c}\n)\" true")),
    |c, _| Some(format!("echo ${{u:-$({c}\n)}}")),
    |c, _| Some(format!("echo \"${{u:-$({c}\n)}}\"")),
    |c, _| Some(format!("echo \"${{u:-\"$({c}\n)\"}}\"")),
    |c, _| (!c.contains('\'')).then(|| format!("echo \"${{u:-'$({c}\n)'}}\"")),
    |c, _| Some(format!("y=abc; echo ${{y/b/$({c}\n)}}")),
    |c, _| Some(format!("y=abc; echo \"${{y//[$({c}\n)b]/z}}\"")),
    |c, _| Some(format!("y=abc; echo ${{y%%$({c}\n)}} ${{y^$(:)}}")),
    |c, _| Some(format!("y=abc; echo ${{y:$({c}\n)}}")),
    |c, _| Some(format!("b=(1 2); echo ${{b[$({c}\necho 0)]}}")),
    |c, _| Some(format!("echo $((1 + $({c}\necho 1)))")),
    |c, _| Some(format!("(( z = $({c}\necho 1) ))")),
    |c, _| Some(format!("echo $[ $({c}\necho 1) ]")),
    |c, _| Some(format!("[[ -n $({c}\n) ]]")),
    |c, _| Some(format!("[[ a == \"$({c}\n)\"* || b ]]")),
    |c, _| Some(format!("[[ a =~ (x|$({c}\n)) ]]")),
    |c, _| Some(format!("[ -n \"$({c}\n)\" ]")),
    |c, n| Some(format!("cat <<E{n}\nx $({c}\n)\nE{n}")),
    |c, n| Some(format!("cat <<-E{n}\n\t\"${{u:-$({c}\n)}}\"\n\tE{n}")),
    |c, n| Some(format!("cat <<'E{n}'\n$(no ` \" '\nE{n}\n{c}")),
    |c, n| Some(format!("cat <<E{n} <<F{n}\nq\nE{n}\n$({c}\n)\nF{n}")),
    |c, n| Some(format!("cat <<E{n} && {{\nq\nE{n}\n{c}\n}}")),
    |c, _| Some(format!("cat <<<\"$({c}\n)\"")),
    |c, _| Some(format!("cat <({c}\n)")),
    |c, _| Some(format!("echo x > >({c}\ncat)")),
    |c, _| one_line(c).then(|| format!("echo x >\"/dev/null$({c} >/dev/null)\"")),
    |c, _| Some(format!("true | {{ {c}\n}} |& cat")),
    |c, _| Some(format!("true &&\n\n# a ' comment\n{{ {c}\n}} || :")),
    |c, _| Some(format!("echo a # it's $(no\n{c}")),
    |c, _| Some(format!("echo {{p,$({c}\n)}} \"é\" '\\' \\\" $'it\\'s' $\"$(:)\"")),
    |c, _| Some(format!("true \\\n  && \\\n ( {c}\n)")),
    |c, _| Some(format!("{{ {c}\n}} & wait")),
];
