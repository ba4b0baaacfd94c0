// The form for a partner's own settings. It sends only changed fields.
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
  /** Undefined if the logo is unchanged, null if it is removed. */
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
  /** Opens or closes the confirmation. The form and the confirmation never show each other's errors. */
  const confirmByCode = (changes: AccountChanges | null) => {
    save.reset()
    setToConfirm(changes)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const fields = Object.fromEntries(changed.map((name) => [name, typed[name]?.trim() || null]))
    const changes = { ...fields, ...(logo === undefined ? {} : { logo }) }
    if (emailsIn(changes).length > 0) confirmByCode(changes)
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
      <ConfirmEmails changes={toConfirm} save={save} onClose={() => confirmByCode(null)} />
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
        <ColourField {...bind('brand_color')} />
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

const ownColour = '#0f766e'

/** The colour as text, with a picker for the same value. */
function ColourField(bound: Bound) {
  return (
    <div className="flex items-start gap-2">
      <div className="min-w-0 flex-1">
        <Field
          label={texts.business.colour}
          optional
          pattern="#[0-9A-Fa-f]{6}"
          placeholder={ownColour}
          hint={texts.business.colourHint}
          {...bound}
        />
      </div>
      <input
        type="color"
        aria-label={texts.business.pickColour}
        className="mt-[1.6rem] h-9 w-11 shrink-0 cursor-pointer rounded-lg border border-edge/60 bg-surface p-1 text-base disabled:cursor-not-allowed"
        {...bound}
        // The picker only accepts a complete colour.
        value={/^#[0-9a-f]{6}$/i.test(bound.value) ? bound.value.toLowerCase() : ownColour}
      />
    </div>
  )
}

function waitingName({ requested_name: name }: SignedInPartner): string | null {
  return name === null ? null : texts.business.awaiting(name)
}

interface ConfirmEmailsProps {
  /** Null if there is nothing to confirm. */
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

/** The changed email addresses, which the user must confirm with an emailed code. */
export function emailsIn(changes: AccountChanges) {
  return emailFields.flatMap(([field, name]) => {
    const email = changes[field]
    return typeof email === 'string' || email === null ? [{ field, name, email }] : []
  })
}
