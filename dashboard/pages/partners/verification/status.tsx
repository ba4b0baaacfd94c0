// The status of the verification, the missing steps, and the next actions.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, CircleDashed, CircleDot, Clock, ExternalLink, type LucideIcon } from 'lucide-react'
import { call } from '../../../api/call'
import type { BusinessVerification, Compliance } from '../../../api/types'
import { pageFacts } from '../../../page-facts'
import { Card, Fact, Facts } from '../../../parts/card'
import { Anchor, Button, ButtonLink } from '../../../parts/forms/button'
import { ErrorNotice, Notice } from '../../../parts/notice'
import { Contact } from '../../../parts/support'
import { Status } from '../../../parts/values/status'
import { useIsAdmin } from '../../../shell/here'
import { codeWords } from '../../../words'
import { type Step, stepsOf } from './steps'

const next: Readonly<Record<string, string>> = {
  not_started: 'Takes about 10 minutes. You’ll need your company number and the owners’ details.',
  pending: 'You haven’t finished yet. Continue where you left off.',
  action_required: 'The bank needs more information. Continue to see what’s missing.',
  in_review: 'The bank is reviewing your details. This takes 1–2 working days. There’s nothing you need to do.',
  approved: 'Your business is verified. You can now create live keys and send live payouts.',
  rejected: 'The bank declined your application. Your sandbox still works.',
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
            {isBeingAsked ? 'Connecting to the bank. The next steps will appear here in a moment.' : next[status]}
          </p>
        </div>
        <Reasons of={verification} />
        <Steps steps={stepsOf(verification)} />
        <NextActions of={verification} />
        {pageFacts.live_is_simulated && status !== 'approved' && (
          <Notice title="Simulated bank">
            You choose the outcome on the bank’s page. There are no real checks, and no money moves.
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
        title={status === 'rejected' ? 'Reasons given by the bank' : 'Reasons given by the bank last time'}
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
  done: [CircleCheck, 'text-good', 'Done'],
  yours: [CircleDot, 'text-warn', 'Action needed'],
  theirs: [Clock, 'text-busy', 'In progress'],
  later: [CircleDashed, 'text-soft', 'Not started'],
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
  if (status === 'rejected')
    return (
      <p className="text-soft">
        You can’t reapply.
        <Contact>Contact support</Contact>
      </p>
    )
  if (!isAdmin) return <AdminsOnly />
  const isAnswered = stepsOf(verification)[0]?.state === 'done'
  return (
    <div className="flex flex-wrap gap-2 empty:hidden">
      {continue_url && !isAnswered && (
        <Anchor href={continue_url} target="_blank" rel="noopener noreferrer" weight="primary">
          <ExternalLink aria-hidden />
          Continue with the bank
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

const AdminsOnly = () => <p className="text-soft">An admin on your team needs to complete this.</p>

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
      {start.error && (
        <ErrorNotice
          error={start.error}
          states={() => 'Verification has already started. This page shows its progress.'}
        />
      )}
    </div>
  )
}
