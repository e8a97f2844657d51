//! The policies of the cases: files under `cases/policies`, with what one case adds.

use ricasso_engine::policy::{Extends, Layer, Origin, Overrides, Policy, Preset, extends};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Files that extend files that extend files: deeper is a circle.
const MAX_EXTENDS: usize = 8;

/// A policy, or why there is none.
pub type Loaded = Rc<Result<Policy, String>>;

/// Loads policies and keeps them: a corpus asks for the same few again and again.
pub struct Policies {
    directory: PathBuf,
    loaded: RefCell<HashMap<(String, String), Loaded>>,
}

impl Policies {
    /// The files of this directory.
    pub fn at(directory: &Path) -> Self {
        Self { directory: directory.to_path_buf(), loaded: RefCell::default() }
    }

    /// A policy by its name or its preset, with a text laid over it. The error says why it cannot
    /// be loaded; then nothing may run under it.
    pub fn load(&self, name: &str, over: &str) -> Loaded {
        let key = (name.to_string(), over.to_string());
        if let Some(known) = self.loaded.borrow().get(&key) {
            return Rc::clone(known);
        }
        let policy = Rc::new(self.read(name, over));
        self.loaded.borrow_mut().insert(key, Rc::clone(&policy));
        policy
    }

    fn read(&self, name: &str, over: &str) -> Result<Policy, String> {
        let mut layers = match Preset::named(name) {
            Some(preset) => vec![preset.layer()],
            None => self.files(name)?,
        };
        if !over.is_empty() {
            let name = "the case".to_string();
            layers.push(Layer { origin: Origin::User, name, text: over.to_string() });
        }
        Policy::from_layers(&layers, &Overrides::default()).map_err(|error| error.to_string())
    }

    /// The file and what it extends, that one first.
    fn files(&self, name: &str) -> Result<Vec<Layer>, String> {
        let mut layers = Vec::new();
        let mut next = format!("{name}.toml");
        while layers.len() < MAX_EXTENDS {
            let path = self.directory.join(&next);
            let text = fs::read_to_string(&path)
                .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
            let name = format!("cases/policies/{next}");
            let layer = Layer { origin: Origin::User, name, text };
            let below = extends(&layer).map_err(|error| error.to_string())?;
            layers.insert(0, layer);
            match below {
                Extends::File(name) => next = name,
                _ => return Ok(layers),
            }
        }
        Err(format!("{next} extends itself"))
    }
}
