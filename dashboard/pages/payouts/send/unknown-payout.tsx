// Shown before the form when an earlier payout of this tab has an unknown outcome.
import { useQuery } from '@tanstack/react-query'
import { call } from '../../../api/call'
import type { List, Payout } from '../../../api/types'
import { Button, ButtonLink } from '../../../parts/forms/button'
import { ErrorNotice, Notice } from '../../../parts/notice'
import { useEnvironment } from '../../../shell/here'

interface UnknownPayoutProps {
  readonly idempotencyKey: string
  /** With the same key, so a payout that exists is not paid again. */
  readonly fillInAgain: () => void
  readonly startAnother: () => void
}

export function UnknownPayout({ idempotencyKey, fillInAgain, startAnother }: UnknownPayoutProps) {
  const environment = useEnvironment()
  const lookUp = useQuery({
    queryKey: ['payout-by-key', environment, idempotencyKey],
    queryFn: ({ signal }) =>
      call<List<Payout>>('GET', '/v1/payouts', { query: { environment, idempotency_key: idempotencyKey }, signal }),
    enabled: false,
    networkMode: 'always',
    retry: false,
    gcTime: 0,
  })
  const found = lookUp.data?.data[0]
  if (found)
    return (
      <Notice
        tone="good"
        title="Your earlier payout went through"
        action={
          <span className="flex flex-wrap gap-2">
            <Button onClick={startAnother}>Send another payout</Button>
            <ButtonLink to="/dashboard/payouts/$id" params={{ id: found.id }} weight="primary" onClick={startAnother}>
              View payout
            </ButtonLink>
          </span>
        }
      >
        It’s {found.status}. Sending again creates a second payment.
      </Notice>
    )
  return (
    <>
      <Notice
        tone="warn"
        title="An earlier payout wasn’t confirmed"
        action={
          <span className="flex flex-wrap gap-2">
            <Button onClick={fillInAgain}>Re-enter it</Button>
            <Button weight="primary" busy={lookUp.isFetching} onClick={() => void lookUp.refetch()}>
              Check now
            </Button>
          </span>
        }
      >
        {lookUp.data
          ? 'We haven’t received it yet. It may still arrive within a minute. '
          : 'Check whether it went through. '}
        You can also re-enter it: it counts as the same payout and can’t be paid twice.
      </Notice>
      {lookUp.error && <ErrorNotice error={lookUp.error} title="We couldn’t check the payout" />}
    </>
  )
}
