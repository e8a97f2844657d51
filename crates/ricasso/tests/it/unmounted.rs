//! What is unmounted between two commands of an owner shows nothing to the second one.

use crate::cage::powers;
use crate::escape::stage::{Actor, Hall, Stage};
use crate::place::skip;
use ricasso_os::Namespaces;
use std::process::Command;

/// An owner that needs a user namespace, in a mount namespace of its own. Its home has a second
/// place; while its keeper is stopped, so that it hears of nothing, that place is unmounted, and
/// what was hidden there needs no hiding any more: whoever still saw it could read it. Says what
/// the commands after that said, and how they ended.
const ACT: &str = r#"
mount --make-rprivate /
mkdir {stage}/second
mkfifo {stage}/asks {stage}/says
printf 'version = 1\nextends = "workspace"\n' > {stage}/policy.toml
echo 'cat {stage}/second/.ssh/key {home}/.ssh/key 2>&-; true' > {stage}/looks
echo true > {stage}/settles
echo hushed > {home}/.ssh/key
chmod 644 {home}/.ssh/key
cd {work}
HOME={home} setpriv --reuid 65534 --regid 65534 --clear-groups \
    {bin}/owner {stage}/policy.toml {state}/ricasso {work} < {stage}/asks > {stage}/says &
exec 3> {stage}/asks 4< {stage}/says
for round in 1 2 3 4; do
    mount --bind {home} {stage}/second
    for time in 1 2 3 4; do
        echo {stage}/settles >&3; read -r reply <&4; sleep 0.02
    done
    keeper=$(cat /proc/$!/task/$!/children)
    kill -STOP $keeper
    umount {stage}/second
    echo {stage}/looks >&3; sleep 0.1
    kill -CONT $keeper
    read -r reply <&4
    echo "$reply" | grep -o '"kind":"[a-z_]*"\|"stdout":"[^"]*"' | tr '\n' ' '; echo
done
"#;

#[test]
fn what_was_unmounted_before_an_order_is_not_there() {
    let name = "what_was_unmounted_before_an_order_is_not_there";
    if powers().namespaces != Namespaces::Root {
        return skip(name, "this is not root, or there are no namespaces here");
    }
    let hall = Hall::new();
    let stage = Stage::new(&hall, Actor::Nobody);
    let act = stage.fill(ACT);
    let words = ["--mount", "/bin/sh", "-ec", &act];
    let output = Command::new("unshare").args(words).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let expected = "\"kind\":\"exited\" \"stdout\":\"\" \n".repeat(4);
    assert_eq!(said, expected, "{}", String::from_utf8_lossy(&output.stderr));
}
