// How far business verification is, what is still missing, and what the account may do.
import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import { complianceQuery } from '../api/queries'
import type { Compliance } from '../api/types'
import { Anchor } from '../parts/button'
import { Card, Fact, Facts, Page } from '../parts/card'
import { Loaded } from '../parts/loaded'
import { Gbp } from '../parts/money'
import { Status } from '../parts/status'
import { useEnvironment } from '../shell/here'
import { codeWords } from '../words'

export function VerificationPage() {
  const query = useQuery(complianceQuery(useEnvironment()))
  return (
    <Page
      title="Verification"
      about="Real payouts need a verified business. The bank asks the questions; we show where it stands."
    >
      <Loaded query={query}>
        {(compliance) => (
          <div className="grid items-start gap-5 lg:grid-cols-[3fr_2fr]">
            <Standing compliance={compliance} />
            <Rules compliance={compliance} />
          </div>
        )}
      </Loaded>
    </Page>
  )
}

const next: Readonly<Record<string, string>> = {
  not_started:
    'Nothing was sent to the bank yet. It takes about ten minutes: have the company number and the owners’ details at hand.',
  pending: 'It was begun and not finished. Go on where you stopped.',
  action_required: 'The bank needs something more from you. Go on, and it tells you what.',
  in_review: 'The bank has everything and looks at it. That takes one to two working days; there is nothing to do.',
  approved: 'Your business is verified: live keys and live payouts are open.',
  rejected: 'The bank did not accept the business. Contact support; the sandbox goes on working.',
}

function Standing({
  compliance: { business_verification: verification, screening },
}: {
  readonly compliance: Compliance
}) {
  const { status, provider_status, continue_url, terms_url } = verification
  const isOver = status === 'approved' || status === 'rejected'
  return (
    <Card title="Business verification">
      <div className="flex flex-col items-start gap-5">
        <div className="flex flex-col items-start gap-2">
          <Status of={status} />
          <p className="max-w-prose">{next[status]}</p>
        </div>
        {!isOver && (continue_url || terms_url) && (
          <div className="flex flex-wrap gap-2">
            {continue_url && (
              <Anchor href={continue_url} target="_blank" rel="noreferrer" weight="primary">
                <ExternalLink aria-hidden />
                Go on at the bank
              </Anchor>
            )}
            {terms_url && (
              <Anchor href={terms_url} target="_blank" rel="noreferrer">
                <ExternalLink aria-hidden />
                The bank’s terms
              </Anchor>
            )}
          </div>
        )}
        <div className="w-full border-t border-line pt-4">
          <Facts>
            <Fact name="In the bank’s words">{provider_status ? codeWords(provider_status) : '–'}</Fact>
            <Fact name="Screening">
              <Status of={screening} />
            </Fact>
          </Facts>
        </div>
      </div>
    </Card>
  )
}

function Rules({ compliance: { account } }: { readonly compliance: Compliance }) {
  return (
    <Card title="What the account may do">
      <Facts>
        <Fact name="Smallest payout">
          <Gbp of={account.payout_limits_gbp.min} />
        </Fact>
        <Fact name="Largest payout">
          <Gbp of={account.payout_limits_gbp.max_per_payout} />
        </Fact>
        <Fact name="Countries">{account.enabled_countries.join(', ') || 'none'}</Fact>
        <Fact name="Wallet">{account.isolated_wallet ? 'yours alone' : 'shared'}</Fact>
        <Fact name="Network">{account.wallet_chain ? codeWords(account.wallet_chain) : '–'}</Fact>
      </Facts>
    </Card>
  )
}
