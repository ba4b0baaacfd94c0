// Renders the frame of every page after sign-in: environment band, menu and user menu.

import { onlineManager, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { Menu, Search, TriangleAlert, WifiOff } from 'lucide-react'
import { type ReactElement, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { now } from '../now'
import { Dialog } from '../parts/dialog'
import { ButtonLink } from '../parts/forms/button'
import { useToast } from '../parts/toast'
import { clockWords, zoneWords } from '../words'
import { EnvironmentBand, EnvironmentSwitch } from './environment'
import { FirstPaint } from './fallbacks'
import { useIsAdmin, useSession } from './here'
import { lazyPage, useAllPages } from './lazy-page'
import { type MenuItem, menu, sendItem } from './pages'
import { Palette } from './palette'
import { PartnerMark } from './partner-mark'
import { Switched } from './switched'

export function Shell() {
  useAllPages()
  const { pathname } = useRouterState({ select: ({ location }) => location })
  const [drawer, setDrawer] = useState(false)
  const [shownPath, setShownPath] = useState(pathname)
  const [palette, setPalette] = useState(false)
  // Not in an effect: the drawer must close before the new page focuses its heading.
  if (pathname !== shownPath) {
    setShownPath(pathname)
    setDrawer(false)
  }
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      // A modal dialog may hold data that the user would lose on another page.
      if (document.querySelector('dialog[open]') === null) setPalette(true)
    }
    addEventListener('keydown', open)
    return () => removeEventListener('keydown', open)
  }, [])
  return (
    <div className="min-h-dvh lg:pl-60 print:pl-0">
      <a
        href="#page"
        className="sr-only z-50 rounded-lg bg-surface px-4 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to main content
      </a>
      <aside className="fixed inset-y-0 left-0 hidden w-60 overflow-y-auto border-r border-line bg-surface lg:block print:hidden">
        <Navigation />
      </aside>
      <Dialog open={drawer} onClose={() => setDrawer(false)} title="Menu" shape="drawer">
        <Navigation />
      </Dialog>
      <header className="sticky top-0 z-20 print:static">
        <EnvironmentBand />
        <OfflineBand />
        <TopBar openMenu={() => setDrawer(true)} openPalette={() => setPalette(true)} />
      </header>
      <main id="page" tabIndex={-1} className="outline-none">
        <Switched />
        <Suspense fallback={<FirstPaint />}>
          <Outlet />
        </Suspense>
      </main>
      <TimeZone />
      <Palette open={palette} onClose={() => setPalette(false)} />
    </div>
  )
}

/** Every page shows times, so the footer names the time zone once. */
function TimeZone() {
  return (
    <footer className="mx-auto w-full max-w-6xl px-4 pb-8 text-xs text-soft sm:px-8">
      Times in {zoneWords(now())}
    </footer>
  )
}

