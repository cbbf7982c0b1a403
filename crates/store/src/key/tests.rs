//! The wrap record: its shape, and that it opens for nothing but what it was made for.

use super::{DoesNotOpen, VaultKey, WRAP_LENGTH, WrapBinding, WrapKind, seal, unwrap, wrap};
use crate::id::PersonId;
use crate::secret::Secret;

fn binding() -> WrapBinding {
    WrapBinding { person: "000102030405060708090a0b0c0d0e0f".parse().unwrap(), kind: WrapKind::Password, generation: 1 }
}

#[test]
fn every_flipped_bit_of_a_wrap_is_one_error() {
    let (key, by) = (VaultKey::random().unwrap(), Secret::random().unwrap());
    let record = wrap(&key, &by, binding()).unwrap();
    assert_eq!(record.len(), 104);
    assert_eq!(unwrap(&record, &by, binding()).unwrap().secret().expose(), key.secret().expose());
    for at in 0..WRAP_LENGTH {
        for bit in 0..8 {
            let mut changed = record;
            changed[at] ^= 1 << bit;
            assert_eq!(unwrap(&changed, &by, binding()).unwrap_err(), DoesNotOpen, "byte {at}, bit {bit}");
        }
    }
    for length in [0, 1, 103] {
        assert_eq!(unwrap(&record[..length], &by, binding()).unwrap_err(), DoesNotOpen);
    }
    assert_eq!(unwrap(&[record.as_slice(), &[0]].concat(), &by, binding()).unwrap_err(), DoesNotOpen);
}

#[test]
fn a_wrap_opens_under_its_own_binding_alone() {
    let (key, by) = (VaultKey::random().unwrap(), Secret::random().unwrap());
    let record = wrap(&key, &by, binding()).unwrap();
    let others = [
        WrapBinding { person: PersonId::random().unwrap(), ..binding() },
        WrapBinding { kind: WrapKind::Instance, ..binding() },
        WrapBinding { generation: 2, ..binding() },
    ];
    for other in others {
        assert_eq!(unwrap(&record, &by, other).unwrap_err(), DoesNotOpen, "{other:?}");
    }
    assert_eq!(unwrap(&record, &Secret::random().unwrap(), binding()).unwrap_err(), DoesNotOpen);
}

/// The zeros are checked: a record whose tag fits but whose plaintext does not begin with them is refused.
#[test]
fn a_record_without_the_zeros_does_not_open() {
    use chacha20poly1305::aead::AeadInOut as _;
    let by = Secret::random().unwrap();
    let nonce = [7; 24];
    let mut plain = [0_u8; 64];
    plain[31] = 1;
    let tag = super::cipher(&by)
        .encrypt_inout_detached(&nonce.into(), &binding().bytes(), plain.as_mut_slice().into())
        .unwrap();
    let record = [nonce.as_slice(), &plain, &tag].concat();
    assert_eq!(unwrap(&record, &by, binding()).unwrap_err(), DoesNotOpen);
}

#[test]
fn the_record_is_fixed_by_its_inputs() {
    let key = VaultKey(Secret::from_slice(&[0x11; 32]).unwrap());
    let by = Secret::from_slice(&[0x22; 32]).unwrap();
    let record = seal(&key, &by, binding(), [0x33; 24]);
    assert_eq!(record, seal(&key, &by, binding(), [0x33; 24]));
    assert_eq!(record[..24], [0x33; 24]);
    assert_eq!(binding().bytes()[..2], [1, 0]);
    assert_eq!(binding().bytes()[17..], [1, 0, 0, 0, 0, 0, 0, 0, 1]);
}
