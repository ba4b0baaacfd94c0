// Why a payout was not made, or that nobody knows yet, and what is safe to do now.
import { isRecord, Refusal } from '../../../api/call'
import { Button, ButtonLink } from '../../../parts/forms/button'
import { isWrongCode } from '../../../parts/forms/confirm-by-code'
import { adviceOf, Notice, Trouble } from '../../../parts/notice'
import { grouped, pounds } from '../../../words'

interface SendTroubleProps {
  readonly error: Error
  readonly isUnknown: boolean
  readonly retry: () => void
  readonly busy: boolean
}

export function SendTrouble({ error, isUnknown, retry, busy }: SendTroubleProps) {
  const again = (
    <Button weight="primary" busy={busy} onClick={retry}>
      Try again
    </Button>
  )
  if (isUnknown)
    return (
      <Notice tone="warn" title="We do not know yet whether it was sent" action={!isWrongCode(error) && again}>
        The answer was lost on the way. Trying again is safe: it is the same payout, and it is never paid twice.
        {isAnswer(error) && <p className="mt-1">{adviceOf(error)}</p>}
      </Notice>
    )
  if (!(error instanceof Refusal)) return <Trouble error={error} />
  if (isWrongCode(error)) return null
  if (error.code === 'payout_not_created' || error.code === 'provider_unavailable')
    return (
      <Notice tone="warn" title="Nothing was sent" action={again}>
        The bank could not be reached, and the wallet is as it was. Try again in a moment.
      </Notice>
    )
  if (error.code === 'insufficient_funds')
    return (
      <Notice
        tone="bad"
        title="The wallet does not hold enough"
        action={<ButtonLink to="/dashboard/top-up">Top up</ButtonLink>}
      >
        {shortfallOf(error.details)} Nothing was sent.
      </Notice>
    )
  if (error.code === 'idempotency_key_reused') return <SentBefore details={error.details} />
  return <Trouble error={error} title="Nothing was sent" />
}

/** Why this try was refused, while the earlier one is still in doubt. */
function isAnswer(error: Error): boolean {
  return error instanceof Refusal && error.status < 500 && !isWrongCode(error)
}

/** An earlier try arrived after all, and was another payout than the form shows now. */
function SentBefore({ details }: { readonly details: unknown }) {
  const id = isRecord(details) && typeof details['payout_id'] === 'string' ? details['payout_id'] : null
  const open = id && (
    <ButtonLink to="/dashboard/payouts/$id" params={{ id }}>
      Open that payout
    </ButtonLink>
  )
  return (
    <Notice tone="warn" title="An earlier try had arrived after all" action={open}>
      This form has already made a payout, with other details than it shows now. Look at that one before you send
      another.
    </Notice>
  )
}

function shortfallOf(details: unknown): string {
  if (!isRecord(details)) return ''
  const { shortfall_usdc: usdc, shortfall_approx_gbp: gbp } = details
  if (typeof usdc !== 'string') return ''
  return `${grouped(usdc)} USDC are missing${typeof gbp === 'string' ? `, about ${pounds(gbp)}` : ''}.`
}
