// A client cannot forge its address by sending a header.
import { expect, test } from '@jest/globals'
import { clientAddress } from '../../../api/http/callers/origin'

test.each([
  ['the address of the connection, without a proxy', '198.51.100.7', '203.0.113.9', 0, '198.51.100.7'],
  [
    'the address that our proxy saw, not one that the client sent',
    '10.0.0.1',
    '203.0.113.9, 198.51.100.7',
    1,
    '198.51.100.7',
  ],
  [
    'the address that the first of two proxies saw',
    '10.0.0.1',
    '203.0.113.9, 198.51.100.7, 10.0.0.2',
    2,
    '198.51.100.7',
  ],
  ['the address of the connection, if a proxy sends no header', '10.0.0.1', '', 1, '10.0.0.1'],
  ['the address of the connection, if the header has no address', '10.0.0.1', 'x'.repeat(9_000), 1, '10.0.0.1'],
  ['the IPv4 address, if it is mapped to IPv6', '::ffff:198.51.100.7', '', 0, '198.51.100.7'],
  ['the /64 network, for IPv6', '2001:db8:1:2:3:4:5:6', '', 0, '2001:db8:1:2::/64'],
  ['the /64 network, for a shortened IPv6 address', '2001:db8:1:2::9', '', 0, '2001:db8:1:2::/64'],
  ['the /64 network of zeros, for the IPv6 loopback address', '::1', '', 0, '0:0:0:0::/64'],
] as const)('the client address is %s', (_what, remote, forwardedFor, proxies, expected) => {
  expect(clientAddress({ remote, forwardedFor }, proxies)).toBe(expected)
})
