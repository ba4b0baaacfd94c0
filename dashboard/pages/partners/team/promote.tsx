// Makes a viewer an admin, confirmed by a mailed code.
import { call, pathTo } from '../../../api/call'
import type { Member } from '../../../api/types'
import { Dialog } from '../../../parts/dialog'
import { ConfirmByCode } from '../../../parts/forms/confirm-by-code'
import { roleChanged, useTeamChange } from './change'

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
    <Dialog open={member !== null} onClose={onClose} title="Make this person an admin?">
      <ConfirmByCode
        path={path}
        request={{ body }}
        button="Make an admin"
        confirm={(code) => promote.mutate([code])}
        busy={promote.isPending}
        error={promote.error}
        onClose={onClose}
      >
        that {member?.email} becomes an admin, who sends payouts and changes settings
      </ConfirmByCode>
    </Dialog>
  )
}
