// SPDX-License-Identifier: MIT OR Apache-2.0
//! `export_all!`, for the crate in hooks/ and for those of algorithms from outside the tree, which take this file by its path.

/// Exports one function. The references come from the glue, which owns what Rust demands of them: `conn`, `params` and
/// `sample` are its own stack variables, in which `bool` and enums are in range; `state` is the socket's private area, large and
/// aligned enough and of a type of which every bit pattern is a value (`export_all!` and the glue assert it).
macro_rules! export {
    ($algorithm:ty, $name:literal, $hook:ident, ($($arg:ident: $type:ty),*) $(-> $ret:ty)?, $call:expr) => {
        // SAFETY: the registry's names are unique, and no other symbol begins with `cwnd_`.
        #[unsafe(export_name = concat!("cwnd_", $name, "_", stringify!($hook)))]
        extern "C" fn $hook(
            state: &mut $algorithm,
            conn: &mut ::cwnd::Conn,
            params: &<$algorithm as ::cwnd::CongestionControl>::Params
            $(, $arg: $type)*
        ) $(-> $ret)? {
            let call: fn(&mut $algorithm, &mut ::cwnd::Conn, &_ $(, $type)*) $(-> $ret)? = $call;
            call(state, conn, params $(, $arg)*)
        }
    };
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
            export!(A, $name, init, (), A::init);
            export!(A, $name, release, (), A::release);
            export!(A, $name, ssthresh, () -> u32, A::ssthresh);
            export!(A, $name, cong_avoid, (ack: u32, acked: u32), |a, c, p, ack, acked| a.cong_avoid(c, ack, acked, p));
            export!(A, $name, set_state, (new: u8), |a, c, p, new| a.set_state(c, ::cwnd::CaState::from_u8(new), p));
            export!(A, $name, cwnd_event, (event: u32), |a, c, p, event| {
                if let Some(event) = ::cwnd::CaEvent::from_u8(event as u8) {
                    a.cwnd_event(c, event, p);
                }
            });
            export!(A, $name, in_ack_event, (flags: u32), |a, c, p, flags| a.in_ack_event(c, flags, p));
            export!(A, $name, undo_cwnd, () -> u32, A::undo_cwnd);
            export!(A, $name, cong_control, (acked: u32), |a, c, p, acked| a.cong_control(c, acked, p));
            export!(A, $name, pkts_acked, (sample: &::cwnd::AckSample), |a, c, p, sample| a.pkts_acked(c, sample, p));
        };
    )+};
}
