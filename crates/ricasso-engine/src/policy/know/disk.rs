//! Disks, partitions, file systems and volumes.

use super::Does::{self, Catastrophe};
use super::Harm;
use super::table::{
    EXACT, NONE, NOTHING, Program, READ, Shape, Style, Use, WRITE, always, each, skip, sub, then,
    to, val, when,
};

const GONE: &[Does] = &[Catastrophe(Harm::Disk)];
const WIPE: Use = Use::Is(Does::Overwrite);
const LOOKS: &[Does] = &[];
const DESTROYS: Shape = always(GONE);

pub(super) const TABLE: &[Program] = &[
    Program {
        names: "mkfs mkfs.* mke2fs mkswap mkdosfs newfs newfs_apfs mkntfs mkisofs genisoimage",
        options: &[
            skip("-t -b -L -U -O -m -I -N -i -n -s -S -E -T --label --type"),
            val("-o", WRITE),
        ],
        shape: then(&[WIPE], NOTHING),
        tells: "--help --version -V",
        examples: &[
            "mkfs.ext4 /dev/sda1 => overwrite /dev/sda1",
            "mkfs -t ext4 /dev/x => overwrite /dev/x",
            "mkfs.vfat -C b.img 65 => overwrite b.img",
        ],
        ..EXACT
    },
    Program {
        names: "parted gparted partprobe",
        style: Style::Special(super::machine::parted),
        examples: &[
            "parted -l => ",
            "parted -s /dev/sda unit MiB print => read /dev/sda",
            "parted -s /dev/sda mklabel gpt => catastrophe Disk, overwrite /dev/sda",
        ],
        ..EXACT
    },
    Program {
        names: "fdisk cfdisk sfdisk gdisk",
        shape: each(WIPE).always(GONE),
        when: &[when("-l --list -d --dump -J --json -s", NONE)],
        examples: &["fdisk -l => ", "fdisk /dev/sda => catastrophe Disk, overwrite /dev/sda"],
        ..EXACT
    },
    Program {
        names: "sgdisk",
        options: &[
            skip("-n -t -c -d --new --typecode --change-name --delete --attributes"),
            val("-b --backup", WRITE),
        ],
        shape: each(WIPE).always(GONE),
        when: &[when("-p --print -i --info -v --verify", NONE)],
        examples: &["sgdisk --zap-all /dev/sda => catastrophe Disk, overwrite /dev/sda"],
        ..EXACT
    },
    Program {
        names: "blkdiscard nwipe scrub sg_format sg_sanitize",
        options: &[skip("-o -l -p -m -r --offset --length --step --method --rounds")],
        shape: each(WIPE).always(GONE),
        tells: "--help --version -V -h",
        examples: &["blkdiscard -f /dev/sda => catastrophe Disk, overwrite /dev/sda"],
        ..EXACT
    },
    Program {
        names: "wipefs badblocks hdparm sdparm",
        options: &[skip("-t -o -O -b -c --types --offset")],
        shape: NONE,
        when: &[
            when("-n --no-act", NONE),
            when(
                "-a --all -f --force -w -z --security-erase --trim-sector-ranges -s --secure",
                each(WIPE).always(GONE),
            ),
        ],
        examples: &[
            "wipefs -a /dev/sda => catastrophe Disk, overwrite /dev/sda",
            "wipefs /dev/sda => ",
            "badblocks -w /dev/sda => catastrophe Disk, overwrite /dev/sda",
            "hdparm -I /dev/sda => ",
        ],
        ..EXACT
    },
    Program {
        names: "mdadm",
        shape: NONE,
        when: &[when(
            "--zero-superblock --create -C --stop -S --remove -r --fail -f",
            each(WIPE).always(GONE),
        )],
        examples: &[
            "mdadm --zero-superblock /dev/sdb => catastrophe Disk, overwrite /dev/sdb",
            "mdadm --detail /dev/md0 => ",
        ],
        ..EXACT
    },
    Program {
        names: "cryptsetup",
        options: &[val("-d --key-file --header", READ)],
        subs: &[
            sub("status isLuks luksDump luksUUID benchmark", LOOKS),
            sub("open luksOpen close luksClose", &[Does::Elevate]),
        ],
        other: GONE,
        examples: &["cryptsetup luksFormat /dev/x => catastrophe Disk", "cryptsetup status x => "],
        ..EXACT
    },
    Program {
        names: "lvremove vgremove pvremove lvreduce vgreduce pvcreate vgcreate lvconvert thin_trim",
        shape: DESTROYS,
        dry: "-t --test",
        examples: &["lvremove -f a => catastrophe Disk"],
        ..EXACT
    },
    Program {
        names: "lvs vgs pvs lvdisplay vgdisplay pvdisplay lvscan",
        examples: &["lvs => "],
        ..EXACT
    },
    Program {
        names: "lvcreate lvextend vgextend resize2fs xfs_growfs tune2fs e2fsck fsck fsck.* \
         xfs_repair debugfs e2label \
                swapon swapoff fstrim dmsetup multipath",
        shape: always(&[Does::HardToTakeBack(Harm::Disk), Does::Elevate]),
        when: &[when("-n -l --list --all --show -N", NONE)],
        examples: &["fsck.ext4 /dev/x => hard Disk, elevate", "swapon --show => "],
        ..EXACT
    },
    Program {
        names: "losetup",
        options: &[skip("-j -O -o -b --associated --output --offset --sector-size --sizelimit")],
        when: &[when(
            "-d -D --detach --detach-all -P --partscan -c --set-capacity --direct-io",
            always(&[Does::HardToTakeBack(Harm::Disk), Does::Elevate]),
        )],
        shape: each(Use::Is(Does::HardToTakeBack(Harm::Disk))),
        tells: "-a --all -l --list -j --associated -h --help -V --version",
        examples: &["losetup => ", "losetup -a => ", "losetup -D => hard Disk, elevate"],
        ..EXACT
    },
    Program {
        names: "smartctl",
        options: &[skip("-d -T -n -l -q -r -b -v -P --device --tolerance --nocheck --log")],
        when: &[when(
            "-t --test -s --smart -o --offlineauto -S --saveauto --set -X --abort",
            always(&[Does::HardToTakeBack(Harm::Disk), Does::Elevate]),
        )],
        shape: NONE,
        examples: &["smartctl -a /dev/sda => ", "smartctl -t long /dev/sda => hard Disk, elevate"],
        ..EXACT
    },
    Program {
        names: "zpool zfs btrfs bcachefs",
        options: &[skip("-o -O -t")],
        subs: &[
            sub("list status get iostat history events version", LOOKS),
            sub("destroy labelclear rollback offline detach replace", GONE),
            Program {
                names: "subvolume filesystem device balance quota qgroup scrub",
                subs: &[sub("delete remove", GONE), sub("list show usage df status", LOOKS)],
                other: &[Does::HardToTakeBack(Harm::Disk)],
                ..EXACT
            },
        ],
        other: &[Does::HardToTakeBack(Harm::Disk)],
        examples: &[
            "zfs destroy -r a => catastrophe Disk",
            "btrfs subvolume delete a => catastrophe Disk",
            "zpool list => ",
        ],
        ..EXACT
    },
    Program {
        names: "flashrom fwupdtool",
        options: &[skip("-p -c -l -i --programmer --chip --layout --include")],
        when: &[when("-w --write -E --erase install install-blob", always(GONE))],
        other: LOOKS,
        examples: &["flashrom -p internal -w x.rom => catastrophe Disk", "flashrom --version => "],
        ..EXACT
    },
    Program {
        names: "diskutil hdiutil nvme format",
        subs: &[
            sub("list info activity ls version id-ctrl smart-log -a -i -H", LOOKS),
            sub(
                "eraseDisk eraseVolume erase partitionDisk reformat zeroDisk randomDisk \
                 secureErase format sanitize \
                 deleteContainer deleteVolume apfs",
                GONE,
            ),
            sub(
                "attach detach mount unmount mountDisk unmountDisk",
                &[Does::HardToTakeBack(Harm::Disk)],
            ),
        ],
        other: GONE,
        examples: &[
            "diskutil eraseDisk JHFS+ X /dev/disk2 => catastrophe Disk",
            "nvme format /dev/x => catastrophe Disk",
            "diskutil list => ",
            "format C: => catastrophe Disk",
        ],
        ..EXACT
    },
    Program {
        names: "ddrescue partclone fsarchiver clonezilla",
        options: &[val("-o --output", WRITE), val("-s --source", READ)],
        shape: to(READ, &[WRITE]),
        examples: &["ddrescue a b => read a, overwrite b"],
        ..EXACT
    },
];
