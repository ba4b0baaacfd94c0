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

const paid: Words = { title: 'Amount and fees', recipient: 'Recipient receives', wallet: 'Debited from wallet' }
const notPaid: Words = {
  title: 'Quoted cost (not charged)',
  recipient: 'Recipient would have received',
  wallet: 'Reserved from wallet',
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
        <GbpFact name={recipient} of={payout.amount_gbp} />
        <GbpFact name="Fee" of={payout.fee_gbp} />
        <GbpFact name="Deducted in the transfer" of={payout.fee_breakdown.taken_in_transfer_gbp} />
        <GbpFact name="Billed monthly" of={payout.fee_breakdown.on_monthly_invoice_gbp} />
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
