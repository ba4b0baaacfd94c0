// The review before sending: a summary, a warning about a likely duplicate and, in live, the code.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useBlocker, useNavigate } from '@tanstack/react-router'
import { ArrowLeft, Send } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { call, Refusal } from '../../../api/call'
import { quoteQuery, reloadPayout } from '../../../api/queries'
import type { Payout, PayoutCheck, PayoutRequest } from '../../../api/types'
import { Fact, Facts } from '../../../parts/card'
import { Button } from '../../../parts/forms/button'
import { ConfirmByCode } from '../../../parts/forms/confirm-by-code'
import { Notice } from '../../../parts/notice'
import { Moment } from '../../../parts/values/moment'
import { Gbp, Usdc } from '../../../parts/values/money'
import { useEnvironment } from '../../../shell/here'
import { forgetDraft } from '../../../shell/session-end'
import { pounds, sortCodeWords } from '../../../words'
import { forgetKey, keepKey, keptKey, type Place } from './kept-key'
import { type Knowledge, knowledgeAfter } from './outcome'
import { SendError } from './send-error'

interface ReviewProps {
  readonly request: PayoutRequest
  readonly idempotencyKey: string
  readonly place: Place
  /** The form was filled in again after an attempt with an unknown outcome, which may have had other details. */
  readonly isReopened: boolean
  /** Keeps the form for a later visit. */
  readonly keepForm: () => void
  readonly back: () => void
}

export function Review({ request, idempotencyKey, place, isReopened, keepForm, back }: ReviewProps) {
  const [asked, setAsked] = useState(false)
  const [knowledge, setKnowledge] = useState<Knowledge>(() => (keptKey(place) === null ? 'nothing-sent' : 'unknown'))
  const send = useSend({ request, idempotencyKey, place, isReopened, keepForm, knowledge, setKnowledge })
  const isUnknown = knowledge === 'unknown'
  // With an unknown outcome only the same payout may be sent again: another body under this key is refused.
  const mustRepeat = isUnknown && send.error !== null
  const mustConfirm = place.environment === 'live'
  // Leaving now and filling in the form again would create a second payout.
  useBlocker({
    shouldBlockFn: () => (isUnknown || send.isPending) && !confirm(leaving),
    enableBeforeUnload: () => isUnknown || send.isPending,
  })
  return (
    <div className="flex flex-col gap-5">
      <Summary request={request} />
      <SimilarWarning request={request} />
      {send.error && (
        <SendError
          error={send.error}
          isUnknown={isUnknown}
          retry={() => send.mutate(send.variables)}
          busy={send.isPending}
        />
      )}
      {asked && (
        <ConfirmByCode
          path="/v1/payouts"
          request={requestOf({ request, idempotencyKey, place })}
          button={`Send ${pounds(request.amount_gbp)}`}
          confirm={(code) => send.mutate(code)}
          change={send}
        >
          this payout: {pounds(request.amount_gbp)} to {request.recipient.first_name} {request.recipient.last_name},{' '}
          {sortCodeWords(request.recipient.bank.sort_code)}, account ending{' '}
          {request.recipient.bank.account_number.slice(-4)}
        </ConfirmByCode>
      )}
      <div className="flex flex-wrap justify-between gap-2">
        <Button onClick={back} disabled={send.isPending || mustRepeat}>
          <ArrowLeft aria-hidden />
          Edit
        </Button>
        {!asked && !mustRepeat && (
          <Button
            weight="primary"
            className="h-10"
            busy={send.isPending}
            onClick={() => (mustConfirm ? setAsked(true) : send.mutate(undefined))}
          >
            <Send aria-hidden />
            {mustConfirm ? 'Email me a code' : `Send ${pounds(request.amount_gbp)}`}
          </Button>
        )}
      </div>
    </div>
  )
}

const leaving =
  'We don’t know yet whether this payout was sent. Leave anyway? Check the payouts list before sending again.'

