// Ctrl or Cmd + K: opens a page, or a payout by its id, reference, name or last four digits.
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import { type KeyboardEvent, useDeferredValue, useState } from 'react'
import { latestPayoutsQuery } from '../api/queries'
import { Dialog } from '../parts/dialog'
import { Status } from '../parts/values/status'
import { pounds } from '../words'
import { useEnvironment, useIsAdmin } from './here'
import { menu, sendItem } from './pages'

export function Palette({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Search" shape="bare">
      <Search onClose={onClose} />
    </Dialog>
  )
}

interface Hit {
  readonly to: string
  readonly name: string
  readonly note?: string
  readonly status?: string
}

function Search({ onClose }: { readonly onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(0)
  const navigate = useNavigate()
  const hits = useHits(typed.trim())
  const go = (hit: Hit | undefined) => {
    if (!hit) return
    onClose()
    void navigate({ to: hit.to })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') go(hits[chosen])
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (move === undefined || hits.length === 0) return
    event.preventDefault()
    setChosen((chosen + move + hits.length) % hits.length)
  }
  return (
    <div onKeyDown={onKeyDown}>
      <input
        role="combobox"
        aria-expanded
        aria-controls="hits"
        aria-activedescendant={hits.length > 0 ? `hit-${chosen}` : undefined}
        aria-label="Search pages and payouts"
        autoFocus
        placeholder="Search pages, recipients, references, last 4 digits or IDs"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value)
          setChosen(0)
        }}
        className="h-13 w-full rounded-t-2xl border-b border-line bg-surface px-5 text-base placeholder:text-soft focus-visible:outline-none"
      />
      <ul id="hits" role="listbox" aria-label="Search results" className="max-h-[50vh] overflow-y-auto p-2">
        {hits.map((hit, index) => (
          <li
            key={hit.to}
            id={`hit-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => go(hit)}
            onMouseMove={() => setChosen(index)}
            className={`flex min-h-10 cursor-pointer items-center gap-3 rounded-lg px-3 ${index === chosen ? 'bg-accent-soft' : ''}`}
          >
            <span className="min-w-0 flex-1 truncate">{hit.name}</span>
            {hit.note && <span className="figures text-soft">{hit.note}</span>}
            {hit.status ? <Status of={hit.status} /> : <ArrowRight className="size-4 text-soft" aria-hidden />}
          </li>
        ))}
        {hits.length === 0 && <li className="px-3 py-6 text-center text-soft">No results</li>}
      </ul>
    </div>
  )
}

function useHits(typed: string): readonly Hit[] {
  const environment = useEnvironment()
  const isAdmin = useIsAdmin()
  const q = useDeferredValue(typed)
  const found = useQuery({
    ...latestPayoutsQuery(environment, { q, limit: 6 }),
    enabled: q.length >= 2,
    refetchInterval: false,
  })
  const pages = [...(isAdmin ? [sendItem] : []), ...menu.flat()]
  const matching = pages.filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase()))
  const payouts = q.length >= 2 ? (found.data?.data ?? []) : []
  return [
    ...matching.map(({ to, name }) => ({ to, name })),
    ...payouts.map((payout) => ({
      to: `/dashboard/payouts/${payout.id}`,
      name: [payout.recipient.name, payout.reference].filter(Boolean).join(' · ') || payout.id,
      note: pounds(payout.amount_gbp),
      status: payout.status,
    })),
  ]
}
