// The form of a partner's own settings. It sends only changed fields.
import { type FormEvent, useState } from 'react'
import type { SignedInPartner } from '../../../api/types'
import { Dialog } from '../../../parts/dialog'
import { Button } from '../../../parts/forms/button'
import { ConfirmByCode } from '../../../parts/forms/confirm-by-code'
import { Area, Field } from '../../../parts/forms/field'
import { ErrorNotice } from '../../../parts/notice'
import { useIsAdmin } from '../../../shell/here'
import { LogoField } from './logo-field'
import { type AccountChanges, useSave } from './save'
import { texts } from './texts'

const names = ['name', 'brand_color', 'billing_email', 'contact_email', 'billing_address'] as const
type Name = (typeof names)[number]

export function BusinessForm({ partner }: { readonly partner: SignedInPartner }) {
  const isAdmin = useIsAdmin()
  const [typed, setTyped] = useState<Readonly<Partial<Record<Name, string>>>>({})
  /** Undefined: unchanged. Null: removed. */
  const [logo, setLogo] = useState<string | null | undefined>(undefined)
  const [toConfirm, setToConfirm] = useState<AccountChanges | null>(null)
  const save = useSave(() => {
    setTyped({})
    setLogo(undefined)
    setToConfirm(null)
  })
  const changed = names.filter((name) => typed[name] !== undefined && typed[name].trim() !== (partner[name] ?? ''))
  const bind = (name: Name): Bound => ({
    value: typed[name] ?? partner[name] ?? '',
    disabled: !isAdmin,
    onChange: (event) => setTyped({ ...typed, [name]: event.target.value }),
  })
  const preview = {
    ...partner,
    brand_color: typed.brand_color ?? partner.brand_color ?? null,
    logo_url: logo === undefined ? (partner.logo_url ?? null) : logo,
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const fields = Object.fromEntries(changed.map((name) => [name, typed[name]?.trim() || null]))
    const changes = { ...fields, ...(logo === undefined ? {} : { logo }) }
    if (emailsIn(changes).length > 0) setToConfirm(changes)
    else save.mutate(changes)
  }
  return (
    <>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <LogoField partner={preview} disabled={!isAdmin} onPick={setLogo} />
        <BusinessFields partner={partner} bind={bind} />
        {save.error && toConfirm === null && <ErrorNotice error={save.error} />}
        {isAdmin && (
          <div>
            <Button
              type="submit"
              weight="primary"
              busy={save.isPending}
              disabled={changed.length === 0 && logo === undefined}
            >
              {texts.business.save}
            </Button>
          </div>
        )}
      </form>
      <ConfirmEmails changes={toConfirm} save={save} onClose={() => setToConfirm(null)} />
    </>
  )
}

interface Bound {
  readonly value: string
  readonly disabled: boolean
  readonly onChange: (event: { readonly target: { readonly value: string } }) => void
}

interface BusinessFieldsProps {
  readonly partner: SignedInPartner
  readonly bind: (name: Name) => Bound
}

function BusinessFields({ partner, bind }: BusinessFieldsProps) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={texts.business.name} required maxLength={120} hint={waitingName(partner)} {...bind('name')} />
        <Field
          label={texts.business.colour}
          optional
          pattern="#[0-9A-Fa-f]{6}"
          placeholder="#0f766e"
          hint={texts.business.colourHint}
          {...bind('brand_color')}
        />
        <Field
          label={texts.business.billingEmail}
          optional
          type="email"
          hint={texts.business.billingEmailHint}
          {...bind('billing_email')}
        />
        <Field
          label={texts.business.contactEmail}
          optional
          type="email"
          hint={texts.business.contactEmailHint}
          {...bind('contact_email')}
        />
      </div>
      <Area
        label={texts.business.billingAddress}
        optional
        rows={4}
        hint={texts.business.billingAddressHint}
        {...bind('billing_address')}
      />
    </>
  )
}

function waitingName({ requested_name: name }: SignedInPartner): string | null {
  return name === null ? null : texts.business.awaiting(name)
}

interface ConfirmEmailsProps {
  /** Null: nothing to confirm. */
  readonly changes: AccountChanges | null
  readonly save: ReturnType<typeof useSave>
  readonly onClose: () => void
}

function ConfirmEmails({ changes, save, onClose }: ConfirmEmailsProps) {
  const emails = emailsIn(changes ?? {})
  return (
    <Dialog open={changes !== null} onClose={onClose} title={texts.confirm.title}>
      <ConfirmByCode
        path="/v1/account"
        request={{ body: Object.fromEntries(emails.map(({ field, email }) => [field, email])) }}
        button={texts.business.save}
        confirm={(code) => save.mutate({ ...changes, confirm_code: code })}
        change={save}
        onClose={onClose}
      >
        {emails.map(({ name, email }) => texts.confirm.email(name, email)).join(' and ')}
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
