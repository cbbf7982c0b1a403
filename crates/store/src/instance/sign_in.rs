//! Giving the password: sign-in, unlock and password change, all through one throttled check (PEOPLE-9, 10, 26, 36).
//! The tag of the password wrap decides; an unknown handle costs and looks the same as a wrong password.

use std::net::IpAddr;

use domain::account::{Password, TypedPassword};
use domain::time::Timestamp;
use rusqlite::Connection;

use crate::error::{SignInError, StoreError, VaultFault};
use crate::id::PersonId;
use crate::instance::Instance;
use crate::instance::audit::{self, Act};
use crate::instance::people::{self, Person, PersonState};
use crate::instance::sessions::{self, Session};
use crate::instance::throttle::{self, Try};
use crate::instance::wraps::{self, Kdf, PasswordWrap, WrapRow};
use crate::kdf::{Address, KdfPolicy, derive};
use crate::key::{VaultKey, WRAP_LENGTH, WrapBinding, WrapKind, unwrap};
use crate::secret::random_bytes;
use crate::token::{DeviceToken, SessionToken};
use crate::vault::Vault;

/// What a sign-in form holds.
#[derive(Debug)]
pub struct SignIn {
    /// As typed.
    pub handle: String,
    /// As typed.
    pub password: TypedPassword,
    /// Where it comes from.
    pub address: IpAddr,
    /// What this browser was given at an earlier sign-in.
    pub device: Option<DeviceToken>,
    /// A name for the device, shown in the list of devices.
    pub device_name: String,
    /// False for "not my device": 12 hours, and the device is not remembered.
    pub lasting: bool,
    /// The session that this browser held; it ends.
    pub replaces: Option<SessionToken>,
}

/// Somebody is signed in.
#[derive(Debug)]
pub struct SignedIn {
    /// For the cookie.
    pub token: SessionToken,
    /// For the device cookie, if the device is new.
    pub device: Option<DeviceToken>,
    /// Who.
    pub person: Person,
    /// Whose session was replaced, which may be somebody else's: its streams are to end.
    pub replaced: Option<PersonId>,
    /// Their vault, open; or why it stays shut although they are signed in.
    pub vault: Result<Vault, VaultFault>,
}

/// What an unlock form holds.
#[derive(Debug)]
pub struct Unlock {
    /// As typed.
    pub password: TypedPassword,
    /// Where it comes from.
    pub address: IpAddr,
    /// The person was told that the vault file is an older one, and takes it.
    pub accept_older: bool,
}

/// A session gave the password.
#[derive(Debug)]
pub struct Unlocked {
    /// In place of the old one, which fails from now on.
    pub token: SessionToken,
    /// The vault.
    pub vault: Vault,
}

impl Instance {
    /// Checks handle and password, begins a session and opens the vault.
    pub async fn sign_in(&self, form: SignIn, now: Timestamp) -> Result<SignedIn, SignInError> {
        let SignIn { handle, password, address, device, device_name, lasting, replaces } = form;
        let address = Address::of(address);
        let counted = {
            let device = device.as_ref().map(DeviceToken::hash);
            self.0.database.write(move |db| count(db, &handle, address, device, now)).await?
        };
        let (known, row) = (counted.device, counted.row);
        let right = self.check(counted, address, password, Act::SignInFailed, now).await?;
        let token = SessionToken::random()?;
        let fresh = if lasting && known.is_none() { Some(DeviceToken::random()?) } else { None };
        let (person, replaced) = (right.person.clone(), replaces.as_ref().map(SessionToken::hash));
        let (token, fresh, person, right, ended) = self
            .0
            .database
            .write(move |db| {
                right.settle(db, row)?;
                let ended = replaced.map(|replaced| sessions::end(db, &replaced)).transpose()?.flatten();
                let added = fresh.as_ref().map(|fresh| sessions::add_device(db, person.id, fresh, &device_name, now));
                let device = if lasting { added.transpose()?.or(known) } else { None };
                sessions::begin(db, &token, person.id, device, lasting, now)?;
                audit::append(db, Act::SignedIn, Some(person.id), now)?;
                Ok::<_, StoreError>((token, fresh, person, right, ended))
            })
            .await?;
        if let (Some(ended), Some(replaced)) = (ended, replaced) {
            self.forget(ended, &replaced);
        }
        let vault = self.open_with(&person, right.key, false, now).await;
        if let Ok(vault) = &vault {
            vault.unlock_for(token.hash());
        }
        Ok(SignedIn { token, device: fresh, person, replaced: ended, vault })
    }

    /// Checks the password of somebody who is signed in, opens the vault and replaces the token. It is also the way to
    /// give proof.
    pub async fn unlock(&self, session: &Session, form: Unlock, now: Timestamp) -> Result<Unlocked, SignInError> {
        let right = self.check_again(session, form.address, form.password, now).await?;
        let vault = self.open_with(&session.person, right.key, form.accept_older, now).await?;
        let token = SessionToken::random()?;
        let before = session.clone();
        let token = self
            .0
            .database
            .write(move |db| {
                sessions::replace(db, &token, &before, now)?;
                audit::append(db, Act::Unlocked, Some(before.person.id), now)?;
                Ok::<_, StoreError>(token)
            })
            .await?;
        vault.forget_session(&session.token);
        vault.unlock_for(token.hash());
        Ok(Unlocked { token, vault })
    }

