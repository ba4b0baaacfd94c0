// One payout: details, status and timeline, updated automatically.
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation, useParams } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { Refusal } from '../../../api/call'
import { isRefund, payoutDetailsQuery, payoutEventsQuery, payoutQuery } from '../../../api/queries'
import type { Environment, Payout, PayoutDetails } from '../../../api/types'
import { Card, Fact, Facts, GbpFact, Page } from '../../../parts/card'
import { Copyable } from '../../../parts/copy'
import { ButtonLink } from '../../../parts/forms/button'
import { Bar, Loaded } from '../../../parts/loaded'
import { Notice } from '../../../parts/notice'
import { Moment } from '../../../parts/values/moment'
import { Usdc } from '../../../parts/values/money'
import { Status } from '../../../parts/values/status'
import { BankMaintenance } from '../../../shell/bank-maintenance'
import { useEnvironment, useSession } from '../../../shell/here'
import { pounds, reasonWords, sumOf, whoWords } from '../../../words'
import { CancelPayout } from './cancel'
import { Cases } from './cases'
import { Notes } from './notes'
import { Simulate } from './simulate'
import { adviceFor, texts } from './texts'
import { Timeline } from './timeline'

export function PayoutPage() {
  const environment = useEnvironment()
  const { id } = useParams({ from: '/dashboard/payouts/$id' })
  const query = useQuery(payoutQuery(environment, id))
  if (query.error instanceof Refusal && query.error.status === 404) return <NotFound {...{ environment, id }} />
  return <Loaded query={query}>{(payout) => <Shown payout={payout} />}</Loaded>
}

function NotFound({ environment, id }: { readonly environment: Environment; readonly id: string }) {
  const other = environment === 'live' ? 'sandbox' : 'live'
  const actions = (
    <span className="flex flex-wrap gap-2">
      <ButtonLink to="/dashboard/payouts/$id" params={{ id }} search={{ environment: other }}>
        {texts.lookIn(other)}
      </ButtonLink>
      <ButtonLink to="/dashboard/payouts" activeOptions={{ exact: true }}>
        {texts.all}
      </ButtonLink>
    </span>
  )
  return (
    <Page title={texts.notFound}>
      <Notice action={actions}>{texts.notFoundIn(environment, other)}</Notice>
    </Page>
  )
}

function Shown({ payout }: { readonly payout: Payout }) {
  const events = useQuery(payoutEventsQuery(payout.environment, payout))
  const search = useLocation({ select: ({ state }) => state.payoutSearch ?? {} })
  const { data: details } = useQuery(payoutDetailsQuery(payout.environment, payout))
  return (
    <Page
      tab={texts.tab(pounds(payout.amount_gbp), payout.recipient.name)}
      title={
        <>
          <Link
            to="/dashboard/payouts"
            search={search}
            activeOptions={{ exact: true }}
            className="mb-2 flex w-fit items-center gap-1.5 text-sm font-normal tracking-normal text-soft hover:text-ink"
          >
            <ArrowLeft className="size-4" aria-hidden />
            {texts.payouts}
          </Link>
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="figures text-2xl">{pounds(payout.amount_gbp)}</span>
            <span aria-live="polite">
              <Status of={payout.status} />
            </span>
          </span>
        </>
      }
      about={texts.about(payout.recipient.name, payout.recipient.account_last4)}
      actions={
        <>
          <Simulate payout={payout} />
          <CancelPayout payout={payout} />
        </>
      }
    >
      {payout.status === 'pending' && <BankMaintenance />}
      <Verdict payout={payout} isRefunded={events.data?.data.some(isRefund) ?? false} />
      <div className="grid items-start gap-5 lg:grid-cols-[3fr_2fr]">
        <div className="flex min-w-0 flex-col gap-5">
          <Card title={texts.timeline.title}>
            <Loaded query={events}>{({ data }) => <Timeline events={data} payout={payout} />}</Loaded>
          </Card>
          <Cases payout={payout} />
          <Notes key={payout.id} payout={payout} />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <Cost payout={payout} details={details} />
          <Details payout={payout} details={details} />
        </div>
      </div>
    </Page>
  )
}

