// For the sandbox alone: chooses how the sandbox bank goes on with a payout, and follows it there.
import * as DropdownMenu from '@radix-ui/react-dropdown-menu'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Check, FlaskConical, Pause, Undo2, X } from 'lucide-react'
import { useState } from 'react'
import { call, pathTo } from '../../../api/call'
import { payoutQuery } from '../../../api/queries'
import type { Payout } from '../../../api/types'
import { pageFacts } from '../../../page-facts'
import { Dialog, DialogButtons } from '../../../parts/dialog'
import { Button } from '../../../parts/forms/button'
import { Choice } from '../../../parts/forms/field'
import { adviceOf, Trouble } from '../../../parts/notice'
import { useSay } from '../../../parts/toast'
import { useIsAdmin } from '../../../shell/here'
import { codeWords } from '../../../words'
import { readAgain } from './read-again'
import { type Outcome, possibleFrom, simulatedReasons } from './simulations'

const ways = {
  settle: [Check, 'Settle', 'it arrives'],
  fail: [X, 'Fail …', 'it cannot be delivered'],
  return: [Undo2, 'Return …', 'it arrives and is sent back'],
  stall: [Pause, 'Stall', 'the bank holds it'],
} as const satisfies Readonly<Record<Outcome, unknown>>

export function Simulate({ payout }: { readonly payout: Payout }) {
  const isAdmin = useIsAdmin()
  const [asking, setAsking] = useState<'fail' | 'return' | null>(null)
  const { simulate, isAwaited } = useSimulate(payout, () => setAsking(null))
  const possible = possibleFrom(payout.status)
  const isOffered =
    isAdmin && payout.environment === 'sandbox' && pageFacts.sandbox_is_make_believe && possible.length > 0
  if (!isOffered && asking === null) return null
  const choose = (outcome: Outcome) => {
    simulate.reset()
    if (outcome === 'fail' || outcome === 'return') setAsking(outcome)
    else simulate.mutate({ outcome })
  }
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger
          disabled={simulate.isPending || isAwaited}
          className="stripes inline-flex h-9 items-center gap-2 rounded-lg bg-sandbox px-3.5 text-sm font-semibold text-on-sandbox hover:brightness-95 disabled:cursor-not-allowed [&_svg]:size-4"
        >
          <FlaskConical aria-hidden />
          {isAwaited ? 'The bank was told' : 'Simulate'}
        </DropdownMenu.Trigger>
        {/* Not by a portal: what belongs to the page stays in its main part, for who jumps between parts. */}
        <DropdownMenu.Content
          align="end"
          sideOffset={6}
          className="z-30 w-72 rounded-xl border border-line bg-surface p-1.5 shadow-over"
        >
          <p className="px-2.5 py-2 text-xs text-soft">What the sandbox bank does with it. No money moves.</p>
          {possible.map((outcome) => {
            const [Icon, name, about] = ways[outcome]
            return (
              <DropdownMenu.Item
                key={outcome}
                onSelect={() => choose(outcome)}
                className="flex h-9 items-center gap-2.5 rounded-md px-2.5 outline-none select-none data-highlighted:bg-sunken [&_svg]:size-4 [&_svg]:text-soft"
              >
                <Icon aria-hidden />
                <span className="font-medium">{name}</span>
                <span className="ml-auto text-xs text-soft">{about}</span>
              </DropdownMenu.Item>
            )
          })}
        </DropdownMenu.Content>
      </DropdownMenu.Root>
      <WithReason outcome={asking} simulate={simulate} onClose={() => setAsking(null)} />
    </>
  )
}

interface WithReasonProps {
  readonly outcome: 'fail' | 'return' | null
  readonly simulate: ReturnType<typeof useSimulate>['simulate']
  readonly onClose: () => void
}

function WithReason({ outcome, simulate, onClose }: WithReasonProps) {
  const [reason, setReason] = useState('account_closed')
  return (
    <Dialog
      open={outcome !== null}
      onClose={onClose}
      title={outcome === 'fail' ? 'Let it fail in the sandbox' : 'Send it back in the sandbox'}
    >
      <div className="flex flex-col gap-4">
        <Choice
          label="Reason"
          hint={`The payout’s failure_reason will begin with ${reason}.`}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        >
          {simulatedReasons.map((code) => (
            <option key={code} value={code}>
              {codeWords(code)}
            </option>
          ))}
        </Choice>
        {simulate.error && <Trouble error={simulate.error} />}
      </div>
      <DialogButtons>
        <Button onClick={onClose}>Not now</Button>
        <Button
          weight="primary"
          busy={simulate.isPending}
          onClick={() => outcome && simulate.mutate({ outcome, reason })}
        >
          {outcome === 'fail' ? 'Let it fail' : 'Send it back'}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}

interface Simulation {
  readonly outcome: Outcome
  readonly reason?: string
}

function useSimulate({ id, environment, status }: Payout, onDone: () => void) {
  const queryClient = useQueryClient()
  const say = useSay()
  /** The status that it had when the bank was told to change it. */
  const [from, setFrom] = useState<Payout['status'] | null>(null)
  const isAwaited = from === status
  // What is completed is usually asked for now and then only.
  useQuery({ ...payoutQuery(environment, id), refetchInterval: 1_500, enabled: isAwaited })
  const simulate = useMutation({
    mutationFn: (body: Simulation) =>
      call('POST', pathTo`/v1/sandbox/payouts/${id}/simulate`, { query: { environment }, body }),
    onSuccess: (_, { outcome }) => {
      if (outcome !== 'stall') setFrom(status)
      onDone()
      say(outcome === 'stall' ? 'The sandbox bank holds it' : 'The sandbox bank was told')
    },
    onError: (error, { reason }) => {
      // With a reason there is a dialog, which shows it.
      if (reason === undefined) say(adviceOf(error), 'bad')
    },
    onSettled: () => readAgain(queryClient),
  })
  return { simulate, isAwaited }
}
