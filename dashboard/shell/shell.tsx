// Renders the frame of every page after sign-in: environment band, menu and user menu.
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { Menu, Search } from 'lucide-react'
import { Suspense, useEffect, useState } from 'react'
import { Dialog } from '../parts/dialog'
import { ButtonLink } from '../parts/forms/button'
import { EnvironmentBand, EnvironmentSwitch } from './environment'
import { FirstPaint } from './fallbacks'
import { useIsAdmin, useSession } from './here'
import { useAllPages } from './lazy-page'
import { OfflineBand } from './offline-band'
import { type MenuItem, menu, sendItem } from './pages'
import { Palette } from './palette'
import { PartnerMark } from './partner-mark'
import { PersonMenu } from './person-menu'
import { Switched } from './switched'

export function Shell() {
  useAllPages()
  const [drawer, setDrawer] = useState(false)
  const [palette, setPalette] = useState(false)
  const { pathname } = useRouterState({ select: ({ location }) => location })
  useEffect(() => setDrawer(false), [pathname])
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      setPalette(true)
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
      <Palette open={palette} onClose={() => setPalette(false)} />
    </div>
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
        <span className="sr-only sm:not-sr-only sm:truncate">Search or jump to …</span>
        <kbd aria-hidden className="ml-auto hidden rounded border border-line px-1.5 font-sans text-xs sm:inline">
          {/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'}
        </kbd>
      </button>
      <div className="ml-auto flex items-center gap-2 sm:gap-3">
        <EnvironmentSwitch />
        <PersonMenu />
      </div>
    </div>
  )
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
