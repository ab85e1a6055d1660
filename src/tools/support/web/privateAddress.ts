import { BlockList, isIP, isIPv6 } from 'node:net';

/** What belongs to this machine or its network, or to nobody (IANA's special-purpose registries). */
const PRIVATE: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
];

const list = new BlockList();
for (const [network, prefix] of PRIVATE) list.addSubnet(network, prefix, isIPv6(network) ? 'ipv6' : 'ipv4');

/** Whether an IP address (also an IPv4 one written as IPv6) must not be reached unasked. What is no address counts too. */
export function isPrivateAddress(address: string): boolean {
  const bare = address.replace(/%.*$/, '');
  const version = isIP(bare);
  return version === 0 || list.check(bare, version === 6 ? 'ipv6' : 'ipv4');
}
