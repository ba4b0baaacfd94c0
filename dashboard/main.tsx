// Starts the dashboard: the query cache, the routes, and the redirect to sign-in when a session has ended.
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Refusal, setRequestContext } from './api/call'
import { sessionQuery } from './api/queries'
import { Toasts } from './parts/toast'
import { createDashboardRouter } from './routes'
import { applyTheme } from './shell/remembered'
import { leaveOnceSaved, noteSessionEnd } from './shell/session-end'
import { detectPartnerSwitch } from './shell/switched'

applyTheme()

const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error) => handleError(error) }),
  mutationCache: new MutationCache({ onError: (error) => handleError(error) }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 2 && !(error instanceof Refusal && error.status < 500),
    },
    // A payout that was queued offline could be sent after the user had already replaced it, which would pay twice.
    mutations: { networkMode: 'always', retry: false },
  },
})
const router = createDashboardRouter(queryClient)

/** Opening the page counts as activity. */
let lastActivityMs = performance.now()
const awayAfterMs = 60_000
for (const name of ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const) {
  addEventListener(
    name,
    () => {
      lastActivityMs = performance.now()
    },
    { capture: true, passive: true },
  )
}

/** Whether the page is in use. Background reads must not keep an unused session open. */
function isAttended(): boolean {
  return performance.now() - lastActivityMs < awayAfterMs
}

setRequestContext({ shownPartnerId: () => queryClient.getQueryData(sessionQuery.queryKey)?.partner.id, isAttended })

function handleError(error: Error): void {
  leaveIfSignedOut(error)
  void detectPartnerSwitch(queryClient, error)
}

function leaveIfSignedOut(error: Error): void {
  if (error instanceof Refusal && error.status === 401) leaveOnceSaved(leave)
}

function leave(): void {
  const { pathname, href } = router.state.location
  if (!pathname.startsWith('/dashboard')) return
  const session = queryClient.getQueryData(sessionQuery.queryKey)
  // Several requests may fail at once. Only the first failure still finds the session in the cache.
  if (session) noteSessionEnd(session.member.email)
  queryClient.removeQueries({ queryKey: sessionQuery.queryKey })
  void router.navigate({ to: '/sign-in', search: { next: href }, ignoreBlocker: true })
}

const element = document.getElementById('app')
if (element === null) throw new Error('the page has no element #app')
createRoot(element).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Toasts>
        <RouterProvider router={router} />
      </Toasts>
    </QueryClientProvider>
  </StrictMode>,
)

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
