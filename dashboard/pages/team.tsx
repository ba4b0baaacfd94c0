// Who may sign in to this partner: admins do everything, viewers look.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { UserMinus, UserPlus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { call } from '../api/call'
import { membersQuery } from '../api/queries'
import type { Member, Role } from '../api/types'
import { Button } from '../parts/button'
import { Card, Page } from '../parts/card'
import { Dialog, DialogButtons } from '../parts/dialog'
import { Choice, Field } from '../parts/field'
import { Bars, Loaded } from '../parts/loaded'
import { Moment } from '../parts/moment'
import { Trouble } from '../parts/notice'
import { Cell, Row, Table } from '../parts/table'
import { useSay } from '../parts/toast'
import { useIsAdmin, useSession } from '../shell/here'

export function TeamPage() {
  const isAdmin = useIsAdmin()
  const query = useQuery(membersQuery)
  const [inviting, setInviting] = useState(false)
  return (
    <Page
      title="Team"
      about="Admins send payouts and change settings. Viewers see everything and change nothing."
      actions={
        isAdmin && (
          <Button weight="primary" onClick={() => setInviting(true)}>
            <UserPlus aria-hidden />
            Invite
          </Button>
        )
      }
    >
      <Card flush>
        <Loaded query={query} skeleton={<Bars />}>
          {({ data }) => <Members members={data} />}
        </Loaded>
      </Card>
      <Dialog open={inviting} onClose={() => setInviting(false)} title="Invite somebody">
        <Invite onClose={() => setInviting(false)} />
      </Dialog>
    </Page>
  )
}

const columns = [
  { head: 'Person' },
  { head: 'Last signed in', from: 'sm' },
  { head: 'Role' },
  { head: 'Remove', hideHead: true, align: 'right' },
] as const

function Members({ members }: { readonly members: readonly Member[] }) {
  const isAdmin = useIsAdmin()
  const { member: self } = useSession()
  const [removing, setRemoving] = useState<Member | null>(null)
  const change = useChange(
    (member: Member, role: Role) => call('PATCH', `/v1/members/${member.id}`, { body: { role } }),
    'The role is changed',
  )
  return (
    <>
      {change.error && (
        <div className="p-4">
          <Trouble error={change.error} title="The role stays as it is" />
        </div>
      )}
      <Table columns={columns} label="Team">
        {members.map((member) => (
          <Row key={member.id}>
            <Cell className="max-w-36 sm:max-w-56">
              <span className="block truncate font-medium">{member.name ?? member.email}</span>
              <span className="block truncate text-xs text-soft">
                {member.name && member.email}
                {member.email === self.email && (member.name ? ' · you' : 'you')}
              </span>
            </Cell>
            <Cell from="sm" className="text-soft">
              {member.last_login_at ? <Moment at={member.last_login_at} as="ago" /> : 'not yet'}
            </Cell>
            <Cell>
              {isAdmin ? (
                <RolePicker member={member} onPick={(role) => change.mutate([member, role])} />
              ) : (
                <span className="capitalize">{member.role}</span>
              )}
            </Cell>
            <Cell align="right">
              {isAdmin && (
                <Button weight="danger" aria-label={`Remove ${member.email}`} onClick={() => setRemoving(member)}>
                  <UserMinus className="sm:hidden" aria-hidden />
                  <span className="hidden sm:inline">Remove</span>
                </Button>
              )}
            </Cell>
          </Row>
        ))}
      </Table>
      <Remove member={removing} onClose={() => setRemoving(null)} />
    </>
  )
}

function RolePicker({ member, onPick }: { readonly member: Member; readonly onPick: (role: Role) => void }) {
  return (
    <select
      aria-label={`Role of ${member.email}`}
      value={member.role}
      onChange={(event) => onPick(event.target.value === 'admin' ? 'admin' : 'viewer')}
      className="h-9 rounded-lg border border-edge/60 bg-surface px-2"
    >
      <option value="admin">Admin</option>
      <option value="viewer">Viewer</option>
    </select>
  )
}

function Invite({ onClose }: { readonly onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('viewer')
  const body = { email: email.trim(), role, ...(name.trim() ? { name: name.trim() } : {}) }
  const invite = useChange(() => call('POST', '/v1/members', { body }), 'The invitation is on its way', onClose)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    invite.mutate([])
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Field
        label="Work email"
        type="email"
        required
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <Field label="Name" optional maxLength={120} value={name} onChange={(event) => setName(event.target.value)} />
      <Choice
        label="Role"
        value={role}
        onChange={(event) => setRole(event.target.value === 'admin' ? 'admin' : 'viewer')}
      >
        <option value="viewer">Viewer: sees everything, changes nothing</option>
        <option value="admin">Admin: sends payouts, changes settings</option>
      </Choice>
      {invite.error && <Trouble error={invite.error} />}
      <DialogButtons>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" weight="primary" busy={invite.isPending}>
          Send the invitation
        </Button>
      </DialogButtons>
    </form>
  )
}

function Remove({ member, onClose }: { readonly member: Member | null; readonly onClose: () => void }) {
  const remove = useChange((who: Member) => call('DELETE', `/v1/members/${who.id}`), 'The person is removed', onClose)
  return (
    <Dialog open={member !== null} onClose={onClose} title="Remove from the team?">
      <p className="text-soft">
        <strong className="text-ink">{member?.email}</strong> is signed out at once and can not sign in again. What they
        did stays in the audit log.
      </p>
      {remove.error && <Trouble error={remove.error} />}
      <DialogButtons>
        <Button onClick={onClose}>Cancel</Button>
        <Button weight="danger" busy={remove.isPending} onClick={() => member && remove.mutate([member])}>
          Remove
        </Button>
      </DialogButtons>
    </Dialog>
  )
}

/** A change of the team: done, said, and the list read again. */
function useChange<Args extends readonly unknown[]>(
  change: (...args: Args) => Promise<unknown>,
  done: string,
  onDone?: () => void,
) {
  const queryClient = useQueryClient()
  const say = useSay()
  return useMutation({
    mutationFn: (args: Args) => change(...args),
    onSuccess: async () => {
      onDone?.()
      say(done)
      // One's own role or place in the team may have changed too.
      await queryClient.invalidateQueries({ queryKey: ['session'] })
      await queryClient.invalidateQueries({ queryKey: membersQuery.queryKey })
    },
  })
}
