// Explains why a payout was not created, or that its outcome is unknown, and what is safe to do.
import { isRecord, Refusal } from '../../../api/call'
import { Button, ButtonLink } from '../../../parts/forms/button'
import { isWrongCode } from '../../../parts/forms/confirm-by-code'
import { adviceOf, ErrorNotice, Notice } from '../../../parts/notice'
import { grouped, pounds } from '../../../words'

interface SendErrorProps {
  readonly error: Error
  readonly isUnknown: boolean
  readonly retry: () => void
  readonly busy: boolean
}

export function SendError({ error, isUnknown, retry, busy }: SendErrorProps) {
  const again = (
    <Button weight="primary" busy={busy} onClick={retry}>
      Try again
    </Button>
  )
  if (isUnknown)
    return (
      <Notice tone="warn" title="We couldn’t confirm this payout" action={!isWrongCode(error) && again}>
        The connection dropped before we got an answer. It’s safe to try again: the same payout is never paid twice.
        {isAnswer(error) && <p className="mt-1">{adviceOf(error)}</p>}
      </Notice>
    )
  if (!(error instanceof Refusal)) return <ErrorNotice error={error} />
  if (isWrongCode(error)) return null
  if (error.code === 'payout_not_created' || error.code === 'provider_unavailable')
    return (
      <Notice tone="warn" title="Nothing was sent" action={again}>
        We couldn’t reach the bank. Your wallet is unchanged. Try again in a moment.
      </Notice>
    )
  if (error.code === 'insufficient_funds')
    return (
      <Notice
        tone="bad"
        title="Not enough in your wallet"
        action={<ButtonLink to="/dashboard/top-up">Top up</ButtonLink>}
      >
        {shortfallOf(error.details)} Nothing was sent.
      </Notice>
    )
  if (error.code === 'idempotency_key_reused') return <SentBefore details={error.details} />
  return <ErrorNotice error={error} title="Nothing was sent" />
}

/** This attempt was refused, while the outcome of the earlier one is unknown. */
function isAnswer(error: Error): boolean {
  return error instanceof Refusal && error.status < 500 && !isWrongCode(error)
}

/** An earlier attempt did go through with other details than the form shows now. */
function SentBefore({ details }: { readonly details: unknown }) {
  const id = isRecord(details) && typeof details['payout_id'] === 'string' ? details['payout_id'] : null
  const open = id && (
    <ButtonLink to="/dashboard/payouts/$id" params={{ id }}>
      View that payout
    </ButtonLink>
  )
  return (
    <Notice tone="warn" title="An earlier attempt did go through" action={open}>
      It created a payout with different details. Check that payout before you send another.
    </Notice>
  )
}

function shortfallOf(details: unknown): string {
  if (!isRecord(details)) return ''
  const { shortfall_usdc: usdc, shortfall_approx_gbp: gbp } = details
  if (typeof usdc !== 'string') return ''
  return `You need ${grouped(usdc)} USDC more${typeof gbp === 'string' ? ` (about ${pounds(gbp)})` : ''}.`
}
