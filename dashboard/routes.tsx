// All routes. Pages are loaded on demand.
import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router'
import { Refusal } from './api/call'
import { sessionQuery } from './api/queries'
import type { Environment } from './api/types'
import type { PayoutSearch } from './pages/payouts/payouts-table'
import { nextPage } from './pages/sign-in/next-page'
import { PartnerSignInPage, SignInPage, type SignInSearch, SignUpPage } from './pages/sign-in/pages'
import { FirstPaint, NotFound, OuterError, OuterNotFound, PageError } from './shell/fallbacks'
import type { PayoutDialog } from './shell/here'
import { lazyPage } from './shell/lazy-page'
import { rememberedEnvironment } from './shell/remembered'
import { Shell } from './shell/shell'

const root = createRootRouteWithContext<{ readonly queryClient: QueryClient }>()({ notFoundComponent: OuterNotFound })

// Each validator returns its parameter even if it is undefined. The router would pass on an omitted parameter
// unchecked.
const textIn = (search: Record<string, unknown>, name: string): string | undefined => {
  const value = search[name]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/** A validator that returns only these text parameters of the URL. */
const textsIn =
  <Name extends string>(...names: readonly Name[]) =>
  (search: Record<string, unknown>): Readonly<Partial<Record<Name, string | undefined>>> => {
    const texts: Partial<Record<Name, string | undefined>> = {}
    for (const name of names) texts[name] = textIn(search, name)
    return texts
  }

const signInSearch = (search: Record<string, unknown>): SignInSearch => ({
  next: nextPage(textIn(search, 'next')),
  invitation: textIn(search, 'invitation'),
})

const environmentIn = (search: Record<string, unknown>): { environment?: Environment | undefined } => {
  const { environment } = search
  return { environment: environment === 'live' || environment === 'sandbox' ? environment : undefined }
}

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: signInSearch,
  component: SignInPage,
})
const signUp = createRoute({ getParentRoute: () => root, path: '/sign-up', component: SignUpPage })
const partnerSignIn = createRoute({
  getParentRoute: () => root,
  path: '/p/$slug',
  validateSearch: signInSearch,
  component: PartnerSignInPage,
})

const shell = createRoute({
  getParentRoute: () => root,
  path: '/dashboard',
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: OuterError,
  validateSearch: environmentIn,
  search: { middlewares: [retainSearchParams(['environment'])] },
  beforeLoad: async ({ context, search, location }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery).catch((error: unknown) => {
      if (error instanceof Refusal && error.status === 401)
        throw redirect({ to: '/sign-in', search: { next: location.href }, replace: true })
      throw error
    })
    if (search.environment === undefined) {
      const environment = rememberedEnvironment() ?? (session.live ? 'live' : 'sandbox')
      throw redirect({ to: location.pathname, search: { ...location.search, environment }, replace: true })
    }
  },
})

const page = <const Path extends string>(path: Path, component: Parameters<typeof createRoute>[0]['component']) =>
  createRoute({ getParentRoute: () => shell, path, ...(component ? { component } : {}) })

const payouts = createRoute({
  getParentRoute: () => shell,
  path: '/payouts',
  validateSearch: textsIn('status', 'q', 'from', 'to', 'min', 'max', 'by', 'sort'),
  component: lazyPage(() => import('./pages/payouts/list'), 'PayoutsPage'),
})

const recipients = createRoute({
  getParentRoute: () => shell,
  path: '/recipients',
  validateSearch: textsIn('q'),
  component: lazyPage(() => import('./pages/payouts/recipients'), 'RecipientsPage'),
})

const wallet = createRoute({
  getParentRoute: () => shell,
  path: '/wallet',
  validateSearch: textsIn('kind', 'from', 'to'),
  component: lazyPage(() => import('./pages/wallets/statement'), 'WalletPage'),
})

const auditLog = createRoute({
  getParentRoute: () => shell,
  path: '/audit-log',
  validateSearch: textsIn('show', 'q', 'from', 'to', 'entry'),
  component: lazyPage(() => import('./pages/controls/audit-log'), 'AuditLogPage'),
})

const tree = root.addChildren([
  signIn,
  signUp,
  partnerSignIn,
  shell.addChildren([
    page(
      '/',
      lazyPage(() => import('./pages/home/home'), 'HomePage'),
    ),
    payouts,
    page(
      '/payouts/$id',
      lazyPage(() => import('./pages/payouts/payout/page'), 'PayoutPage'),
    ),
    page(
      '/send',
      lazyPage(() => import('./pages/payouts/send/page'), 'SendPage'),
    ),
    wallet,
    page(
      '/top-up',
      lazyPage(() => import('./pages/wallets/top-up'), 'TopUpPage'),
    ),
    recipients,
    page(
      '/usage',
      lazyPage(() => import('./pages/invoices/usage'), 'UsagePage'),
    ),
    page(
      '/invoices',
      lazyPage(() => import('./pages/invoices/list'), 'InvoicesPage'),
    ),
    page(
      '/invoices/$id',
      lazyPage(() => import('./pages/invoices/invoice'), 'InvoicePage'),
    ),
    page(
      '/keys',
      lazyPage(() => import('./pages/partners/keys/page'), 'KeysPage'),
    ),
    page(
      '/team',
      lazyPage(() => import('./pages/partners/team/page'), 'TeamPage'),
    ),
    auditLog,
    page(
      '/verification',
      lazyPage(() => import('./pages/partners/verification/page'), 'VerificationPage'),
    ),
    page(
      '/settings',
      lazyPage(() => import('./pages/partners/settings/page'), 'SettingsPage'),
    ),
  ]),
])

export function createDashboardRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queryClient },
    defaultPreload: 'intent',
    defaultPendingComponent: FirstPaint,
    defaultErrorComponent: PageError,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
  })
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The filters of the list from which a payout was opened. */
    readonly payoutSearch?: PayoutSearch | undefined
    /** The dialog that the page of a payout opens at once, if the payout allows it. */
    readonly payoutDialog?: PayoutDialog | undefined
  }
}
