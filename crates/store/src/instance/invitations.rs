//! How people join and what changes about them later: one-time codes, roles, deactivation. Each check stands in the
//! transaction of its change, so of two at once one sees what the other did (PEOPLE-6, 52, 56, 58).

use std::net::IpAddr;

use domain::account::Password;
use domain::time::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::{AccountError, SignInError, StoreError};
use crate::id::PersonId;
use crate::instance::Instance;
use crate::instance::audit::{self, Act};
use crate::instance::birth::NewAccount;
use crate::instance::people::{self, ADMIN, Person, PersonState};
use crate::instance::throttle::{self, Try};
use crate::kdf::Address;
use crate::token::InvitationCode;

/// How long an invitation holds.
const VALID: i64 = 72 * 60 * 60 * 1000;

impl Instance {
    /// Makes a one-time code with which somebody joins in `role`. It is shown once and kept hashed.
    pub async fn invite(&self, by: PersonId, role: String, now: Timestamp) -> Result<InvitationCode, AccountError> {
        let code = InvitationCode::random()?;
        let hash = code.hash();
        self.0
            .database
            .write(move |db| {
                may_assign(db, by, &role)?;
                db.execute(
                    "INSERT INTO codes (hash, kind, role, made_by, made_at, ends) VALUES (?1, 'invitation', ?2, ?3, ?4, ?5)",
                    params![hash, role, by, now.0, now.0 + VALID],
                )?;
                Ok::<_, AccountError>(audit::append_about(db, Act::Invited, Some(by), None, now)?)
            })
            .await?;
        Ok(code)
    }

    /// Makes the account of whoever holds the code. The person alone chooses the password; key and vault are born now.
    /// Used at once by many, a code works once.
    pub async fn join(
        &self,
        code: &InvitationCode,
        account: NewAccount,
        password: Password,
        address: IpAddr,
        now: Timestamp,
    ) -> Result<Person, AccountError> {
        let hash = code.hash();
        let attempt = Try { handle: hash, address: Address::of(address), device: None };
        self.0.database.write(move |db| try_code(db, attempt, now)).await??;
        let birth = self.prepare::<AccountError>(account, password, address).await?;
        let (inner, id) = (self.0.clone(), birth.id());
        self.0
            .database
            .write(move |db| {
                let role = role_of_code(db, &hash, now)?;
                db.execute("UPDATE codes SET used_at = ?2 WHERE hash = ?1", params![hash, now.0])?;
                let wanted = people::vault_kind_of_role(db, &role)?.ok_or(AccountError::Absent)?;
                if wanted != "either" && wanted != birth.account().vault.as_str() {
                    return Err(AccountError::VaultKind);
                }
                if people::by_handle(db, birth.account().handle.as_str())?.is_some() {
                    return Err(AccountError::HandleTaken);
                }
                birth.make(&inner, db, &role, now)?;
                Ok(audit::append(db, Act::Joined, Some(id), now)?)
            })
            .await?;
        self.finish_birth(id).await?;
        self.person(id).await?.ok_or(AccountError::Store(StoreError::Corrupt("person")))
    }

    /// Gives a person another role. Their sessions end; the last active admin keeps theirs.
    pub async fn set_role(
        &self,
        by: PersonId,
        person: PersonId,
        role: String,
        now: Timestamp,
    ) -> Result<(), AccountError> {
        self.0
            .database
            .write(move |db| {
                may_manage(db, by, person)?;
                may_assign(db, by, &role)?;
                db.execute("UPDATE people SET role = ?2 WHERE id = ?1", params![person, role])?;
                end_sessions_unless_last_admin(db, person)?;
                Ok::<_, AccountError>(audit::append_about(db, Act::RoleChanged, Some(by), Some(person), now)?)
            })
            .await?;
        if let Some(vault) = self.open_vault(person) {
            vault.forget_all_sessions();
        }
        Ok(())
    }

    /// Closes an account without deleting anything: sessions end and the vault closes. The last active admin stays.
    pub async fn deactivate(&self, by: PersonId, person: PersonId, now: Timestamp) -> Result<(), AccountError> {
        self.set_state(by, person, PersonState::Deactivated, Act::Deactivated, now).await?;
        self.lock(person).await;
        Ok(())
    }

