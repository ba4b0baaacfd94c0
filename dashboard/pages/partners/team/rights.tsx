// Changes rights after a confirmation: an admin promotes, demotes or removes a member, or a member leaves.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { call, pathTo } from '../../../api/call'
import type { Member } from '../../../api/types'
import { Dialog, DialogButtons } from '../../../parts/dialog'
import { Button } from '../../../parts/forms/button'
import { ConfirmByCode } from '../../../parts/forms/confirm-by-code'
import { useToast } from '../../../parts/toast'
import { useSession } from '../../../shell/here'
import { Address, type MemberProps, Question, useTeamChange } from './change'
import { texts } from './texts'

export function Promote({ member, onClose }: MemberProps) {
  const path = pathTo`/v1/members/${member?.id ?? ''}`
  const body = { role: 'admin' }
  const promote = useTeamChange(
    (code: string) => call('PATCH', path, { body: { ...body, confirm_code: code } }),
    texts.roleChanged,
    onClose,
  )
  return (
    <Dialog
      open={member !== null}
      onClose={onClose}
      title={texts.promote.title(member?.name ?? member?.email)}
      change={promote}
    >
      <AskFirst onClose={onClose}>
        <ConfirmByCode
          path={path}
          request={{ body }}
          button={texts.promote.button}
          confirm={(code) => promote.mutate([code])}
          change={promote}
          onClose={onClose}
        >
          {texts.promote.confirms(member?.email)}
        </ConfirmByCode>
      </AskFirst>
    </Dialog>
  )
}

/** One key press can change a role, so a code is emailed only after the user has confirmed the change. */
function AskFirst({ onClose, children }: Pick<MemberProps, 'onClose'> & { readonly children: ReactNode }) {
  const [isConfirmed, setConfirmed] = useState(false)
  if (isConfirmed) return children
  return (
    <>
      <p className="text-soft">{texts.promote.about}</p>
      <DialogButtons>
        <Button onClick={onClose}>{texts.cancel}</Button>
        <Button weight="primary" onClick={() => setConfirmed(true)}>
          {texts.promote.emailCode}
        </Button>
      </DialogButtons>
    </>
  )
}

export function Remove({ member, onClose }: MemberProps) {
  const remove = useTeamChange(
    (who: Member) => call('DELETE', pathTo`/v1/members/${who.id}`),
    texts.remove.done,
    onClose,
  )
  return (
    <Question
      {...{ member, onClose }}
      title={texts.remove.title}
      button={texts.remove.button}
      change={{ ...remove, start: () => member && remove.mutate([member]) }}
    >
      {texts.remove.about(<Address of={member} />)}
    </Question>
  )
}

export function Demote({ member, onClose }: MemberProps) {
  const { member: self } = useSession()
  const isSelf = member?.email === self.email
  const demote = useTeamChange(
    (who: Member) => call('PATCH', pathTo`/v1/members/${who.id}`, { body: { role: 'viewer' } }),
    texts.roleChanged,
    onClose,
  )
  return (
    <Question
      {...{ member, onClose }}
      title={isSelf ? texts.demote.titleSelf : texts.demote.title}
      button={texts.demote.button}
      errorTitle={texts.demote.notChanged}
      change={{ ...demote, start: () => member && demote.mutate([member]) }}
    >
      {isSelf ? texts.demote.aboutSelf : texts.demote.about(<Address of={member} />)}
    </Question>
  )
}

export function Leave({ member, onClose }: MemberProps) {
  const { partner } = useSession()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const showToast = useToast()
  const leave = useMutation({
    mutationFn: (self: Member) => call('DELETE', pathTo`/v1/members/${self.id}`),
    onSuccess: async () => {
      queryClient.clear()
      await navigate({ to: '/sign-in' })
      showToast(texts.leave.done(partner.name))
    },
  })
  return (
    <Question
      {...{ member, onClose }}
      title={texts.leave.title(partner.name)}
      button={texts.leave.button}
      change={{ ...leave, start: () => member && leave.mutate(member) }}
    >
      {texts.leave.about}
    </Question>
  )
}
