// Links to support, shown only if a support address is configured.
import type { ReactNode } from 'react'
import { lastRefusedRequestId, Refusal, Unreachable } from '../api/call'
import { pageFacts } from '../page-facts'

/** A mailto link that names the latest failed request. Null if no support address is configured. */
export function supportHref(requestId: string | null = lastRefusedRequestId()): string | null {
  if (!pageFacts.support_email) return null
  const body = requestId === null ? '' : `&body=${encodeURIComponent(`\n\nRequest ID: ${requestId}`)}`
  return `mailto:${encodeURIComponent(pageFacts.support_email)}?subject=${encodeURIComponent('Question about payouts')}${body}`
}

interface ContactProps {
  readonly requestId?: string | null
  /** The link text. */
  readonly children: ReactNode
  readonly before?: string
}

/** A sentence that ends with the link. Renders nothing if no support address is configured. */
export function Contact({ requestId, children, before = '' }: ContactProps) {
  const href = supportHref(requestId ?? undefined)
  if (href === null) return null
  return (
    <>
      {' '}
      {before}
      <a href={href} className="underline">
        {children}
      </a>
      .
    </>
  )
}

/** The support contact for an error that the user cannot fix alone. */
export function ContactAbout({ error }: { readonly error: unknown }) {
  const requestId = error instanceof Refusal ? error.requestId : null
  if (error instanceof Refusal && error.code === 'partner_not_active')
    return <Contact requestId={requestId}>Contact support</Contact>
  if (error instanceof Unreachable || (error instanceof Refusal && error.code !== 'internal_error')) return null
  return (
    <Contact requestId={requestId} before="If it keeps happening, ">
      contact support
    </Contact>
  )
}
