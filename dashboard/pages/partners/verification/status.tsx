// Where verification stands in words and shape, what is still missing, and the ways on.
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
  not_started:
    'Nothing was sent to the bank yet. It takes about ten minutes: have the company number and the owners’ details at hand.',
  pending: 'It was begun and not finished. Go on where you stopped.',
  action_required: 'The bank needs something more from you. Go on, and it tells you what.',
  in_review: 'The bank has everything and looks at it. That takes one to two working days; there is nothing to do.',
  approved: 'Your business is verified: live keys and live payouts are open.',
  rejected: 'The bank did not accept the business. The sandbox goes on working.',
}

export function Standing({ compliance }: { readonly compliance: Compliance }) {
  const { business_verification: verification, screening } = compliance
  const { status, provider_status } = verification
  const isBeingAsked = status === 'pending' && verification.continue_url === null
  return (
    <Card title="Business verification">
      <div className="flex flex-col items-start gap-5">
        <div aria-live="polite" className="flex flex-col items-start gap-2">
          <Status of={status} />
          <p className="max-w-prose">
            {isBeingAsked ? 'The bank is being asked. Its links appear here in a moment.' : next[status]}
          </p>
        </div>
        <Reasons of={verification} />
        <Steps steps={stepsOf(verification)} />
        <Ways of={verification} />
        {pageFacts.live_is_make_believe && status !== 'approved' && (
          <Notice title="The bank here is simulated">
            Its page asks nothing: you decide there what it finds. Nobody is verified, and no money moves.
          </Notice>
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

/** Also after the next try has begun, since they say what to mend. */
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
  yours: [CircleDot, 'text-warn', 'waits for you'],
  theirs: [Clock, 'text-busy', 'under way'],
  later: [CircleDashed, 'text-soft', 'later'],
}

function Steps({ steps }: { readonly steps: readonly Step[] }) {
  if (steps.length === 0) return null
  return (
    <ol aria-label="What is still missing" className="flex w-full flex-col gap-2.5">
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

function Ways({ of: verification }: { readonly of: BusinessVerification }) {
  const isAdmin = useIsAdmin()
  const { status, continue_url, terms_url, can_start } = verification
  if (status === 'approved')
    return (
      <div className="flex flex-wrap gap-2">
        <ButtonLink to="/dashboard/top-up" search={{ environment: 'live' }} weight="primary">
          Top up the live wallet
        </ButtonLink>
        <ButtonLink to="/dashboard/keys" search={{ environment: 'live' }}>
          Make a live key
        </ButtonLink>
      </div>
    )
  if (can_start) return isAdmin ? <Start isAgain={status === 'rejected'} /> : <AdminsOnly />
  if (status === 'rejected') return <p className="text-soft">It cannot be tried again. Contact support.</p>
  if (!isAdmin) return <AdminsOnly />
  const isAnswered = stepsOf(verification)[0]?.state === 'done'
  return (
    <div className="flex flex-wrap gap-2 empty:hidden">
      {continue_url && !isAnswered && (
        <Anchor href={continue_url} target="_blank" rel="noopener noreferrer" weight="primary">
          <ExternalLink aria-hidden />
          Go on at the bank
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

const AdminsOnly = () => <p className="text-soft">An admin of your team goes on with it.</p>

function Start({ isAgain }: { readonly isAgain: boolean }) {
  const queryClient = useQueryClient()
  const start = useMutation({
    mutationFn: () => call('POST', '/v1/compliance/verification', { body: {} }),
    // Also when somebody else was quicker: the page shows what they have begun.
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
