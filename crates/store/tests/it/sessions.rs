//! Sessions: how long they hold, when their token changes, and when they are unlocked.

use domain::account::{Handle, Password, TypedPassword};
use domain::time::Timestamp;
use store::{Instance, SessionToken, Unlock};

use crate::world::{HERE, NOW, PASSWORD, World, address, form, is_wrong, options, sign_in};

const HOUR: i64 = 60 * 60 * 1000;
const DAY: i64 = 24 * HOUR;

async fn holds(instance: &Instance, token: &SessionToken, at: i64) -> bool {
    instance.session(token, Timestamp(NOW.0 + at)).await.unwrap().is_some()
}

fn unlock(password: &str) -> Unlock {
    Unlock { password: TypedPassword::new(password.to_owned()), address: address(HERE), accept_older: false }
}

#[tokio::test]
async fn an_idle_session_ends_after_seven_days_and_a_used_one_after_thirty() {
    let world = World::new();
    let instance = world.set_up().await;
    let token = sign_in(&instance).await.token;
    assert!(holds(&instance, &token, 7 * DAY - 1).await);
    for day in (13..30).step_by(6) {
        assert!(holds(&instance, &token, day * DAY).await, "day {day}");
    }
    assert!(!holds(&instance, &token, 30 * DAY).await);
    let idle = sign_in(&instance).await.token;
    assert!(!holds(&instance, &idle, 7 * DAY).await);
    assert!(!holds(&instance, &idle, 0).await, "an ended session is deleted");
}

#[tokio::test]
async fn on_a_borrowed_device_it_ends_after_twelve_hours() {
    let world = World::new();
    let instance = world.set_up().await;
    let borrowed = instance.sign_in(store::SignIn { lasting: false, ..form("mara", PASSWORD) }, NOW).await.unwrap();
    assert!(borrowed.device.is_none());
    assert!(holds(&instance, &borrowed.token, 12 * HOUR - 1).await);
    assert!(!holds(&instance, &borrowed.token, 12 * HOUR).await);
}

#[tokio::test]
async fn a_clock_set_back_lengthens_nothing() {
    let world = World::new();
    let instance = world.set_up().await;
    let token = sign_in(&instance).await.token;
    assert!(holds(&instance, &token, 2 * DAY).await);
    assert!(!holds(&instance, &token, DAY).await);
}

#[tokio::test]
async fn a_session_survives_a_restart_locked() {
    let world = World::new();
    let instance = world.set_up().await;
    let token = sign_in(&instance).await.token;
    let session = instance.session(&token, NOW).await.unwrap().unwrap();
    assert!(instance.vault(&session).is_some() && session.is_proved(NOW));
    instance.close().await;
    let instance = Instance::open(options(&world.root), NOW).await.unwrap();
    let session = instance.session(&token, NOW).await.unwrap().unwrap();
    assert!(instance.vault(&session).is_none());
    let wrong = instance.unlock(&session, unlock("not the password"), NOW).await;
    assert!(is_wrong(&wrong));
    let unlocked = instance.unlock(&session, unlock(PASSWORD), NOW).await.unwrap();
    assert!(!holds(&instance, &token, 0).await, "the old token fails at once");
    let session = instance.session(&unlocked.token, NOW).await.unwrap().unwrap();
    assert!(instance.vault(&session).is_some());
}

#[tokio::test]
async fn a_vault_held_open_by_another_session_unlocks_nobody() {
    let world = World::new();
    let instance = world.set_up().await;
    let first = sign_in(&instance).await;
    let person = first.person.id;
    let first = instance.session(&first.token, NOW).await.unwrap().unwrap();
    instance.lock(person).await;
    assert!(instance.vault(&first).is_none());
    let second = sign_in(&instance).await;
    let second = instance.session(&second.token, NOW).await.unwrap().unwrap();
    assert!(instance.vault(&second).is_some());
    assert!(instance.vault(&first).is_none(), "it gave no password since the vault closed");
    instance.sign_out(second).await.unwrap();
}

#[tokio::test]
async fn a_sign_in_replaces_the_session_of_its_browser() {
    let world = World::new();
    let instance = world.set_up().await;
    let first = sign_in(&instance).await.token;
    let kept = sign_in(&instance).await.token;
    let again = store::SignIn { replaces: SessionToken::parse(&first.expose()), ..form("mara", PASSWORD) };
    instance.sign_in(again, NOW).await.unwrap();
    assert!(!holds(&instance, &first, 0).await && holds(&instance, &kept, 0).await);
}

#[tokio::test]
async fn a_password_change_keeps_the_vault_and_ends_other_sessions() {
    let world = World::new();
    let instance = world.set_up().await;
    let (other, mine) = (sign_in(&instance).await, sign_in(&instance).await);
    crate::world::conversation_in(mine.vault.as_ref().unwrap(), "talk").await;
    let session = instance.session(&mine.token, NOW).await.unwrap().unwrap();
    let typed = |text: &str| TypedPassword::new(text.to_owned());
    let new = || Password::judge(typed("another quiet kettle"), &Handle::parse("mara").unwrap()).unwrap();
    let wrong = instance.change_password(&session, typed("not the password"), new(), address(HERE), NOW).await;
    assert!(is_wrong(&wrong));
    let token = instance.change_password(&session, typed(PASSWORD), new(), address(HERE), NOW).await.unwrap();
    assert!(!holds(&instance, &other.token, 0).await && !holds(&instance, &mine.token, 0).await);
    let session = instance.session(&token, NOW).await.unwrap().unwrap();
    assert!(instance.vault(&session).is_some());
    assert!(is_wrong(&instance.sign_in(form("mara", PASSWORD), NOW).await));
    let signed_in = instance.sign_in(form("mara", "another quiet kettle"), NOW).await.unwrap();
    let talk = signed_in.vault.unwrap().conversation(crate::world::conversation("talk")).await.unwrap();
    assert!(talk.is_some());
    assert_eq!(instance.first_bad_audit_row().await.unwrap(), None);
}

#[tokio::test]
async fn a_weaker_wrap_is_made_anew_at_sign_in() {
    let world = World::new();
    world.set_up().await.close().await;
    let stronger = store::Options { policy: store::KdfPolicy::new(65536, 2, 1).unwrap(), ..options(&world.root) };
    let instance = Instance::open(stronger, NOW).await.unwrap();
    sign_in(&instance).await;
    sign_in(&instance).await;
    instance.close().await;
    let database = crate::disk::instance_database(&world.root);
    let passes: i64 = database.query_row("SELECT passes FROM key_wraps", [], |row| row.get(0)).unwrap();
    assert_eq!(passes, 2);
}
