// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a registration was loaded from, to be loaded once more.

use libbpf_rs::MapHandle;

use crate::kernel::error::Error;
use crate::kernel::loaded_module::Load;
use crate::kernel::maps::first_value;
use crate::kernel::module::Module;
use crate::kernel::object_file::ObjectFile;
use crate::kernel::registration::Registration;

/// What a registration was loaded from.
#[derive(Debug)]
pub enum ModuleSource {
    /// An algorithm of the package.
    Set(Module),
    /// An object's file.
    File(ObjectFile),
}

impl ModuleSource {
    /// As what can be loaded.
    #[must_use]
    pub const fn as_load(&self) -> &dyn Load {
        match self {
            Self::Set(module) => module,
            Self::File(object) => object,
        }
    }
}

impl Registration {
    /// What was loaded, to be loaded once more with the settings that it has: of the package, or from its file.
    ///
    /// # Errors
    /// [`Error::Gone`], when that is no longer what was loaded; and as [`ObjectFile::open`].
    pub fn source(&self) -> Result<ModuleSource, Error> {
        let gone = |why: String| Error::Gone { name: self.name.clone(), why };
        let values = self.values().ok_or_else(|| gone("its parameters cannot be read".to_owned()))?;
        if let Some(file) = &self.file {
            let mut object = ObjectFile::open(file)?;
            if object.set_values(&values).is_err() || object.hash() != self.hash {
                return Err(gone(format!("{} has changed since", file.display())));
            }
            return Ok(ModuleSource::File(object));
        }
        let mut module = Module::find(&self.set)
            .map_err(|_| gone(format!("this cwnd has no {}, or has it in another place", self.set)))?;
        if module.set_values(&values).is_err() || module.hash() != self.hash {
            return Err(gone("another version of cwnd loaded it".to_owned()));
        }
        Ok(ModuleSource::Set(module))
    }

    /// Values of its parameters, in the stored form; the map may hold zeros behind them.
    fn values(&self) -> Option<Vec<u32>> {
        let map = MapHandle::from_map_id(self.params_map).ok()?;
        let bytes = first_value(&map).ok()??;
        bytes.chunks_exact(4).map(|value| Some(u32::from_ne_bytes(*value.first_chunk()?))).collect()
    }
}
