//! Puts questions to the person. Nothing waits here: the answer is an entry like any other.

use domain::approval::Approval;
use domain::entry::Body;

use crate::live::Live;
use crate::run::RunError;

pub(crate) async fn ask(live: &mut Live<'_>, approvals: Vec<Approval>) -> Result<(), RunError> {
    let asked = approvals.into_iter().map(|approval| Body::Asked(Box::new(approval))).collect();
    live.decide(asked).await?;
    Ok(())
}
