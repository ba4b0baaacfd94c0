// Sandbox only: makes the sandbox bank settle, fail, return or stall a payout.
import * as DropdownMenu from '@radix-ui/react-dropdown-menu'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Check, FlaskConical, type LucideIcon, Pause, Undo2, X } from 'lucide-react'
import { useState } from 'react'
import { call, pathTo } from '../../../api/call'
import { payoutQuery, reloadPayout } from '../../../api/queries'
import type { Payout } from '../../../api/types'
import { pageFacts } from '../../../page-facts'
import { Dialog, DialogButtons } from '../../../parts/dialog'
import { Button } from '../../../parts/forms/button'
import { Choice, controlled } from '../../../parts/forms/field'
import { adviceOf, ErrorNotice } from '../../../parts/notice'
import { useToast } from '../../../parts/toast'
import { useIsAdmin } from '../../../shell/here'
import { codeWords } from '../../../words'
import { type Outcome, possibleFrom, simulatedReasons } from './simulations'
import { texts } from './texts'

const words = texts.simulate

const icons: Readonly<Record<Outcome, LucideIcon>> = { settle: Check, fail: X, return: Undo2, stall: Pause }

export function Simulate({ payout }: { readonly payout: Payout }) {
  const isAdmin = useIsAdmin()
  const [asking, setAsking] = useState<'fail' | 'return' | null>(null)
  const { simulate, isAwaited } = useSimulate(payout, () => setAsking(null))
  const possible = possibleFrom(payout.status)
  const isOffered = isAdmin && payout.environment === 'sandbox' && pageFacts.sandbox_is_simulated && possible.length > 0
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
          className="stripes inline-flex h-9 items-center gap-2 rounded-lg border border-transparent bg-sandbox px-3.5 text-sm font-semibold text-on-sandbox hover:brightness-95 disabled:cursor-not-allowed [&_svg]:size-4"
        >
          <FlaskConical aria-hidden />
          {isAwaited ? words.waiting : words.button}
        </DropdownMenu.Trigger>
        {/* Rendered without a portal, so that the menu stays inside the main landmark for screen readers. */}
        <DropdownMenu.Content
          align="end"
          sideOffset={6}
          className="z-30 w-72 rounded-xl border border-line bg-surface p-1.5 shadow-over"
        >
          <p className="px-2.5 py-2 text-xs text-soft">{words.about}</p>
          {possible.map((outcome) => {
            const Icon = icons[outcome]
            const [name, about] = words.outcomes[outcome]
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
    <Dialog open={outcome !== null} onClose={onClose} title={outcome === 'fail' ? words.failTitle : words.returnTitle}>
      <div className="flex flex-col gap-4">
        <Choice label={words.reason} hint={words.reasonHint(reason)} {...controlled(reason, setReason)}>
          {simulatedReasons.map((code) => (
            <option key={code} value={code}>
              {codeWords(code)}
            </option>
          ))}
        </Choice>
        {simulate.error && <ErrorNotice error={simulate.error} />}
      </div>
      <DialogButtons>
        <Button onClick={onClose}>{words.cancel}</Button>
        <Button
          weight="primary"
          busy={simulate.isPending}
          onClick={() => outcome && simulate.mutate({ outcome, reason })}
        >
          {outcome === 'fail' ? words.failButton : words.returnButton}
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
  const showToast = useToast()
  /** The status before the simulation. */
  const [from, setFrom] = useState<Payout['status'] | null>(null)
  const isAwaited = from === status
  // Polls quickly until the status changes. Without this, a completed payout is polled rarely.
  useQuery({ ...payoutQuery(environment, id), refetchInterval: 1_500, enabled: isAwaited })
  const simulate = useMutation({
    mutationFn: (body: Simulation) =>
      call('POST', pathTo`/v1/sandbox/payouts/${id}/simulate`, { query: { environment }, body }),
    onSuccess: (_, { outcome }) => {
      if (outcome !== 'stall') setFrom(status)
      onDone()
      showToast(outcome === 'stall' ? words.stalled : words.started)
    },
    onError: (error, { reason }) => {
      // An outcome with a reason comes from the dialog, which shows the error itself.
      if (reason === undefined) showToast(adviceOf(error), 'bad')
    },
    onSettled: () => reloadPayout(queryClient),
  })
  return { simulate, isAwaited }
}
