// Takes rights away after a confirmation: an admin demotes or removes a member, or a member leaves.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { call, pathTo } from '../../../api/call'
import type { Member } from '../../../api/types'
import { Dialog, DialogButtons } from '../../../parts/dialog'
import { Button } from '../../../parts/forms/button'
import { ErrorNotice } from '../../../parts/notice'
import { useToast } from '../../../parts/toast'
import { useSession } from '../../../shell/here'
import { roleChanged, useTeamChange } from './change'

interface LeavingProps {
  readonly member: Member | null
  readonly onClose: () => void
}

export function Remove({ member, onClose }: LeavingProps) {
  const remove = useTeamChange(
    (who: Member) => call('DELETE', pathTo`/v1/members/${who.id}`),
    'Team member removed',
    onClose,
  )
  return (
    <Question
      {...{ member, onClose }}
      title="Remove from the team?"
      button="Remove"
      change={{ ...remove, start: () => member && remove.mutate([member]) }}
    >
      <strong className="text-ink">{member?.email}</strong> will be signed out and lose access. Their activity stays in
      the audit log.
    </Question>
  )
}

export function Demote({ member, onClose }: LeavingProps) {
  const { member: self } = useSession()
  const isSelf = member?.email === self.email
  const demote = useTeamChange(
    (who: Member) => call('PATCH', pathTo`/v1/members/${who.id}`, { body: { role: 'viewer' } }),
    roleChanged,
    onClose,
  )
  const close = () => {
    demote.reset()
    onClose()
  }
  return (
    <Question
      member={member}
      onClose={close}
      title={isSelf ? 'Make yourself a viewer?' : 'Make this admin a viewer?'}
      button="Make viewer"
      errorTitle="Role not changed"
      change={{ ...demote, start: () => member && demote.mutate([member]) }}
    >
      {isSelf ? (
        'You can no longer send payouts or change settings. Only another admin can undo this.'
      ) : (
        <>
          <strong className="text-ink">{member?.email}</strong> can no longer send payouts or change settings.
        </>
      )}
    </Question>
  )
}

export function Leave({ member, onClose }: LeavingProps) {
  const { partner } = useSession()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const showToast = useToast()
  const leave = useMutation({
    mutationFn: (self: Member) => call('DELETE', pathTo`/v1/members/${self.id}`),
    onSuccess: async () => {
      queryClient.clear()
      await navigate({ to: '/sign-in' })
      showToast(`You left ${partner.name}`)
    },
  })
  return (
    <Question
      {...{ member, onClose }}
      title={`Leave ${partner.name}?`}
      button="Leave team"
      change={{ ...leave, start: () => member && leave.mutate(member) }}
    >
      You’ll be signed out, and only an admin can invite you again. Your activity stays in the audit log.
    </Question>
  )
}

interface QuestionProps extends LeavingProps {
  readonly title: string
  readonly button: string
  /** The title of an error. */
  readonly errorTitle?: string
  readonly change: { readonly isPending: boolean; readonly error: Error | null; readonly start: () => void }
  readonly children: ReactNode
}

function Question({ member, onClose, title, button, errorTitle, change, children }: QuestionProps) {
  return (
    <Dialog open={member !== null} onClose={onClose} title={title}>
      <div className="flex flex-col gap-4">
        <p className="text-soft">{children}</p>
        {change.error && <ErrorNotice error={change.error} {...(errorTitle ? { title: errorTitle } : {})} />}
      </div>
      <DialogButtons>
        <Button onClick={onClose}>Cancel</Button>
        <Button weight="danger" busy={change.isPending} onClick={change.start}>
          {button}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
