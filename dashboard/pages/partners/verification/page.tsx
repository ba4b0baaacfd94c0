// Progress of the business verification, the missing steps, and the limits of the account.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { complianceQuery, sessionQuery } from '../../../api/queries'
import type { Compliance } from '../../../api/types'
import { Card, Fact, Facts, GbpFact, Page } from '../../../parts/card'
import { Loaded } from '../../../parts/loaded'
import { useEnvironment, useSession } from '../../../shell/here'
import { codeWords } from '../../../words'
import { VerificationStatus } from './status'

export function VerificationPage() {
  const query = useQuery(complianceQuery(useEnvironment()))
  useLiveOnceApproved(query.data)
  return (
    <Page
      title="Verification"
      about="Your business must be verified before you can make live payouts. The bank runs the checks."
    >
      <Loaded query={query}>
        {(compliance) => (
          <div className="grid items-start gap-5 lg:grid-cols-[3fr_2fr]">
            <VerificationStatus compliance={compliance} />
            <Rules compliance={compliance} />
          </div>
        )}
      </Loaded>
    </Page>
  )
}

/** Other pages read from the session whether live is enabled. */
function useLiveOnceApproved(compliance: Compliance | undefined): void {
  const queryClient = useQueryClient()
  const { live } = useSession()
  const isNewlyApproved = compliance?.business_verification.status === 'approved' && !live
  useEffect(() => {
    if (!isNewlyApproved) return
    void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
    void queryClient.invalidateQueries({ queryKey: ['account'] })
  }, [isNewlyApproved, queryClient])
}

function Rules({ compliance: { account } }: { readonly compliance: Compliance }) {
  return (
    <Card title="Account limits">
      <Facts>
        <GbpFact name="Minimum payout" of={account.payout_limits_gbp.min} />
        <GbpFact name="Maximum payout" of={account.payout_limits_gbp.max_per_payout} />
        <Fact name="Countries">{account.enabled_countries.join(', ') || 'None'}</Fact>
        <Fact name="Wallet">{account.isolated_wallet ? 'Dedicated' : 'Not opened yet'}</Fact>
        <Fact name="Network">{account.wallet_chain ? codeWords(account.wallet_chain) : '–'}</Fact>
      </Facts>
    </Card>
  )
}
