//! Each range at its first and last address and right outside, each name, each form that carries another address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::{Class, embedded_v4, judge_address, judge_name};

fn class(address: &str) -> Option<Class> {
    judge_address(address.parse::<IpAddr>().unwrap()).err().map(|refused| refused.class)
}

#[test]
fn ranges_of_ipv4_hold_from_first_to_last() {
    let ranges = [
        ("0.0.0.0", "0.255.255.255", Class::Reserved),
        ("10.0.0.0", "10.255.255.255", Class::Private),
        ("100.64.0.0", "100.127.255.255", Class::Private),
        ("127.0.0.0", "127.255.255.255", Class::Loopback),
        ("169.254.0.0", "169.254.255.255", Class::LinkLocal),
        ("172.16.0.0", "172.31.255.255", Class::Private),
        ("192.0.0.0", "192.0.0.255", Class::Reserved),
        ("192.0.2.0", "192.0.2.255", Class::Reserved),
        ("192.31.196.0", "192.31.196.255", Class::Reserved),
        ("192.52.193.0", "192.52.193.255", Class::Reserved),
        ("192.88.99.0", "192.88.99.255", Class::Reserved),
        ("192.168.0.0", "192.168.255.255", Class::Private),
        ("192.175.48.0", "192.175.48.255", Class::Reserved),
        ("198.18.0.0", "198.19.255.255", Class::Reserved),
        ("198.51.100.0", "198.51.100.255", Class::Reserved),
        ("203.0.113.0", "203.0.113.255", Class::Reserved),
        ("224.0.0.0", "239.255.255.255", Class::Multicast),
        ("240.0.0.0", "255.255.255.255", Class::Reserved),
        ("168.63.129.16", "168.63.129.16", Class::Metadata),
    ];
    for (first, last, expected) in ranges {
        assert_eq!((class(first), class(last)), (Some(expected), Some(expected)), "{first} to {last}");
        let (first, last): (Ipv4Addr, Ipv4Addr) = (first.parse().unwrap(), last.parse().unwrap());
        for next in [u32::from(first).checked_sub(1), u32::from(last).checked_add(1)].into_iter().flatten() {
            let next = Ipv4Addr::from(next);
            let neighbour = ranges.iter().any(|(from, to, _)| {
                (from.parse::<Ipv4Addr>().unwrap()..=to.parse::<Ipv4Addr>().unwrap()).contains(&next)
            });
            assert_eq!(class(&next.to_string()).is_none(), !neighbour, "{next}, next to {first} or {last}");
        }
    }
}

#[test]
fn ipv6_is_public_only_inside_global_unicast_and_outside_its_special_ranges() {
    for public in ["2001:4860:4860::8888", "2003::1", "3ffe:ffff::1", "2606:4700::1", "2001:200::1"] {
        assert_eq!(class(public), None, "{public}");
    }
    let refused = [
        ("::", Class::Reserved),
        ("::1", Class::Loopback),
        ("fe80::1", Class::LinkLocal),
        ("febf::1", Class::LinkLocal),
        ("fc00::1", Class::Private),
        ("fdff::1", Class::Private),
        ("fd20:ce::254", Class::Metadata),
        ("fd00:ec2::254", Class::Metadata),
        ("ff02::1", Class::Multicast),
        ("4000::1", Class::Reserved),
        ("1fff::1", Class::Reserved),
        ("2001:1ff:ffff::1", Class::Reserved),
        ("2001:db8::1", Class::Reserved),
        ("2620:4f:8000::1", Class::Reserved),
        ("3fff:fff::1", Class::Reserved),
    ];
    for (address, expected) in refused {
        assert_eq!(class(address), Some(expected), "{address}");
    }
}

#[test]
fn an_address_that_carries_another_is_refused_whatever_it_carries() {
    let forms = [
        ("::ffff:8.8.8.8", "8.8.8.8"),
        ("::ffff:0:8.8.8.8", "8.8.8.8"),
        ("::8.8.8.8", "8.8.8.8"),
        ("64:ff9b::8.8.8.8", "8.8.8.8"),
        ("64:ff9b:1::a00:1", "10.0.0.1"),
        ("2002:7f00:1::", "127.0.0.1"),
        ("2001:0:4136:e378:8000:63bf:5601:5601", "169.254.169.254"),
        ("2606:4700::200:5efe:c0a8:1", "192.168.0.1"),
        ("fe80::5efe:127.0.0.1", "127.0.0.1"),
    ];
    for (address, carried) in forms {
        assert!(class(address).is_some(), "{address}");
        let address: Ipv6Addr = address.parse().unwrap();
        assert_eq!(embedded_v4(address), Some(carried.parse().unwrap()), "{address}");
        let refused = judge_address(IpAddr::V6(address)).unwrap_err();
        assert!(!refused.may_be_granted(), "{address}: {refused}");
    }
}

#[test]
fn names_are_refused_with_all_under_them_and_no_others() {
    let refused = [
        "localhost",
        "LOCALHOST",
        "localhost.",
        "a.localhost",
        "localhost.localdomain",
        "metadata",
        "instance-data",
        "metadata.goog",
        "metadata.google.internal",
        "metadata.tencentyun.com",
        "printer.local",
        "nas.lan",
        "x.test",
        "x.onion",
        "ipv4only.arpa",
        "api.svc",
        "host.docker.internal",
        "router",
        "a.home",
    ];
    for name in refused {
        assert!(judge_name(name).is_err(), "{name}");
    }
    for name in ["example.com", "notlocal.org", "mylocalhost.com", "lan.example.net", "api.provider.ai", "goog.com"] {
        assert_eq!(judge_name(name), Ok(()), "{name}");
    }
}

#[test]
fn a_grant_lifts_this_machine_and_private_networks_only() {
    for (name, granted) in [("localhost", true), ("nas.lan", true), ("metadata", false), ("x.onion", false)] {
        assert_eq!(judge_name(name).unwrap_err().may_be_granted(), granted, "{name}");
    }
    for (address, granted) in
        [("127.0.0.1", true), ("192.168.1.4", true), ("fd12::1", true), ("169.254.169.254", false)]
    {
        let refused = judge_address(address.parse().unwrap()).unwrap_err();
        assert_eq!(refused.may_be_granted(), granted, "{address}");
    }
}
