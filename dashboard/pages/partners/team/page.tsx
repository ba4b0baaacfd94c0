// The Team page: the partner's members. Admins can change the team. Viewers can only read the list or leave.
import { useQuery } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { call, pathTo } from '../../../api/call'
import { membersQuery } from '../../../api/queries'
import type { Member, Role } from '../../../api/types'
import { Card, Page } from '../../../parts/card'
import { Dialog } from '../../../parts/dialog'
import { Button } from '../../../parts/forms/button'
import { Bars, Loaded } from '../../../parts/loaded'
import { Cell, Row, Table } from '../../../parts/table'
import { Moment } from '../../../parts/values/moment'
import { Status } from '../../../parts/values/status'
import { useIsAdmin, useSession } from '../../../shell/here'
import { Address, type MemberProps, Question, useTeamChange } from './change'
import { Invite } from './invite'
import { Demote, Leave, Promote, Remove } from './rights'
import { texts } from './texts'

export function TeamPage() {
  const isAdmin = useIsAdmin()
  const query = useQuery(membersQuery)
  const [inviting, setInviting] = useState(false)
  return (
    <Page
      title={texts.title}
      about={texts.about}
      actions={
        isAdmin && (
          <Button weight="primary" onClick={() => setInviting(true)}>
            <UserPlus aria-hidden />
            {texts.invite.open}
          </Button>
        )
      }
    >
      <Card flush>
        <Loaded query={query} skeleton={<Bars />}>
          {({ data }) => <Members members={data} />}
        </Loaded>
      </Card>
      <Dialog open={inviting} onClose={() => setInviting(false)} title={texts.invite.title}>
        <Invite onClose={() => setInviting(false)} />
      </Dialog>
    </Page>
  )
}

const columns = [
  { head: texts.columns.person },
  { head: texts.columns.lastSignedIn, from: 'sm' },
  {
    head: (
      <>
        {texts.columns.role}
        <span className="sr-only"> {texts.columns.andActions}</span>
      </>
    ),
  },
] as const

type Question = 'promote' | 'demote' | 'resend' | 'withdraw' | 'remove' | 'leave'
type Ask = (question: Question, member: Member) => void

function Members({ members }: { readonly members: readonly Member[] }) {
  const isAdmin = useIsAdmin()
  const { member: self } = useSession()
  const [asked, setAsked] = useState<{ readonly question: Question; readonly member: Member } | null>(null)
  const ask: Ask = (question, member) => setAsked({ question, member })
  const dialog = (question: Question) => {
    return { member: asked?.question === question ? asked.member : null, onClose: () => setAsked(null) }
  }
  return (
    <>
      <Table columns={columns} label={texts.title}>
        {members.map((member) => (
          <Row key={member.id}>
            <Cell className="max-w-36 sm:max-w-56">
              <span className="block font-medium wrap-anywhere">{member.name ?? member.email}</span>
              <span className="block text-xs text-soft wrap-anywhere">
                {member.name && member.email}
                {member.email === self.email && (member.name ? ` · ${texts.you}` : texts.you)}
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
              {/* One cell, because a phone has no space for the role and the actions side by side. */}
              <div className="flex flex-col gap-2 sm:flex-row sm:items-center sm:justify-between">
                {isAdmin ? (
                  <RolePicker member={member} onPick={(role) => ask(role === 'admin' ? 'promote' : 'demote', member)} />
                ) : (
                  texts.roles[member.role]
                )}
                <Actions member={member} ask={ask} />
              </div>
            </Cell>
          </Row>
        ))}
      </Table>
      <Promote {...dialog('promote')} />
      <Demote {...dialog('demote')} />
      <Resend {...dialog('resend')} />
      <Withdraw {...dialog('withdraw')} />
      <Remove {...dialog('remove')} />
      <Leave {...dialog('leave')} />
    </>
  )
}

function Actions({ member, ask }: { readonly member: Member; readonly ask: Ask }) {
  const isAdmin = useIsAdmin()
  const { member: self } = useSession()
  const { email } = member
  if (email === self.email)
    return <RowButton name={texts.leave.open} label={texts.leave.button} onClick={() => ask('leave', member)} />
  if (!isAdmin) return null
  if (member.status === 'active')
    return (
      <RowButton name={texts.remove.button} label={texts.remove.label(email)} onClick={() => ask('remove', member)} />
    )
  return (
    <span className="flex flex-col gap-2 sm:flex-row sm:justify-end">
      <RowButton
        name={texts.resend.button}
        weight="plain"
        label={texts.resend.label(email)}
        onClick={() => ask('resend', member)}
      />
      <RowButton
        name={texts.withdraw.button}
        label={texts.withdraw.label(email)}
        onClick={() => ask('withdraw', member)}
      />
    </span>
  )
}

function RolePicker({ member, onPick }: { readonly member: Member; readonly onPick: (role: Role) => void }) {
  return (
    <select
      aria-label={texts.roleOf(member.email)}
      value={member.role}
      onChange={(event) => onPick(event.target.value === 'admin' ? 'admin' : 'viewer')}
      className="h-9 rounded-lg border border-edge/60 bg-surface px-2 max-sm:h-11 max-sm:text-base"
    >
      <option value="admin">{texts.roles.admin}</option>
      <option value="viewer">{texts.roles.viewer}</option>
    </select>
  )
}

interface RowButtonProps {
  readonly name: string
  readonly label: string
  readonly weight?: 'plain' | 'danger'
  readonly onClick: () => void
}

function RowButton({ name, label, weight = 'danger', onClick }: RowButtonProps) {
  return (
    <Button weight={weight} aria-label={label} className="max-sm:h-11" onClick={onClick}>
      {name}
    </Button>
  )
}

function Resend({ member, onClose }: MemberProps) {
  const resend = useTeamChange(
    (who: Member) => call('POST', pathTo`/v1/members/${who.id}/invitation`),
    texts.resend.done,
    onClose,
  )
  return (
    <Question
      {...{ member, onClose }}
      title={texts.resend.title}
      button={texts.resend.button}
      weight="primary"
      errorTitle={texts.resend.notSent}
      states={(state) => (state === 'active' ? texts.resend.alreadyJoined : undefined)}
      change={{ ...resend, start: () => member && resend.mutate([member]) }}
    >
      {texts.resend.about(<Address of={member} />)}
    </Question>
  )
}

function Withdraw({ member, onClose }: MemberProps) {
  const withdraw = useTeamChange(
    (who: Member) => call('DELETE', pathTo`/v1/members/${who.id}`),
    texts.withdraw.done,
    onClose,
  )
  return (
    <Question
      {...{ member, onClose }}
      title={texts.withdraw.title}
      button={texts.withdraw.button}
      change={{ ...withdraw, start: () => member && withdraw.mutate([member]) }}
    >
      {texts.withdraw.about(<Address of={member} />)}
    </Question>
  )
}
