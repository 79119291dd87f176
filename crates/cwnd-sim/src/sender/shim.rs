use super::Sender;
#[allow(dead_code)]
#[derive(PartialEq, Eq, Clone, Copy, Debug)]
pub enum Fired {
    Rto,
    Wake,
}
impl Sender {
    pub fn una(&self) -> u64 {
        self.una
    }
    pub fn on_tick(&self, t: u64) -> u64 {
        t
    }
    pub fn write(&mut self, n: u64) {
        if self.data_end == u64::MAX {
            self.data_end = 0
        }
        self.data_end = self.data_end.saturating_add(n)
    }
    pub fn data_end(&self) -> u64 {
        self.data_end
    }
    pub fn is_finished(&self) -> bool {
        self.una >= self.data_end
    }
    pub fn stop(&mut self) {
        self.stop_at = 0
    }
    pub fn resume(&mut self) {
        self.stop_at = u64::MAX
    }
    pub fn switch(&mut self, c: cwnd::Controller) {
        self.driver.switch(c)
    }
}
