//! What did not run: the log that tests write, and the list of what they may write there.
//!
//! A test that cannot run on this host returns early, so its harness calls it passed. It says so
//! in the log, `test<TAB>NAME<TAB>REASON` for the whole test and
//! `part<TAB>NAME<TAB>PART<TAB>REASON` for a row of its table. The list has a row
//! `NAME | HOST KINDS | REASON` for each; `NAME/PART` and `NAME/*` are for parts.

use crate::host::{Host, is_known_kind};
use std::collections::BTreeMap;

/// Where the list is.
pub(crate) const LIST: &str = "cases/skips.txt";

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Skip {
    /// The path of the test.
    pub(crate) test: String,
    /// Which part of it; none for the whole test.
    pub(crate) part: Option<String>,
    /// Why it did not run.
    pub(crate) reason: String,
}

impl Skip {
    fn name(&self) -> String {
        self.part.as_ref().map_or_else(|| self.test.clone(), |part| format!("{}/{part}", self.test))
    }
}

/// Reads the log. A whole test that comes twice is one; a line of another form is a skip that no
/// row allows.
pub(crate) fn read_log(log: &str) -> Vec<Skip> {
    let mut skips: Vec<Skip> = Vec::new();
    for line in log.lines().filter(|line| !line.trim().is_empty()) {
        let words: Vec<&str> = line.split('\t').collect();
        let (test, part, reason) = match words.as_slice() {
            ["test", test, reason] => (*test, None, *reason),
            ["part", test, part, reason] => (*test, Some((*part).to_owned()), *reason),
            _ => (line, None, "this line of the skip log has not the form of CONTRIBUTING.md"),
        };
        let again = part.is_none() && skips.iter().any(|s| s.part.is_none() && s.test == test);
        if !again {
            skips.push(Skip { test: test.to_owned(), part, reason: reason.to_owned() });
        }
    }
    skips
}

/// Whether two names are of one test: the path of its module may be left out.
pub(crate) fn is_same_test(one: &str, other: &str) -> bool {
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|module| module.is_empty() || module.ends_with("::"))
    };
    ends(one, other) || ends(other, one)
}

/// One row of the list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ListRow {
    /// Where it stands in the file.
    pub(crate) line: usize,
    /// The path of the test.
    pub(crate) test: String,
    part: Option<String>,
    kinds: Vec<String>,
}

impl ListRow {
    fn names(&self, skip: &Skip) -> bool {
        let part = match (&self.part, &skip.part) {
            (None, None) => true,
            (Some(row), Some(part)) => row == "*" || row == part,
            _ => false,
        };
        part && is_same_test(&self.test, &skip.test)
    }
}

/// The rows of the list, or the lines that are none with what is wrong.
pub(crate) fn read_list(text: &str) -> Result<Vec<ListRow>, Vec<(usize, String)>> {
    let (mut rows, mut wrong) = (Vec::new(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        match read_row(index + 1, line) {
            Ok(row) => rows.push(row),
            Err(message) => wrong.push((index + 1, message)),
        }
    }
    if wrong.is_empty() { Ok(rows) } else { Err(wrong) }
}

fn read_row(line: usize, text: &str) -> Result<ListRow, String> {
    let fields: Vec<&str> = text.splitn(3, " | ").map(str::trim).collect();
    let [name, kinds, reason] = fields.as_slice() else {
        return Err("a row is `NAME | HOST KINDS | REASON`".into());
    };
    if reason.is_empty() {
        return Err("a row says why".into());
    }
    let kinds: Vec<String> = kinds.split(',').map(|kind| kind.trim().to_owned()).collect();
    if let Some(unknown) = kinds.iter().find(|kind| !is_known_kind(kind)) {
        return Err(format!("`{unknown}` is no kind of host; see xtask/src/host.rs"));
    }
    let (test, part) = match name.split_once('/') {
        Some((test, part)) => (test, Some(part.to_owned())),
        None => (*name, None),
    };
    Ok(ListRow { line, test: test.to_owned(), part, kinds })
}

/// The skips that no row allows on this host.
pub(crate) fn unlisted<'a>(skips: &'a [Skip], rows: &[ListRow], host: &mut Host) -> Vec<&'a Skip> {
    let mut allowed = |skip: &Skip| {
        let mut rows = rows.iter().filter(|row| row.names(skip));
        rows.any(|row| row.kinds.iter().any(|kind| host.is(kind)))
    };
    skips.iter().filter(|skip| !allowed(skip)).collect()
}

