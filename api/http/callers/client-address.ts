// Where a request comes from: the connection's other end, or what the proxies that we trust say about it.
import { isIP, isIPv6 } from 'node:net'

/** Each proxy puts the address that it saw at the end of X-Forwarded-For; what is before those of ours anybody can have written. */
export function clientAddress(
  { remote, forwardedFor }: { remote: string | undefined; forwardedFor: string },
  trustedProxies: number,
): string {
  const hops = forwardedFor.split(',').map((hop) => hop.trim())
  const told = trustedProxies > 0 ? (hops.at(-trustedProxies) ?? '') : ''
  return networkOf(isIP(told) ? told : (remote ?? 'unknown'))
}

/** Who has an IPv6 address has 2^64 of them. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped) return mapped
  const [before = '', after] = address.toLowerCase().split('::')
  const groups = before.split(':').filter(Boolean)
  const rest = after?.split(':').filter(Boolean) ?? []
  const zeros = after === undefined ? [] : Array.from({ length: 8 - groups.length - rest.length }, () => '0')
  return `${[...groups, ...zeros, ...rest].slice(0, 4).join(':')}::/64`
}
