// A time in the reader's time zone, with the UTC time as its tooltip.
import { now } from '../../now'
import { agoWords, briefWords, dayWords, exactWords, momentWords, utcWords } from '../../words'

const forms = {
  moment: momentWords,
  exact: exactWords,
  day: dayWords,
  brief: (at: string) => briefWords(at, now()),
  ago: (at: string) => agoWords(at, now()),
}

export function Moment({ at, as = 'moment' }: { readonly at: string; readonly as?: keyof typeof forms }) {
  const title = as === 'ago' ? `${momentWords(at)} (${utcWords(at)})` : utcWords(at)
  return (
    <time dateTime={at} title={title} className="figures">
      {forms[as](at)}
    </time>
  )
}
