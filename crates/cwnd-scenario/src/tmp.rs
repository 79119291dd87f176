use crate::model::Scenario;
use cwnd::Controller;
/// t
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlowAction {
    /// t
    Start,
    /// t
    Stop,
    /// t
    Switch(String, Vec<(String, String)>),
}
impl FlowAction {
    /// t
    #[must_use]
    pub fn controller(&self) -> Option<Controller> {
        None
    }
}
impl Scenario {
    /// t
    #[must_use]
    pub fn flow_actions(&self) -> Vec<(u64, u32, FlowAction)> {
        Vec::new()
    }
}
