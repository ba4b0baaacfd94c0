// Switches between the user's partners, and accepts or declines invitations.
import * as DropdownMenu from '@radix-ui/react-dropdown-menu'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { call, pathTo } from '../api/call'
import { sessionQuery } from '../api/queries'
import type { PartnerOfMine, Session } from '../api/types'
import { adviceOf } from '../parts/notice'
import { useToast } from '../parts/toast'
import { useEnvironment, useSession } from './here'

export function Partners() {
  const { partner, partners } = useSession()
  const change = useSwitch()
  const mine = partners.filter(({ invited }) => !invited)
  if (mine.length < 2) return null
  return (
    <>
      <Line />
      <DropdownMenu.RadioGroup value={partner.slug} aria-label="Account">
        {mine.map((each) => (
          <DropdownMenu.RadioItem
            key={each.slug}
            value={each.slug}
            className={`${item} h-auto min-h-9 py-1`}
            onSelect={() => change.mutate(each.slug)}
          >
            <Name of={each} withSlug={partners.some((other) => isNamedAlike(other, each))} />
            <Tick />
          </DropdownMenu.RadioItem>
        ))}
      </DropdownMenu.RadioGroup>
    </>
  )
}

export function Invitations() {
  const { partners } = useSession()
  const accept = useSwitch()
  const decline = useDecline()
  const invitations = partners.filter(({ invited }) => invited)
  if (invitations.length === 0) return null
  return (
    <>
      <Line />
      {invitations.map((each) => (
        <DropdownMenu.Group key={each.slug} aria-label={`Invitation to ${each.name}`}>
          <DropdownMenu.Label className="px-2.5 pt-1.5">
            <span className="block text-xs text-soft">Invitation to</span>
            {/* The inviting partner chooses its name and may imitate another, so the slug is shown too. */}
            <Name of={each} withSlug />
          </DropdownMenu.Label>
          <div className="flex gap-1">
            <DropdownMenu.Item className={`${item} flex-1 font-medium`} onSelect={() => accept.mutate(each.slug)}>
              Accept
            </DropdownMenu.Item>
            <DropdownMenu.Item className={`${item} flex-1`} onSelect={() => decline.mutate(each)}>
              Decline
            </DropdownMenu.Item>
          </div>
        </DropdownMenu.Group>
      ))}
    </>
  )
}

function Name({ of: { name, slug }, withSlug }: { readonly of: PartnerOfMine; readonly withSlug: boolean }) {
  return (
    <span className="min-w-0">
      <span className="block truncate">{name}</span>
      {withSlug && <span className="block truncate font-mono text-xs text-soft">{slug}</span>}
    </span>
  )
}

function isNamedAlike(one: PartnerOfMine, other: PartnerOfMine): boolean {
  return one.slug !== other.slug && one.name.trim().toLowerCase() === other.name.trim().toLowerCase()
}

/** Switching to a partner also accepts its invitation. */
function useSwitch() {
  const environment = useEnvironment()
  const showToast = useToast()
  return useMutation({
    mutationFn: (slug: string) => call<Session>('POST', '/v1/auth/session/partner', { body: { slug } }),
    // Loads a new page, so that no data of the old partner appears under the new partner's name.
    onSuccess: () => location.assign(`/dashboard?environment=${environment}`),
    onError: (error) => showToast(adviceOf(error), 'bad'),
  })
}

function useDecline() {
  const queryClient = useQueryClient()
  const showToast = useToast()
  return useMutation({
    mutationFn: ({ slug }: PartnerOfMine) => call('DELETE', pathTo`/v1/auth/invitations/${slug}`),
    onSuccess: (_, { name }) => showToast(`Invitation to ${name} declined`),
    onError: (error) => showToast(adviceOf(error), 'bad'),
    // Reload even after an error, because the invitation may have been withdrawn.
    onSettled: () => queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  })
}

export const item =
  'flex h-9 items-center gap-2.5 rounded-md px-2.5 outline-none select-none data-highlighted:bg-sunken [&_svg]:size-4 [&_svg]:text-soft'

export const Tick = () => (
  <DropdownMenu.ItemIndicator className="ml-auto">
    <Check aria-hidden />
  </DropdownMenu.ItemIndicator>
)

export const Line = () => <DropdownMenu.Separator className="mx-1 my-1 h-px bg-line" />
