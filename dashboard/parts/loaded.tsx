// Shows the data of a query, a skeleton while it loads, or its error.
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { List } from '../api/types'
import { Card } from './card'
import { Button } from './forms/button'
import { ErrorNotice, Notice } from './notice'

interface LoadedProps<T> {
  readonly query: Pick<UseQueryResult<T>, 'data' | 'isError' | 'error' | 'isPaused'> & {
    readonly refetch: () => unknown
  }
  readonly children: (data: T) => ReactNode
  readonly skeleton?: ReactNode
}

export function Loaded<T>({ query, children, skeleton = <Bars /> }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data)
  if (query.isError)
    return (
      <Padded>
        <ErrorNotice error={query.error} retry={() => void query.refetch()} />
      </Padded>
    )
  if (query.isPaused)
    return (
      <Padded>
        <Notice title="You’re offline">This will load when you’re back online.</Notice>
      </Padded>
    )
  return skeleton
}

function Padded({ children }: { readonly children: ReactNode }) {
  return <div className="p-4">{children}</div>
}

export function Bar({ className = 'w-24' }: { readonly className?: string }) {
  return (
    <span
      data-waiting
      className={`inline-block h-3.5 animate-pulse rounded bg-line align-middle forced-color-adjust-none forced-colors:bg-[GrayText] ${className}`}
    />
  )
}

export function Bars({ rows = 4 }: { readonly rows?: number }) {
  return (
    <div className="flex flex-col gap-4 p-5" aria-busy="true" aria-label="Loading" role="status">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="flex justify-between gap-6">
          <Bar className={row % 2 === 0 ? 'w-40' : 'w-28'} />
          <Bar className="w-16" />
        </div>
      ))}
    </div>
  )
}

/** Empty state of a list: explains how to fill it. */
export function Empty({
  title,
  children,
  action,
}: {
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}) {
  return (
    <div className="flex flex-col items-center gap-1 px-6 py-12 text-center">
      <p className="font-semibold">{title}</p>
      <div className="max-w-md text-soft">{children}</div>
      {action && <div className="mt-4 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  )
}

interface PagesCardProps<Item> {
  readonly query: LoadedProps<{ readonly pages: readonly List<Item>[] }>['query'] & Paged
  readonly what: string
  readonly title?: string
  /** The number of skeleton rows. */
  readonly rows?: number
  readonly children: (items: readonly Item[]) => ReactNode
}

/** The items of all loaded pages, and a button for the next page. */
export function PagesCard<Item>({ query, what, title, rows = 8, children }: PagesCardProps<Item>) {
  return (
    <Card flush title={title}>
      <Loaded query={query} skeleton={<Bars rows={rows} />}>
        {({ pages }) => children(pages.flatMap(({ data }) => data))}
      </Loaded>
      <More of={query} what={what} />
    </Card>
  )
}

interface Paged {
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  readonly fetchNextPage: () => Promise<unknown>
}

export function More({ of, what }: { readonly of: Paged; readonly what: string }) {
  if (!of.hasNextPage) return null
  return (
    <div className="flex justify-center border-t border-line p-3">
      <Button weight="quiet" busy={of.isFetchingNextPage} onClick={() => void of.fetchNextPage()}>
        Show more {what}
      </Button>
    </div>
  )
}
