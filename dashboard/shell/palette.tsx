// Ctrl or Cmd + K: opens a page, a payout by its ID, reference, name or last four digits, or an invoice by its number.
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import { type KeyboardEvent, useDeferredValue, useState } from 'react'
import { invoicesQuery, latestPayoutsQuery } from '../api/queries'
import { now } from '../now'
import { Dialog } from '../parts/dialog'
import { supportHref } from '../parts/support'
import { Status } from '../parts/values/status'
import { briefWords, monthWords, pounds } from '../words'
import { useEnvironment, useIsAdmin } from './here'
import { type MenuItem, menu, sendItem } from './pages'

export function Palette({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Search" shape="bare">
      <Search onClose={onClose} />
    </Dialog>
  )
}

interface Hit {
  /** A page of the dashboard, or another URL. */
  readonly to: string
  readonly name: string
  /** A second line, such as the date. */
  readonly about?: string
  readonly amount?: string
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
    if (hit.to.startsWith('/dashboard')) void navigate({ to: hit.to })
    else if (hit.to.startsWith('mailto:')) location.assign(hit.to)
    else open(hit.to, '_blank', 'noreferrer')
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
        aria-label="Search pages, payouts and invoices"
        autoFocus
        placeholder="Page, recipient, reference, last 4 digits, ID or invoice number"
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
            className={`flex min-h-10 cursor-pointer items-center gap-3 rounded-lg px-3 py-1 ${index === chosen ? 'bg-accent-soft' : ''}`}
          >
            <span className="min-w-0 flex-1">
              <span className="block truncate">{hit.name}</span>
              {hit.about && <span className="figures block truncate text-xs text-soft">{hit.about}</span>}
            </span>
            {hit.amount && <span className="figures text-soft">{hit.amount}</span>}
            {hit.status ? <Status of={hit.status} /> : <ArrowRight className="size-4 text-soft" aria-hidden />}
          </li>
        ))}
        {hits.length === 0 && <li className="px-3 py-6 text-center text-soft">No results</li>}
      </ul>
    </div>
  )
}

/** The number of payouts, and of invoices. */
const mostHits = 6

function useHits(typed: string): readonly Hit[] {
  const payouts = usePayoutHits(typed)
  const invoices = useInvoiceHits(typed)
  const pages = usePages().filter((page) => isNamed(page, typed))
  return [...pages, ...invoices, ...payouts]
}

function usePages(): readonly Pick<MenuItem, 'to' | 'name' | 'words'>[] {
  const isAdmin = useIsAdmin()
  const support = supportHref()
  return [
    ...(isAdmin ? [sendItem] : []),
    ...menu.flat(),
    ...(support ? [{ to: support, name: 'Contact support', words: 'help email question problem' }] : []),
    { to: '/docs', name: 'API documentation', words: 'help guide reference developers' },
  ]
}

function isNamed({ name, words = '' }: Pick<MenuItem, 'name' | 'words'>, typed: string): boolean {
  const wanted = typed.toLowerCase()
  return name.toLowerCase().includes(wanted) || ` ${words}`.includes(` ${wanted}`)
}

function usePayoutHits(typed: string): readonly Hit[] {
  const environment = useEnvironment()
  const q = useDeferredValue(typed)
  const isAsked = q.length >= 2
  const { data } = useQuery({
    ...latestPayoutsQuery(environment, { q, limit: mostHits }),
    enabled: isAsked,
    refetchInterval: false,
  })
  if (!isAsked || !data) return []
  return data.data.map((payout) => ({
    to: `/dashboard/payouts/${payout.id}`,
    name: [payout.recipient.name, payout.reference].filter(Boolean).join(' · ') || payout.id,
    about: briefWords(payout.created_at, now()),
    amount: pounds(payout.amount_gbp),
    status: payout.status,
  }))
}

/** The API has no search for invoices, but its largest page holds all of them. */
function useInvoiceHits(typed: string): readonly Hit[] {
  const isAsked = typed.length >= 2 && /^inv|\d/i.test(typed)
  const { data } = useQuery({ ...invoicesQuery, enabled: isAsked })
  if (!isAsked || !data) return []
  const found = data.data.filter(({ number }) => number.toLowerCase().includes(typed.toLowerCase()))
  return found.slice(0, mostHits).map((invoice) => ({
    to: `/dashboard/invoices/${invoice.id}`,
    name: invoice.number,
    about: monthWords(invoice.period),
    amount: pounds(invoice.total_gbp),
    status: invoice.status,
  }))
}
