// Whether the caller has this state already: the comparison behind every 304.

/** If-None-Match is a list or a star, and is compared weakly. */
export function isNamed(etag: string, ifNoneMatch: string): boolean {
  const opaque = etag.replace(/^W\//, '')
  return ifNoneMatch.split(',').some((each) => ['*', opaque].includes(each.trim().replace(/^W\//, '')))
}