/// The lines to print: each test, and the parts of a test with the same reason in one line.
pub(crate) fn told(skips: &[Skip]) -> Vec<String> {
    let mut groups: BTreeMap<(&str, bool, &str), Vec<String>> = BTreeMap::new();
    for skip in skips {
        let key = (skip.test.as_str(), skip.part.is_some(), skip.reason.as_str());
        groups.entry(key).or_default().push(skip.name());
    }
    let tell = |((test, _, reason), names): (&(&str, bool, &str), &Vec<String>)| match &names[..] {
        [one] => format!("{one}: {reason}"),
        many => format!("{test}, {} parts: {reason}", many.len()),
    };
    groups.iter().map(tell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skip(test: &str, part: Option<&str>, reason: &str) -> Skip {
        Skip { test: test.into(), part: part.map(str::to_owned), reason: reason.into() }
    }

    const LOG: &str = "test\tcage::a\tno landlock\n\ntest\tcage::a\tno landlock\n\
                       part\twork::b\tgo\tno go\npart\twork::b\tzsh\tno zsh\n";

    #[test]
    fn log_has_whole_tests_once_and_every_part() {
        let wanted = [
            skip("cage::a", None, "no landlock"),
            skip("work::b", Some("go"), "no go"),
            skip("work::b", Some("zsh"), "no zsh"),
        ];
        assert_eq!(read_log(LOG), wanted);
    }

    #[test]
    fn line_of_another_form_is_a_skip_that_no_row_allows() {
        let skips = read_log("cage::a: no landlock\n");
        let rows = read_list("cage::a | any | no landlock\n").unwrap();
        assert_eq!(unlisted(&skips, &rows, &mut Host::of(&[])).len(), 1);
    }

    #[test]
    fn skip_is_allowed_only_by_a_row_whose_kind_this_host_is() {
        let list = "# tests\n\na | no-shared | no corpora\nwork::b/go | without:go | no go\n\
                    c/* | not-root,no-shared | only root can\n";
        let rows = read_list(list).unwrap();
        let skips = [
            skip("cage::a", None, "no corpora"),
            skip("b", Some("go"), "no go"),
            skip("b", Some("zsh"), "no zsh"),
            skip("c", Some("x"), "not root"),
            skip("c", None, "not root"),
            skip("d", None, "no reason"),
        ];
        let left = |kinds: &[(&str, bool)]| {
            let skips = unlisted(&skips, &rows, &mut Host::of(kinds));
            skips.iter().map(|skip| skip.name()).collect::<Vec<_>>()
        };
        let kinds =
            |shared, go, root| [("no-shared", shared), ("without:go", go), ("not-root", root)];
        assert_eq!(left(&kinds(true, true, true)), ["b/zsh", "c", "d"]);
        assert_eq!(left(&kinds(false, true, true)), ["cage::a", "b/zsh", "c", "d"]);
        let none = ["cage::a", "b/go", "b/zsh", "c/x", "c", "d"];
        assert_eq!(left(&kinds(false, false, false)), none);
    }

    #[test]
    fn row_without_reason_or_with_an_unknown_kind_is_refused() {
        let wrong = read_list("a | any\nb | any | \nc | warm | why\nd | any | why\n").unwrap_err();
        assert_eq!(wrong.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn parts_with_one_reason_are_told_in_one_line() {
        let mut skips = read_log(LOG);
        skips.extend((0..261).map(|n| skip("escape", Some(&n.to_string()), "no such host")));
        let wanted = [
            "cage::a: no landlock",
            "escape, 261 parts: no such host",
            "work::b/go: no go",
            "work::b/zsh: no zsh",
        ];
        assert_eq!(told(&skips), wanted);
    }

    #[test]
    fn name_without_its_module_is_the_same_test() {
        assert!(is_same_test("a::b", "b") && is_same_test("b", "a::b") && is_same_test("b", "b"));
        assert!(!is_same_test("ab", "b") && !is_same_test("a::b", "c::b"));
    }
}
