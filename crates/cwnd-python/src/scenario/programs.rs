// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs that a scenario names (`exec`).

use super::Scenario;
use cwnd_scenario::Invalid;

impl Scenario {
    /// Refuses to start the programs (`exec`) of a scenario from the folder of a result.
    ///
    /// # Errors
    /// [`Invalid`], with the program, and how the user allows it.
    pub fn check_programs(&self) -> Result<(), Invalid> {
        let program = self.of_folder.then(|| self.programs().into_iter().next()).flatten();
        let Some(program) = program else { return Ok(()) };
        let (field, value) = ("flow.exec".to_owned(), Some(format!("{program:?}")));
        let expected =
            "no program in a scenario from a folder of results: a run would start it with your rights. \
                        Scenario.from_file(path, allow_exec=True) of its scenario.toml allows that"
                .to_owned();
        Err(Invalid { field, value, expected })
    }
}
