// Costs: prices, this month, the next invoice so far, and the last twelve months.
import { useQuery } from '@tanstack/react-query'
import { accountQuery, usageHistoryQuery, usageQuery } from '../../api/queries'
import type { UsageMonth } from '../../api/types'
import { Card, Fact, Facts, GbpFact, Page } from '../../parts/card'
import { Loaded } from '../../parts/loaded'
import { Cell, Row, Table } from '../../parts/table'
import { Count, Gbp } from '../../parts/values/money'
import { PaidByMonthChart } from '../../parts/values/paid-by-month'
import { useEnvironment } from '../../shell/here'
import { codeWords, monthWords, priceWords } from '../../words'

export function UsagePage() {
  const environment = useEnvironment()
  const history = useQuery(usageHistoryQuery(environment))
  return (
    <Page
      title="Fees and usage"
      about={environment === 'sandbox' ? 'Sandbox fees are shown for reference and never charged.' : undefined}
    >
      <div className="grid gap-5 md:grid-cols-3">
        <ThisMonth />
        <InvoiceSoFar />
        <Prices />
      </div>
      <Card title="Paid to recipients by month">
        <Loaded query={history}>{({ data }) => <PaidByMonthChart months={data} />}</Loaded>
      </Card>
      <Card flush title="Monthly breakdown">
        <Loaded query={history}>{({ data }) => <Months months={data.toReversed()} />}</Loaded>
      </Card>
    </Page>
  )
}

function ThisMonth() {
  const usage = useQuery(usageQuery(useEnvironment()))
  return (
    <Card title="This month so far">
      <Loaded query={usage}>
        {({ payouts }) => (
          <Facts>
            <Fact name="Payouts created">
              <Count of={payouts.count} />
            </Fact>
            <Fact name="Completed">
              <Count of={payouts.completed} />
            </Fact>
            <GbpFact name="Paid to recipients" of={payouts.paid_to_sellers_gbp} />
            <GbpFact name="Payout fees, total" of={payouts.fees_gbp} />
          </Facts>
        )}
      </Loaded>
    </Card>
  )
}

function InvoiceSoFar() {
  const usage = useQuery(usageQuery(useEnvironment()))
  return (
    <Card title="Next invoice so far">
      <Loaded query={usage}>
        {({ invoice_so_far: { lines, total_gbp } }) => (
          <>
            <Facts>
              {lines.map((line) => (
                <Fact key={line.kind} name={lineNames[line.kind] ?? codeWords(line.kind)}>
                  {line.kind === 'credit' ? <Gbp of={`-${line.amount_gbp}`} /> : <Gbp of={line.amount_gbp} />}
                </Fact>
              ))}
              <GbpFact name="Total" of={total_gbp} />
            </Facts>
            {lines.length > 0 && (
              <p className="mt-3 text-xs text-soft">
                Part of each payout fee is deducted in the transfer. The invoice has the rest and the other charges.
              </p>
            )}
          </>
        )}
      </Loaded>
    </Card>
  )
}

const lineNames: Readonly<Record<string, string>> = { payout_fees: 'Payout fees, invoiced part' }

function Prices() {
  const account = useQuery(accountQuery(useEnvironment()))
  return (
    <Card title="Your prices">
      <Loaded query={account}>
        {({ prices }) => (
          <Facts>
            <Fact name="Per payout">{prices.payout ? priceWords(prices.payout) : '–'}</Fact>
            <Fact name="Monthly account fee">{prices.monthly_account ? priceWords(prices.monthly_account) : '–'}</Fact>
            <Fact name="Failed and cancelled payouts">Free</Fact>
          </Facts>
        )}
      </Loaded>
    </Card>
  )
}

const columns = [
  { head: 'Month' },
  { head: 'Payouts', align: 'right', from: 'sm' },
  { head: 'Completed', align: 'right', from: 'sm' },
  { head: 'Fees', align: 'right' },
  { head: 'Paid', align: 'right' },
] as const

function Months({ months }: { readonly months: readonly UsageMonth[] }) {
  return (
    <Table columns={columns} label="Usage by month">
      {months.map((month) => (
        <Row key={month.period_start}>
          <Cell className="font-medium">{monthWords(month.period_start)}</Cell>
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
