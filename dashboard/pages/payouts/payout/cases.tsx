// Recalls and traces of a payout, with due date, notes and outcome.
import { useQuery } from '@tanstack/react-query'
import { SearchCheck, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { casesQuery } from '../../../api/queries'
import type { Case, CaseKind, Payout } from '../../../api/types'
import { Card, Fact, Facts, GbpFact } from '../../../parts/card'
import { Button } from '../../../parts/forms/button'
import { Loaded } from '../../../parts/loaded'
import { Moment } from '../../../parts/values/moment'
import { Status } from '../../../parts/values/status'
import { useIsAdmin } from '../../../shell/here'
import { whoWords } from '../../../words'
import { kindWords, outcomeWords } from './event-words'
import { OpenCase } from './open-case'

/** Only a completed payout can be recalled; a processing or completed one can be traced. */
const possible: Readonly<Record<CaseKind, readonly Payout['status'][]>> = {
  recall: ['completed'],
  trace: ['processing', 'completed'],
}

export function Cases({ payout }: { readonly payout: Payout }) {
  const isAdmin = useIsAdmin()
  const query = useQuery(casesQuery(payout.environment, payout.id))
  const cases = query.data?.data ?? []
  const isOpen = (kind: CaseKind) => cases.some((each) => each.kind === kind && each.status !== 'resolved')
  const can = (kind: CaseKind) => isAdmin && possible[kind].includes(payout.status) && !isOpen(kind)
  if (cases.length === 0 && !can('recall') && !can('trace')) return null
  return (
    <Card title="Recalls and traces">
      <Loaded query={query}>
        {({ data }) => (
          <div className="flex flex-col gap-5">
            {data.map((each) => (
              <Shown key={each.id} of={each} />
            ))}
            <NewCase payout={payout} recall={can('recall')} trace={can('trace')} />
          </div>
        )}
      </Loaded>
    </Card>
  )
}

interface NewCaseProps {
  readonly payout: Payout
  readonly recall: boolean
  readonly trace: boolean
}

function NewCase({ payout, recall, trace }: NewCaseProps) {
  const [kind, setKind] = useState<CaseKind | null>(null)
  return (
    <>
      {(recall || trace) && (
        <div className="flex flex-col items-start gap-3">
          <p className="text-soft">
            {recall ? 'Sent by mistake, or hasn’t arrived?' : 'Hasn’t arrived?'} We’ll contact the bank for you.
          </p>
          <div className="flex flex-wrap gap-2">
            {recall && (
              <Button onClick={() => setKind('recall')}>
                <Undo2 aria-hidden />
                Request recall
              </Button>
            )}
            {trace && (
              <Button onClick={() => setKind('trace')}>
                <SearchCheck aria-hidden />
                Request trace
              </Button>
            )}
          </div>
        </div>
      )}
      <OpenCase payout={payout} kind={kind} onClose={() => setKind(null)} />
    </>
  )
}

function Shown({ of: each }: { readonly of: Case }) {
  return (
    <article
      aria-label={kindWords[each.kind]}
      className="flex flex-col gap-3 border-b border-line pb-5 last:border-0 last:pb-0"
    >
      <header className="flex items-center justify-between gap-3">
        <h3 className="font-semibold">{kindWords[each.kind]}</h3>
        <Status of={each.status} />
      </header>
      <p className="break-words">{each.reason}</p>
      <Facts>
        <Fact name="Requested">
          <Moment at={each.opened_at} as="day" />
        </Fact>
        <Fact name="Requested by">{whoWords(each.opened_by)}</Fact>
        {each.resolved_at === null ? (
          <Fact name="Reply expected by">
            <Moment at={each.due_at} as="day" />
          </Fact>
        ) : (
          <Fact name="Resolved">
            <Moment at={each.resolved_at} as="day" />
          </Fact>
        )}
        {each.outcome && <Fact name="Outcome">{outcomeWords(each.outcome)}</Fact>}
        {each.charge_gbp && <GbpFact name="Charge" of={each.charge_gbp} />}
      </Facts>
      {each.notes.length > 0 && (
        <ul aria-label="Notes" className="flex flex-col gap-2">
          {each.notes.map(({ at, by, note }) => (
            <li key={`${at}${note}`} className="rounded-lg bg-sunken px-3 py-2">
              <p className="break-words">{note}</p>
              <p className="text-xs text-soft">
                <Moment at={at} as="brief" />, by {whoWords(by)}
              </p>
            </li>
          ))}
        </ul>
      )}
    </article>
  )
}
