// The status of the verification, the missing steps, and the next actions.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, CircleDashed, CircleDot, Clock, ExternalLink, type LucideIcon } from 'lucide-react'
import { call } from '../../../api/call'
import type { BusinessVerification, Compliance } from '../../../api/types'
import { pageFacts } from '../../../page-facts'
import { Card, Fact, Facts } from '../../../parts/card'
import { Anchor, Button, ButtonLink } from '../../../parts/forms/button'
import { Notice, Trouble } from '../../../parts/notice'
import { Status } from '../../../parts/values/status'
import { useIsAdmin } from '../../../shell/here'
import { codeWords } from '../../../words'
import { type Step, stepsOf } from './steps'

const next: Readonly<Record<string, string>> = {
  not_started: 'Not started. It takes about ten minutes: have the company number and the owners’ details ready.',
  pending: 'Started but not finished. Continue where you stopped.',
  action_required: 'The bank needs more information. Continue at the bank to see what is missing.',
  in_review: 'The bank is reviewing your business. This takes one to two working days; you do not need to do anything.',
  approved: 'Your business is verified: you can create live keys and send live payouts.',
  rejected: 'The bank did not accept the business. The sandbox keeps working.',
}

export function VerificationStatus({ compliance }: { readonly compliance: Compliance }) {
  const { business_verification: verification, screening } = compliance
  const { status, provider_status } = verification
  const isBeingAsked = status === 'pending' && verification.continue_url === null
  return (
    <Card title="Business verification">
      <div className="flex flex-col items-start gap-5">
        <div aria-live="polite" className="flex flex-col items-start gap-2">
          <Status of={status} />
          <p className="max-w-prose">
            {isBeingAsked ? 'Connecting to the bank. Its links will appear here in a moment.' : next[status]}
          </p>
        </div>
        <Reasons of={verification} />
        <Steps steps={stepsOf(verification)} />
        <NextActions of={verification} />
        {pageFacts.live_is_simulated && status !== 'approved' && (
          <Notice title="Simulated bank">
            The bank’s page asks no questions; you choose its decision there. No business is verified, and no money
            moves.
          </Notice>
        )}
        <div className="w-full border-t border-line pt-4">
          <Facts>
            <Fact name="Bank status">{provider_status ? codeWords(provider_status) : '–'}</Fact>
            <Fact name="Screening">
              <Status of={screening} />
            </Fact>
          </Facts>
        </div>
      </div>
    </Card>
  )
}

/** Also shown during the next attempt, because they say what to correct. */
function Reasons({ of: { status, reasons } }: { readonly of: BusinessVerification }) {
  if (reasons.length === 0 || status === 'approved') return null
  return (
    <div className="w-full">
      <Notice
        tone={status === 'rejected' ? 'bad' : 'warn'}
        title={status === 'rejected' ? 'Why the bank refused' : 'Why the bank refused last time'}
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

const looks: Readonly<Record<Step['state'], readonly [LucideIcon, string, string]>> = {
  done: [CircleCheck, 'text-good', 'done'],
  yours: [CircleDot, 'text-warn', 'your turn'],
  theirs: [Clock, 'text-busy', 'in progress'],
  later: [CircleDashed, 'text-soft', 'later'],
}

function Steps({ steps }: { readonly steps: readonly Step[] }) {
  if (steps.length === 0) return null
  return (
    <ol aria-label="Verification steps" className="flex w-full flex-col gap-2.5">
      {steps.map(({ name, state }) => {
        const [Icon, ink, word] = looks[state]
        return (
          <li key={name} className="flex items-center gap-3">
            <Icon className={`size-4.5 shrink-0 ${ink}`} aria-hidden />
            <span className={state === 'later' ? 'text-soft' : 'font-medium'}>{name}</span>
            <span className={`ml-auto text-xs ${ink}`}>{word}</span>
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
          Top up live wallet
        </ButtonLink>
        <ButtonLink to="/dashboard/keys" search={{ environment: 'live' }}>
          Create live key
        </ButtonLink>
      </div>
    )
  if (can_start) return isAdmin ? <Start isAgain={status === 'rejected'} /> : <AdminsOnly />
  if (status === 'rejected') return <p className="text-soft">You cannot try again. Contact support.</p>
  if (!isAdmin) return <AdminsOnly />
  const isAnswered = stepsOf(verification)[0]?.state === 'done'
  return (
    <div className="flex flex-wrap gap-2 empty:hidden">
      {continue_url && !isAnswered && (
        <Anchor href={continue_url} target="_blank" rel="noopener noreferrer" weight="primary">
          <ExternalLink aria-hidden />
          Continue at the bank
        </Anchor>
      )}
      {terms_url && (
        <Anchor href={terms_url} target="_blank" rel="noopener noreferrer" weight={isAnswered ? 'primary' : 'plain'}>
          <ExternalLink aria-hidden />
          Read and accept the bank’s terms
        </Anchor>
      )}
    </div>
  )
}

const AdminsOnly = () => <p className="text-soft">An admin of your team has to continue.</p>

function Start({ isAgain }: { readonly isAgain: boolean }) {
  const queryClient = useQueryClient()
  const start = useMutation({
    mutationFn: () => call('POST', '/v1/compliance/verification', { body: {} }),
    // Also after an error: another admin may have started it.
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['compliance'] }),
  })
  return (
    <div className="flex w-full flex-col items-start gap-4">
      <Button weight="primary" busy={start.isPending} onClick={() => start.mutate()}>
        {isAgain ? 'Try again' : 'Start verification'}
      </Button>
      {start.error && <Trouble error={start.error} />}
    </div>
  )
}
