//! Plans, one by one. Random conversations are planned in `tests/it/plan_fits.rs`.
