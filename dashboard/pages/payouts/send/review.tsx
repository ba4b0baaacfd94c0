// The review before sending: a summary, a warning about a likely duplicate and, in live, the code.
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
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
import { pounds, sortCodeWords } from '../../../words'
import { forgetKey, keepKey, keptKey, type Place } from './kept-key'
import { type Knowledge, knowledgeAfter } from './outcome'
import { QuotedTotal } from './quote-card'
import { SendError } from './send-error'
import { texts } from './texts'

const words = texts.review

interface ReviewProps {
  readonly request: PayoutRequest
  readonly idempotencyKey: string
  readonly place: Place
  /**
   * Whether the form was filled in again after an attempt with an unknown outcome, which may have had other details.
   */
  readonly isReopened: boolean
  /** Stores the form for a later visit. */
  readonly keepForm: () => void
  readonly forgetForm: () => void
  /** Whether the user has asked for the code that confirms a live payout. */
  readonly isConfirming: boolean
  readonly askForCode: () => void
  readonly back: () => void
}

export function Review({ isConfirming, askForCode, back, ...form }: ReviewProps) {
  const { request, idempotencyKey, place } = form
  const [knowledge, setKnowledge] = useState<Knowledge>(() => (keptKey(place) === null ? 'nothing-sent' : 'unknown'))
  const send = useSend({ ...form, knowledge, setKnowledge })
  const { data: check } = useQuery(checkQuery(place, request))
  const isUnknown = knowledge === 'unknown'
  // If the outcome is unknown, only the same payout may be sent again: the server refuses another body with this key.
  const mustRepeat = isUnknown && send.error !== null
  const sendAmount = words.send(pounds(request.amount_gbp))
  const mustConfirm = place.environment === 'live'
  // Leaving now and filling in the form again could create a second payout.
  useBlocker({
    shouldBlockFn: () => (isUnknown || send.isPending) && !confirm(words.leaving),
    enableBeforeUnload: () => isUnknown || send.isPending,
  })
  return (
    <div className="flex flex-col gap-5">
      <Summary request={request} check={check} />
      <SimilarWarning check={check} />
      {send.error && (
        <SendError
          error={send.error}
          isUnknown={isUnknown}
          retry={() => send.mutate(send.variables)}
          busy={send.isPending}
        />
      )}
      {isConfirming && (
        <ConfirmByCode
          path="/v1/payouts"
          request={requestOf({ request, idempotencyKey, place })}
          button={sendAmount}
          confirm={(code) => send.mutate(code)}
          change={send}
        >
          {confirmed(request)}
        </ConfirmByCode>
      )}
      <div className="flex flex-wrap justify-between gap-2">
        <Button className="h-10" onClick={back} disabled={send.isPending || mustRepeat}>
          <ArrowLeft aria-hidden />
          {words.edit}
        </Button>
        {!isConfirming && !mustRepeat && (
          <Button
            weight="primary"
            className="h-10"
            busy={send.isPending}
            onClick={() => (mustConfirm ? askForCode() : send.mutate(undefined))}
          >
            <Send aria-hidden />
            {mustConfirm ? words.emailCode : sendAmount}
          </Button>
        )}
      </div>
    </div>
  )
}

function confirmed({ amount_gbp, recipient }: PayoutRequest): string {
  const { account_number, sort_code } = recipient.bank
  return words.confirms(pounds(amount_gbp), nameOf(recipient), sortCodeWords(sort_code), account_number.slice(-4))
}

/** The same for an individual and a business, as in the API. */
function nameOf({ first_name, last_name }: PayoutRequest['recipient']): string {
  return `${first_name} ${last_name}`
}

function requestOf({ request, idempotencyKey, place }: Pick<ReviewProps, 'request' | 'idempotencyKey' | 'place'>) {
  const { environment } = place
  return { query: { environment }, headers: { 'Idempotency-Key': idempotencyKey }, body: request }
}

