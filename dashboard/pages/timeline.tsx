// What happened to a payout, oldest first, each with its time and who did it; what is still to come is said at the end.
import { isUnderWay } from '../api/queries'
import type { Payout, PayoutEvent } from '../api/types'
import { Moment } from '../parts/moment'
import { codeWords, reasonWords } from '../words'

const known: Readonly<Record<string, string>> = {
  requested: 'Requested',
  debited: 'Set aside in the wallet',
  sent: 'Accepted by the bank',
  unconfirmed: 'Waiting for the bank to confirm',
  completed: 'In the recipient’s account',
  failed: 'Failed',
  refunded: 'Money back in the wallet',
  cancelled: 'Cancelled',
  returned: 'Sent back by the recipient’s bank',
}

const begun: Omit<PayoutEvent, 'at'> = { event: 'requested', status: 'pending', by: null, detail: null }

export function Timeline({ events, payout }: { readonly events: readonly PayoutEvent[]; readonly payout: Payout }) {
  const shown = events.length > 0 ? events : [{ ...begun, at: payout.created_at }]
  return (
    <ol className="relative flex flex-col gap-5 before:absolute before:inset-y-2 before:left-[5px] before:w-px before:bg-line">
      {shown.map((event, index) => (
        <li key={`${event.at}${event.event}${index}`} className="relative flex gap-4">
          <span className={`relative mt-1.5 size-[11px] shrink-0 rounded-full border-2 border-surface ${dot(event)}`} />
          <div className="min-w-0 flex-1">
            <p className="flex flex-wrap items-baseline justify-between gap-x-4">
              <span className="font-medium">{known[event.event] ?? codeWords(event.event)}</span>
              <span className="text-xs text-soft">
                <Moment at={event.at} as="exact" />
              </span>
            </p>
            {event.detail && <p className="break-words text-soft">{reasonWords(event.detail)}</p>}
            {event.by && event.by !== 'service' && <p className="truncate text-xs text-soft">{byWords(event.by)}</p>}
          </div>
        </li>
      ))}
      {isUnderWay(payout) && (
        <li className="relative flex gap-4 text-soft">
          <span className="relative mt-1.5 size-[11px] shrink-0 animate-pulse rounded-full border-2 border-busy bg-surface" />
          Waiting for the bank. This page follows by itself.
        </li>
      )}
    </ol>
  )
}

function dot({ event, status }: PayoutEvent): string {
  if (event === 'failed' || status === 'failed') return 'bg-bad'
  if (event === 'completed') return 'bg-good'
  return 'bg-edge'
}

function byWords(by: string): string {
  return by === 'bank' ? 'by the bank' : `by ${by.replace(/^key:/, 'API key ')}`
}
