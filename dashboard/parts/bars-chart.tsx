// Bars for twelve months, drawn by hand; the same figures as a table for whoever does not see them.
import { shortMonthWords } from '../words'

export interface BarOf {
  readonly month: string
  readonly height: number
  readonly words: string
}

const width = 600
const height = 150
const labelSpace = 22

export function BarsChart({ bars, label }: { readonly bars: readonly BarOf[]; readonly label: string }) {
  const highest = Math.max(...bars.map((bar) => bar.height), 1)
  const step = width / Math.max(bars.length, 1)
  return (
    <figure>
      <svg viewBox={`0 0 ${width} ${height + labelSpace}`} role="img" aria-label={label} className="w-full">
        <line x1="0" x2={width} y1={height} y2={height} className="stroke-line" />
        {bars.map((bar, index) => {
          const size = bar.height > 0 ? Math.max((bar.height / highest) * (height - 8), 3) : 0
          const isLast = index === bars.length - 1
          return (
            <g key={bar.month} className={isLast ? 'fill-accent' : 'fill-accent/45 hover:fill-accent/70'}>
              <title>{bar.words}</title>
              <rect x={index * step} y="0" width={step} height={height} className="fill-transparent" />
              <rect x={index * step + step * 0.16} y={height - size} width={step * 0.68} height={size} rx="3" />
              <text x={index * step + step / 2} y={height + 16} textAnchor="middle" className="fill-soft text-[11px]">
                {shortMonthWords(bar.month)}
              </text>
            </g>
          )
        })}
      </svg>
      <table className="sr-only">
        <caption>{label}</caption>
        <tbody>
          {bars.map((bar) => (
            <tr key={bar.month}>
              <td>{bar.words}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}
