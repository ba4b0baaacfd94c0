// The members of this partner: admins may do everything, viewers only read.
import { useQuery } from '@tanstack/react-query'
import { LogOut, type LucideIcon, UserMinus, UserPlus } from 'lucide-react'
import { useState } from 'react'
import { call, pathTo } from '../../../api/call'
import { membersQuery } from '../../../api/queries'
import type { Member, Role } from '../../../api/types'
import { Card, Page } from '../../../parts/card'
import { Dialog } from '../../../parts/dialog'
import { Button } from '../../../parts/forms/button'
import { ConfirmByCode } from '../../../parts/forms/confirm-by-code'
import { Bars, Loaded } from '../../../parts/loaded'
import { Cell, Row, Table } from '../../../parts/table'
import { Moment } from '../../../parts/values/moment'
import { Status } from '../../../parts/values/status'
import { useIsAdmin, useSession } from '../../../shell/here'
import { roleChanged, useTeamChange } from './change'
import { Invite } from './invite'
import { Demote, Leave, Remove } from './remove'

export function TeamPage() {
  const isAdmin = useIsAdmin()
  const query = useQuery(membersQuery)
  const [inviting, setInviting] = useState(false)
  return (
    <Page
      title="Team"
      about="Admins can send payouts and change settings. Viewers have read-only access."
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
      <Dialog open={inviting} onClose={() => setInviting(false)} title="Invite a team member">
        <Invite onClose={() => setInviting(false)} />
      </Dialog>
    </Page>
  )
}

const columns = [
  { head: 'Person' },
  { head: 'Last signed in', from: 'sm' },
  { head: 'Role' },
  { head: 'Remove or leave', hideHead: true, align: 'right' },
] as const

function Members({ members }: { readonly members: readonly Member[] }) {
  const isAdmin = useIsAdmin()
  const { member: self } = useSession()
  const [removing, setRemoving] = useState<Member | null>(null)
  const [leaving, setLeaving] = useState<Member | null>(null)
  const [promoting, setPromoting] = useState<Member | null>(null)
  const [demoting, setDemoting] = useState<Member | null>(null)
  return (
    <>
      <Table columns={columns} label="Team">
        {members.map((member) => (
          <Row key={member.id}>
            <Cell className="max-w-36 sm:max-w-56">
              <span className="block truncate font-medium">{member.name ?? member.email}</span>
              <span className="block truncate text-xs text-soft">
                {member.name && member.email}
                {member.email === self.email && (member.name ? ' · you' : 'you')}
              </span>
              {member.status === 'invited' && (
                <span className="mt-1 block sm:hidden">
                  <Status of="invited" />
                </span>
              )}
            </Cell>
            <Cell from="sm" className="text-soft">
              {member.last_login_at && <Moment at={member.last_login_at} as="ago" />}
              {member.status === 'invited' && <Status of="invited" />}
            </Cell>
            <Cell>
              {isAdmin ? (
                <RolePicker
                  member={member}
                  onPick={(role) => (role === 'admin' ? setPromoting(member) : setDemoting(member))}
                />
              ) : (
                <span className="capitalize">{member.role}</span>
              )}
            </Cell>
            <Cell align="right">
              {member.email === self.email ? (
                <RowButton name="Leave" icon={LogOut} label="Leave team" onClick={() => setLeaving(member)} />
              ) : (
                isAdmin && (
                  <RowButton
                    name="Remove"
                    icon={UserMinus}
                    label={`Remove ${member.email}`}
                    onClick={() => setRemoving(member)}
                  />
                )
              )}
            </Cell>
          </Row>
        ))}
      </Table>
      <Promote member={promoting} onClose={() => setPromoting(null)} />
      <Demote member={demoting} onClose={() => setDemoting(null)} />
      <Remove member={removing} onClose={() => setRemoving(null)} />
      <Leave member={leaving} onClose={() => setLeaving(null)} />
    </>
  )
}

function RolePicker({ member, onPick }: { readonly member: Member; readonly onPick: (role: Role) => void }) {
  return (
    <select
      aria-label={`Role of ${member.email}`}
      value={member.role}
      onChange={(event) => onPick(event.target.value === 'admin' ? 'admin' : 'viewer')}
      className="h-9 rounded-lg border border-edge/60 bg-surface px-2 max-sm:text-base"
    >
      <option value="admin">Admin</option>
      <option value="viewer">Viewer</option>
    </select>
  )
}

interface RowButtonProps {
  readonly name: string
  readonly icon: LucideIcon
  readonly label: string
  readonly onClick: () => void
}

/** Shows the label on wide screens, and the icon on narrow ones. */
function RowButton({ name, icon: Icon, label, onClick }: RowButtonProps) {
  return (
    <Button weight="danger" aria-label={label} onClick={onClick}>
      <Icon className="sm:hidden" aria-hidden />
      <span className="hidden sm:inline">{name}</span>
    </Button>
  )
}

interface PromoteProps {
  readonly member: Member | null
  readonly onClose: () => void
}

export function Promote({ member, onClose }: PromoteProps) {
  const path = pathTo`/v1/members/${member?.id ?? ''}`
  const body = { role: 'admin' }
  const promote = useTeamChange(
    (code: string) => call('PATCH', path, { body: { ...body, confirm_code: code } }),
    roleChanged,
    onClose,
  )
  return (
    <Dialog open={member !== null} onClose={onClose} title="Make this member an admin?">
      <ConfirmByCode
        path={path}
        request={{ body }}
        button="Make admin"
        confirm={(code) => promote.mutate([code])}
        change={promote}
        onClose={onClose}
      >
        making {member?.email} an admin, who can send payouts and change settings
      </ConfirmByCode>
    </Dialog>
  )
}
