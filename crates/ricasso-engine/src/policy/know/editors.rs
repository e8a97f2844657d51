//! Editors: they read and write what is named, and run what their commands say.

use super::Does::{self, Opaque, StdinCode};
use super::Language;
use super::table::{
    CODE_FILE, EXACT, GNU, NOTHING, Program, READ, Use, WRITE, act, both, each, skip, val, when,
};

const VIM: Use = Use::Is(Does::Code(Language::Vim));

pub(super) const TABLE: &[Program] = &[
    Program {
        names: "vim vi nvim view vimdiff ex gvim rvim vim.tiny vim.basic",
        options: &[
            val("-c --cmd", VIM),
            val("-S -u -U", CODE_FILE),
            val("-w -W", WRITE),
            val("-r -L -t -T -i --servername --remote-send", NOTHING),
            act("--remote-expr", Opaque),
        ],
        shape: each(Use::VimFile).always(&[Opaque]),
        when: &[
            both("-R -M", "-c", each(READ)),
            both("-e -E", "-c", each(Use::VimFile)),
            both("-e -E", "-s", each(Use::VimFile).always(&[StdinCode(Language::Vim)])),
            when("-s", each(CODE_FILE).always(&[Opaque])),
            when("-c", each(Use::VimFile)),
        ],
        tells: "--help --version -h",
        examples: &[
            "vim a => opaque, read a",
            "vim -Nes -c 'w! /tmp/x' -c 'qa!' a => overwrite /tmp/x, read a",
            "vim -c ':!rm x' => text 'rm x'",
            "vim -es -c '%d' -c wq a => edit, edit a",
            "vi -c :terminal sh => code :terminal, read sh",
            "vim -c 'e http://h/x' => connect h",
        ],
        ..EXACT
    },
    Program {
        names: "emacs emacsclient",
        options: &[
            val("--eval -eval --execute -f --funcall -e", Use::Is(Does::Code(Language::Other))),
            val("-l --load --script -script", CODE_FILE),
            skip("-d --display -T --title"),
        ],
        shape: each(READ).always(&[Opaque]),
        examples: &[
            "emacs --batch --eval '(x)' => opaque, code (x)",
            "emacs /etc/x => opaque, read /etc/x",
        ],
        ..super::table::DASH
    },
    Program {
        names: "nano pico micro joe ne mg helix hx kak",
        options: &[
            val("-s --speller", super::table::TEXT),
            val("--rcfile", CODE_FILE),
            skip("-T -Y"),
        ],
        shape: each(READ).always(&[StdinCode(Language::Other)]),
        examples: &["nano a => stdin-code, read a"],
        ..GNU
    },
    Program {
        names: "ed red",
        options: &[skip("-p --prompt")],
        shape: each(Use::BehindOr("!", Does::RunText, Does::Edit))
            .always(&[StdinCode(Language::Vim)]),
        examples: &["ed -s f => stdin-code, edit f", "ed '!rm x' => stdin-code, text 'rm x'"],
        ..GNU
    },
];
