#![allow(clippy::unwrap_used)]
//! placeholder
