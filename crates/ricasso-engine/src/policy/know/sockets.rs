//! Settings of ssh, and the addresses of socat.

use super::place;
use super::uses::{plain, until};
use super::{Act, Does};
use crate::policy::word::Word;

/// `Key=value` of `ssh -o`, or `Key value`.
pub(super) fn ssh_option(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let head = word.head();
    let Some(end) = head.iter().position(|byte| b"= \t".contains(byte)) else {
        if word.known().is_none() {
            acts.push(Act::with(Does::Anything, word, at).perhaps());
        }
        return;
    };
    let key = head[..end].to_ascii_lowercase();
    let skipped = head[end..].iter().take_while(|byte| b"= \t".contains(byte)).count();
    let value = word.without(end + skipped);
    let does = match key.as_slice() {
        b"proxycommand" | b"localcommand" | b"knownhostscommand" => Does::RunText,
        b"remotecommand" => Does::RunTextElsewhere,
        b"include" => Does::ObeyFile,
        b"identityfile" | b"certificatefile" | b"userknownhostsfile" => Does::Read,
        b"pkcs11provider" | b"securitykeyprovider" | b"xauthlocation" => Does::CodeFile,
        b"controlpath" => Does::Create,
        b"proxyjump" => {
            acts.push(Act::with(Does::Connect, &place::host(&value), at));
            return;
        }
        _ => return,
    };
    if value.known() != Some(b"none") {
        plain(does, &value, at, acts);
    }
}

/// One address of socat: `TYPE:rest,options`.
pub(super) fn socat(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let head = word.head();
    if matches!(word.known(), Some(b"-" | b"STDIO" | b"stdio" | b"STDIN" | b"STDOUT" | b"stderr")) {
        return;
    }
    let Some(colon) = head.iter().position(|byte| *byte == b':') else {
        acts.push(Act { at, ..Act::of(Does::Opaque) });
        return;
    };
    let kind = head[..colon].to_ascii_lowercase();
    let value = word.without(colon + 1);
    let target = until(&value, b",");
    let is = |names: &[&[u8]]| names.iter().any(|name| kind == *name);
    if is(&[b"exec", b"system", b"shell"]) {
        plain(Does::RunText, &target, at, acts);
    } else if kind.ends_with(b"listen") || kind.ends_with(b"-l") || kind.ends_with(b"recvfrom") {
        acts.push(Act { at, ..Act::of(Does::Listen) });
        if kind.starts_with(b"unix") {
            plain(Does::Create, &target, at, acts);
        }
    } else if is(&[b"create", b"creat"]) {
        plain(Does::Overwrite, &target, at, acts);
    } else if is(&[b"open", b"file", b"gopen", b"pipe"]) {
        let options = value.shown();
        let writes = ["creat", "wronly", "append", "trunc", "rdwr"];
        let does =
            if writes.iter().any(|word| options.contains(word)) { Does::Edit } else { Does::Read };
        plain(does, &target, at, acts);
    } else {
        acts.push(Act::with(Does::Connect, &place::host(&target), at));
    }
}
