//! inference: being laid.
