//! The mailbox: joining, dropping and forgetting.
