// The cost of a payout, updated while the amount is typed.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { balanceQuery, quoteQuery } from '../../../api/queries'
import { Card, Fact, Facts } from '../../../parts/card'
import { adviceOf } from '../../../parts/notice'
import { Gbp, Usdc } from '../../../parts/values/money'
import { useEnvironment } from '../../../shell/here'
import { asAmount, asFloat } from '../../../words'
import { faultOfAmount, type Limits } from './form'

interface QuoteProps {
  readonly typed: string
  readonly limits: Limits
}

/** The total beside the button, where the card is out of sight. */
export function QuoteTotal(props: QuoteProps) {
  const { quote } = useQuote(props)
  return (
    <p className="text-xs text-soft lg:hidden">
      Debited from wallet
      <strong className="block text-base text-ink">{quote ? <Usdc of={quote.wallet_sends_usdc} /> : '–'}</strong>
    </p>
  )
}

export function QuoteCard(props: QuoteProps) {
  const { amount, query, quote } = useQuote(props)
  const { data: balance } = useQuery(balanceQuery(useEnvironment()))
  const isShort = quote && balance && asFloat(quote.wallet_sends_usdc) > asFloat(balance.usdc)
  return (
    <Card title="Cost">
      <div className={query.isPlaceholderData ? 'opacity-60' : ''} aria-live="polite">
        <Facts>
          <Fact name="Recipient receives">{quote ? <Gbp of={quote.seller_receives_gbp} /> : '–'}</Fact>
          <Fact name="Fee">{quote ? <Gbp of={quote.fee_gbp} /> : '–'}</Fact>
          <Fact name="Deducted in the transfer">
            {quote ? <Gbp of={quote.fee_breakdown.taken_in_transfer_gbp} /> : '–'}
          </Fact>
          <Fact name="Billed monthly">{quote ? <Gbp of={quote.fee_breakdown.on_monthly_invoice_gbp} /> : '–'}</Fact>
          <Fact name="Rate">
            {quote ? <span className="figures">1 USD = {quote.exchange_rate.gbp_per_usd} GBP</span> : '–'}
          </Fact>
          <Fact name="Debited from wallet">
            <strong>{quote ? <Usdc of={quote.wallet_sends_usdc} /> : '–'}</strong>
          </Fact>
          <Fact name="Wallet balance">{balance ? <Usdc of={balance.usdc} /> : '–'}</Fact>
        </Facts>
        {isShort && <p className="mt-3 text-xs font-medium text-bad">Not enough in your wallet for this payout.</p>}
        {query.error && amount !== null && <p className="mt-3 text-xs text-bad">{adviceOf(query.error)}</p>}
      </div>
      <p className="mt-3 text-xs text-soft">Estimate. The exchange rate is set when you send.</p>
    </Card>
  )
}

function useQuote({ typed, limits }: QuoteProps) {
  const amount = useSettled(faultOfAmount(typed, limits) === null ? asAmount(typed) : null)
  const query = useQuery({
    ...quoteQuery(useEnvironment(), amount ?? ''),
    enabled: amount !== null,
    placeholderData: keepPreviousData,
  })
  return { amount, query, quote: amount === null ? undefined : query.data }
}

/** The value after the typing has paused. */
function useSettled(value: string | null): string | null {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), 200)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
