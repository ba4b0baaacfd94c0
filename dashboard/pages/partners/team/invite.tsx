// Invites a person to the team by email.
import { type FormEvent, useState } from 'react'
import { call } from '../../../api/call'
import type { Role } from '../../../api/types'
import { DialogButtons } from '../../../parts/dialog'
import { Button } from '../../../parts/forms/button'
import { ConfirmByCode } from '../../../parts/forms/confirm-by-code'
import { Choice, controlled, Field } from '../../../parts/forms/field'
import { ErrorNotice, faultAt, stateAdvice } from '../../../parts/notice'
import { useTeamChange } from './change'
import { texts } from './texts'

const words = texts.invite

const states = (state: string) => (state === 'already_member' ? words.alreadyMember : undefined)

export function Invite({ onClose }: { readonly onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('viewer')
  const [mustConfirm, setMustConfirm] = useState(false)
  const body = { email: email.trim(), role, ...(name.trim() ? { name: name.trim() } : {}) }
  const invite = useTeamChange(
    (code?: string) => call('POST', '/v1/members', { body: { ...body, ...(code ? { confirm_code: code } : {}) } }),
    words.done,
    onClose,
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (role === 'admin') setMustConfirm(true)
    else invite.mutate([])
  }
  if (mustConfirm)
    return (
      <ConfirmByCode
        path="/v1/members"
        request={{ body }}
        button={words.button}
        confirm={(code) => invite.mutate([code])}
        change={invite}
        onClose={onClose}
        states={states}
      >
        {words.confirms(body.email)}
      </ConfirmByCode>
    )
  const known = stateAdvice(invite.error, states)
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Field
        label={words.email}
        type="email"
        required
        autoFocus
        {...controlled(email, setEmail)}
        error={known ?? faultAt(invite.error, 'email')}
      />
      <Field
        label={words.name}
        optional
        maxLength={120}
        {...controlled(name, setName)}
        error={faultAt(invite.error, 'name')}
      />
      <Choice
        label={words.role}
        value={role}
        onChange={(event) => setRole(event.target.value === 'admin' ? 'admin' : 'viewer')}
      >
        <option value="viewer">{words.viewer}</option>
        <option value="admin">{words.admin}</option>
      </Choice>
      {invite.error && !known && <ErrorNotice error={invite.error} fields={['email', 'name']} />}
      <DialogButtons>
        <Button onClick={onClose}>{texts.cancel}</Button>
        <Button type="submit" weight="primary" busy={invite.isPending}>
          {role === 'admin' ? words.emailCode : words.button}
        </Button>
      </DialogButtons>
    </form>
  )
}
