//! Tries are counted before the derivation, across restarts, and a known device has its own count.

use std::time::Duration;

use domain::time::Timestamp;
use store::{DeviceToken, Instance, SignIn, SignInError, SignedIn};

use crate::world::{NOW, PASSWORD, World, address, form, is_wrong, options, sign_in};

const QUARTER: i64 = 15 * 60 * 1000;

async fn attempt(instance: &Instance, handle: &str, from: &str, at: i64) -> Result<SignedIn, SignInError> {
    let form = SignIn { address: address(from), ..form(handle, "not the password") };
    instance.sign_in(form, Timestamp(NOW.0 + at)).await
}

fn retry_after<T>(result: &Result<T, SignInError>) -> Option<Duration> {
    match result {
        Err(SignInError::Throttled { retry_after }) => Some(*retry_after),
        _ => None,
    }
}

#[tokio::test]
async fn five_tries_for_a_handle_and_address_also_across_a_restart() {
    let world = World::new();
    let instance = world.set_up().await;
    for at in 0..5 {
        assert!(is_wrong(&attempt(&instance, "mara", "192.0.2.1", at).await));
    }
    let sixth = attempt(&instance, "mara", "192.0.2.1", 10).await;
    assert_eq!(retry_after(&sixth), Some(Duration::from_millis(QUARTER.unsigned_abs() - 10)));
    instance.close().await;
    let instance = Instance::open(options(&world.root), NOW).await.unwrap();
    let right = instance.sign_in(form("mara", PASSWORD), Timestamp(NOW.0 + 11)).await;
    assert!(retry_after(&right).is_some(), "the right password waits as well");
    assert!(is_wrong(&attempt(&instance, "mara", "192.0.2.2", 12).await), "another address has its own count");
    instance.sign_in(form("mara", PASSWORD), Timestamp(NOW.0 + QUARTER)).await.unwrap();
}

#[tokio::test]
async fn twenty_tries_for_an_address_whatever_the_handle() {
    let world = World::new();
    let instance = world.set_up().await;
    for n in 0..20 {
        // One IPv6 /64 is one address.
        assert!(is_wrong(&attempt(&instance, &format!("nobody-{n}"), &format!("2001:db8::{n:x}"), n).await));
    }
    assert!(retry_after(&attempt(&instance, "nobody-x", "2001:db8::ffff", 20).await).is_some());
    assert!(is_wrong(&attempt(&instance, "nobody-x", "2001:db8:0:1::1", 20).await));
}

#[tokio::test]
async fn a_right_password_is_given_back() {
    let world = World::new();
    let instance = world.set_up().await;
    for _ in 0..8 {
        sign_in(&instance).await;
    }
}

#[tokio::test]
async fn a_stranger_does_not_lock_out_a_known_device() {
    let world = World::new();
    let instance = world.set_up().await;
    let device = sign_in(&instance).await.device.unwrap();
    for n in 0..30 {
        assert!(is_wrong(&attempt(&instance, "mara", &format!("198.51.100.{}", n / 4), n).await));
    }
    assert!(retry_after(&attempt(&instance, "mara", "203.0.113.9", 40).await).is_some(), "30 for a handle in an hour");
    let known = |password: &str| SignIn { device: DeviceToken::parse(&device.expose()), ..form("mara", password) };
    for _ in 0..9 {
        assert!(is_wrong(&instance.sign_in(known("not the password"), Timestamp(NOW.0 + 41)).await));
    }
    let signed_in = instance.sign_in(known(PASSWORD), Timestamp(NOW.0 + 42)).await.unwrap();
    assert!(signed_in.device.is_none(), "the device is known already");
    assert!(is_wrong(&instance.sign_in(known("not the password"), Timestamp(NOW.0 + 43)).await));
    assert!(retry_after(&instance.sign_in(known(PASSWORD), Timestamp(NOW.0 + 44)).await).is_some());
}

#[tokio::test]
async fn of_many_derivations_at_once_two_run_eight_wait_and_one_comes_from_an_address() {
    let world = World::new();
    let instance = world.set_up().await;
    let tasks: Vec<_> = (0..40)
        .map(|n| {
            let instance = instance.clone();
            let from = format!("203.0.113.{}", n / 2);
            tokio::spawn(async move { attempt(&instance, &format!("nobody-{n}"), &from, n).await })
        })
        .collect();
    let (mut derived, mut busy) = (0, 0);
    for task in tasks {
        match task.await.unwrap() {
            Err(SignInError::Wrong) => derived += 1,
            Err(SignInError::Busy) => busy += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(derived + busy, 40);
    assert!(busy >= 20, "{busy} turned away: at least the second of each address");
    assert!(derived >= 1);
}
