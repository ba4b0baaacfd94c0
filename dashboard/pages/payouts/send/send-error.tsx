// Explains why a payout was not created, or that its outcome is unknown, and what is safe to do.
import { isRecord, Refusal } from '../../../api/call'
import { Button, ButtonLink } from '../../../parts/forms/button'
import { isWrongCode } from '../../../parts/forms/confirm-by-code'
import { adviceOf, ErrorNotice, Notice } from '../../../parts/notice'
import { grouped, pounds } from '../../../words'
import { texts } from './texts'

const words = texts.error

interface SendErrorProps {
  readonly error: Error
  readonly isUnknown: boolean
  readonly retry: () => void
  readonly busy: boolean
}

export function SendError({ error, isUnknown, retry, busy }: SendErrorProps) {
  const again = (
    <Button weight="primary" busy={busy} onClick={retry}>
      {words.retry}
    </Button>
  )
  if (isUnknown)
    return (
      <Notice tone="warn" title={words.unconfirmed} action={!isWrongCode(error) && again}>
        {words.unconfirmedAbout}
        {isAnswer(error) && <p className="mt-1">{adviceOf(error)}</p>}
      </Notice>
    )
  if (!(error instanceof Refusal)) return <ErrorNotice error={error} />
  if (isWrongCode(error)) return null
  if (error.code === 'payout_not_created' || error.code === 'provider_unavailable')
    return (
      <Notice tone="warn" title={words.nothingSent} action={again}>
        {words.bankUnreachable}
      </Notice>
    )
  if (error.code === 'insufficient_funds')
    return (
      <Notice
        tone="bad"
        title={words.insufficient}
        action={<ButtonLink to="/dashboard/top-up">{words.topUp}</ButtonLink>}
      >
        {shortfallOf(error.details)} {words.insufficientAbout}
      </Notice>
    )
  if (error.code === 'idempotency_key_reused') return <SentBefore details={error.details} />
  return <ErrorNotice error={error} title={words.nothingSent} />
}

/** Whether the server refused this attempt. The outcome of the earlier attempt is still unknown. */
function isAnswer(error: Error): boolean {
  return error instanceof Refusal && error.status < 500 && !isWrongCode(error)
}

/** An earlier attempt succeeded, with details that differ from those in the form. */
function SentBefore({ details }: { readonly details: unknown }) {
  const id = isRecord(details) && typeof details['payout_id'] === 'string' ? details['payout_id'] : null
  const open = id && (
    <ButtonLink to="/dashboard/payouts/$id" params={{ id }}>
      {words.view}
    </ButtonLink>
  )
  return (
    <Notice tone="warn" title={words.sentBefore} action={open}>
      {words.sentBeforeAbout}
    </Notice>
  )
}

function shortfallOf(details: unknown): string {
  if (!isRecord(details)) return ''
  const { shortfall_usdc: usdc, shortfall_approx_gbp: gbp } = details
  if (typeof usdc !== 'string') return ''
  return typeof gbp === 'string' ? words.shortfallInPounds(grouped(usdc), pounds(gbp)) : words.shortfall(grouped(usdc))
}