interface VerdictProps {
  readonly payout: Payout
  readonly isRefunded: boolean
}

function Verdict({ payout: { status, failure_reason }, isRefunded }: VerdictProps) {
  const words = texts.verdict
  switch (status) {
    case 'pending':
      return <Notice tone="warn">{words.pending}</Notice>
    case 'cancelled':
      return <Notice>{words.cancelled}</Notice>
    case 'failed':
      return (
        <Notice tone="bad" title={failure_reason ? reasonWords(failure_reason) : words.failed}>
          {isRefunded ? words.failedAndRefunded : words.failedAdvice} {adviceFor(failure_reason)}
        </Notice>
      )
    case 'returned':
      return (
        <Notice tone="warn" title={failure_reason ? reasonWords(failure_reason) : words.returned}>
          {isRefunded ? words.returnedAndRefunded : words.returnedAdvice} {adviceFor(failure_reason)}
        </Notice>
      )
    case 'processing':
    case 'completed':
      return null
  }
}

interface DetailsProps {
  readonly payout: Payout
  readonly details: PayoutDetails | undefined
}

function Details({ payout, details }: DetailsProps) {
  const words = texts.details
  return (
    <Card title={words.title}>
      <Facts>
        <Fact name={words.reference}>
          {payout.reference ? <Copyable text={payout.reference} name={words.copy.reference} /> : '–'}
        </Fact>
        <Fact name={words.payoutId}>
          <Copyable text={payout.id} name={words.copy.payoutId} shown={short(payout.id)} />
        </Fact>
        <Fact name={words.bankReference}>
          {details?.bank_reference ? (
            <Copyable
              text={details.bank_reference}
              name={words.copy.bankReference}
              shown={short(details.bank_reference)}
            />
          ) : (
            '–'
          )}
        </Fact>
        <Fact name={words.idempotencyKey}>
          {details ? (
            <Copyable
              text={details.idempotency_key}
              name={words.copy.idempotencyKey}
              shown={short(details.idempotency_key)}
            />
          ) : (
            <Bar />
          )}
        </Fact>
        <Fact name={words.created}>
          <Moment at={payout.created_at} />
        </Fact>
        <Fact name={words.createdBy}>{details ? whoWords(details.created_by) : <Bar />}</Fact>
        <Workflow payout={payout} />
      </Facts>
    </Card>
  )
}

const short = (id: string) => (id.length > 24 ? `${id.slice(0, 13)}…${id.slice(-4)}` : id)

/** Each payout has a workflow, which the Web UI finds by the payout's ID. */
function Workflow({ payout }: { readonly payout: Payout }) {
  const { temporal_ui_url: base, member } = useSession()
  if (!base || member.role !== 'admin') return null
  const query = encodeURIComponent(`PayoutId = "${payout.id}"`)
  return (
    <Fact name={texts.details.workflow}>
      <a href={`${base}/workflows?query=${query}`} target="_blank" rel="noreferrer" className="underline">
        {texts.details.viewWorkflow}
      </a>
    </Fact>
  )
}

interface CostProps {
  readonly payout: Payout
  readonly details: PayoutDetails | undefined
}

/** The cost of a payout, worded for its status. */
function Cost({ payout, details }: CostProps) {
  const words = texts.cost
  const { title, recipient, wallet, total } = words.byStatus[payout.status]
  return (
    <Card title={title}>
      <Facts>
        <GbpFact name={recipient} of={payout.amount_gbp} />
        <GbpFact name={words.fee} of={payout.fee_gbp} />
        <GbpFact name={words.deducted} of={payout.fee_breakdown.taken_in_transfer_gbp} />
        <GbpFact name={words.billed} of={payout.fee_breakdown.on_monthly_invoice_gbp} />
        {total && <GbpFact name={total} of={sumOf([payout.amount_gbp, payout.fee_gbp])} />}
        <Fact name={wallet}>
          <Usdc of={payout.wallet_sent_usdc} />
        </Fact>
        <Fact name={words.rate}>
          {details ? (
            <span className="figures">{words.oneUsd(details.exchange_rate.gbp_per_usd)}</span>
          ) : (
            <Bar className="w-20" />
          )}
        </Fact>
      </Facts>
    </Card>
  )
}
