//! Hostile texts: deep, long, repeated. Nothing may overflow a stack of 2 MiB, hang, or take more
//! than linear time.

use std::time::Duration;

use ricasso_shell::{Limit, Shell, Why, draw, read};

/// A thread of the size that Rust gives by default.
const STACK: usize = 2 << 20;

/// Reads, walks, draws and drops a text on a small stack.
fn all_of_it(text: Vec<u8>) -> Duration {
    let thread = std::thread::Builder::new().stack_size(STACK);
    let work = thread.spawn(move || {
        let start = processor_time();
        for shell in [Shell::Bash, Shell::Sh] {
            let script = read(&text, shell);
            let found = script.commands().count();
            let code = script.code().count();
            let drawn = draw(&script).len();
            std::hint::black_box((found, code, drawn, script.clone()));
        }
        processor_time() - start
    });
    work.expect("threads can be started").join().expect("no text may bring the reader down")
}

/// How long this thread was on a processor: what else the machine does is not counted.
fn processor_time() -> Duration {
    let counts = std::fs::read_to_string("/proc/thread-self/schedstat");
    let counts = counts.expect("Linux counts the time of each thread");
    let nanoseconds = counts.split_whitespace().next().and_then(|field| field.parse().ok());
    Duration::from_nanos(nanoseconds.expect("the first field is a number"))
}

/// Openers and closers of everything that nests.
const NESTED: [(&str, &str); 42] = [
    ("(", ")"),
    ("( ", " )"),
    ("{ ", ";}"),
    ("$(", ")"),
    ("\"$(", ")\""),
    ("echo $(", ")"),
    ("`", "`"),
    ("${x:-", "}"),
    ("\"${x:-", "}\""),
    ("${a[", "]}"),
    ("$((", "))"),
    ("$((1+", "))"),
    ("$[", "]"),
    ("((", "))"),
    ("<(", ")"),
    ("cat <(", ")"),
    ("if ", ";then :;fi"),
    ("if :;then ", ";fi"),
    ("while ", ";do :;done"),
    ("for i in a;do ", ";done"),
    ("case x in x) ", ";;esac"),
    ("f() { ", ";}"),
    ("function f ", ""),
    ("coproc ", ""),
    ("time ", ""),
    ("! ", ""),
    ("[[ ( ", " ) ]]"),
    ("( [[ ", " ]] )"),
    ("a=(", ")"),
    ("a[", "]=1"),
    ("a=($(", "))"),
    ("\"", "\""),
    ("'", "'"),
    ("{a,", "}"),
    ("@(", ")"),
    ("[[ x == @(", ") ]]"),
    ("[[ x =~ (", ") ]]"),
    ("cat <<E $(", ")\nE\n"),
    ("cat <<E\n$(", ")\nE\n"),
    ("eval '", "'"),
    ("\\`", "\\`"),
    ("((a); ", ")"),
];

#[test]
fn nesting_never_overflows_the_stack() {
    for (open, close) in NESTED {
        for count in [70, 151, 4_000] {
            for closes in [count, 0] {
                let text = [open.repeat(count), "x".into(), close.repeat(closes)].concat();
                let took = all_of_it(text.into_bytes());
                assert!(took < Duration::from_secs(5), "{open:?} x {count}: {took:?}");
            }
        }
    }
}

#[test]
fn ten_thousand_parentheses_are_refused_at_the_limit() {
    let text = "( ".repeat(10_000) + ":" + &" )".repeat(10_000);
    let script = read(text.as_bytes(), Shell::Bash);
    let unreadable = script.unreadable().expect("too deep");
    assert_eq!(unreadable.why, Why::Limit(Limit::Depth));
    assert_eq!(unreadable.from, 0);
    let depth = usize::try_from(ricasso_shell::limit::DEPTH).expect("small");
    assert_eq!(unreadable.at, 2 * depth + 1);
}

#[test]
fn a_depth_of_seventy_is_read() {
    for (open, close) in [(" $(", ")"), ("\"$(", ")\""), ("( ", " )"), ("${x:-", "}")] {
        let text = [&open.repeat(70), "MARK", &close.repeat(70)].concat();
        let script = read(text.as_bytes(), Shell::Bash);
        assert_eq!(script.unreadable(), None, "{open}");
    }
}

/// Texts that repeat one piece; time must grow with the length, not with its square.
const REPEATED: [&str; 30] = [
    "ls -la /tmp/x; ",
    "$(ls) ",
    "`ls` ",
    "`\\`x\\`` ",
    "\"${x:-$(ls)}\" ",
    "a ",
    "a|",
    "a && ",
    "a\n",
    "cat <<E\n$(ls)\nE\n",
    "cat <<-E\n\t$(ls)\n\tE\n",
    "<<E ",
    "((a);(b))\n",
    "$((a) ) ",
    "x=$((1+$(ls))) ",
    "[[ a == b ]] && ",
    "{a,b}",
    "{",
    "[",
    "[a]",
    "~/",
    "$'\\x41' ",
    "'a' ",
    "\\\n",
    "a[$(ls)]=1 ",
    "case x in a) ;; esac\n",
    "f() { a; }\n",
    "eval 'ls -la' ; ",
    "ls | bash\n",
    "extglob +(a) ",
];

#[test]
fn time_grows_with_the_length() {
    for piece in REPEATED {
        let short = all_of_it(piece.repeat(20_000 / piece.len()).into_bytes());
        let long = all_of_it(piece.repeat(200_000 / piece.len()).into_bytes());
        let allowed = short * 40 + Duration::from_millis(200);
        assert!(long < allowed, "{piece:?}: {short:?} for 20 kB, {long:?} for 200 kB");
    }
}

#[test]
fn a_text_beyond_the_size_limit_is_refused() {
    let text = vec![b' '; ricasso_shell::limit::TEXT_BYTES + 1];
    let script = read(&text, Shell::Bash);
    assert_eq!(script.unreadable().map(|error| error.why), Some(Why::Limit(Limit::TextBytes)));
}
