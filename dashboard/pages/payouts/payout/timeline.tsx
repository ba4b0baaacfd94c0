// The timeline of a payout, oldest first, with the time and actor of each event.
import { isInProgress } from '../../../api/queries'
import type { Payout, PayoutEvent } from '../../../api/types'
import { Moment } from '../../../parts/values/moment'
import { grouped, reasonWords, whoWords } from '../../../words'
import { texts, titleOf } from './texts'

const begun: Omit<PayoutEvent, 'at'> = { event: 'requested', status: 'pending', by: 'service', detail: null }

export function Timeline({ events, payout }: { readonly events: readonly PayoutEvent[]; readonly payout: Payout }) {
  const shown = events.length > 0 ? events : [{ ...begun, at: payout.created_at }]
  return (
    <ol className="relative flex flex-col gap-5 before:absolute before:inset-y-2 before:left-[5px] before:w-px before:bg-line">
      {shown.map((event, index) => (
        <li key={`${event.at}${event.event}${index}`} className="relative flex gap-4">
          <span className={`relative mt-1.5 size-[11px] shrink-0 rounded-full border-2 border-surface ${dot(event)}`} />
          <div className="min-w-0 flex-1">
            <p className="flex flex-wrap items-baseline justify-between gap-x-4 max-sm:flex-col">
              <span className="font-medium">{titleOf(event)}</span>
              <span className="text-xs text-soft">
                <Moment at={event.at} as="exact" />
              </span>
            </p>
            {event.detail && !isCase(event) && <p className="break-words text-soft">{detailOf(event, event.detail)}</p>}
            {event.by && !isNamed(event) && (
              <p className="truncate text-xs text-soft">{texts.timeline.by(whoWords(event.by))}</p>
            )}
          </div>
        </li>
      ))}
      {isInProgress(payout) && (
        <li className="relative flex gap-4 text-soft">
          <span className="relative mt-1.5 size-[11px] shrink-0 animate-pulse rounded-full border-2 border-busy bg-surface" />
          {texts.timeline.waiting}
        </li>
      )}
    </ol>
  )
}

/** Events without a "by" line: our own service acted, or the title already names the bank. */
const isNamed = ({ event, by }: PayoutEvent) =>
  by === 'service' || (by === 'bank' && (event === 'sent' || event === 'returned'))

/** The detail is an amount, such as "1527.22 USDC", or the reason for a failure. */
const detailOf = ({ event }: PayoutEvent, detail: string) =>
  event === 'debited' || event === 'refunded' ? grouped(detail) : reasonWords(detail)

/** The title of a case event already contains the detail. */
const isCase = ({ event }: PayoutEvent) => event.startsWith('case_')

/** Ignores the status: the refund of a failed payout has the status failed. */
function dot(happened: PayoutEvent): string {
  const { event } = happened
  if (isCase(happened)) return 'bg-busy'
  if (event === 'failed') return 'bg-bad'
  if (event === 'completed') return 'bg-good'
  return event === 'returned' ? 'bg-warn' : 'bg-edge'
}
