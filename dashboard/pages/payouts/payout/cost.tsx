// What a payout costs, in words that fit how it ended: what was never paid has cost nothing.
import type { Payout, PayoutDetails } from '../../../api/types'
import { Card, Fact, Facts } from '../../../parts/card'
import { Bar } from '../../../parts/loaded'
import { Gbp, Usdc } from '../../../parts/values/money'

interface Words {
  readonly title: string
  readonly recipient: string
  readonly wallet: string
}

const paid: Words = { title: 'Cost', recipient: 'Recipient gets', wallet: 'Wallet sent' }
const notPaid: Words = {
  title: 'What it would have cost',
  recipient: 'Recipient would have got',
  wallet: 'Wallet had set aside',
}

const words: Readonly<Record<Payout['status'], Words>> = {
  pending: paid,
  processing: paid,
  completed: paid,
  failed: notPaid,
  cancelled: notPaid,
  returned: { ...paid, recipient: 'Recipient was sent' },
}

interface CostProps {
  readonly payout: Payout
  readonly details: PayoutDetails | undefined
}

export function Cost({ payout, details }: CostProps) {
  const { title, recipient, wallet } = words[payout.status]
  return (
    <Card title={title}>
      <Facts>
        <Fact name={recipient}>
          <Gbp of={payout.amount_gbp} />
        </Fact>
        <Fact name="Fee">
          <Gbp of={payout.fee_gbp} />
        </Fact>
        <Fact name="· taken in the transfer">
          <Gbp of={payout.fee_breakdown.taken_in_transfer_gbp} />
        </Fact>
        <Fact name="· on the monthly invoice">
          <Gbp of={payout.fee_breakdown.on_monthly_invoice_gbp} />
        </Fact>
        <Fact name={wallet}>
          <Usdc of={payout.wallet_sent_usdc} />
        </Fact>
        <Fact name="Rate">
          {details ? (
            <span className="figures">1 USD = {details.exchange_rate.gbp_per_usd} GBP</span>
          ) : (
            <Bar className="w-20" />
          )}
        </Fact>
      </Facts>
    </Card>
  )
}
