//! The ranges and names that are not public, each with its source. Data only; what it means is said in `address`.

use super::Class;

/// One range of IPv4.
pub(super) struct V4Row {
    base: u32,
    bits: u32,
    pub(super) class: Class,
    pub(super) what: &'static str,
}

impl V4Row {
    pub(super) fn holds(&self, address: u32) -> bool {
        (address ^ self.base) >> (32 - self.bits) == 0
    }
}

/// One range of IPv6.
pub(super) struct V6Row {
    base: u128,
    bits: u32,
    pub(super) class: Class,
    pub(super) what: &'static str,
}

impl V6Row {
    pub(super) fn holds(&self, address: u128) -> bool {
        (address ^ self.base) >> (128 - self.bits) == 0
    }
}

const fn v4(octets: [u8; 4], bits: u32, class: Class, what: &'static str) -> V4Row {
    V4Row { base: u32::from_be_bytes(octets), bits, class, what }
}

const fn v6(head: [u16; 6], bits: u32, class: Class, what: &'static str) -> V6Row {
    let mut base: u128 = 0;
    let mut index = 0;
    while index < 6 {
        base = (base << 16) | head[index] as u128;
        index += 1;
    }
    V6Row { base: base << 32, bits, class, what }
}

/// In this order; the first that holds an address names it.
pub(super) const V4: &[V4Row] = &[
    v4([168, 63, 129, 16], 32, Class::Metadata, "168.63.129.16, a host service of a cloud (Azure documentation)"),
    v4([0, 0, 0, 0], 8, Class::Reserved, "0.0.0.0/8, this network (RFC 791)"),
    v4([10, 0, 0, 0], 8, Class::Private, "10.0.0.0/8, private use (RFC 1918)"),
    v4([100, 64, 0, 0], 10, Class::Private, "100.64.0.0/10, shared by providers (RFC 6598)"),
    v4([127, 0, 0, 0], 8, Class::Loopback, "127.0.0.0/8, loopback (RFC 1122)"),
    v4([169, 254, 0, 0], 16, Class::LinkLocal, "169.254.0.0/16, link-local and metadata (RFC 3927)"),
    v4([172, 16, 0, 0], 12, Class::Private, "172.16.0.0/12, private use (RFC 1918)"),
    v4([192, 0, 0, 0], 24, Class::Reserved, "192.0.0.0/24, protocol assignments (RFC 6890)"),
    v4([192, 0, 2, 0], 24, Class::Reserved, "192.0.2.0/24, documentation (RFC 5737)"),
    v4([192, 31, 196, 0], 24, Class::Reserved, "192.31.196.0/24, AS112 (RFC 7535)"),
    v4([192, 52, 193, 0], 24, Class::Reserved, "192.52.193.0/24, AMT (RFC 7450)"),
    v4([192, 88, 99, 0], 24, Class::Reserved, "192.88.99.0/24, 6to4 relays (RFC 7526)"),
    v4([192, 168, 0, 0], 16, Class::Private, "192.168.0.0/16, private use (RFC 1918)"),
    v4([192, 175, 48, 0], 24, Class::Reserved, "192.175.48.0/24, AS112 (RFC 7534)"),
    v4([198, 18, 0, 0], 15, Class::Reserved, "198.18.0.0/15, benchmarks (RFC 2544)"),
    v4([198, 51, 100, 0], 24, Class::Reserved, "198.51.100.0/24, documentation (RFC 5737)"),
    v4([203, 0, 113, 0], 24, Class::Reserved, "203.0.113.0/24, documentation (RFC 5737)"),
    v4([224, 0, 0, 0], 4, Class::Multicast, "224.0.0.0/4, multicast (RFC 1112)"),
    v4([240, 0, 0, 0], 4, Class::Reserved, "240.0.0.0/4, reserved and broadcast (RFC 1112)"),
];

/// The one range of IPv6 that may be public.
pub(super) const V6_PUBLIC: V6Row =
    v6([0x2000, 0, 0, 0, 0, 0], 3, Class::Reserved, "outside 2000::/3, not global unicast (RFC 4291)");