function requestOf({ request, idempotencyKey, place }: Pick<ReviewProps, 'request' | 'idempotencyKey' | 'place'>) {
  const { environment } = place
  return { query: { environment }, headers: { 'Idempotency-Key': idempotencyKey }, body: request }
}

interface Sending extends Omit<ReviewProps, 'back'> {
  readonly knowledge: Knowledge
  readonly setKnowledge: (knowledge: Knowledge) => void
}

function useSend({ request, idempotencyKey, place, isReopened, keepForm, knowledge, setKnowledge }: Sending) {
  const { environment } = place
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (code: string | undefined) =>
      call<Payout>(
        'POST',
        '/v1/payouts',
        requestOf({ request: { ...request, ...(code ? { confirm_code: code } : {}) }, idempotencyKey, place }),
      ),
    // Stored before sending: a page that is closed never gets the response.
    onMutate: () => {
      keepKey(place, idempotencyKey)
      // From now on the form may be a payout that exists, so it must not come back as an unsent one.
      forgetDraft()
    },
    onError: (error) => {
      const after = knowledgeAfter(error, { knowledge, isReopened })
      setKnowledge(after)
      if (after === 'unknown') return
      forgetKey(place)
      // After this error a payout of this form does exist, with other details.
      if (!(error instanceof Refusal && error.code === 'idempotency_key_reused')) keepForm()
    },
    onSuccess: async (payout) => {
      forgetKey(place)
      queryClient.setQueryData(['payout', environment, payout.id], payout)
      await reloadPayout(queryClient)
      await navigate({ to: '/dashboard/payouts/$id', params: { id: payout.id }, replace: true, ignoreBlocker: true })
    },
  })
}

function Summary({ request: { amount_gbp, reference, recipient } }: { readonly request: PayoutRequest }) {
  const { data: quote } = useQuery(quoteQuery(useEnvironment(), amount_gbp))
  const { address, bank } = recipient
  const heading = useRef<HTMLHeadingElement>(null)
  // Once: a later render, such as for a new rate, must not take the focus from the code field.
  useEffect(() => heading.current?.focus(), [])
  return (
    <>
      <div>
        <h2 ref={heading} tabIndex={-1} className="text-soft outline-none">
          You are about to send
        </h2>
        <p className="figures text-3xl font-semibold tracking-tight">{pounds(amount_gbp)}</p>
      </div>
      <Facts>
        <Fact name="To">
          {recipient.first_name} {recipient.last_name}
        </Fact>
        <Fact name="Account">
          <span className="figures">
            {bank.bank_name} · {sortCodeWords(bank.sort_code)} · {bank.account_number}
          </span>
        </Fact>
        <Fact name="Address">
          {[address.line1, address.line2, address.city, address.postal_code].filter(Boolean).join(', ')}
        </Fact>
        {reference && <Fact name="Reference">{reference}</Fact>}
        <Fact name="Fee">{quote ? <Gbp of={quote.fee_gbp} /> : '–'}</Fact>
        <Fact name="Debited from wallet (estimate)">{quote ? <Usdc of={quote.wallet_sends_usdc} /> : '–'}</Fact>
      </Facts>
    </>
  )
}

/** Only a hint: if the check fails, the payout may still be sent. */
function SimilarWarning({ request }: { readonly request: PayoutRequest }) {
  const environment = useEnvironment()
  const { data } = useQuery({
    queryKey: ['payout-check', environment, request],
    queryFn: ({ signal }) =>
      call<PayoutCheck>('POST', '/v1/payouts/check', { query: { environment }, body: request, signal }),
    retry: false,
    gcTime: 0,
  })
  const latest = data?.similar[0]
  if (!latest) return null
  return (
    <Notice tone="warn" title="Possible duplicate">
      You sent the same amount to this account <Moment at={latest.created_at} as="ago" />
      {' ('}
      <Link to="/dashboard/payouts/$id" params={{ id: latest.id }} target="_blank">
        {latest.status}
      </Link>
      {'). '}
      Only continue if you mean to pay again.
    </Notice>
  )
}
