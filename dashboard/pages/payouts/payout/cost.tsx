// The cost of a payout, worded for its status: an unpaid payout costs nothing.
import type { Payout, PayoutDetails } from '../../../api/types'
import { Card, Fact, Facts, GbpFact } from '../../../parts/card'
import { Bar } from '../../../parts/loaded'
import { Usdc } from '../../../parts/values/money'

interface Words {
  readonly title: string
  readonly recipient: string
  readonly wallet: string
}

const paid: Words = { title: 'Cost', recipient: 'Recipient gets', wallet: 'Debited from wallet' }
const notPaid: Words = {
  title: 'Cost if paid',
  recipient: 'Recipient amount',
  wallet: 'Reserved from wallet',
}

const words: Readonly<Record<Payout['status'], Words>> = {
  pending: paid,
  processing: paid,
  completed: paid,
  failed: notPaid,
  cancelled: notPaid,
  returned: { ...paid, recipient: 'Sent to recipient' },
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
        <GbpFact name={recipient} of={payout.amount_gbp} />
        <GbpFact name="Fee" of={payout.fee_gbp} />
        <GbpFact name="· taken in the transfer" of={payout.fee_breakdown.taken_in_transfer_gbp} />
        <GbpFact name="· on the monthly invoice" of={payout.fee_breakdown.on_monthly_invoice_gbp} />
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
