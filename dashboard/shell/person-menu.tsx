// Who is signed in: other partners of the same person, light or dark, and the ways out.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { BookOpen, Check, LogOut, Moon, Sun, SunMoon } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { call } from '../api/call'
import { sessionQuery } from '../api/queries'
import type { Session } from '../api/types'
import { useSession } from './here'
import { rememberedTheme, type Theme } from './remembered'
import { chooseTheme } from './theme'

const themes = [
  ['system', 'As the system', SunMoon],
  ['light', 'Light', Sun],
  ['dark', 'Dark', Moon],
] as const

const item =
  'flex h-9 items-center gap-2.5 rounded-md px-2.5 outline-none select-none data-highlighted:bg-sunken [&_svg]:size-4 [&_svg]:text-soft'

export function PersonMenu() {
  const { member } = useSession()
  const [theme, setTheme] = useState<Theme>(rememberedTheme)
  const signOut = useSignOut()
  const choose = (next: Theme) => {
    setTheme(next)
    chooseTheme(next)
  }
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        aria-label={`Signed in as ${member.email}`}
        className="inline-flex size-9 items-center justify-center rounded-full bg-sunken text-sm font-semibold uppercase hover:bg-line"
      >
        {member.email.charAt(0)}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={6}
          className="z-30 w-64 rounded-xl border border-line bg-surface p-1.5 shadow-over"
        >
          <div className="px-2.5 py-2">
            <p className="truncate font-medium">{member.email}</p>
            <p className="text-xs text-soft">{member.role === 'admin' ? 'Admin' : 'Viewer: may look, not change'}</p>
          </div>
          <Partners />
          <Line />
          <DropdownMenu.RadioGroup value={theme} aria-label="Light or dark">
            {themes.map(([value, name, Icon]) => (
              <DropdownMenu.RadioItem key={value} value={value} className={item} onSelect={() => choose(value)}>
                <Icon aria-hidden />
                {name}
                <Tick />
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
          <Line />
          <DropdownMenu.Item asChild className={item}>
            <a href="/docs" target="_blank" rel="noreferrer">
              <BookOpen aria-hidden />
              API documentation
            </a>
          </DropdownMenu.Item>
          <DropdownMenu.Item className={item} onSelect={() => signOut.mutate()}>
            <LogOut aria-hidden />
            Sign out
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

function Partners(): ReactNode {
  const { partner, partners } = useSession()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const change = useMutation({
    mutationFn: (slug: string) => call<Session>('POST', '/v1/auth/session/partner', { body: { slug } }),
    onSuccess: async (session) => {
      queryClient.clear()
      queryClient.setQueryData(sessionQuery.queryKey, session)
      await navigate({ to: '/dashboard' })
    },
  })
  if (partners.length < 2) return null
  return (
    <>
      <Line />
      <DropdownMenu.RadioGroup value={partner.slug} aria-label="Partner">
        {partners.map(({ slug, name }) => (
          <DropdownMenu.RadioItem key={slug} value={slug} className={item} onSelect={() => change.mutate(slug)}>
            <span className="min-w-0 truncate">{name}</span>
            <Tick />
          </DropdownMenu.RadioItem>
        ))}
      </DropdownMenu.RadioGroup>
    </>
  )
}

const Tick = () => (
  <DropdownMenu.ItemIndicator className="ml-auto">
    <Check aria-hidden />
  </DropdownMenu.ItemIndicator>
)
const Line = () => <DropdownMenu.Separator className="mx-1 my-1 h-px bg-line" />

export function useSignOut(path: '/v1/auth/session' | '/v1/auth/sessions' = '/v1/auth/session') {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: () => call('DELETE', path),
    onSuccess: async () => {
      queryClient.clear()
      await navigate({ to: '/sign-in' })
    },
  })
}
