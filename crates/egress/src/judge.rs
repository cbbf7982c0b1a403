//! Says of a URL, without looking anything up, whether a model's tools could go there: the same tables and the same
//! reading as a request passes, so that what is explained is what happens.

use domain::address::{judge_address, judge_name};

use crate::EgressError;
use crate::target::{Target, TargetHost, read_target};

/// Judges a URL of the web by what it says: scheme, port, name or address. A name must still resolve to public addresses.
///
/// # Errors
/// Why it is refused.
pub fn judge_url(text: &str) -> Result<(), EgressError> {
    let target = read_target(text)?;
    judge_port(&target)?;
    let judged = match &target.host {
        TargetHost::Name(name) => judge_name(name),
        TargetHost::Address(address) => judge_address(*address),
    };
    judged.map_err(EgressError::Blocked)
}

/// The web is on two ports; others need a grant.
pub(crate) fn judge_port(target: &Target) -> Result<(), EgressError> {
    match target.port {
        80 | 443 => Ok(()),
        _ => Err(EgressError::BadUrl("only the ports 80 and 443 are open")),
    }
}
