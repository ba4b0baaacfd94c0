// Cards and other layout parts of pages.
import { useMatch } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { Gbp } from './values/money'

interface CardProps {
  readonly title?: ReactNode
  readonly aside?: ReactNode
  readonly children: ReactNode
  readonly className?: string
  /** No padding, for tables. */
  readonly flush?: boolean
}

export function Card({ title, aside, children, className = '', flush }: CardProps) {
  return (
    <section className={`min-w-0 rounded-xl border border-line bg-surface shadow-card ${className}`}>
      {(title || aside) && (
        <header className="flex min-h-12 flex-wrap items-center justify-between gap-2 px-5 pt-3 pb-2">
          <h2 className="text-sm font-semibold">{title}</h2>
          {aside}
        </header>
      )}
      <div className={flush ? 'overflow-hidden rounded-b-xl' : `px-5 pb-5 ${title || aside ? 'pt-1' : 'pt-5'}`}>
        {children}
      </div>
    </section>
  )
}

export function Page({ title, tab, about, actions, children }: PageProps) {
  useTitle(tab ?? (typeof title === 'string' ? title : 'Dashboard'))
  const heading = useFocusOnNewPage()
  return (
    <div className="mx-auto flex w-full max-w-6xl flex-col gap-5 px-4 pt-6 pb-8 sm:px-8">
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h1 ref={heading} tabIndex={-1} className="text-xl font-semibold tracking-tight">
            {title}
          </h1>
          {about && <p className="mt-0.5 max-w-3xl text-pretty text-soft">{about}</p>}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </div>
  )
}

interface PageProps {
  readonly title: ReactNode
  /** The title of the browser tab, if `title` is not plain text. */
  readonly tab?: string
  readonly about?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A list of name and value pairs. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className="divide-y divide-line">{children}</dl>
}

export function Fact({ name, children }: { readonly name: ReactNode; readonly children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-0.5 py-2.5 first:pt-0 last:pb-0">
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0 text-right font-medium break-words">{children}</dd>
    </div>
  )
}

export function GbpFact({ name, of }: { readonly name: ReactNode; readonly of: string }) {
  return (
    <Fact name={name}>
      <Gbp of={of} />
    </Fact>
  )
}

/** A large figure with its name, in a <dl>. */
export function Figure({ name, value, unit, note }: FigureProps) {
  return (
    <div className="min-w-0 rounded-xl border border-line bg-surface px-5 py-4 shadow-card">
      <dt className="text-soft">{name}</dt>
      <dd className="mt-1 flex flex-wrap items-baseline gap-x-1.5">
        <span className="figures text-2xl font-semibold tracking-tight">{value}</span>
        {unit && <span className="text-soft">{unit}</span>}
      </dd>
      {note !== null && <dd className="mt-0.5 min-h-5 text-xs text-soft tabular-nums">{note}</dd>}
    </div>
  )
}

interface FigureProps {
  readonly name: string
  readonly value: ReactNode
  readonly unit?: string
  /** While the note is undefined, its line stays empty. Null removes the line. */
  readonly note?: ReactNode
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Payouts`
  }, [title])
}

/** The path of the page that was shown last. Null before the first page. */
let lastPath: string | null = null

/**
 * Focuses the heading of a page that a link has opened, so that screen readers announce the page and Tab continues in
 * it. Leaves the focus alone on the first load, after a change of filters, in a dialog, and in a field that focuses
 * itself.
 */
function useFocusOnNewPage() {
  const heading = useRef<HTMLHeadingElement>(null)
  // The path of the page itself. The address changes before the next page has replaced this one.
  const pathname = useMatch({ strict: false, shouldThrow: false, select: (match) => match.pathname })
  useEffect(() => {
    if (pathname === undefined || pathname === lastPath) return
    const isFirst = lastPath === null
    lastPath = pathname
    if (isFirst) return
    if (document.querySelector('dialog[open]') || document.activeElement?.matches('input, select, textarea')) return
    // The router has already restored the scroll position.
    heading.current?.focus({ preventScroll: true })
  }, [pathname])
  return heading
}
