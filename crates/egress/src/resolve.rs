//! Looks a name up, once, and judges every address of the answer. The connection goes to one of exactly these.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use async_trait::async_trait;
use domain::address::{judge_address, judge_name};

use crate::client::Grant;
use crate::target::{Target, TargetHost};
use crate::{EgressError, Phase};

const LOOKUP: Duration = Duration::from_secs(5);

/// Looks names up.
///
/// 1. One call is one lookup; the answer is all addresses there are.
/// 2. An error or an empty answer is no answer.
#[async_trait]
pub trait Resolve: Send + Sync {
    /// The addresses of a name.
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The resolver of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

#[async_trait]
impl Resolve for SystemResolver {
    #[expect(clippy::disallowed_methods, reason = "this is where names are resolved")]
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
    }
}

/// The addresses that may be dialled for a target.
pub(crate) async fn checked_addresses(
    target: &Target,
    grants: &[Grant],
    resolver: &dyn Resolve,
) -> Result<Vec<IpAddr>, EgressError> {
    let granted = grants.iter().any(|grant| grant.port == target.port && grant.covers(&target.host.text()));
    let addresses = match &target.host {
        TargetHost::Address(address) => vec![*address],
        TargetHost::Name(name) => {
            let judged = judge_name(name);
            judged
                .or_else(|refused| if granted && refused.may_be_granted() { Ok(()) } else { Err(refused) })
                .map_err(EgressError::Blocked)?;
            look_up(name, resolver).await?
        }
    };
    // One address that is not public refuses the whole answer: a name that is half here is a trap.
    for address in &addresses {
        let judged = judge_address(*address);
        judged
            .or_else(|refused| if granted && refused.may_be_granted() { Ok(()) } else { Err(refused) })
            .map_err(EgressError::Blocked)?;
    }
    Ok(addresses)
}

async fn look_up(name: &str, resolver: &dyn Resolve) -> Result<Vec<IpAddr>, EgressError> {
    let answer = tokio::time::timeout(LOOKUP, resolver.lookup(name)).await;
    let addresses = answer.map_err(|_| EgressError::Timeout(Phase::Resolving))?.map_err(|_| EgressError::Dns)?;
    if addresses.is_empty() { Err(EgressError::Dns) } else { Ok(addresses) }
}
