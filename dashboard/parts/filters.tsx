// The parts of a filter bar: text, a range of days with presets, an amount, and a choice of several values. The URL
// contains the chosen filters.
import { useNavigate } from '@tanstack/react-router'
import { type InputHTMLAttributes, type ReactNode, useEffect, useState } from 'react'
import { now } from '../now'
import { asAmount } from '../words'
import { Button } from './forms/button'
import { Choice, controlled, Field } from './forms/field'
import { Empty } from './loaded'

const sizes = {
  wide: 'col-span-10 sm:min-w-56 sm:flex-1',
  date: 'col-span-5 sm:w-38',
  choice: 'col-span-4 sm:w-36',
  amount: 'col-span-3 sm:w-32',
  half: 'col-span-5 sm:w-36',
}

/** One row that wraps. On a phone, a wide item fills a row, and two amounts share a row with a drop-down list. */
export function FilterBar({ children }: { readonly children: ReactNode }) {
  return <div className="grid grid-cols-10 gap-3 sm:flex sm:flex-wrap sm:items-start">{children}</div>
}

export function FilterItem({ size, children }: { readonly size: keyof typeof sizes; readonly children: ReactNode }) {
  return <div className={sizes[size]}>{children}</div>
}

type FilteredPage = '/dashboard/payouts' | '/dashboard/recipients' | '/dashboard/wallet' | '/dashboard/audit-log'

/**
 * Returns a function that changes the filters in the URL. A choice adds a history entry, so that Back undoes it. Typed
 * text replaces the entry, because otherwise each pause would add one.
 */
export function useSearchChange<Search extends object>(to: FilteredPage, search: Search) {
  const navigate = useNavigate()
  return (changed: Search, history: 'push' | 'replace' = 'push') => {
    const kept = Object.entries({ ...search, ...changed }).filter(([, value]) => value)
    void navigate({ to, search: Object.fromEntries(kept), replace: history === 'replace' })
  }
}

interface TextFilterProps {
  readonly label: string
  readonly placeholder: string
  readonly asked: string | undefined
  readonly ask: (text: string) => void
}

export function TextFilter({ asked = '', ...props }: TextFilterProps) {
  return (
    <FilterItem size="wide">
      <PausedField type="search" asked={asked} {...props} />
    </FilterItem>
  )
}

interface NoMatchesProps {
  readonly what: string
  readonly page: FilteredPage
  readonly children?: ReactNode
}

export function NoMatches({ what, page, children }: NoMatchesProps) {
  const navigate = useNavigate()
  const clear = <Button onClick={() => void navigate({ to: page, search: {} })}>Clear filters</Button>
  return (
    <Empty title={`No ${what} match these filters`} action={clear}>
      {children}
    </Empty>
  )
}

