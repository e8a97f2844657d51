//! What redaction costs: one stream through read and store alone, through read, store and scan, and
//! through `rg -c` with the same patterns, in interleaved rounds.
//!
//! It must never leave its files behind.

use crate::capture::{Done, Place, base64, generate, log_line, mixed, processor_seconds};
use ricasso_engine::capture::{
    Appended, BLOCK_BYTES, Bounds, Redactor, Scan, Secrets, Spool, Stream, patterns,
};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// As much as in the other bar of output. The digest, which every capture makes of the first 64 MiB
/// with or without redaction, and which `store_only` does not make, is a twentieth of it then.
const OUTPUT_BYTES: u64 = 1 << 30;

/// What `rg` gets of it: with so many patterns it leaves its fast ways on some texts.
const RG_BYTES: u64 = 4 << 20;

const ROUNDS: usize = 5;

/// Throughput with redaction over throughput without.
const BAR: f64 = 0.6;

/// A line of some text by its number.
type Line = fn(u64) -> Vec<u8>;

/// What programs print by the gigabyte, the last with a secret in every hundredth line.
const TEXTS: [(&str, Line); 6] = [
    ("log", log_line),
    ("base64", base64),
    ("source", source_line),
    ("json", json_line),
    ("minified", minified),
    ("mixed", mixed_line),
];

/// What nothing prints by the gigabyte: a secret in every twentieth line, a telling name in every
/// line, and a secret in every other one. Each place costs a judgement, some 300 ns, and the bar
/// does not count for them.
const DENSE: [(&str, Line); 3] =
    [("settings", setting_line), ("names", code_line), ("secrets", env_line)];

