// The address of a client: the peer of the connection, or the address that the trusted proxies report.
import { isIP, isIPv6 } from 'node:net'
import type { ApiContext } from '../route'

export function addressOf(context: ApiContext, trustedProxies: number): string {
  const remote = context.req.socket.remoteAddress
  return clientAddress({ remote, forwardedFor: context.get('X-Forwarded-For') }, trustedProxies)
}

/** Each proxy appends the address that it saw to X-Forwarded-For. The client itself may have written everything before those. */
export function clientAddress(
  { remote, forwardedFor }: { remote: string | undefined; forwardedFor: string },
  trustedProxies: number,
): string {
  const hops = forwardedFor.split(',').map((hop) => hop.trim())
  const reported = trustedProxies > 0 ? (hops.at(-trustedProxies) ?? '') : ''
  return networkOf(isIP(reported) ? reported : (remote ?? 'unknown'))
}

/** A client with one IPv6 address has 2^64 of them, so they count as one network. */
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
