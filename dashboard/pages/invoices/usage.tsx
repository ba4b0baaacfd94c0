// The Fees and usage page: prices, this month, the next invoice so far, and the last twelve months.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { accountQuery, usageHistoryQuery, usageQuery } from '../../api/queries'
import type { UsageMonth } from '../../api/types'
import { Card, Fact, Facts, GbpFact, Page } from '../../parts/card'
import { Loaded } from '../../parts/loaded'
import { Cell, overRow, Row, Table } from '../../parts/table'
import { Count, Gbp } from '../../parts/values/money'
import { PaidByMonthChart } from '../../parts/values/paid-by-month'
import { useEnvironment } from '../../shell/here'
import { codeWords, monthWords, nextMonthDayWords, priceWords } from '../../words'
import { texts } from './texts'

const words = texts.usage

export function UsagePage() {
  const environment = useEnvironment()
  const history = useQuery(usageHistoryQuery(environment))
  return (
    <Page title={words.title} about={environment === 'sandbox' ? words.aboutSandbox : undefined}>
      <div className="grid items-start gap-5 md:grid-cols-3">
        <ThisMonth />
        <InvoiceSoFar />
        <Prices />
      </div>
      <Card title={words.chart}>
        <Loaded query={history}>{({ data }) => <PaidByMonthChart months={data} />}</Loaded>
      </Card>
      <Card flush title={words.months.title}>
        <Loaded query={history}>{({ data }) => <Months months={sinceFirstUse(data).toReversed()} />}</Loaded>
      </Card>
    </Page>
  )
}

function ThisMonth() {
  const usage = useQuery(usageQuery(useEnvironment()))
  return (
    <Card title={words.thisMonth.title}>
      <Loaded query={usage}>
        {({ payouts }) => (
          <Facts>
            <Fact name={words.thisMonth.created}>
              <Count of={payouts.count} />
            </Fact>
            <Fact name={words.thisMonth.completed}>
              <Count of={payouts.completed} />
            </Fact>
            <GbpFact name={words.thisMonth.paid} of={payouts.paid_to_sellers_gbp} />
            <GbpFact name={words.thisMonth.fees} of={payouts.fees_gbp} />
          </Facts>
        )}
      </Loaded>
    </Card>
  )
}

function InvoiceSoFar() {
  const environment = useEnvironment()
  const usage = useQuery(usageQuery(environment))
  if (environment === 'sandbox')
    return (
      <Card title={words.invoiceSoFar.title}>
        <p className="text-soft">{words.invoiceSoFar.sandbox}</p>
      </Card>
    )
  return (
    <Card title={words.invoiceSoFar.title}>
      <Loaded query={usage}>
        {({ period_start, invoice_so_far: { lines, total_gbp } }) => (
          <>
            <Facts>
              {lines.map((line) => (
                <Fact key={line.kind} name={lineNames[line.kind] ?? codeWords(line.kind)}>
                  {line.kind === 'credit' ? <Gbp of={`-${line.amount_gbp}`} /> : <Gbp of={line.amount_gbp} />}
                </Fact>
              ))}
              <Fact name={<strong className="font-semibold text-ink">{words.invoiceSoFar.total}</strong>}>
                <strong className="font-semibold">
                  <Gbp of={total_gbp} />
                </strong>
              </Fact>
            </Facts>
            <p className="mt-3 text-xs text-soft">
              {words.invoiceSoFar.issuedOn(nextMonthDayWords(period_start))}
              {lines.length > 0 && ` ${words.invoiceSoFar.about}`}
            </p>
          </>
        )}
      </Loaded>
    </Card>
  )
}

const lineNames: Readonly<Record<string, string>> = { payout_fees: words.invoiceSoFar.payoutFees }

function Prices() {
  const account = useQuery(accountQuery(useEnvironment()))
  return (
    <Card title={words.prices.title}>
      <Loaded query={account}>
        {({ prices }) => (
          <Facts>
            {words.prices.rows.map(([price, name]) => (
              <Fact key={price} name={name}>
                {priceWords(prices[price] ?? '–')}
              </Fact>
            ))}
            <Fact name={words.prices.unpaid}>{words.prices.free}</Fact>
          </Facts>
        )}
      </Loaded>
    </Card>
  )
}

const columns = [
  { head: words.months.month },
  { head: words.months.payouts, align: 'right', from: 'sm' },
  { head: words.months.completed, align: 'right', from: 'sm' },
  { head: words.months.fees, align: 'right' },
  { head: words.months.paid, align: 'right' },
] as const

/** The filter of the payout list for a month such as "2026-11-01". */
function daysOf(from: string) {
  const [year = 0, month = 0] = from.split('-').map(Number)
  return { from, to: new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10) }
}

/** Omits the months before the first payout, but never the current month. */
function sinceFirstUse(months: readonly UsageMonth[]): readonly UsageMonth[] {
  const first = months.findIndex(({ count, completed }) => count > 0 || completed > 0)
  return first === -1 ? months.slice(-1) : months.slice(first)
}

function Months({ months }: { readonly months: readonly UsageMonth[] }) {
  return (
    <Table columns={columns} label={words.months.label}>
      {months.map((month) => (
        <Row key={month.period_start}>
          <Cell className="font-medium">
            <Link to="/dashboard/payouts" search={daysOf(month.period_start)} className={overRow}>
              {monthWords(month.period_start)}
            </Link>
          </Cell>
          <Cell from="sm" align="right">
            <Count of={month.count} />
          </Cell>
          <Cell from="sm" align="right">
            <Count of={month.completed} />
          </Cell>
          <Cell align="right">
            <Gbp of={month.fees_gbp} />
          </Cell>
          <Cell align="right" className="font-medium">
            <Gbp of={month.paid_gbp} />
          </Cell>
        </Row>
      ))}
    </Table>
  )
}
