// Notes that the team writes on a payout. They cannot be edited or deleted.
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { call, newKey, pathTo } from '../../../api/call'
import type { Environment, List, Payout, PayoutNote } from '../../../api/types'
import { Card } from '../../../parts/card'
import { Button } from '../../../parts/forms/button'
import { Area, controlled } from '../../../parts/forms/field'
import { Bars, Loaded } from '../../../parts/loaded'
import { ErrorNotice, faultAt } from '../../../parts/notice'
import { Moment } from '../../../parts/values/moment'
import { useIsAdmin } from '../../../shell/here'
import { whoWords } from '../../../words'
import { texts } from './texts'

const words = texts.notes

const notesQuery = (environment: Environment, id: string) =>
  queryOptions({
    queryKey: ['payout-notes', environment, id],
    queryFn: ({ signal }) =>
      call<List<PayoutNote>>('GET', pathTo`/v1/payouts/${id}/notes`, { query: { environment }, signal }),
  })

export function Notes({ payout }: { readonly payout: Payout }) {
  const isAdmin = useIsAdmin()
  const query = useQuery(notesQuery(payout.environment, payout.id))
  return (
    <Card title={words.title}>
      <div className="flex flex-col gap-4">
        <Loaded query={query} skeleton={<Bars rows={1} />}>
          {({ data }) =>
            data.length === 0 ? (
              <p className="text-soft">{words.none}</p>
            ) : (
              <NoteList notes={data.map(({ id, at, by, text }) => ({ key: id, at, by, text }))} />
            )
          }
        </Loaded>
        {isAdmin && <NewNote payout={payout} />}
      </div>
    </Card>
  )
}

interface NoteListProps {
  readonly notes: readonly {
    readonly key: string
    readonly at: string
    readonly by: string
    /** Null if the server cannot decrypt the text. */
    readonly text: string | null
  }[]
}

export function NoteList({ notes }: NoteListProps) {
  return (
    <ul aria-label={words.title} className="flex flex-col gap-2">
      {notes.map(({ key, at, by, text }) => (
        <li key={key} className="rounded-lg bg-sunken px-3 py-2">
          {text === null ? (
            <p className="text-soft">{words.unreadable}</p>
          ) : (
            <p className="break-words whitespace-pre-wrap">{text}</p>
          )}
          <p className="text-xs text-soft">
            <Moment at={at} as="brief" />, {words.by(whoWords(by))}
          </p>
        </li>
      ))}
    </ul>
  )
}

const states = (state: string) => (state === 'too_many_notes' ? words.tooMany : undefined)

function NewNote({ payout: { id, environment } }: { readonly payout: Payout }) {
  const [text, setText] = useState('')
  const [key, setKey] = useState(newKey)
  // A changed text is a new note and needs a new key, even if the response to the first request was lost.
  const change = (changed: string) => {
    setText(changed)
    setKey(newKey())
  }
  const queryClient = useQueryClient()
  const add = useMutation({
    mutationFn: (note: string) => {
      const headers = { 'Idempotency-Key': key }
      return call('POST', pathTo`/v1/payouts/${id}/notes`, { query: { environment }, headers, body: { text: note } })
    },
    onSuccess: async () => {
      change('')
      await queryClient.invalidateQueries({ queryKey: notesQuery(environment, id).queryKey })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') add.mutate(text.trim())
  }
  return (
    <form onSubmit={submit} className="flex flex-col items-start gap-3 print:hidden">
      <div className="w-full">
        <Area
          label={words.add}
          rows={2}
          maxLength={1000}
          hint={words.hint}
          error={faultAt(add.error, 'text')}
          {...controlled(text, change)}
        />
      </div>
      {add.error && <ErrorNotice error={add.error} states={states} fields={['text']} />}
      <Button type="submit" busy={add.isPending} disabled={text.trim() === ''}>
        {words.button}
      </Button>
    </form>
  )
}
