// The band on every page while the browser is offline, with the age of the data that the page shows.
import { onlineManager, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { WifiOff } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { now } from '../now'
import { clockWords } from '../words'

export function OfflineBand() {
  const isOnline = useSyncExternalStore(
    (changed) => onlineManager.subscribe(changed),
    () => onlineManager.isOnline(),
  )
  return (
    <div role="status">
      {!isOnline && (
        <p className="flex min-h-8 items-center justify-center gap-2 bg-ink px-4 py-1 text-center text-xs font-semibold text-ground">
          <WifiOff className="size-3.5 shrink-0" aria-hidden />
          <span>
            You’re offline.
            <DataAge />
          </span>
        </p>
      )}
    </div>
  )
}

function DataAge() {
  const queryClient = useQueryClient()
  const oldest = useSyncExternalStore(
    (changed) => queryClient.getQueryCache().subscribe(changed),
    () => oldestShown(queryClient),
  )
  if (oldest === null) return null
  return <span className="font-medium"> Showing data from {clockWords(new Date(oldest), now())}</span>
}

/** When the oldest data on the page was read. The session is on every page and says nothing about it. */
function oldestShown(queryClient: QueryClient): number | null {
  const times = queryClient
    .getQueryCache()
    .getAll()
    .filter((query) => query.isActive() && query.state.dataUpdatedAt > 0 && query.queryKey[0] !== 'session')
    .map(({ state }) => state.dataUpdatedAt)
  return times.length > 0 ? Math.min(...times) : null
}
