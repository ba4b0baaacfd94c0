// A time in the reader's own zone, with UTC when hovered or asked for by a reader of titles.
import { now } from '../now'
import { agoWords, dayWords, momentWords, utcWords } from '../words'

interface MomentProps {
  readonly at: string
  readonly as?: 'moment' | 'day' | 'ago'
}

export function Moment({ at, as = 'moment' }: MomentProps) {
  const words = as === 'ago' ? agoWords(at, now()) : as === 'day' ? dayWords(at) : momentWords(at)
  const title = as === 'ago' ? `${momentWords(at)} (${utcWords(at)})` : utcWords(at)
  return (
    <time dateTime={at} title={title} className="figures">
      {words}
    </time>
  )
}
