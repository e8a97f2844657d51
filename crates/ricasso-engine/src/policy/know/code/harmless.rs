//! Whether code only computes and prints. In doubt it does not.

use super::token::Token;
use crate::policy::know::Language;

/// Whether these tokens can do nothing but compute and print.
pub(super) fn computes(language: Language, tokens: &[Token]) -> bool {
    if tokens.iter().any(|token| matches!(token, Token::Command(_))) {
        return false;
    }
    let names = || {
        tokens.iter().filter_map(|token| match token {
            Token::Name(name) => Some(name.as_str()),
            Token::Text(_)
            | Token::Mixed
            | Token::Command(_)
            | Token::Value
            | Token::Dot
            | Token::Sign(_)
            | Token::End => None,
        })
    };
    let none_of = |list: &str| !names().any(|name| list.split(' ').any(|one| one == name));
    match language {
        Language::Python => {
            none_of(PYTHON) && !names().any(|name| name.starts_with("__")) && imports(tokens)
        }
        Language::JavaScript => none_of(JAVASCRIPT),
        Language::Ruby => none_of(RUBY) && plain(tokens),
        Language::Lua => none_of(LUA) && only_writes(tokens),
        Language::Perl => names().all(|name| PERL.split(' ').any(|one| one == name)),
        Language::Php => called(tokens, PHP) && none_of(PHP_WORDS),
        Language::Sed
        | Language::Awk
        | Language::Jq
        | Language::Sql
        | Language::Vim
        | Language::Make
        | Language::Cron
        | Language::Mongo
        | Language::Redis
        | Language::Other => false,
    }
}

/// Names of python that reach beyond the program, as functions, modules or attributes.
const PYTHON: &str = "open exec eval compile getattr setattr delattr globals locals vars \
    breakpoint input os subprocess socket shutil pathlib ctypes importlib runpy pty \
    multiprocessing threading asyncio signal tempfile glob urlopen urllib2 requests httpx http \
    ftplib smtplib webbrowser pickle marshal shelve sqlite3 builtins code codeop pdb sys_modules \
    modules _getframe settrace setprofile meta_path path_hooks help resource fcntl mmap select \
    selectors ssl telnetlib xmlrpc socketserver zipfile tarfile gzip bz2 lzma fileinput \
    linecache io codecs posix nt _io antigravity turtle tkinter venv ensurepip pip site cProfile \
    timeit trace doctest unittest environ mro subclasses gi_frame f_globals load_module \
    exec_module";

/// Modules of python that only compute.
const PYTHON_MODULES: &str = "json sys re math datetime time collections itertools functools \
    string random statistics decimal fractions textwrap pprint operator typing enum dataclasses \
    uuid hashlib base64 binascii struct calendar unicodedata copy bisect heapq html keyword \
    difflib zlib locale colorsys ipaddress secrets hmac numbers types abc contextlib cmath array \
    zoneinfo urllib.parse html.parser xml.sax.saxutils shlex fnmatch platform textwrap graphlib \
    csv __future__ tomllib ast email.utils email.header quopri";

const JAVASCRIPT: &str = "require import process eval Function globalThis global window self \
    fetch Deno Bun WebAssembly child_process fs net http https http2 dgram dns tls os vm v8 \
    worker_threads cluster module inspector repl readline stream constructor mainModule binding \
    dlopen __proto__ exports Worker XMLHttpRequest WebSocket EventSource async_hooks perf_hooks \
    sqlite fsPromises importScripts Reflect Proxy";

const RUBY: &str = "system exec spawn fork open load require require_relative eval instance_eval \
    class_eval module_eval instance_exec send __send__ public_send method define_method \
    const_get File IO Dir FileUtils Kernel Process ENV ObjectSpace Socket TCPSocket TCPServer \
    UDPSocket UNIXSocket Net URI Open3 PTY Fiddle DRb syscall trap abort_on_exception autoload \
    binding test popen sysopen readlines Pathname Tempfile Binding TOPLEVEL_BINDING ARGF at_exit \
    callcc set_trace_func YAML Marshal Gem Bundler Rake";

const LUA: &str = "os require load loadstring dofile loadfile debug package _G _ENV getfenv \
 setfenv ffi jit \
    module socket lfs popen open lines input output";

