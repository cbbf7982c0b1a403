//! Migrations: to come.