    /// Opens a closed account again.
    pub async fn activate(&self, by: PersonId, person: PersonId, now: Timestamp) -> Result<(), AccountError> {
        self.set_state(by, person, PersonState::Active, Act::Activated, now).await
    }

    async fn set_state(
        &self,
        by: PersonId,
        person: PersonId,
        state: PersonState,
        act: Act,
        now: Timestamp,
    ) -> Result<(), AccountError> {
        self.0
            .database
            .write(move |db| {
                may_manage(db, by, person)?;
                db.execute("UPDATE people SET state = ?2 WHERE id = ?1", params![person, state.as_str()])?;
                end_sessions_unless_last_admin(db, person)?;
                Ok::<_, AccountError>(audit::append_about(db, act, Some(by), Some(person), now)?)
            })
            .await
    }
}

/// A try of a code is counted like one of a password, and given back if the code holds. The inner result is the
/// code's; the count stays also when it is wrong.
fn try_code(db: &Connection, attempt: Try, now: Timestamp) -> Result<Result<(), AccountError>, AccountError> {
    let row = throttle::count(db, attempt, now).map_err(|error| match error {
        SignInError::Throttled { retry_after } => AccountError::Throttled { retry_after },
        SignInError::Store(error) => AccountError::Store(error),
        SignInError::Wrong | SignInError::Busy | SignInError::Vault(_) => AccountError::Busy,
    })?;
    let role = role_of_code(db, &attempt.handle, now);
    if role.is_ok() {
        throttle::give_back(db, row)?;
    }
    Ok(role.map(|_| ()))
}

/// The role of a code that may still be used. A used or old one is known as such.
fn role_of_code(db: &Connection, hash: &[u8; 32], now: Timestamp) -> Result<String, AccountError> {
    let mut statement = db.prepare_cached("SELECT role, ends, used_at FROM codes WHERE hash = ?1")?;
    let row =
        statement.query_row([hash], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?, row.get::<_, Option<i64>>(2)?)));
    match row.optional()? {
        None => Err(AccountError::WrongCode),
        Some((_, ends, used)) if used.is_some() || now.0 >= ends => Err(AccountError::UsedUp),
        Some((role, _, _)) => Ok(role),
    }
}

/// Whoever changes an account is active, may manage people, and changes an admin only as an admin.
fn may_manage(db: &Connection, by: PersonId, person: PersonId) -> Result<(), AccountError> {
    let person = people::by_id(db, person)?.ok_or(AccountError::Absent)?;
    let actor = manager(db, by)?;
    if person.is_admin() && !actor.is_admin() {
        return Err(AccountError::NotAllowed);
    }
    Ok(())
}

/// Nobody gives a role with a capability that they lack, and only an admin makes an admin.
fn may_assign(db: &Connection, by: PersonId, role: &str) -> Result<(), AccountError> {
    let actor = manager(db, by)?;
    people::vault_kind_of_role(db, role)?.ok_or(AccountError::Absent)?;
    let held = people::capabilities(db, by)?;
    let lacks = people::capabilities_of_role(db, role)?.iter().any(|capability| !held.contains(capability));
    if lacks || (role == ADMIN && !actor.is_admin()) {
        return Err(AccountError::NotAllowed);
    }
    Ok(())
}

fn manager(db: &Connection, by: PersonId) -> Result<Person, AccountError> {
    let actor = people::by_id(db, by)?.ok_or(AccountError::NotAllowed)?;
    let may = people::capabilities(db, by)?.iter().any(|capability| capability == "person.manage");
    if may { Ok(actor) } else { Err(AccountError::NotAllowed) }
}

fn end_sessions_unless_last_admin(db: &Connection, person: PersonId) -> Result<(), AccountError> {
    if !people::has_active_admin(db)? {
        return Err(AccountError::LastAdmin);
    }
    db.execute("DELETE FROM sessions WHERE person = ?1", [person])?;
    Ok(())
}
