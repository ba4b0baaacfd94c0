// The user menu: partners, invitations, theme, documentation and sign-out. Loaded when it is first opened.
import * as DropdownMenu from '@radix-ui/react-dropdown-menu'
import { BookOpen, LifeBuoy, LogOut, Moon, Sun, SunMoon } from 'lucide-react'
import { type ReactElement, useState } from 'react'
import { supportHref } from '../parts/support'
import { useSession } from './here'
import { Invitations, item, Line, Partners, Tick } from './partners-menu'
import { chooseTheme, rememberedTheme, type Theme } from './remembered'
import { useSignOut } from './session-end'

const themes = [
  ['system', 'Use system setting', SunMoon],
  ['light', 'Light', Sun],
  ['dark', 'Dark', Moon],
] as const

export function PersonMenu({ children }: { readonly children: ReactElement }) {
  const { member } = useSession()
  const [isOpen, setOpen] = useState(true)
  const [theme, setTheme] = useState<Theme>(rememberedTheme)
  const [trigger, setTrigger] = useState<HTMLElement | null>(null)
  const signOut = useSignOut()
  const choose = (next: Theme) => {
    setTheme(next)
    chooseTheme(next)
  }
  return (
    // Opens once the trigger is rendered, because the menu is rendered in the trigger's header.
    <DropdownMenu.Root modal={false} open={isOpen && trigger !== null} onOpenChange={setOpen}>
      <DropdownMenu.Trigger ref={setTrigger} asChild>
        {children}
      </DropdownMenu.Trigger>
      {/* Rendered inside the header, so that the menu belongs to a landmark. */}
      <DropdownMenu.Portal container={trigger?.closest('header') ?? null}>
        <DropdownMenu.Content
          align="end"
          sideOffset={6}
          className="z-30 w-64 rounded-xl border border-line bg-surface p-1.5 shadow-over"
        >
          <div className="px-2.5 py-2">
            <p className="truncate font-medium">{member.email}</p>
            <p className="text-xs text-soft">{member.role === 'admin' ? 'Admin' : 'Viewer (read-only)'}</p>
          </div>
          <Partners />
          <Invitations />
          <Line />
          <DropdownMenu.RadioGroup value={theme} aria-label="Theme">
            {themes.map(([value, name, Icon]) => (
              <DropdownMenu.RadioItem key={value} value={value} className={item} onSelect={() => choose(value)}>
                <Icon aria-hidden />
                {name}
                <Tick />
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
          <Line />
          <Help />
          <Line />
          <DropdownMenu.Item className={item} onSelect={() => signOut.mutate()}>
            <LogOut aria-hidden />
            Sign out
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

/** Mounted when the menu opens, so that the email names the latest failed request. */
function Help() {
  const href = supportHref()
  return (
    <DropdownMenu.Group>
      <DropdownMenu.Label className="px-2.5 pt-1.5 pb-1 text-xs text-soft">Help</DropdownMenu.Label>
      {href && (
        <DropdownMenu.Item asChild className={item}>
          <a href={href}>
            <LifeBuoy aria-hidden />
            Contact support
          </a>
        </DropdownMenu.Item>
      )}
      <DropdownMenu.Item asChild className={item}>
        <a href="/docs" target="_blank" rel="noreferrer">
          <BookOpen aria-hidden />
          API documentation
        </a>
      </DropdownMenu.Item>
    </DropdownMenu.Group>
  )
}