/// Measures each text, or those that are named, with a line for each; whether all met the bar.
pub(crate) fn run() -> Done<bool> {
    let rounds = std::env::var("ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(ROUNDS);
    let place = Place::make()?;
    let redactor = Redactor::new(&Secrets {
        values: vec![("BENCH_TOKEN".to_owned(), b"correct-horse-battery".to_vec())],
        patterns: Vec::new(),
    })?;
    let rg = ripgrep(&place.dir)?;
    let table = place.dir.join("patterns");
    // `rg` searches line by line, and so without the few patterns that go over several.
    let one_line = |text: &String| !text.contains(r"\n") && !text.contains(r"\s");
    let texts = patterns().map(|(_, text)| text).filter(one_line);
    std::fs::write(&table, texts.map(|text| text + "\n").collect::<String>())?;
    println!("{OUTPUT_BYTES} bytes, {rounds} rounds, {} patterns", patterns().count());
    let mut met = true;
    let named: Vec<String> = std::env::args().skip(2).collect();
    let wanted = |name: &str| named.is_empty() || named.iter().any(|one| one == name);
    let texts = TEXTS.map(|text| (text, Some(BAR))).into_iter();
    let texts = texts.chain(DENSE.map(|text| (text, None)));
    for ((name, line), bar) in texts.filter(|((name, _), _)| wanted(name)) {
        let source = place.dir.join("source");
        generate(&source, line, OUTPUT_BYTES)?;
        let sample = place.dir.join("sample");
        generate(&sample, line, RG_BYTES)?;
        let alone = scan_alone(&redactor, line)?;
        let (mut ratios, mut beside) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            let bare = store_only(&source, &place.dir.join("copy"))?;
            let ours = through_spool(&source, &place.dir.join("job"), &redactor)?;
            ratios.push(bare.as_secs_f64() / ours.as_secs_f64());
            if let Some(rg) = &rg {
                let theirs = through_rg(rg, &table, &sample)?;
                let whole = theirs.as_secs_f64() * OUTPUT_BYTES as f64 / RG_BYTES as f64;
                beside.push(whole / ours.as_secs_f64());
            }
        }
        let ratio = median(&mut ratios);
        let than_rg = if beside.is_empty() {
            "not there".to_owned()
        } else {
            format!("{:.2}", median(&mut beside))
        };
        let held = match bar {
            Some(bar) if ratio >= bar => format!("at least {bar}: held"),
            Some(bar) => format!("at least {bar}: MISSED"),
            None => "dense, no bar".to_owned(),
        };
        println!(
            "{name:8} {ratio:.2} of the throughput without ({held}); scan alone {alone:.2} CPU \
             s/GiB; times faster than rg -c: {than_rg}"
        );
        met &= bar.is_none_or(|bar| ratio >= bar);
    }
    Ok(met)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn scan_alone(redactor: &Redactor, line: Line) -> Done<f64> {
    let text: Vec<u8> = (0..).flat_map(line).take(64 * BLOCK_BYTES).collect();
    let (mut scan, mut spans) = (Scan::new(redactor), Vec::new());
    let start = processor_seconds()?;
    for block in text.chunks(BLOCK_BYTES).cycle().take(OUTPUT_BYTES as usize / BLOCK_BYTES) {
        scan.push(block, &mut spans);
        spans.clear();
    }
    scan.finish(&mut spans);
    Ok((processor_seconds()? - start) * (1u64 << 30) as f64 / OUTPUT_BYTES as f64)
}

fn store_only(source: &Path, copy: &Path) -> Done<Duration> {
    let start = Instant::now();
    let mut child = Command::new("cat").arg(source).stdout(Stdio::piped()).spawn()?;
    let mut pipe = child.stdout.take().ok_or("no pipe")?;
    let mut file = File::create(copy)?;
    let mut buffer = vec![0; BLOCK_BYTES];
    loop {
        let count = pipe.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        file.write_all(&buffer[..count])?;
    }
    child.wait()?;
    let took = start.elapsed();
    std::fs::remove_file(copy)?;
    Ok(took)
}

fn through_spool(source: &Path, dir: &Path, redactor: &Redactor) -> Done<Duration> {
    std::fs::create_dir(dir)?;
    let start = Instant::now();
    let mut child = Command::new("cat").arg(source).stdout(Stdio::piped()).spawn()?;
    let mut pipe = child.stdout.take().ok_or("no pipe")?;
    let mut spool =
        Spool::create(dir, redactor.clone(), Bounds { output_bytes: OUTPUT_BYTES * 2 })?;
    let mut buffer = vec![0; BLOCK_BYTES];
    loop {
        let count = pipe.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        let stored = spool.append(Stream::Stdout, &buffer[..count])?;
        assert_eq!(stored, Appended::Stored);
    }
    let totals = spool.finish()?;
    child.wait()?;
    let took = start.elapsed();
    assert_eq!(totals.stdout_bytes, OUTPUT_BYTES);
    std::fs::remove_dir_all(dir)?;
    Ok(took)
}

fn through_rg(rg: &Path, table: &Path, source: &Path) -> Done<Duration> {
    let start = Instant::now();
    let mut command = Command::new(rg);
    command.args(["-c", "--no-unicode", "--dfa-size-limit", "1G", "-f"]).arg(table).arg(source);
    let status = command.stdout(Stdio::null()).status()?;
    if status.code() == Some(2) {
        return Err("rg did not take the patterns".into());
    }
    Ok(start.elapsed())
}

/// The `rg` of this machine, or one made here; none where neither can be had.
fn ripgrep(dir: &Path) -> Done<Option<PathBuf>> {
    let works = |path: &Path| {
        let tried = Command::new(path).arg("--version").stdout(Stdio::null()).status();
        tried.is_ok_and(|status| status.success())
    };
    if works(Path::new("rg")) {
        return Ok(Some(PathBuf::from("rg")));
    }
    println!("rg is not there; making one");
    let root = dir.join("tools");
    let install =
        Command::new("cargo").args(["install", "-q", "ripgrep", "--root"]).arg(&root).status();
    let made = root.join("bin/rg");
    Ok(install.is_ok_and(|status| status.success() && works(&made)).then_some(made))
}

/// Lines of all the others in turn.
fn mixed_line(number: u64) -> Vec<u8> {
    match number % 100 {
        99 => env_line(2 + number / 100 % 2),
        of @ 0..50 if of % 10 < 8 => log_line(number),
        of if of % 3 == 0 => source_line(number),
        _ => json_line(number),
    }
}

fn source_line(number: u64) -> Vec<u8> {
    let lines = [
        "/// Reads the next block and says whether the stream goes on behind it.\n",
        "pub(crate) fn read_block(file: &File, at: u64) -> Result<usize, Error> {\n",
        "    let count = file.read_at(&mut buffer[..], at).map_err(read)?;\n",
        "    for (index, line) in text.lines().enumerate() {\n",
        "        if (options.flags & KEEP_ORDER) != 0 && previous > index {\n",
        "            return Err(ParseError::new(token.span(), \"expected a name\"));\n",
        "    static const struct option longs[] = { { \"verbose\", 0, 0, 'v' } };\n",
        "        self.assertEqual(response.status_code, 200, msg=response.content)\n",
        "    }\n\n",
    ];
    lines[number as usize % lines.len()].as_bytes().to_vec()
}

fn json_line(number: u64) -> Vec<u8> {
    let mix = mixed(number);
    format!(
        "{{\"id\":\"{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}\",\
         \"name\":\"item {number}\",\
         \"tags\":[\"new\",\"blue\"],\"sha\":\"{mix:016x}{mix:016x}\",\"size\":{},\
         \"next_page\":null,\"url\":\
         \"https://api.example.org/v1/items/{number}?expand=owner\"}}\n",
        mix >> 32,
        mix & 0xffff,
        mix & 0xfff,
        mix >> 52,
        mix & 0xffff_ffff_ffff,
        mix % 100_000,
    )
    .into_bytes()
}

/// One line without end.
fn minified(number: u64) -> Vec<u8> {
    let parts = [
        "!function(e,t){\"object\"==typeof exports?module.exports=t():e.lib=t()}(this,function(){",
        "var r=n(123),o=function(e){return e&&e.__esModule?e:{default:e}}(r);t.default=o;",
        "if(a.length>0)for(var i=0;i<a.length;i++)s.push(a[i].value||null);return s.join(\",\")",
        "e.prototype.render=function(){var e=this.props,t=e.name,n=e.token;return u(t,n)};",
    ];
    parts[number as usize % parts.len()].as_bytes().to_vec()
}

fn setting_line(number: u64) -> Vec<u8> {
    let lines = [
        "HOME=/home/build\nPATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n",
        "GIT_COMMIT=3f786850e387550fdab836ed7e6dc881de23001b\nBUILD_NUMBER=1842\nCI=true\n",
        "LANG=C.UTF-8\nSHELL=/bin/bash\nTERM=xterm-256color\nHOSTNAME=build-7f9c\nSHLVL=2\n",
        "RUSTUP_HOME=/usr/local/rustup\nCARGO_TERM_COLOR=always\nNODE_OPTIONS=--max-old-space\n",
        "DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus\nXDG_SESSION_TYPE=tty\n",
        "KUBERNETES_SERVICE_HOST=10.96.0.1\nKUBERNETES_PORT_443_TCP=tcp://10.96.0.1:443\n",
        "LS_COLORS=rs=0:di=01;34:ln=01;36:mh=00:pi=40;33:so=01;35:do=01;35:bd=40;33;01\n",
        "GITHUB_TOKEN=ghp_abcdefghijklmnopqrstuvwxyz0123456789\nGITHUB_RUN_ID=1234567890\n",
    ];
    lines[number as usize % lines.len()].as_bytes().to_vec()
}

fn code_line(number: u64) -> Vec<u8> {
    let lines = [
        "static int parse_token(struct lexer *lexer, const char *key, size_t length)\n",
        "    if (password == NULL || !check_secret(session->token, password)) {\n",
        "        return -EINVAL; /* the caller frees the key and its value */\n",
        "    const apiKey = process.env.API_KEY ?? config.get('api.key');\n",
        "export function tokenize(text: string, options?: Options): Token[] {\n",
        "    }\n\n",
    ];
    lines[number as usize % lines.len()].as_bytes().to_vec()
}

fn env_line(number: u64) -> Vec<u8> {
    let lines = [
        "HOME=/home/build\nPATH=/usr/local/bin:/usr/bin:/bin\nLANG=C.UTF-8\n",
        "GIT_COMMIT=3f786850e387550fdab836ed7e6dc881de23001b\nBUILD_NUMBER=1842\n",
        "DATABASE_URL=postgres://app:s3cr3tS3cr3t@db:5432/app\nPGPASSWORD=hunter2hunter2\n",
        "GITHUB_TOKEN=ghp_abcdefghijklmnopqrstuvwxyz0123456789\nCI=true\n",
    ];
    lines[number as usize % lines.len()].as_bytes().to_vec()
}
