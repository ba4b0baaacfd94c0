// A payout's recalls and traces, with due date, notes and outcome.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { SearchCheck, Undo2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { call, pathTo } from '../../../api/call'
import { casesQuery, reloadPayout } from '../../../api/queries'
import { type Case, type CaseKind, type Payout, payoutStatuses } from '../../../api/types'
import { Card, Fact, Facts, GbpFact } from '../../../parts/card'
import { Dialog, DialogButtons } from '../../../parts/dialog'
import { Button } from '../../../parts/forms/button'
import { Area, controlled } from '../../../parts/forms/field'
import { Loaded } from '../../../parts/loaded'
import { ErrorNotice } from '../../../parts/notice'
import { useToast } from '../../../parts/toast'
import { Moment } from '../../../parts/values/moment'
import { Status } from '../../../parts/values/status'
import { useIsAdmin, useLinkedDialog } from '../../../shell/here'
import { whoWords } from '../../../words'
import { NoteList } from './notes'
import { outcomeWords, texts } from './texts'

const words = texts.cases

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
    <Card title={words.title}>
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
  useLinkedDialog('trace', () => setKind(trace ? 'trace' : null))
  return (
    <>
      {(recall || trace) && (
        <div className="flex flex-col items-start gap-3">
          <p className="text-soft">{recall ? words.recallOrTrace : words.traceOnly}</p>
          <div className="flex flex-wrap gap-2">
            {recall && (
              <Button onClick={() => setKind('recall')}>
                <Undo2 aria-hidden />
                {words.kinds.recall.button}
              </Button>
            )}
            {trace && (
              <Button onClick={() => setKind('trace')}>
                <SearchCheck aria-hidden />
                {words.kinds.trace.button}
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
  const { name } = words.kinds[each.kind]
  return (
    <article aria-label={name} className="flex flex-col gap-3 border-b border-line pb-5 last:border-0 last:pb-0">
      <header className="flex items-center justify-between gap-3">
        <h3 className="font-semibold">{name}</h3>
        <Status of={each.status} />
      </header>
      <p className="break-words">{each.reason}</p>
      <Facts>
        <Fact name={words.requested}>
          <Moment at={each.opened_at} as="day" />
        </Fact>
        <Fact name={words.requestedBy}>{whoWords(each.opened_by)}</Fact>
        {each.resolved_at === null ? (
          <Fact name={words.replyBy}>
            <Moment at={each.due_at} as="day" />
          </Fact>
        ) : (
          <Fact name={words.resolved}>
            <Moment at={each.resolved_at} as="day" />
          </Fact>
        )}
        {each.outcome && <Fact name={words.outcome}>{outcomeWords(each.outcome)}</Fact>}
        {each.charge_gbp && <GbpFact name={words.charge} of={each.charge_gbp} />}
      </Facts>
      {each.notes.length > 0 && (
        <NoteList notes={each.notes.map(({ at, by, note }) => ({ key: `${at}${note}`, at, by, text: note }))} />
      )}
    </article>
  )
}

interface OpenCaseProps {
  readonly payout: Payout
  readonly kind: CaseKind | null
  readonly onClose: () => void
}

/** If a case of the same kind is already open, the server's own message is shown. */
const states = (state: string) =>
  payoutStatuses.some((status) => status === state) ? words.impossible(state) : undefined

/** Opens a recall or a trace, and explains its effect and cost first. */
function OpenCase({ payout, kind, onClose }: OpenCaseProps) {
  const [reason, setReason] = useState('')
  const close = () => {
    setReason('')
    onClose()
  }
  const open = useOpen(payout, kind ?? 'trace', () => close())
  const { title, about, hint, button } = words.kinds[kind ?? 'trace']
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (reason.trim() !== '') open.mutate(reason.trim())
  }
  return (
    <Dialog open={kind !== null} onClose={close} title={title} change={open}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <p className="text-soft">
          {about} {words.costs[payout.environment]}
        </p>
        <Area
          label={words.reason}
          required
          autoFocus
          rows={3}
          maxLength={500}
          hint={hint}
          {...controlled(reason, setReason)}
        />
        {open.error && <ErrorNotice error={open.error} states={states} />}
        <DialogButtons>
          <Button onClick={close}>{words.cancel}</Button>
          <Button type="submit" weight="primary" busy={open.isPending} disabled={reason.trim() === ''}>
            {button}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}

function useOpen({ id, environment }: Payout, kind: CaseKind, onClose: () => void) {
  const queryClient = useQueryClient()
  const showToast = useToast()
  return useMutation({
    mutationFn: (reason: string) =>
      call<Case>('POST', pathTo`/v1/payouts/${id}/cases`, { query: { environment }, body: { kind, reason } }),
    onSuccess: () => {
      onClose()
      showToast(words.kinds[kind].done)
    },
    onSettled: () => reloadPayout(queryClient),
  })
}
