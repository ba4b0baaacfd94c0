// What a partner may change about itself; only what was changed is sent.
import { type FormEvent, useState } from 'react'
import type { SignedInPartner } from '../../../api/types'
import { Button } from '../../../parts/forms/button'
import { Area, Field } from '../../../parts/forms/field'
import { Trouble } from '../../../parts/notice'
import { useIsAdmin } from '../../../shell/here'
import { ConfirmEmails, emailsIn } from './confirm-emails'
import { LogoField } from './logo-field'
import { type AccountChanges, useSave } from './save'

const names = ['name', 'brand_color', 'billing_email', 'contact_email', 'billing_address'] as const
type Name = (typeof names)[number]

export function BusinessForm({ partner }: { readonly partner: SignedInPartner }) {
  const isAdmin = useIsAdmin()
  const [typed, setTyped] = useState<Readonly<Partial<Record<Name, string>>>>({})
  /** Undefined: as it is; null: none any more. */
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
        {save.error && toConfirm === null && <Trouble error={save.error} />}
        {isAdmin && (
          <div>
            <Button
              type="submit"
              weight="primary"
              busy={save.isPending}
              disabled={changed.length === 0 && logo === undefined}
            >
              Save
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
        <Field label="Business name" required maxLength={120} hint={waitingName(partner)} {...bind('name')} />
        <Field
          label="Colour"
          optional
          pattern="#[0-9A-Fa-f]{6}"
          placeholder="#0f766e"
          hint="# and six hex digits."
          {...bind('brand_color')}
        />
        <Field label="Billing email" optional type="email" hint="Invoices go here." {...bind('billing_email')} />
        <Field
          label="Contact email"
          optional
          type="email"
          hint="For questions about payouts."
          {...bind('contact_email')}
        />
      </div>
      <Area
        label="Billing address"
        optional
        rows={4}
        hint="As invoices print it, line by line."
        {...bind('billing_address')}
      />
    </>
  )
}

function waitingName({ requested_name: name }: SignedInPartner): string | null {
  return name === null ? null : `“${name}” is waiting for our approval.`
}