interface Sending extends Omit<ReviewProps, 'isConfirming' | 'askForCode' | 'back'> {
  readonly knowledge: Knowledge
  readonly setKnowledge: (knowledge: Knowledge) => void
}

function useSend({ knowledge, setKnowledge, ...form }: Sending) {
  const { request, idempotencyKey, place, isReopened, keepForm, forgetForm } = form
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
    // Store the key before sending, because a page that is closed never gets the response.
    onMutate: () => {
      keepKey(place, idempotencyKey)
      // From now on a payout may exist for this form, so the form must not reappear as an unsent draft.
      forgetForm()
    },
    onError: (error) => {
      const after = knowledgeAfter(error, { knowledge, isReopened })
      setKnowledge(after)
      if (after === 'unknown') return
      forgetKey(place)
      // This error means that a payout with this key exists, with other details.
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

interface SummaryProps {
  readonly request: PayoutRequest
  /** Undefined while it loads, or if it failed. */
  readonly check: PayoutCheck | undefined
}

function Summary({ request: { amount_gbp, reference, recipient }, check }: SummaryProps) {
  const { data: quote } = useQuery(quoteQuery(useEnvironment(), amount_gbp))
  const { address, bank, email, type } = recipient
  const name = nameOf(recipient)
  const atBank = check?.bank_receives
  const heading = useRef<HTMLHeadingElement>(null)
  // Runs once: a later render, such as for a new rate, must not take the focus from the code field.
  useEffect(() => heading.current?.focus(), [])
  return (
    <>
      <div>
        <h2 ref={heading} tabIndex={-1} className="text-soft outline-none">
          {words.title}
        </h2>
        <p className="figures text-3xl font-semibold tracking-tight">{pounds(amount_gbp)}</p>
      </div>
      <Facts>
        <Fact name={words.to}>{name}</Fact>
        {atBank && atBank.recipient_name !== name && <Fact name={words.nameAtBank}>{atBank.recipient_name}</Fact>}
        <Fact name={words.type}>{texts.form.types[type]}</Fact>
        {email && <Fact name={words.email}>{email}</Fact>}
        <Fact name={words.account}>
          <span className="figures">
            {bank.bank_name} · {sortCodeWords(bank.sort_code)} · {bank.account_number}
          </span>
        </Fact>
        <Fact name={words.address}>
          {[address.line1, address.line2, address.city, address.postal_code].filter(Boolean).join(', ')}
        </Fact>
        {reference && <Fact name={words.reference}>{reference}</Fact>}
        {reference && atBank && <Fact name={words.referenceAtBank}>{atBank.reference ?? words.noReferenceAtBank}</Fact>}
        <Fact name={words.fee}>{quote ? <Gbp of={quote.fee_gbp} /> : '–'}</Fact>
        <Fact name={words.total}>{quote ? <QuotedTotal of={quote} /> : '–'}</Fact>
        <Fact name={words.debited}>{quote ? <Usdc of={quote.wallet_sends_usdc} /> : '–'}</Fact>
      </Facts>
    </>
  )
}

/** Only hints: if the check fails, the user can still send the payout. */
function checkQuery({ environment }: Place, request: PayoutRequest) {
  return queryOptions({
    queryKey: ['payout-check', environment, request],
    queryFn: ({ signal }) =>
      call<PayoutCheck>('POST', '/v1/payouts/check', { query: { environment }, body: request, signal }),
    retry: false,
    gcTime: 0,
  })
}

function SimilarWarning({ check }: Pick<SummaryProps, 'check'>) {
  const latest = check?.similar[0]
  if (!latest) return null
  return (
    <Notice tone="warn" title={words.duplicate}>
      {words.sameAmount} <Moment at={latest.created_at} as="ago" />
      {' ('}
      <Link to="/dashboard/payouts/$id" params={{ id: latest.id }} target="_blank">
        {latest.status}
      </Link>
      {'). '}
      {words.onlyContinue}
    </Notice>
  )
}
