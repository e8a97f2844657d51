//! TEMPORARY
use serde::Serialize;
use std::path::Path;
use std::time::SystemTime;
#[derive(Debug)]
pub struct Ledger;
#[derive(Debug)]
pub enum Error {}
impl std::fmt::Display for Error {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Ok(())
    }
}
impl std::error::Error for Error {}
pub enum Phase {
    Open,
    Close,
}
pub struct Entry(serde_json::Map<String, serde_json::Value>);
#[derive(Debug, Clone, Serialize)]
pub struct Receipt {
    pub seq: u64,
    pub hash: String,
}
impl Entry {
    pub fn new(_p: Phase, _id: &str, _at: SystemTime) -> Entry {
        Entry(Default::default())
    }
    pub fn put<T: Serialize + ?Sized>(&mut self, k: &str, v: &T) {
        self.0.insert(k.into(), serde_json::to_value(v).unwrap());
    }
}
impl Ledger {
    pub fn open(_p: &Path, _d: crate::policy::Durability) -> Result<Ledger, Error> {
        Ok(Ledger)
    }
    pub fn append(&self, _e: Entry) -> Result<Receipt, Error> {
        Ok(Receipt { seq: 1, hash: String::new() })
    }
}
pub fn still_open(_d: &Path, ids: &[&str]) -> Result<Vec<String>, Error> {
    Ok(ids.iter().map(|s| s.to_string()).collect())
}
pub fn rfc3339(_t: SystemTime) -> String {
    String::new()
}
