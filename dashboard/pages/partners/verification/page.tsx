// The Verification page: the progress of the business verification, the missing steps, and the account's limits.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, CircleDashed, CircleDot, Clock, ExternalLink, type LucideIcon } from 'lucide-react'
import { useEffect } from 'react'
import { call } from '../../../api/call'
import { complianceQuery, sessionQuery } from '../../../api/queries'
import type { BusinessVerification, Compliance } from '../../../api/types'
import { pageFacts } from '../../../page-facts'
import { Card, Fact, Facts, GbpFact, Page } from '../../../parts/card'
import { Anchor, Button, ButtonLink } from '../../../parts/forms/button'
import { Loaded } from '../../../parts/loaded'
import { ErrorNotice, Notice } from '../../../parts/notice'
import { Contact } from '../../../parts/support'
import { Status } from '../../../parts/values/status'
import { useIsAdmin, useSession } from '../../../shell/here'
import { codeWords } from '../../../words'
import { bankViewOf, nextSentence, type Step, stepsOf } from './steps'
import { texts } from './texts'

const words = texts.status
const { actions } = texts

export function VerificationPage() {
  // Reads the live account even in the sandbox, because only live needs verification.
  const query = useQuery(complianceQuery('live'))
  useLiveOnceApproved(query.data)
  return (
    <Page title={texts.title} about={texts.about}>
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

/** Reloads the session after an approval, because other pages read from the session whether live is enabled. */
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

const { limits } = texts

function Rules({ compliance: { account } }: { readonly compliance: Compliance }) {
  return (
    <Card title={limits.title}>
      <Facts>
        <GbpFact name={limits.minimum} of={account.payout_limits_gbp.min} />
        <GbpFact name={limits.maximum} of={account.payout_limits_gbp.max_per_payout} />
        <Fact name={limits.countries}>{account.enabled_countries.join(', ') || limits.noCountries}</Fact>
        <Fact name={limits.wallet}>{account.isolated_wallet ? limits.dedicated : limits.notOpened}</Fact>
        <Fact name={limits.network}>{account.wallet_chain ? codeWords(account.wallet_chain) : '–'}</Fact>
      </Facts>
    </Card>
  )
}

function VerificationStatus({ compliance }: { readonly compliance: Compliance }) {
  const { business_verification: verification } = compliance
  const { status } = verification
  const { bankStatus, screening } = bankViewOf(compliance)
  return (
    <Card title={words.title}>
      <div className="flex flex-col items-start gap-5">
        <div aria-live="polite" className="flex flex-col items-start gap-2">
          <Status of={status} />
          <p className="max-w-prose">{nextSentence(verification)}</p>
        </div>
        <Reasons of={verification} />
        <Steps steps={stepsOf(verification)} />
        <NextActions of={verification} />
        {pageFacts.live_is_simulated && status !== 'approved' && (
          <Notice title={words.simulated}>{words.simulatedAbout}</Notice>
        )}
        <div className="w-full border-t border-line pt-4">
          <Facts>
            <Fact name={words.bankStatus}>{bankStatus ? codeWords(bankStatus) : '–'}</Fact>
            <Fact name={words.screening}>
              <Status of={screening} />
            </Fact>
          </Facts>
        </div>
      </div>
    </Card>
  )
}

/** The reasons are also shown during the next attempt, because they explain what to correct. */
function Reasons({ of: { status, reasons } }: { readonly of: BusinessVerification }) {
  if (reasons.length === 0 || status === 'approved') return null
  return (
    <div className="w-full">
      <Notice
        tone={status === 'rejected' ? 'bad' : 'warn'}
        title={status === 'rejected' ? words.reasons : words.earlierReasons}
      >
        <ul className="list-disc pl-4">
          {[...new Set(reasons)].map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      </Notice>
    </div>
  )
}

const looks: Readonly<Record<Step['state'], readonly [LucideIcon, string]>> = {
  done: [CircleCheck, 'text-good'],
  yours: [CircleDot, 'text-warn'],
  theirs: [Clock, 'text-busy'],
  later: [CircleDashed, 'text-soft'],
}

function Steps({ steps }: { readonly steps: readonly Step[] }) {
  if (steps.length === 0) return null
  return (
    <ol aria-label={texts.steps.label} className="flex w-full flex-col gap-2.5">
      {steps.map(({ name, state }) => {
        const [Icon, ink] = looks[state]
        return (
          <li key={name} className="flex items-center gap-3">
            <Icon className={`size-4.5 shrink-0 ${ink}`} aria-hidden />
            <span className={state === 'later' ? 'text-soft' : 'font-medium'}>{name}</span>
            <span className={`ml-auto text-xs ${ink}`}>{texts.steps.states[state]}</span>
          </li>
        )
      })}
    </ol>
  )
}

function NextActions({ of: verification }: { readonly of: BusinessVerification }) {
  const isAdmin = useIsAdmin()
  const { status, continue_url, terms_url, can_start } = verification
  if (status === 'approved')
    return (
      <div className="flex flex-wrap gap-2">
        <ButtonLink to="/dashboard/top-up" search={{ environment: 'live' }} weight="primary">
          {actions.topUp}
        </ButtonLink>
        <ButtonLink to="/dashboard/keys" search={{ environment: 'live' }}>
          {actions.createKey}
        </ButtonLink>
      </div>
    )
  if (can_start) return isAdmin ? <Start isAgain={status === 'rejected'} /> : <AdminsOnly />
  if (status === 'rejected')
    return (
      <p className="text-soft">
        {actions.noReapply}
        <Contact>{actions.contact}</Contact>
      </p>
    )
  const steps = stepsOf(verification)
  if (!isAdmin) return steps.some(({ state }) => state === 'yours') ? <AdminsOnly /> : null
  const isAnswered = steps[0]?.state === 'done'
  return (
    <div className="flex flex-wrap gap-2 empty:hidden">
      {/* The simulated bank's page also offers to decide a review. */}
      {continue_url && (!isAnswered || pageFacts.live_is_simulated) && (
        <Anchor href={continue_url} target="_blank" rel="noopener noreferrer" weight={isAnswered ? 'plain' : 'primary'}>
          <ExternalLink aria-hidden />
          {actions.continue}
        </Anchor>
      )}
      {terms_url && (
        <Anchor href={terms_url} target="_blank" rel="noopener noreferrer" weight={isAnswered ? 'primary' : 'plain'}>
          <ExternalLink aria-hidden />
          {actions.terms}
        </Anchor>
      )}
    </div>
  )
}

const AdminsOnly = () => <p className="text-soft">{actions.adminsOnly}</p>

function Start({ isAgain }: { readonly isAgain: boolean }) {
  const queryClient = useQueryClient()
  const start = useMutation({
    mutationFn: () => call('POST', '/v1/compliance/verification', { body: {} }),
    // Reload even after an error, because another admin may have started verification.
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['compliance'] }),
  })
  return (
    <div className="flex w-full flex-col items-start gap-4">
      <Button weight="primary" busy={start.isPending} onClick={() => start.mutate()}>
        {isAgain ? actions.startAgain : actions.start}
      </Button>
      {start.error && <ErrorNotice error={start.error} states={() => actions.alreadyStarted} />}
    </div>
  )
}