/// In this order; the first that holds an address names it.
pub(super) const V6: &[V6Row] = &[
    V6Row { base: 1, bits: 128, class: Class::Loopback, what: "::1, loopback (RFC 4291)" },
    V6Row { base: 0, bits: 128, class: Class::Reserved, what: "::, unspecified (RFC 4291)" },
    v6([0xFE80, 0, 0, 0, 0, 0], 10, Class::LinkLocal, "fe80::/10, link-local (RFC 4291)"),
    v6([0xFD00, 0xEC2, 0, 0, 0, 0], 32, Class::Metadata, "fd00:ec2::/32, metadata of a cloud (AWS documentation)"),
    v6([0xFD20, 0xCE, 0, 0, 0, 0], 32, Class::Metadata, "fd20:ce::/32, metadata of a cloud (GCP documentation)"),
    v6([0xFD00, 0x42, 0, 0, 0, 0], 32, Class::Metadata, "fd00:42::/32, metadata of a cloud (Scaleway documentation)"),
    v6([0xFC00, 0, 0, 0, 0, 0], 7, Class::Private, "fc00::/7, unique local (RFC 4193)"),
    v6([0xFF00, 0, 0, 0, 0, 0], 8, Class::Multicast, "ff00::/8, multicast (RFC 4291)"),
    v6([0x2001, 0, 0, 0, 0, 0], 32, Class::Embedded, "2001::/32, Teredo (RFC 4380)"),
    v6([0x2001, 0, 0, 0, 0, 0], 23, Class::Reserved, "2001::/23, protocol assignments (RFC 2928)"),
    v6([0x2001, 0xDB8, 0, 0, 0, 0], 32, Class::Reserved, "2001:db8::/32, documentation (RFC 3849)"),
    v6([0x2002, 0, 0, 0, 0, 0], 16, Class::Embedded, "2002::/16, 6to4 (RFC 3056)"),
    v6([0x2620, 0x4F, 0x8000, 0, 0, 0], 48, Class::Reserved, "2620:4f:8000::/48, AS112 (RFC 7534)"),
    v6([0x3FFF, 0, 0, 0, 0, 0], 20, Class::Reserved, "3fff::/20, documentation (RFC 9637)"),
];

/// Forms whose last 32 bits are an IPv4 address.
pub(super) const EMBEDDED_LOW: &[V6Row] = &[
    v6([0, 0, 0, 0, 0, 0xFFFF], 96, Class::Embedded, "::ffff:0:0/96, IPv4-mapped (RFC 4291)"),
    v6([0, 0, 0, 0, 0xFFFF, 0], 96, Class::Embedded, "::ffff:0:0:0/96, IPv4-translated (RFC 2765)"),
    v6([0, 0, 0, 0, 0, 0], 96, Class::Embedded, "::/96, IPv4-compatible (RFC 4291)"),
    v6([0x64, 0xFF9B, 0, 0, 0, 0], 96, Class::Embedded, "64:ff9b::/96, NAT64 (RFC 6052)"),
    v6([0x64, 0xFF9B, 1, 0, 0, 0], 48, Class::Embedded, "64:ff9b:1::/48, NAT64 (RFC 8215)"),
];

/// Names that are refused as they are.
pub(super) const NAMES: &[(&str, Class)] = &[
    ("metadata", Class::Metadata),
    ("instance-data", Class::Metadata),
    ("metadata.goog", Class::Metadata),
    ("metadata.tencentyun.com", Class::Metadata),
    ("metadata.google.internal", Class::Metadata),
];

/// Names that are refused with all that is under them.
pub(super) const ZONES: &[(&str, Class)] = &[
    ("localhost", Class::Loopback),
    ("local", Class::Private),
    ("localdomain", Class::Private),
    ("lan", Class::Private),
    ("home", Class::Private),
    ("corp", Class::Private),
    ("private", Class::Private),
    ("intranet", Class::Private),
    ("internal", Class::Private),
    ("arpa", Class::Reserved),
    ("test", Class::Reserved),
    ("example", Class::Reserved),
    ("invalid", Class::Reserved),
    ("onion", Class::Reserved),
    ("alt", Class::Reserved),
    ("svc", Class::Private),
    ("cluster.local", Class::Private),
    ("docker.internal", Class::Private),
];
