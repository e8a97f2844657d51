//! scratch
use std::io::Read;
fn main() {
    let mut input = Vec::new();
    std::io::stdin().read_to_end(&mut input).unwrap();
    let full = std::env::var_os("FULL").is_some();
    for text in input.split(|b| *b == 0) {
        let s = ricasso_shell::read(
            text,
            if std::env::var_os("SH").is_some() {
                ricasso_shell::Shell::Sh
            } else {
                ricasso_shell::Shell::Bash
            },
        );
        if std::env::var_os("DRAW").is_some() {
            print!("{}", ricasso_shell::draw(&s));
        }
        match s.unreadable() {
            None => print!("ok"),
            Some(u) => print!("no {} {} {}", u.from, u.at, u),
        }
        if full {
            for c in s.commands() {
                print!(
                    "\t{}:{}:{}:{:?}",
                    c.span.start,
                    c.span.end,
                    c.words
                        .iter()
                        .map(|w| w
                            .value()
                            .map_or("?".into(), |v| String::from_utf8_lossy(&v).into_owned()))
                        .collect::<Vec<_>>()
                        .join("\u{1}")
                        .replace('\n', " ")
                        .replace('\t', " "),
                    c.path
                );
            }
            for c in s.code() {
                print!("\tcode:{}:{}:{:?}:{}", c.span.start, c.span.end, c.how, c.text().is_some());
            }
        }
        println!();
        if std::env::var_os("TREE").is_some() {
            println!("{:#?}", s.body)
        }
    }
}
