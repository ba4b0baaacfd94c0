// How to reach support, if this service has an address for it.
import type { ReactNode } from 'react'
import { lastRefusedRequestId, Refusal, Unreachable } from '../api/call'
import { pageFacts } from '../page-facts'

/** An email to support with the latest failed request in it; null without an address. */
export function supportHref(requestId: string | null = lastRefusedRequestId()): string | null {
  if (!pageFacts.support_email) return null
  const body = requestId === null ? '' : `&body=${encodeURIComponent(`\n\nRequest ID: ${requestId}`)}`
  return `mailto:${encodeURIComponent(pageFacts.support_email)}?subject=${encodeURIComponent('Question about payouts')}${body}`
}

interface ContactProps {
  readonly requestId?: string | null
  /** The text of the link. */
  readonly children: ReactNode
  readonly before?: string
}

/** A sentence that ends with the link; nothing without an address. */
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

/** The contact for an error that the user cannot solve alone. */
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
