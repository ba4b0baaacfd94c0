// A bar chart of the amounts paid in the last twelve months. Mouse, touch or arrow keys show each month's exact
// figures.
import { type KeyboardEvent, useRef, useState } from 'react'
import type { UsageMonth } from '../../api/types'
import { asFloat, monthWords, plural, pounds, shortMonthWords } from '../../words'

const label = 'Paid to recipients in the last twelve months'

export function PaidByMonthChart({ months }: { readonly months: readonly UsageMonth[] }) {
  const list = useRef<HTMLUListElement>(null)
  // The chart is a single Tab stop. The arrow keys move between the bars.
  const [stop, setStop] = useState(months.length - 1)
  const highest = Math.max(...months.map(({ paid_gbp }) => asFloat(paid_gbp)))
  if (highest <= 0)
    return <p className="py-6 text-center text-soft">No payouts were completed in the last 12 months.</p>
  const top = topOf(highest)
  const onKeyDown = (event: KeyboardEvent) => {
    const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (move === undefined) return
    event.preventDefault()
    const next = Math.min(Math.max(stop + move, 0), months.length - 1)
    setStop(next)
    list.current?.querySelectorAll('button')[next]?.focus()
  }
  return (
    <figure className="grid grid-cols-[auto_1fr] gap-x-2 pt-4">
      <figcaption className="sr-only">{label}</figcaption>
      <div aria-hidden className="flex h-36 flex-col justify-between text-right text-[11px] leading-none text-soft">
        {[top, top / 2, 0].map((value) => (
          <span key={value} className="figures first:-translate-y-1/2 last:translate-y-1/2">
            {poundsInShort(value)}
          </span>
        ))}
      </div>
      <div className="relative">
        <div aria-hidden className="absolute inset-x-0 top-0 flex h-36 flex-col justify-between">
          {['top', 'middle', 'bottom'].map((line) => (
            <span key={line} className="border-t border-line" />
          ))}
        </div>
        <ul ref={list} onKeyDown={onKeyDown} aria-label={label} className="relative flex">
          {months.map((month, index) => (
            <li key={month.period_start} className="min-w-0 flex-1">
              <Bar
                month={month}
                top={top}
                isCurrent={index === months.length - 1}
                tabIndex={index === stop ? 0 : -1}
                side={index < 3 ? 'left-0' : index > months.length - 4 ? 'right-0' : 'left-1/2 -translate-x-1/2'}
                onFocus={() => setStop(index)}
              />
            </li>
          ))}
        </ul>
      </div>
    </figure>
  )
}

interface BarProps {
  readonly month: UsageMonth
  /** The amount at the top of the axis. */
  readonly top: number
  readonly isCurrent: boolean
  readonly tabIndex: number
  /** Keeps the tooltip inside the chart. */
  readonly side: string
  readonly onFocus: () => void
}

function Bar({ month, top, isCurrent, tabIndex, side, onFocus }: BarProps) {
  const paid = asFloat(month.paid_gbp)
  // At least 2%, so that a small amount is visible.
  const percent = paid > 0 ? Math.max((paid / top) * 100, 2) : 0
  // The current month is hatched, because it is not over.
  const color = isCurrent
    ? 'bg-accent bg-[repeating-linear-gradient(-45deg,transparent_0_5px,var(--color-surface)_5px_6px)] forced-colors:bg-[Highlight]'
    : 'bg-accent/40 group-hover:bg-accent/70 group-focus:bg-accent/70 forced-colors:bg-[CanvasText]'
  const name = shortMonthWords(month.period_start)
  return (
    <button
      type="button"
      data-printed
      tabIndex={tabIndex}
      onFocus={onFocus}
      // Safari does not focus a button that is tapped.
      onClick={({ currentTarget }) => currentTarget.focus()}
      className="group relative block w-full cursor-default rounded"
    >
      <span aria-hidden className="relative mx-auto flex h-36 w-[68%] items-end">
        <span style={{ height: `${percent}%` }} className="relative w-full">
          <span className={`block size-full rounded-t-xs forced-color-adjust-none ${color}`} />
          {paid > 0 && (
            <span className="figures absolute bottom-full left-1/2 hidden -translate-x-1/2 bg-surface px-0.5 text-[11px] text-soft sm:block">
              {poundsInShort(paid)}
            </span>
          )}
        </span>
      </span>
      <span aria-hidden className="mt-1 block text-center text-[11px] text-soft">
        {/* Twelve three-letter names do not fit on a phone. */}
        <span className="sm:hidden">{name.charAt(0)}</span>
        <span className="max-sm:hidden">{name}</span>
      </span>
      <span
        className={`pointer-events-none absolute bottom-full z-10 mb-1 w-max max-w-72 rounded-lg border border-transparent bg-ink px-2.5 py-1 text-left text-xs text-ground opacity-0 shadow-over group-hover:opacity-100 group-focus:opacity-100 ${side}`}
      >
        {monthWords(month.period_start)}
        {isCurrent && ' so far'}: {pounds(month.paid_gbp)}, {plural(month.completed, 'payout')}
      </span>
    </button>
  )
}

/** The smallest of 1, 2, 4, 6, 8 and 10 times a power of ten that is at least as high as the highest bar. */
function topOf(highest: number): number {
  const power = 10 ** Math.floor(Math.log10(highest))
  return ([1, 2, 4, 6, 8].find((times) => times * power >= highest) ?? 10) * power
}

const short = new Intl.NumberFormat('en-GB', {
  style: 'currency',
  currency: 'GBP',
  notation: 'compact',
  maximumSignificantDigits: 3,
})
/** Rounded, because the tooltip shows the exact figure. */
const poundsInShort = (amount: number) => short.format(amount)
