// SPDX-License-Identifier: MIT OR Apache-2.0
//! The functions of the module, by their names.

use crate::page::Page;
use std::cell::RefCell;

thread_local! { static PAGE: RefCell<Page> = RefCell::default(); }

fn with<T>(act: impl FnOnce(&mut Page) -> T) -> T {
    PAGE.with_borrow_mut(act)
}

/// Declares functions that the module exports under their own names; nothing else in the crate is `unsafe`.
macro_rules! exports {
    ($($name:ident($($arg:ident: $type:ty),*) $(-> $result:ty)? { $($body:tt)* })+) => {
        $(
            #[unsafe(no_mangle)]
            extern "C" fn $name($($arg: $type),*) $(-> $result)? { $($body)* }
        )+
    };
}

exports! {
    input(len: usize) -> *mut u8 {
        with(|page| {
            page.input.resize(len, 0);
            page.input.as_mut_ptr()
        })
    }
    output() -> *const u8 { with(|page| page.output.as_ptr()) }
    output_len() -> usize { with(|page| page.output.len()) }
    data() -> *const f32 { with(|page| page.data.as_ptr()) }
    data_len() -> usize { with(|page| page.data.len()) }
    describe() -> u32 { with(|page| u32::from(page.describe())) }
    load(from_s: f64, to_s: f64, columns: usize) -> u32 { with(|page| u32::from(page.load(from_s, to_s, columns))) }
    step(events: u32) -> u32 { with(|page| u32::from(page.step(u64::from(events)))) }
    step_to(time_s: f64) -> u32 { with(|page| u32::from(page.step_to(time_s))) }
    now_s() -> f64 { with(|page| page.now_s()) }
    curves(mean_s: f64) { with(|page| page.curves(mean_s)); }
    packets() { with(Page::packets); }
    set_window(flow: usize, segments: u32) -> u32 { with(|page| u32::from(page.set_window(flow, segments))) }
    hooks(time_s: f64, flow: usize, count: usize) -> u32 { with(|page| u32::from(page.hooks(time_s, flow, count))) }
    summary() { with(Page::summary); }
    catalog() { with(Page::catalog); }
    interval() { with(Page::interval); }
    digest() -> u32 { with(|page| u32::from(page.digest())) }
}
