//! Folds as they are recorded.
