// One payout: details, status and timeline, updated automatically.
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation, useParams } from '@tanstack/react-router'
import { ArrowLeft, ExternalLink } from 'lucide-react'
import { Refusal } from '../../../api/call'
import { isRefund, payoutDetailsQuery, payoutEventsQuery, payoutQuery } from '../../../api/queries'
import type { Payout, PayoutDetails } from '../../../api/types'
import { Card, Fact, Facts, Page } from '../../../parts/card'
import { Copyable } from '../../../parts/copy'
import { Anchor, ButtonLink } from '../../../parts/forms/button'
import { Bar, Loaded } from '../../../parts/loaded'
import { Notice } from '../../../parts/notice'
import { Moment } from '../../../parts/values/moment'
import { Status } from '../../../parts/values/status'
import { BankMaintenance } from '../../../shell/bank-maintenance'
import { useEnvironment, useSession } from '../../../shell/here'
import { pounds, reasonWords } from '../../../words'
import { CancelPayout } from './cancel'
import { Cases } from './cases'
import { Cost } from './cost'
import { Simulate } from './simulate'
import { Timeline } from './timeline'

export function PayoutPage() {
  const environment = useEnvironment()
  const { id } = useParams({ from: '/dashboard/payouts/$id' })
  const query = useQuery(payoutQuery(environment, id))
  if (query.error instanceof Refusal && query.error.status === 404)
    return (
      <Page title="Payout not found">
        <Notice action={<ButtonLink to="/dashboard/payouts">All payouts</ButtonLink>}>
          This payout isn’t in {environment}. It may be in {environment === 'live' ? 'the sandbox' : 'live'}: switch
          above to look there.
        </Notice>
      </Page>
    )
  return <Loaded query={query}>{(payout) => <Shown payout={payout} />}</Loaded>
}

function Shown({ payout }: { readonly payout: Payout }) {
  const events = useQuery(payoutEventsQuery(payout.environment, payout))
  const search = useLocation({ select: ({ state }) => state.payoutSearch ?? {} })
  const { data: details } = useQuery(payoutDetailsQuery(payout.environment, payout))
  return (
    <Page
      tab={`${pounds(payout.amount_gbp)} to ${payout.recipient.name ?? 'a recipient'}`}
      title={
        <>
          <Link
            to="/dashboard/payouts"
            search={search}
            className="mb-2 flex w-fit items-center gap-1.5 text-sm font-normal tracking-normal text-soft hover:text-ink"
          >
            <ArrowLeft className="size-4" aria-hidden />
            Payouts
          </Link>
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="figures text-2xl">{pounds(payout.amount_gbp)}</span>
            <span aria-live="polite">
              <Status of={payout.status} />
            </span>
          </span>
        </>
      }
      about={`to ${payout.recipient.name ?? 'an unnamed recipient'}, account ending ${payout.recipient.account_last4 ?? '····'}`}
      actions={
        <>
          <TemporalLink payout={payout} />
          <Simulate payout={payout} />
          <CancelPayout payout={payout} />
        </>
      }
    >
      {payout.status === 'pending' && <BankMaintenance />}
      <Verdict payout={payout} isRefunded={events.data?.data.some(isRefund) ?? false} />
      <div className="grid items-start gap-5 lg:grid-cols-[3fr_2fr]">
        <div className="flex min-w-0 flex-col gap-5">
          <Card title="Timeline">
            <Loaded query={events}>{({ data }) => <Timeline events={data} payout={payout} />}</Loaded>
          </Card>
          <Cases payout={payout} />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <Cost payout={payout} details={details} />
          <Details payout={payout} details={details} />
        </div>
      </div>
    </Page>
  )
}

const words: Readonly<Record<Payout['status'], string | null>> = {
  pending: 'Waiting for the bank to confirm. The money is reserved and can’t be paid twice.',
  processing: null,
  completed: null,
  failed: null,
  cancelled: 'This payout was cancelled before it was sent. You weren’t charged.',
  returned: null,
}

interface VerdictProps {
  readonly payout: Payout
  readonly isRefunded: boolean
}

function Verdict({ payout: { status, failure_reason }, isRefunded }: VerdictProps) {
  if (status === 'failed')
    return (
      <Notice tone="bad" title={failure_reason ? reasonWords(failure_reason) : 'The payout failed.'}>
        You weren’t charged, and{' '}
        {isRefunded ? 'the money is back in your wallet.' : 'the money will be in your wallet shortly.'} Check the
        details with the recipient, then pay again.
      </Notice>
    )
  if (status === 'returned')
    return (
      <Notice tone="warn" title={failure_reason ? reasonWords(failure_reason) : 'The payout was returned.'}>
        The recipient’s bank returned the money.{' '}
        {isRefunded ? 'It’s back in your wallet.' : 'It will be in your wallet shortly.'} Check the details with the
        recipient before you pay again.
      </Notice>
    )
  const sentence = words[status]
  return sentence && <Notice tone={status === 'cancelled' ? 'info' : 'warn'}>{sentence}</Notice>
}

interface DetailsProps {
  readonly payout: Payout
  readonly details: PayoutDetails | undefined
}

function Details({ payout, details }: DetailsProps) {
  return (
    <Card title="Details">
      <Facts>
        <Fact name="Reference">{payout.reference ? <Copyable text={payout.reference} name="reference" /> : '–'}</Fact>
        <Fact name="Payout ID">
          <Copyable text={payout.id} name="payout ID" shown={short(payout.id)} />
        </Fact>
        <Fact name="Bank reference">
          {details?.bank_reference ? (
            <Copyable text={details.bank_reference} name="bank reference" shown={short(details.bank_reference)} />
          ) : (
            '–'
          )}
        </Fact>
        <Fact name="Idempotency key">
          {details ? (
            <Copyable text={details.idempotency_key} name="idempotency key" shown={short(details.idempotency_key)} />
          ) : (
            <Bar />
          )}
        </Fact>
        <Fact name="Created">
          <Moment at={payout.created_at} />
        </Fact>
        <Fact name="Created by">{details ? details.created_by.replace(/^key:/, 'API key ') : <Bar />}</Fact>
      </Facts>
    </Card>
  )
}

const short = (id: string) => (id.length > 24 ? `${id.slice(0, 13)}…${id.slice(-4)}` : id)

/** Each payout is a workflow, which the Web UI finds by the payout's id. */
function TemporalLink({ payout }: { readonly payout: Payout }) {
  const { temporal_ui_url: base, member } = useSession()
  if (!base || member.role !== 'admin') return null
  const query = encodeURIComponent(`PayoutId = "${payout.id}"`)
  return (
    <Anchor href={`${base}/workflows?query=${query}`} target="_blank" rel="noreferrer">
      <ExternalLink aria-hidden />
      Workflow in Temporal
    </Anchor>
  )
}
