// The cost of a payout, updated while the amount is typed.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { balanceQuery, quoteQuery } from '../../../api/queries'
import type { Quote } from '../../../api/types'
import { Card, Fact, Facts } from '../../../parts/card'
import { ButtonLink } from '../../../parts/forms/button'
import { adviceOf, Notice } from '../../../parts/notice'
import { Gbp, Usdc } from '../../../parts/values/money'
import { useEnvironment } from '../../../shell/here'
import { asAmount, asFloat, grouped, sumOf } from '../../../words'
import { faultOfAmount, type Limits } from './form'
import { texts } from './texts'

const words = texts.cost

interface QuoteProps {
  readonly typed: string
  readonly limits: Limits
}

/** The total beside the button, for narrow screens, where the card is out of view. */
export function QuoteTotal(props: QuoteProps) {
  const { quote } = useQuote(props)
  return (
    <p className="text-xs text-soft lg:hidden">
      {words.debited}
      <strong className="block text-base text-ink">{quote ? <Usdc of={quote.wallet_sends_usdc} /> : '–'}</strong>
    </p>
  )
}

export function QuoteCard(props: QuoteProps) {
  const { amount, query, quote } = useQuote(props)
  const { data: balance } = useQuery(balanceQuery(useEnvironment()))
  const missing = quote && balance ? centsOf(quote.wallet_sends_usdc) - centsOf(balance.usdc) : 0
  return (
    <Card title={words.title}>
      <div className={query.isPlaceholderData ? 'opacity-60' : ''} aria-live="polite">
        <Facts>
          <Fact name={words.receives}>{quote ? <Gbp of={quote.seller_receives_gbp} /> : '–'}</Fact>
          <Fact name={words.fee}>{quote ? <Gbp of={quote.fee_gbp} /> : '–'}</Fact>
          <Fact name={words.deducted}>{quote ? <Gbp of={quote.fee_breakdown.taken_in_transfer_gbp} /> : '–'}</Fact>
          <Fact name={words.billed}>{quote ? <Gbp of={quote.fee_breakdown.on_monthly_invoice_gbp} /> : '–'}</Fact>
          <Fact name={words.total}>{quote ? <QuotedTotal of={quote} /> : '–'}</Fact>
          <Fact name={words.rate}>
            {quote ? <span className="figures">{words.oneUsd(quote.exchange_rate.gbp_per_usd)}</span> : '–'}
          </Fact>
          <Fact name={words.debited}>
            <strong>{quote ? <Usdc of={quote.wallet_sends_usdc} /> : '–'}</strong>
          </Fact>
          <Fact name={words.balance}>{balance ? <Usdc of={balance.usdc} /> : '–'}</Fact>
        </Facts>
        {missing > 0 && (
          <div className="mt-3">
            <Notice
              tone="warn"
              title={texts.error.insufficient}
              action={<ButtonLink to="/dashboard/top-up">{texts.error.topUp}</ButtonLink>}
            >
              {texts.error.shortfall(grouped((missing / 100).toFixed(2)))}
            </Notice>
          </div>
        )}
        {query.error && amount !== null && <p className="mt-3 text-xs text-bad">{adviceOf(query.error)}</p>}
      </div>
      <p className="mt-3 text-xs text-soft">{words.estimate}</p>
    </Card>
  )
}

/** Amount and fee in pounds. */
export function QuotedTotal({ of: { seller_receives_gbp, fee_gbp } }: { readonly of: Quote }) {
  return <Gbp of={sumOf([seller_receives_gbp, fee_gbp])} />
}

/** The API's USDC amounts have two decimals. */
function centsOf(usdc: string): number {
  return Math.round(asFloat(usdc) * 100)
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

/** The value once the user has stopped typing. */
function useSettled(value: string | null): string | null {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), 200)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
