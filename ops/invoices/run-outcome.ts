// What a run came to, in a sentence for people.
import { type Month, monthInWords } from '../../domain/month'

interface RunCounts {
  readonly issued: number
  readonly already: number
  readonly nothing: number
  readonly elsewhere: number
}

export function outcomeOf(period: Month, { issued, already, nothing, elsewhere }: RunCounts): string {
  const month = monthInWords(period)
  const parts = [
    ...(already > 0 ? [`${already} had theirs already`] : []),
    ...(nothing > 0 ? [`${nothing} had nothing to bill`] : []),
    ...(elsewhere > 0 ? [`${elsewhere} are being billed by another run`] : []),
  ]
  const rest = parts.length > 0 ? `; ${parts.join(', ')}` : ''
  if (issued === 0) return `${month}: nothing has changed, no invoice was issued${rest}.`
  return `${month}: ${issued} ${issued === 1 ? 'invoice was' : 'invoices were'} issued${rest}.`
}
