//! Processes, services, users, the kernel, power, and questions about the machine.

use super::Does::{self, Elevate, HardToTakeBack, Listen, Opaque, ShowEnvironment};
use super::table::{
    CODE_FILE, CREATE, ENTER, EXACT, GNU, NONE, NOTHING, OBEY, Program, READ, READ_TREE, Style,
    Use, WRITE, act, always, both, each, flag, shaped, skip, sub, then, val, when,
};
use super::{Act, Harm, uses};
use crate::policy::word::Word;

const POWER: Does = Does::Catastrophe(Harm::Power);
const SERVICE: Does = HardToTakeBack(Harm::Service);
const USER: &[Does] = &[HardToTakeBack(Harm::User)];
const USER_GONE: &[Does] = &[Does::Catastrophe(Harm::User)];
const PROTECTION: &[Does] = &[HardToTakeBack(Harm::Protection)];
const KERNEL: &[Does] = &[Does::Catastrophe(Harm::Kernel)];
const KERNEL_ASKED: &[Does] = &[HardToTakeBack(Harm::Kernel)];

pub(super) const TABLE: &[Program] = &[
    Program {
        names: "kill",
        style: Style::Special(kill),
        examples: &[
            "kill -9 -1 => catastrophe Process -1",
            "kill -1 => hard Process -1",
            "kill -KILL 1 => catastrophe Process 1",
            "kill %1 => ",
            "kill -s TERM 42 => signal 42",
            "kill -l => ",
            "kill -0 42 => ",
            "kill 42 ? => signal 42, signal …",
        ],
        ..GNU
    },
    Program {
        names: "pkill killall skill xkill",
        options: &[
            val("-u -U --user", Use::ProcessOwner),
            skip("-s -g -G -P -t --signal --group --parent --older --newer -O -y -o"),
            act("-v --inverse", Does::Catastrophe(Harm::Process)),
        ],
        shape: each(Use::ProcessPattern),
        when: &[when("-l --list", NONE), when("-0", NONE)],
        examples: &[
            "pkill -9 -f . => catastrophe Process .",
            "pkill -9 bash => hard Process bash",
            "pkill -KILL -f . => catastrophe Process .",
            "pkill -f 'vite dev' => signal 'vite dev'",
            "pkill -u root => catastrophe Process root",
            "pkill -u ann x => hard Process ann, signal x",
            "pkill -v x => catastrophe Process, signal x",
        ],
        ..EXACT
    },
    Program {
        names: "fuser",
        options: &[skip("-n --namespace"), flag("-k --kill")],
        shape: each(Use::Is(Does::LookAt)),
        when: &[
            both(
                "-k --kill",
                "-m -M -c --mount",
                each(Use::ProcessPattern).always(&[HardToTakeBack(Harm::Process)]),
            ),
            when("-k --kill", each(Use::ProcessPattern)),
        ],
        examples: &[
            "fuser a => look a",
            "fuser -k 3000/tcp => signal 3000/tcp",
            "fuser -k / => catastrophe Process /",
            "fuser -km /mnt => hard Process, signal /mnt",
        ],
        ..EXACT
    },
    Program {
        names: "dbus-send busctl gdbus qdbus qdbus6 dbus-monitor",
        style: Style::Special(super::machine::bus),
        examples: &[
            "dbus-send --system --dest=a /b org.freedesktop.login1.Manager.PowerOff boolean:true \
             => catastrophe Power",
            "busctl call a /b a.Manager Reboot b true => catastrophe Power",
            "busctl call a /b a.Manager StartTransientUnit x => hard Service, opaque",
            "busctl --user list => ",
            "gdbus introspect --session --dest a --object-path / => ",
            "gdbus call --session --dest a --object-path / --method a.Notify => opaque",
            "dbus-send --print-reply --dest=a / org.freedesktop.DBus.ListNames => ",
        ],
        ..GNU
    },
    Program {
        names: "pgrep pidof ps top htop btop pstree w who whoami last lastlog users id groups \
            logname uptime free vmstat iostat mpstat sar dmesg uname lscpu lsblk lsusb lspci \
            lsmod lshw dmidecode locale getconf findmnt blkid ss netstat arp ifstat tset \
            dircolors acpi sensors inxi neofetch fastfetch screenfetch lsb_release osqueryi \
            getopt cpuid faillog finger systemd-analyze systemd-detect-virt \
            systemd-cgls systemd-cgtop nvidia-smi rocm-smi ipcs infocmp vainfo glxinfo xdpyinfo \
            pmap slabtop lslocks",
        options: &[skip("-o -p -u -n -S -U -t -g -F --since --until --unit --output")],
        shape: NONE,
        examples: &["ps aux => ", "id -un => "],
        ..EXACT
    },
    Program {
        names: "journalctl",
        options: &[val("--file -D --directory", READ), skip("-o -p -u -n -S -U -t -g -b -c")],
        when: &[when(
            "--rotate --vacuum-size --vacuum-time --vacuum-files --flush",
            always(&[SERVICE]),
        )],
        examples: &["journalctl -u x => ", "journalctl --vacuum-time=1s => hard Service"],
        ..EXACT
    },
    Program {
        names: "hostname",
        options: &[val("-F --file", READ)],
        shape: each(Use::Is(HardToTakeBack(Harm::Kernel))),
        when: &[when("-f -i -I -s -d -A -a -y", NONE)],
        examples: &["hostname => ", "hostname -I => ", "hostname x => hard Kernel x"],
        ..EXACT
    },
    Program {
        names: "timedatectl hostnamectl localectl hwclock locale-gen",
        subs: &[sub("status show list-timezones timesync-status", &[])],
        shape: NONE,
        other: KERNEL_ASKED,
        when: &[when("-w -s --systohc --hctosys --set", always(KERNEL_ASKED))],
        examples: &[
            "timedatectl => ",
            "timedatectl set-ntp 0 => hard Kernel",
            "hwclock -w => hard Kernel",
        ],
        ..EXACT
    },
    Program {
        names: "shutdown reboot poweroff halt telinit pm-suspend pm-hibernate s2ram systemd-halt",
        options: &[act("-c -k", Does::Nothing)],
        shape: always(&[POWER]),
        when: &[when("-c --show -k -w --wtmp-only", NONE)],
        examples: &[
            "shutdown -r +1 => catastrophe Power",
            "shutdown -c => ",
            "poweroff -f => catastrophe Power",
        ],
        ..EXACT
    },
    Program {
        names: "rtcwake",
        options: &[skip("-d -s -t -m --device --seconds --time --mode --date")],
        shape: always(&[POWER]),
        tells: "-n --dry-run -h --help -V --version --list-modes",
        examples: &["rtcwake -m off -s 60 => catastrophe Power", "rtcwake --list-modes => "],
        ..EXACT
    },
    Program {
        names: "init",
        shape: each(Use::RunLevel),
        examples: &["init 0 => catastrophe Power 0", "init 0x10 => "],
        ..EXACT
    },
    Program {
        names: "systemctl loginctl",
        options: &[
            skip(
                "-t -p -n -o -H -M -P --type --property --state --lines --output --host \
                 --machine --signal",
            ),
            val("--root", ENTER),
        ],
        subs: &[
            sub(
                "poweroff reboot halt kexec soft-reboot emergency rescue exit switch-root",
                &[POWER],
            ),
            sub(
                "suspend hibernate hybrid-sleep suspend-then-hibernate",
                &[HardToTakeBack(Harm::Power)],
            ),
            sub("isolate default", &[POWER]),
            Program { names: "edit", shape: always(&[SERVICE, Opaque]), ..EXACT },
            Program { names: "link", shape: each(CODE_FILE).always(&[SERVICE]), ..EXACT },
            sub(
                "stop restart try-restart reload-or-restart kill enable disable \
                 mask unmask reenable daemon-reexec set-default set-property \
                 preset reset-failed revert clean import-environment set-environment \
                 unset-environment lock-session kill-session terminate-session terminate-user \
                 kill-user enable-linger",
                &[SERVICE],
            ),
            Program { names: "start", shape: each(Use::Unit), ..EXACT },
            sub(
                "reload daemon-reload status show cat list-units list-unit-files \
                 list-timers list-sockets is-active is-enabled is-failed list-dependencies \
                 get-default list-jobs help list-sessions list-users session-status user-status \
                 show-environment show-session show-user list-machines is-system-running",
                &[],
            ),
        ],
        other: &[SERVICE],
        examples: &[
            "systemctl poweroff => catastrophe Power",
            "systemctl suspend => hard Power",
            "systemctl start poweroff.target => catastrophe Power poweroff.target",
            "systemctl start nginx => ",
            "systemctl --user enable x => hard Service",
            "systemctl status x => ",
            "systemctl => ",
        ],
        ..EXACT
    },
    Program {
        names: "service rc-service invoke-rc.d launchctl sv s6-svc supervisorctl rc-update \
         update-rc.d chkconfig initctl",
        shape: each(Use::ServiceVerb),
        examples: &[
            "service nginx stop => hard Service \
            stop",
            "service x start => ",
            "launchctl list => ",
        ],
        ..EXACT
    },
    Program {
        names: "setcap",
        options: &[skip("-n")],
        shape: then(
            &[Use::BehindOr(
                "cap_set",
                Does::Catastrophe(Harm::SetUser),
                HardToTakeBack(Harm::SetUser),
            )],
            Use::Is(Does::Permission),
        ),
        examples: &[
            "setcap cap_setuid+ep x => catastrophe SetUser uid+ep, permission x",
            "setcap cap_net_raw+p x => hard SetUser cap_net_raw+p, permission x",
        ],
        ..EXACT
    },
    Program {
        names: "mount",
        options: &[skip("-t -L -U -N --types"), val("-o --options", Use::MountOptions)],
        shape: then(&[Use::Both(Elevate, HardToTakeBack(Harm::Disk))], CREATE),
        when: &[when("-l", NONE), when("-a --all", always(&[Elevate, HardToTakeBack(Harm::Disk)]))],
        examples: &["mount => ", "mount -o remount,ro / => elevate, hard Disk /"],
        ..EXACT
    },
    Program {
        names: "umount",
        options: &[skip("-t -O")],
        shape: each(Use::Unmount).always(&[Elevate]),
        when: &[when("-a --all", always(&[Elevate, HardToTakeBack(Harm::Disk)]))],
        examples: &[
            "umount -l / => elevate, catastrophe Disk /",
            "umount /mnt => elevate, hard Disk /mnt",
        ],
        ..EXACT
    },
    Program {
        names: "sysctl",
        options: &[val("-p --load", OBEY)],
        shape: each(Use::AssignmentOr(Does::Nothing)),
        when: &[when("-w --write -p --load --system", always(KERNEL_ASKED))],
        examples: &["sysctl -a => ", "sysctl -w a=1 => hard Kernel"],
        ..EXACT
    },
    Program {
        names: "modprobe insmod rmmod depmod kmod kexec dkms",
        shape: always(KERNEL),
        when: &[when("-n --dry-run --show --show-depends -D -c --showconfig --show-config", NONE)],
        subs: &[sub("list", &[])],
        examples: &["modprobe -r x => catastrophe Kernel", "modprobe -n x => "],
        ..EXACT
    },
    Program {
        names: "setenforce apparmor_parser aa-disable aa-complain auditctl semodule spctl csrutil",
        shape: always(PROTECTION),
        when: &[when("-l -s --status", NONE)],
        subs: &[sub("status", &[])],
        examples: &["setenforce 0 => hard Protection", "auditctl -l => "],
        ..EXACT
    },
    Program {
        names: "iptables ip6tables ebtables arptables iptables-restore nft ufw firewall-cmd \
         pfctl ipfw iptables-legacy",
        options: &[val("-f --file", OBEY)],
        shape: always(PROTECTION),
        subs: &[sub("list status show", &[])],
        when: &[when("-L -S --list --list-rules --list-all --state --get-default-zone", NONE)],
        examples: &["iptables -F => hard Protection", "iptables -L -n => ", "ufw status => "],
        ..EXACT
    },
    Program {
        names: "ip ifconfig route nmcli iwconfig tc bridge ethtool brctl wg wg-quick ovs-vsctl \
         networkctl netplan",
        shape: NONE,
        subs: &[
            Program {
                names: "addr address a link l route r rule neigh tunnel netns maddress monitor \
                 -br -4 -6",
                subs: &[sub("add del delete set flush change replace append exec", PROTECTION)],
                ..EXACT
            },
            sub("down up apply set-dns delete add del", PROTECTION),
        ],
        examples: &["ip addr => ", "ip link set eth0 down => hard Protection", "ifconfig => "],
        ..EXACT
    },
    Program {
        names: "userdel deluser groupdel delgroup",
        shape: always(USER_GONE),
        examples: &["userdel -r a => catastrophe User"],
        ..EXACT
    },
    Program {
        names: "useradd adduser usermod groupadd addgroup groupmod gpasswd chage chsh chfn \
         newusers chpasswd vipw vigr \
                dscl sysadminctl pwconv grpconv faillock pam-auth-update authconfig",
        options: &[act("-R", Elevate)],
        shape: always(USER),
        when: &[when("-l --list", NONE), when("-d_", NONE)],
        examples: &["usermod -aG sudo a => hard User", "chage -l a => "],
        ..EXACT
    },
    Program {
        names: "passwd",
        shape: always(USER),
        when: &[when("-S --status", NONE), when("-d -l -e --delete --lock", always(USER_GONE))],
        examples: &["passwd -d root => catastrophe User", "passwd -S => ", "passwd => hard User"],
        ..EXACT
    },
    Program {
        names: "visudo",
        options: &[val("-f --file", READ)],
        shape: always(USER),
        when: &[when("-c --check", NONE)],
        examples: &["visudo -c => ", "visudo => hard User"],
        ..EXACT
    },
    Program {
        names: "wall write mesg notify-send say pbcopy pbpaste xclip xsel \
         wl-copy wl-paste \
                afplay aplay",
        options: &[val("-f --file -i -o", READ), val("-a", NOTHING)],
        shape: NONE,
        subs: &[],
        when: &[],
        examples: &["wall x => ", "pbcopy => "],
        ..EXACT
    },
    Program {
        names: "logrotate tmpreaper tmpwatch updatedb ldconfig update-alternatives update-grub \
         grub-install \
                grub-mkconfig mkinitcpio update-initramfs dracut bootctl efibootmgr",
        shape: always(&[HardToTakeBack(Harm::Kernel)]),
        examples: &["update-grub => hard Kernel"],
        ..EXACT
    },
    Program {
        names: "locate plocate mlocate",
        options: &[skip("-d -l -n --database --limit")],
        examples: &["locate x => "],
        ..EXACT
    },
    Program {
        names: "httpd nginx apache2 caddy lighttpd redis-server mongod mysqld postgres sshd \
         dnsmasq rsyslogd cron crond \
                dockerd containerd supervisord",
        options: &[val("-c -f --config -h", READ)],
        shape: always(&[Listen, Opaque]),
        when: &[when("-t -T -V -v --validate", NONE)],
        examples: &["nginx -t => ", "httpd -f -p 80 => listen, opaque, read -p"],
        ..EXACT
    },
    Program {
        names: "inotifywait inotifywatch fswatch",
        options: &[
            val("-o --outfile --fromfile", WRITE),
            skip("-e -t --event --timeout --format --exclude"),
        ],
        shape: each(READ_TREE),
        examples: &["inotifywait -m d => read-tree d"],
        ..EXACT
    },
    Program {
        names: "defaults",
        subs: &[
            sub("read read-type domains find", &[]),
            sub("write delete import rename", &[Does::ChangeGlobalSettings]),
        ],
        other: &[Does::ChangeGlobalSettings],
        examples: &["defaults write a b c => change-global-settings"],
        ..EXACT
    },
    Program {
        names: "gsettings dconf xfconf-query",
        subs: &[sub("get list list-keys list-schemas read dump", &[])],
        other: &[Does::ChangeGlobalSettings],
        examples: &["gsettings get a b => "],
        ..EXACT
    },
    shaped("export-env", always(&[ShowEnvironment])).with(&["export-env => show-environment"]),
];

/// `kill`: a number with a dash is a signal first, and a group of processes after that.
fn kill(words: &[Word]) -> Vec<Act> {
    let mut acts = Vec::new();
    let mut signal = false;
    let mut silent = false;
    let mut at = 1;
    while let Some(word) = words.get(at) {
        match word.known() {
            Some(b"-l" | b"-L" | b"--list" | b"--table" | b"--help" | b"--version") => {
                return Vec::new();
            }
            Some(b"-s" | b"-n" | b"--signal" | b"-q" | b"--queue") if !signal => {
                signal = true;
                silent = words.get(at + 1).and_then(Word::known) == Some(b"0");
                at += 1;
            }
            Some(b"--") => signal = true,
            Some(first) if !signal && first.starts_with(b"-") => {
                signal = true;
                silent = first == b"-0";
            }
            Some(_) | None => uses::apply(Use::Process, word, at, words, &mut acts),
        }
        at += 1;
    }
    if silent {
        return Vec::new();
    }
    if acts.is_empty() && words.get(1).and_then(Word::known) == Some(b"-1") {
        acts.push(Act::with(HardToTakeBack(Harm::Process), &words[1], 1));
    }
    acts
}
