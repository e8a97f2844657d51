//! Tools of many trades that do one plain thing: tell, show, check, or build what a project holds.

use super::Does::{Connect, Create, Opaque};
use super::table::{EXACT, NONE, NOTHING, Program, READ, WRITE, always, each, skip, val};

pub(super) const TABLE: &[Program] = &[
    Program {
        names: "apt-cache apt-config dpkg-query apt-rdepends rpmquery manpath modinfo pinky pwgen \
            uuidgen stty ntpq units cheat sw_vers system_profiler mdfind procs starship \
            qrencode mkpasswd envinfo",
        options: &[skip("-f -W -n -o -s -F --format")],
        shape: NONE,
        examples: &["apt-cache show wget => ", "uuidgen -r => ", "dpkg-query -S /bin/ls => "],
        ..EXACT
    },
    Program {
        names: "b3sum xxh128sum xxhsum shasum catdoc checkmake cfn-lint chafa glow gron htmlq \
            jless json_pp kube-score kubeconform lnav luacheck mdless mdl mlr nroff groff ptx \
            texcount pspg mdls proselint write-good alex shellspec",
        options: &[skip("-a -l -w --width --style --config"), val("-o --output", WRITE)],
        shape: each(READ),
        examples: &["gron a.json => read a.json", "mlr --icsv head a.csv => read head, read a.csv"],
        ..EXACT
    },
    Program {
        names: "asciidoctor bison flex hugo jekyll mdbook mkdocs zola quarto latexmk pdflatex \
            xelatex lualatex bibtex biber tectonic plantuml d2 lessc sass postcss \
            tailwindcss terser uglifyjs svgo svgr webpack-cli knip depcheck madge jscpd textlint \
            remark changeset standard-version conventional-changelog cz nps wireit \
            license-checker patch-package ocrmypdf tesseract wkhtmltopdf pdftoppm pdfimages \
            ps2pdf cwebp solc dbmate sqlx diesel sea-orm-cli pip-compile pyupgrade perltidy \
            php-cs-fixer newman autocannon",
        options: &[val("-o --output --output-file", WRITE)],
        shape: each(NOTHING).always(&[Opaque, Create]),
        tells: "--help --version -V -h",
        examples: &[
            "mkdocs build => opaque, create",
            "pdflatex a.tex => opaque, create",
            "hugo --version => ",
        ],
        ..EXACT
    },
    Program {
        names: "arp-scan certbot lighthouse pa11y gitleaks snyk huggingface-cli \
            hf wandb kaggle modal runpodctl transmission-cli tailscale rustscan gobuster \
            ffuf nikto hydra sqlmap",
        shape: always(&[Connect, Opaque]),
        tells: "--help --version -V -h",
        examples: &["arp-scan -l => connect, opaque", "certbot --version => "],
        ..EXACT
    },
];