/** Days such as 2026-11-16, in the reader's time zone. Both days are included. */
export interface Days {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Converts days to the API's filters, from the start of the first day to the end of the last. */
export function instantsOf({ from, to }: Days) {
  return { created_after: startOf(from, 0), created_before: startOf(to, 1) }
}

function startOf(day: string | undefined, plusDays: number): string | undefined {
  const at = new Date(`${day}T00:00:00`)
  at.setDate(at.getDate() + plusDays)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

const presetNames = { any: 'Any time', today: 'Today', month: 'This month', before: 'Last month', custom: 'Custom' }
type Preset = keyof typeof presetNames

function daysOf(preset: Preset, at: Date): Days {
  const day = (year: number, month: number, date: number) => dayText(new Date(year, month, date))
  const [year, month] = [at.getFullYear(), at.getMonth()]
  if (preset === 'today') return { from: dayText(at), to: dayText(at) }
  if (preset === 'month') return { from: day(year, month, 1), to: day(year, month + 1, 0) }
  if (preset === 'before') return { from: day(year, month - 1, 1), to: day(year, month, 0) }
  return {}
}

function dayText(at: Date): string {
  const twoDigits = (number: number) => String(number).padStart(2, '0')
  return `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`
}

const presetsWithDays = ['any', 'today', 'month', 'before'] as const

interface DaysFilterProps {
  readonly days: Days
  readonly change: (days: { from: string | undefined; to: string | undefined }) => void
}

export function DaysFilter({ days: { from, to }, change }: DaysFilterProps) {
  const [wantsCustom, setWantsCustom] = useState(false)
  const at = now()
  const matching = presetsWithDays.find((preset) => {
    const days = daysOf(preset, at)
    return days.from === from && days.to === to
  })
  const chosen = wantsCustom ? 'custom' : (matching ?? 'custom')
  const choose = (value: string) => {
    const preset = presetsWithDays.find((each) => each === value)
    setWantsCustom(preset === undefined)
    if (preset === undefined) return
    const days = daysOf(preset, at)
    change({ from: days.from, to: days.to })
  }
  return (
    <>
      <FilterItem size="choice">
        <Choice label="Date" value={chosen} onChange={({ target }) => choose(target.value)}>
          {Object.entries(presetNames).map(([preset, name]) => (
            <option key={preset} value={preset}>
              {name}
            </option>
          ))}
        </Choice>
      </FilterItem>
      {chosen === 'custom' && (
        <>
          <DayField label="From" day={from} change={(day) => change({ from: day, to })} />
          <DayField label="To" day={to} change={(day) => change({ from, to: day })} />
        </>
      )}
    </>
  )
}

interface DayFieldProps {
  readonly label: string
  readonly day: string | undefined
  readonly change: (day: string) => void
}

function DayField({ label, day = '', change }: DayFieldProps) {
  return (
    <FilterItem size="date">
      <Field label={label} type="date" value={day} onChange={({ target }) => change(target.value)} />
    </FilterItem>
  )
}

interface AmountFilterProps {
  readonly label: string
  readonly asked: string | undefined
  readonly ask: (amount: string) => void
}

export function AmountFilter({ label, asked = '', ask }: AmountFilterProps) {
  const parse = (typed: string) => (typed.trim() === '' ? '' : asAmount(typed))
  return (
    <FilterItem size="amount">
      <PausedField
        label={label}
        inputMode="decimal"
        placeholder="£"
        asked={asked && (asAmount(asked) ?? '')}
        ask={ask}
        parse={parse}
        fault="Enter an amount such as 120.00"
      />
    </FilterItem>
  )
}

interface ValuesFilterProps<Value extends string> {
  readonly label: string
  readonly values: readonly Value[]
  readonly chosen: readonly Value[]
  readonly change: (chosen: readonly Value[]) => void
  readonly nameOf: (value: Value) => string
}

/** Toggle buttons. If none is chosen, all values are shown. */
export function ValuesFilter<Value extends string>({
  label,
  values,
  chosen,
  change,
  nameOf,
}: ValuesFilterProps<Value>) {
  const toggle = (value: Value) =>
    change(values.filter((each) => (each === value ? !chosen.includes(each) : chosen.includes(each))))
  return (
    <div role="group" aria-label={label} className="-m-1 flex gap-2 overflow-x-auto p-1 sm:flex-wrap">
      {values.map((value) => (
        <button
          key={value}
          type="button"
          aria-pressed={chosen.includes(value)}
          onClick={() => toggle(value)}
          className={`h-8 shrink-0 rounded-full border px-3 text-xs font-medium ${
            chosen.includes(value)
              ? 'border-accent bg-accent-soft text-accent-strong'
              : 'border-line bg-surface text-soft hover:border-edge hover:text-ink'
          }`}
        >
          {nameOf(value)}
        </button>
      ))}
    </div>
  )
}

const pauseMs = 300

interface PausedFieldProps extends Pick<InputHTMLAttributes<HTMLInputElement>, 'type' | 'placeholder' | 'inputMode'> {
  readonly label: string
  /** The text in the URL. */
  readonly asked: string
  readonly ask: (text: string) => void
  /** Converts the typed text to its form in the URL. Null if it is not valid. */
  readonly parse?: (typed: string) => string | null
  /** Shown while the text is not valid. */
  readonly fault?: string
}

/** A text field that reports its text when the user stops typing, and follows changes to the URL. */
function PausedField({ asked, ask, parse = trimmed, fault, ...field }: PausedFieldProps) {
  const [typed, setTyped] = useState(asked)
  const [seen, setSeen] = useState(asked)
  const [sent, setSent] = useState<string | null>(null)
  if (asked !== seen) {
    setSeen(asked)
    setSent(null)
    // Ignores the echo of this field's own text while the user keeps typing. Any other change comes from Clear, Back or
    // a link.
    if (asked !== sent) setTyped(asked)
  }
  const text = parse(typed)
  useEffect(() => {
    if (text === null || text === asked || text === sent) return
    const timer = setTimeout(() => {
      setSent(text)
      ask(text)
    }, pauseMs)
    return () => clearTimeout(timer)
  })
  return <Field {...field} error={text === null ? fault : null} {...controlled(typed, setTyped)} />
}

const trimmed = (typed: string) => typed.trim()