function TopBar({ openMenu, openPalette }: { readonly openMenu: () => void; readonly openPalette: () => void }) {
  const square =
    'inline-flex h-9 items-center gap-2 rounded-lg border border-line px-2.5 text-soft hover:bg-sunken hover:text-ink'
  return (
    <div className="flex h-14 items-center gap-2 print:hidden border-b border-line bg-surface/95 px-4 backdrop-blur sm:gap-3 sm:px-8">
      <button type="button" onClick={openMenu} aria-label="Open menu" className={`${square} lg:hidden`}>
        <Menu className="size-4" aria-hidden />
      </button>
      <button type="button" onClick={openPalette} className={`${square} sm:w-64`}>
        <Search className="size-4 shrink-0" aria-hidden />
        <span className="sr-only sm:not-sr-only sm:truncate">Search or jump to…</span>
        <kbd aria-hidden className="ml-auto hidden rounded border border-line px-1.5 font-sans text-xs sm:inline">
          {/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'}
        </kbd>
      </button>
      <div className="ml-auto flex items-center gap-2 sm:gap-3">
        <EnvironmentSwitch />
        <Person />
      </div>
    </div>
  )
}

const PersonMenu = lazyPage<'PersonMenu', { readonly children: ReactElement }>(
  () => import('./person-menu'),
  'PersonMenu',
)

/** A plain button until its first use, because the menu's code is large. */
function Person() {
  const { member, partners } = useSession()
  const showToast = useToast()
  const [isUsed, setUsed] = useState(false)
  const isInvited = partners.some(({ invited }) => invited)
  const load = () =>
    PersonMenu.preload().then(
      () => setUsed(true),
      () => showToast('The menu couldn’t load. Try again.', 'bad'),
    )
  const button = (
    <button
      type="button"
      aria-label={`Signed in as ${member.email}${isInvited ? ', invitation waiting' : ''}`}
      aria-haspopup="menu"
      onClick={isUsed ? undefined : () => void load()}
      className="relative inline-flex size-9 items-center justify-center rounded-full bg-sunken text-sm font-semibold uppercase hover:bg-line"
    >
      {member.email.charAt(0)}
      {isInvited && <span aria-hidden className="absolute top-0 right-0 size-2.5 rounded-full bg-accent" />}
    </button>
  )
  return isUsed ? <PersonMenu>{button}</PersonMenu> : button
}

function Navigation() {
  const { partner } = useSession()
  const isAdmin = useIsAdmin()
  return (
    <nav aria-label="Pages" className="flex flex-col gap-5 p-4">
      <div className="flex min-h-9 items-center gap-2.5 px-2">
        <PartnerMark partner={partner} />
        <span className="min-w-0 truncate font-semibold">{partner.name}</span>
      </div>
      {isAdmin && (
        <ButtonLink to={sendItem.to} weight="primary" className="w-full">
          <sendItem.icon aria-hidden />
          {sendItem.name}
        </ButtonLink>
      )}
      {menu.map((group) => (
        <ul key={group[0]?.to} className="flex flex-col gap-0.5">
          {group.map((item) => (
            <Item key={item.to} {...item} />
          ))}
        </ul>
      ))}
    </nav>
  )
}

function Item({ to, name, icon: Icon }: MenuItem) {
  return (
    <li>
      <Link
        to={to}
        activeOptions={{ exact: to === '/dashboard', includeSearch: false }}
        className="flex h-9 items-center gap-3 rounded-lg px-2.5 text-soft hover:bg-sunken hover:text-ink"
        activeProps={{ className: 'bg-accent-soft !text-accent-strong font-medium', 'aria-current': 'page' }}
      >
        <Icon className="size-4 shrink-0" aria-hidden />
        {name}
      </Link>
    </li>
  )
}

/** Shown while the browser is offline or the server fails, with the age of the data that the page shows. */
function OfflineBand() {
  const isOnline = useSyncExternalStore(
    (changed) => onlineManager.subscribe(changed),
    () => onlineManager.isOnline(),
  )
  const isStale = useQueryCache(hasFailedRefresh)
  const Icon = isOnline ? TriangleAlert : WifiOff
  return (
    <div role="status">
      {(!isOnline || isStale) && (
        <p className="flex min-h-8 items-center justify-center gap-2 bg-ink px-4 py-1 text-center text-xs font-semibold text-ground">
          <Icon className="size-3.5 shrink-0" aria-hidden />
          <span>
            {isOnline ? 'We couldn’t refresh this page.' : 'You’re offline.'}
            <DataAge />
          </span>
        </p>
      )}
    </div>
  )
}

function useQueryCache<T>(read: (queryClient: QueryClient) => T): T {
  const queryClient = useQueryClient()
  return useSyncExternalStore(
    (changed) => queryClient.getQueryCache().subscribe(changed),
    () => read(queryClient),
  )
}

function DataAge() {
  const oldest = useQueryCache(oldestShown)
  if (oldest === null) return null
  return <span className="font-medium"> Showing data from {clockWords(new Date(oldest), now())}.</span>
}

/** The time when the oldest data on the page was loaded. Ignores the session, which every page has. */
function oldestShown(queryClient: QueryClient): number | null {
  const times = queriesShown(queryClient).map(({ state }) => state.dataUpdatedAt)
  return times.length > 0 ? Math.min(...times) : null
}

/** Whether the page still shows data although the last attempt to load it again has failed. */
function hasFailedRefresh(queryClient: QueryClient): boolean {
  return queriesShown(queryClient).some(({ state }) => state.status === 'error')
}

function queriesShown(queryClient: QueryClient) {
  const queries = queryClient.getQueryCache().getAll()
  return queries.filter((query) => query.isActive() && query.state.dataUpdatedAt > 0 && query.queryKey[0] !== 'session')
}
