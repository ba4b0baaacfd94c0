// Starts the dashboard: the query cache, the routes, and the redirect to sign-in when a session has ended.
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { isAttended } from './api/attended'
import { Refusal, setRequestContext } from './api/call'
import { sessionQuery } from './api/queries'
import { Toasts } from './parts/toast'
import { createDashboardRouter } from './routes'
import { applyTheme } from './shell/remembered'
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
    // A payout that waited offline could be sent after its replacement, which would be two payments.
    mutations: { networkMode: 'always', retry: false },
  },
})
const router = createDashboardRouter(queryClient)
setRequestContext({ shownPartnerId: () => queryClient.getQueryData(sessionQuery.queryKey)?.partner.id, isAttended })

function handleError(error: Error): void {
  leaveIfSignedOut(error)
  void detectPartnerSwitch(queryClient, error)
}

function leaveIfSignedOut(error: Error): void {
  const { pathname, href } = router.state.location
  if (!(error instanceof Refusal && error.status === 401) || !pathname.startsWith('/dashboard')) return
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
