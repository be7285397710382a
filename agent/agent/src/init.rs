//! Life as process 1 of a guest that contains nothing else.

pub(crate) fn live() -> ! {
    loop {}
}
