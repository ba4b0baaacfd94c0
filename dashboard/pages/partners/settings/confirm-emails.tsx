// Confirms a change of the billing or contact email by a mailed code, and saves it with all else that was changed.

import { Dialog } from '../../../parts/dialog'
import { ConfirmByCode } from '../../../parts/forms/confirm-by-code'
import type { AccountChanges, useSave } from './save'

interface ConfirmEmailsProps {
  /** Null while there is nothing to confirm. */
  readonly changes: AccountChanges | null
  readonly save: ReturnType<typeof useSave>
  readonly onClose: () => void
}

export function ConfirmEmails({ changes, save, onClose }: ConfirmEmailsProps) {
  const emails = emailsIn(changes ?? {})
  return (
    <Dialog open={changes !== null} onClose={onClose} title="Confirm the change">
      <ConfirmByCode
        path="/v1/account"
        request={{ body: Object.fromEntries(emails.map(({ field, email }) => [field, email])) }}
        button="Save"
        confirm={(code) => save.mutate({ ...changes, confirm_code: code })}
        busy={save.isPending}
        error={save.error}
        onClose={onClose}
      >
        {emails.map(({ name, email }) => (email === null ? `no ${name}` : `the ${name} ${email}`)).join(' and ')}
      </ConfirmByCode>
    </Dialog>
  )
}

const emailFields = [
  ['billing_email', 'billing email'],
  ['contact_email', 'contact email'],
] as const

/** The part of the changes that a code confirms. */
export function emailsIn(changes: AccountChanges) {
  return emailFields.flatMap(([field, name]) => {
    const email = changes[field]
    return typeof email === 'string' || email === null ? [{ field, name, email }] : []
  })
}
