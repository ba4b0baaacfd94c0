// Starts the dashboard: the cache of answers, the routes, and the way back to the sign-in when a session has ended.
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { isAttended } from './api/attended'
import { Refusal, speakFor } from './api/call'
import { sessionQuery } from './api/queries'
import { Toasts } from './parts/toast'
import { createDashboardRouter } from './routes'
import { noticeSwitch } from './shell/switched'
import { applyTheme } from './shell/theme'

applyTheme()

const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error) => lookInto(error) }),
  mutationCache: new MutationCache({ onError: (error) => lookInto(error) }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 2 && !(error instanceof Refusal && error.status < 500),
    },
    // Nothing waits offline to be sent later, beside what replaced it: that would be two payments.
    mutations: { networkMode: 'always', retry: false },
  },
})
const router = createDashboardRouter(queryClient)
speakFor({ shownPartnerId: () => queryClient.getQueryData(sessionQuery.queryKey)?.partner.id, isAttended })

function lookInto(error: Error): void {
  leaveIfSignedOut(error)
  void noticeSwitch(queryClient, error)
}

function leaveIfSignedOut(error: Error): void {
  const { pathname, href } = router.state.location
  if (!(error instanceof Refusal && error.status === 401) || !pathname.startsWith('/dashboard')) return
  queryClient.removeQueries({ queryKey: sessionQuery.queryKey })
  void router.navigate({ to: '/sign-in', search: { next: href }, ignoreBlocker: true })
}

const place = document.getElementById('app')
if (place === null) throw new Error('the page has no place for the dashboard')
createRoot(place).render(
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
