// The partners of the person who is signed in, to switch between; and apart from them those who only invite, to accept or decline.
import * as DropdownMenu from '@radix-ui/react-dropdown-menu'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call, pathTo } from '../api/call'
import { sessionQuery } from '../api/queries'
import type { PartnerOfMine, Session } from '../api/types'
import { adviceOf } from '../parts/notice'
import { useSay } from '../parts/toast'
import { useEnvironment, useSession } from './here'
import { item, Line, Tick } from './menu-look'

export function Partners() {
  const { partner, partners } = useSession()
  const change = useSwitch()
  const mine = partners.filter(({ invited }) => !invited)
  if (mine.length < 2) return null
  return (
    <>
      <Line />
      <DropdownMenu.RadioGroup value={partner.slug} aria-label="Partner">
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
            {/* Whoever invites chooses the name, and may choose that of somebody else. */}
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

/** To be at a partner is also to have accepted its invitation. */
function useSwitch() {
  const environment = useEnvironment()
  const say = useSay()
  return useMutation({
    mutationFn: (slug: string) => call<Session>('POST', '/v1/auth/session/partner', { body: { slug } }),
    // A page anew: what this one still shows of the first partner must not stand under the name of the other for a moment.
    onSuccess: () => location.assign(`/dashboard?environment=${environment}`),
    onError: (error) => say(adviceOf(error), 'bad'),
  })
}

function useDecline() {
  const queryClient = useQueryClient()
  const say = useSay()
  return useMutation({
    mutationFn: ({ slug }: PartnerOfMine) => call('DELETE', pathTo`/v1/auth/invitations/${slug}`),
    onSuccess: (_, { name }) => say(`The invitation to ${name} is declined`),
    onError: (error) => say(adviceOf(error), 'bad'),
    // Also after a refusal: the invitation may have been taken back meanwhile.
    onSettled: () => queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  })
}
