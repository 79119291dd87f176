// SPDX-License-Identifier: MIT OR Apache-2.0
//! `export_all!`, for the crate in hooks/ and for those of algorithms from outside the tree, which take this file by its path.

/// Exports the hooks of one algorithm. The references come from the glue, which owns what Rust demands of them: `conn`, `params`
/// and `sample` are its own stack variables, in which `bool` and enums are in range; `state` is the socket's private area, large and
/// aligned enough and of a type of which every bit pattern is a value (`export_all!` and the glue assert it).
macro_rules! export {
    ([$algorithm:ty, $name:literal] $($variant:ident = $number:literal $(if $has:ident)?:
        $hook:ident($($arg:ident: $([$by:tt])? $type:path),*) $(-> $result:ty)?;)+) => {$(
        // SAFETY: the registry's names are unique, and no other symbol begins with `cwnd_`.
        #[unsafe(export_name = concat!("cwnd_", $name, "_", stringify!($hook)))]
        extern "C" fn $hook(
            state: &mut $algorithm,
            conn: &mut ::cwnd::Conn,
            params: &<$algorithm as ::cwnd::CongestionControl>::Params
            $(, $arg: <$($by)? $type as ::cwnd::WireArgument>::Wire)*
        ) $(-> $result)? {
            $(let Some($arg) = ::cwnd::WireArgument::from_wire($arg) else {
                return ::cwnd::HookResult::from_word(0);
            };)*
            state.$hook(conn $(, $arg)*, params)
        }
    )+};
}

macro_rules! export_all {
    ($($variant:ident: $algorithm:ty, $name:literal;)+) => {$(
        const _: () = {
            use ::cwnd::CongestionControl as _;
            type A = $algorithm;
            const fn assert_any_bit_pattern<T: ::cwnd::AnyBitPattern>() {}
            assert_any_bit_pattern::<A>();
            assert!(size_of::<A>() <= ::cwnd::PRIVATE_BYTES, "the state must fit the kernel's private area");
            assert!(align_of::<A>() <= 8, "the kernel's private area is aligned to 8 bytes");
            ::cwnd::for_each_hook!(export, A, $name);
        };
    )+};
}