const PERL: &str = "print printf say split join map grep sort keys values push pop shift unshift \
    reverse length substr index rindex uc lc ucfirst lcfirst sprintf abs int sqrt sin cos exp \
    log hex oct ord chr chomp chop defined undef scalar wantarray if else elsif unless while \
    until for foreach next last redo my our return BEGIN END and or not xor eq ne lt gt le ge \
    cmp x STDIN STDOUT STDERR each exists delete splice pos time localtime gmtime sleep exit die \
    warn lcx ucx strict warnings sum max min first uniq utf8 pack unpack sum0 any all Dumper \
    floor ceil fmod strftime encode_base64 decode_base64 eof ref bless quotemeta study use";

const PHP: &str = "echo print printf sprintf strlen str_replace json_encode json_decode var_dump \
    print_r implode explode count array_map array_filter array_sum array_keys array_values \
    array_merge array_slice array_unique range round floor ceil abs min max sqrt pow rand \
    mt_rand intdiv date time strtotime mktime microtime number_format strtoupper strtolower \
    ucfirst ucwords trim ltrim rtrim substr strpos str_contains str_repeat str_pad preg_match \
    preg_match_all preg_split preg_quote md5 sha1 crc32 hash base64_encode base64_decode bin2hex \
    hex2bin urlencode urldecode rawurlencode htmlspecialchars is_array is_string is_int \
    is_numeric in_array sort ksort array_reverse phpversion php_uname PHP_VERSION \
    memory_get_usage uniqid if foreach for while isset empty list array nl2br wordwrap ord chr \
    dechex hexdec bindec decbin strrev";

/// Words of php that load or make.
const PHP_WORDS: &str = "include include_once require require_once new eval function fn goto \
 declare use \
    namespace ENV SERVER exec";

/// Whether every module that is imported only computes.
fn imports(tokens: &[Token]) -> bool {
    for (number, token) in tokens.iter().enumerate() {
        let Token::Name(name) = token else { continue };
        if name != "import" && name != "from" {
            continue;
        }
        if name == "import" && follows_from(tokens, number) {
            continue;
        }
        for module in modules(&tokens[number + 1..]) {
            if !PYTHON_MODULES.split(' ').any(|one| one == module) {
                return false;
            }
        }
    }
    true
}

/// Whether this `import` belongs to a `from` of the same statement.
fn follows_from(tokens: &[Token], number: usize) -> bool {
    tokens[..number]
        .iter()
        .rev()
        .take_while(|token| !matches!(token, Token::End | Token::Sign(b';')))
        .any(|token| matches!(token, Token::Name(name) if name == "from"))
}

/// The modules named from here to the end of the statement.
fn modules(tokens: &[Token]) -> Vec<String> {
    let mut modules = vec![String::new()];
    let mut alias = false;
    for token in tokens {
        match token {
            Token::Name(name) if name == "import" => break,
            Token::Name(name) if name == "as" => alias = true,
            Token::Name(_) if alias => {}
            Token::Name(name) => {
                modules.last_mut().into_iter().for_each(|last| last.push_str(name))
            }
            Token::Dot => modules.last_mut().into_iter().for_each(|last| last.push('.')),
            Token::Sign(b',') => {
                alias = false;
                modules.push(String::new());
            }
            Token::End | Token::Sign(b';') => break,
            Token::Text(_) | Token::Mixed | Token::Command(_) | Token::Value | Token::Sign(_) => {}
        }
    }
    modules
}

/// Ruby: no `%x`, and no symbol handed to a method as a block.
fn plain(tokens: &[Token]) -> bool {
    let percent = |pair: &[Token]| {
        pair[0] == Token::Sign(b'%')
            && matches!(&pair[1], Token::Name(name) if name.starts_with('x'))
    };
    !tokens.windows(2).any(percent)
}

/// Lua: of `io` only `io.write` and `io.read`.
fn only_writes(tokens: &[Token]) -> bool {
    tokens.windows(3).all(|three| {
        !matches!(&three[0], Token::Name(name) if name == "io")
            || matches!(&three[2], Token::Name(name) if name == "write" || name == "read")
    })
}

/// Whether only functions of the list are called, and none by a variable.
fn called(tokens: &[Token], list: &str) -> bool {
    tokens.windows(2).all(|pair| match (&pair[0], &pair[1]) {
        (Token::Name(name), Token::Sign(b'(')) => list.split(' ').any(|one| one == name),
        (
            Token::Value | Token::Mixed | Token::Text(_) | Token::Sign(b')' | b']'),
            Token::Sign(b'('),
        ) => false,
        _ => true,
    })
}
