// A bar chart of twelve months, with the same figures as a list for screen readers.
import { shortMonthWords } from '../../words'

interface BarOf {
  readonly month: string
  readonly height: number
  readonly words: string
}

const space = 100

export function BarsChart({ bars, label }: { readonly bars: readonly BarOf[]; readonly label: string }) {
  const highest = Math.max(...bars.map((bar) => bar.height), 1)
  return (
    <figure>
      <svg
        viewBox={`0 0 ${bars.length} ${space}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
        className="h-36 w-full border-b border-line"
      >
        {bars.map((bar, index) => {
          const size = bar.height > 0 ? Math.max((bar.height / highest) * space, 2) : 0
          const isLast = index === bars.length - 1
          return (
            <g key={bar.month} className={isLast ? 'fill-accent' : 'fill-accent/40 hover:fill-accent/70'}>
              <title>{bar.words}</title>
              <rect x={index} y="0" width="1" height={space} className="fill-transparent" />
              <rect x={index + 0.16} y={space - size} width="0.68" height={size} />
            </g>
          )
        })}
      </svg>
      <div aria-hidden className="mt-1 flex text-center text-[11px] text-soft">
        {bars.map((bar) => (
          <span key={bar.month} className="flex-1">
            {shortMonthWords(bar.month)}
          </span>
        ))}
      </div>
      <ul className="sr-only">
        {bars.map((bar) => (
          <li key={bar.month}>{bar.words}</li>
        ))}
      </ul>
    </figure>
  )
}
