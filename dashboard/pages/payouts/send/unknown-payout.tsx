// Shown before the form when an earlier payout of this tab has an unknown outcome.
import { useQuery } from '@tanstack/react-query'
import { call } from '../../../api/call'
import type { List, Payout } from '../../../api/types'
import { Button, ButtonLink } from '../../../parts/forms/button'
import { Notice, Trouble } from '../../../parts/notice'
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
        title="The earlier payout was created"
        action={
          <span className="flex flex-wrap gap-2">
            <Button onClick={startAnother}>Send another payout</Button>
            <ButtonLink to="/dashboard/payouts/$id" params={{ id: found.id }} weight="primary" onClick={startAnother}>
              Open it
            </ButtonLink>
          </span>
        }
      >
        It is {found.status}. Sending another one is a new payment.
      </Notice>
    )
  return (
    <>
      <Notice
        tone="warn"
        title="A payout has an unknown outcome"
        action={
          <span className="flex flex-wrap gap-2">
            <Button onClick={fillInAgain}>Fill it in again</Button>
            <Button weight="primary" busy={lookUp.isFetching} onClick={() => void lookUp.refetch()}>
              Look it up
            </Button>
          </span>
        }
      >
        {lookUp.data ? 'It has not arrived yet; it may still arrive within a minute. ' : 'Its response was lost. '}
        Filling in the form again is safe: it is the same payout, and it is never paid twice.
      </Notice>
      {lookUp.error && <Trouble error={lookUp.error} title="The payout could not be looked up" />}
    </>
  )
}