    /// Wraps the same key under a new password in one transaction. All other sessions of the person end, and this one
    /// gets a new token.
    pub async fn change_password(
        &self,
        session: &Session,
        old: TypedPassword,
        new: Password,
        address: IpAddr,
        now: Timestamp,
    ) -> Result<SessionToken, SignInError> {
        let right = self.check_again(session, address, old, now).await?;
        let (id, generation, policy) = (session.person.id, session.person.generation, self.0.policy);
        let made = self
            .0
            .gate
            .run(Address::of(address), move || PasswordWrap::make(&right.key, new.typed(), policy, id, generation));
        let wrap = made.await??;
        let token = SessionToken::random()?;
        let before = session.clone();
        let token = self
            .0
            .database
            .write(move |db| {
                wrap.store(db, id, generation)?;
                sessions::replace(db, &token, &before, now)?;
                sessions::delete_others(db, id, &token.hash())?;
                audit::append(db, Act::PasswordChanged, Some(id), now)?;
                Ok::<_, StoreError>(token)
            })
            .await?;
        if let Some(vault) = self.open_vault(id) {
            let was_unlocked = vault.is_unlocked_for(&session.token);
            vault.forget_all_sessions();
            if was_unlocked {
                vault.unlock_for(token.hash());
            }
        }
        Ok(token)
    }

    async fn check_again(
        &self,
        session: &Session,
        address: IpAddr,
        password: TypedPassword,
        now: Timestamp,
    ) -> Result<Right, SignInError> {
        let address = Address::of(address);
        let (handle, device) = (session.person.handle.clone(), session.device);
        let counted = self.0.database.write(move |db| count_known(db, &handle, address, device, now)).await?;
        let row = counted.row;
        let right = self.check(counted, address, password, Act::UnlockFailed, now).await?;
        let right = self
            .0
            .database
            .write(move |db| {
                right.settle(db, row)?;
                Ok::<_, StoreError>(right)
            })
            .await?;
        Ok(right)
    }

    /// One derivation, and a second one if the wrap is weaker than the policy.
    async fn check(
        &self,
        counted: Counted,
        address: Address,
        password: TypedPassword,
        failed: Act,
        now: Timestamp,
    ) -> Result<Right, SignInError> {
        let (policy, row) = (self.0.policy, counted.row);
        let concerned = counted.person.as_ref().map(|person| person.id);
        match self.0.gate.run(address, move || judge(counted, &password, policy)).await {
            Err(_) => {
                self.0.database.write(move |db| throttle::give_back(db, row)).await?;
                Err(SignInError::Busy)
            }
            Ok(Err(SignInError::Wrong)) => {
                self.0.database.write(move |db| audit::append(db, failed, concerned, now)).await?;
                Err(SignInError::Wrong)
            }
            Ok(other) => other,
        }
    }
}

/// A counted try and what it is checked against.
struct Counted {
    row: i64,
    person: Option<Person>,
    wrap: Option<WrapRow>,
    device: Option<i64>,
}

fn count(
    db: &Connection,
    handle: &str,
    address: Address,
    device: Option<[u8; 32]>,
    now: Timestamp,
) -> Result<Counted, SignInError> {
    let person = people::by_handle(db, handle)?;
    let device = match (&person, device) {
        (Some(person), Some(device)) => sessions::device_of(db, person.id, &device)?,
        _ => None,
    };
    count_known(db, handle, address, device, now)
}

fn count_known(
    db: &Connection,
    handle: &str,
    address: Address,
    device: Option<i64>,
    now: Timestamp,
) -> Result<Counted, SignInError> {
    let row = throttle::count(db, Try { handle: throttle::handle_hash(handle), address, device }, now)?;
    let person = people::by_handle(db, handle)?;
    let wrap = match &person {
        Some(person) => wraps::load(db, person.id, WrapKind::Password)?,
        None => None,
    };
    Ok(Counted { row, person, wrap, device })
}

/// The password was right.
struct Right {
    person: Person,
    key: VaultKey,
    /// The same key under the policy of today, if the stored wrap is weaker.
    stronger: Option<PasswordWrap>,
}

impl Right {
    /// Gives the counted try back and stores the stronger wrap.
    fn settle(&self, db: &Connection, row: i64) -> Result<(), StoreError> {
        throttle::give_back(db, row)?;
        match &self.stronger {
            Some(wrap) => wrap.store(db, self.person.id, self.person.generation),
            None => Ok(()),
        }
    }
}

/// Derives and unwraps. Without a person or wrap the same work is done on a record that cannot open.
fn judge(counted: Counted, password: &TypedPassword, policy: KdfPolicy) -> Result<Right, SignInError> {
    let (record, kdf) = match counted.wrap {
        Some(WrapRow { record, kdf: Some(kdf) }) => (record, kdf),
        Some(WrapRow { kdf: None, .. }) | None => (vec![0; WRAP_LENGTH], Kdf { salt: random_bytes()?, policy }),
    };
    let by = derive(password.bytes(), &kdf.salt, kdf.policy)?;
    let person = counted.person.filter(|person| person.state == PersonState::Active).ok_or(SignInError::Wrong)?;
    let binding = WrapBinding { person: person.id, kind: WrapKind::Password, generation: person.generation };
    let key = unwrap(&record, &by, binding).map_err(|_| SignInError::Wrong)?;
    let stronger = if kdf.policy.weaker_than(policy) {
        Some(PasswordWrap::make(&key, password, policy, person.id, person.generation)?)
    } else {
        None
    };
    Ok(Right { person, key, stronger })
}
