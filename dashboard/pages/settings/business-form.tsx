// What a partner may change about itself; only what was changed is sent.
import { type FormEvent, useState } from 'react'
import type { SignedInPartner } from '../../api/types'
import { Button } from '../../parts/button'
import { Area, Field } from '../../parts/field'
import { Trouble } from '../../parts/notice'
import { useIsAdmin } from '../../shell/here'
import { LogoField } from './logo-field'
import { useSave } from './save'

const names = ['name', 'brand_color', 'billing_email', 'contact_email', 'billing_address'] as const
type Name = (typeof names)[number]

export function BusinessForm({ partner }: { readonly partner: SignedInPartner }) {
  const isAdmin = useIsAdmin()
  const [typed, setTyped] = useState<Readonly<Partial<Record<Name, string>>>>({})
  /** Undefined: as it is; null: none any more. */
  const [logo, setLogo] = useState<string | null | undefined>(undefined)
  const save = useSave(() => {
    setTyped({})
    setLogo(undefined)
  })
  const changed = names.filter((name) => typed[name] !== undefined && typed[name].trim() !== (partner[name] ?? ''))
  const bind = (name: Name) => ({
    value: typed[name] ?? partner[name] ?? '',
    disabled: !isAdmin,
    onChange: (event: { target: { value: string } }) => setTyped({ ...typed, [name]: event.target.value }),
  })
  const preview = {
    ...partner,
    brand_color: typed.brand_color ?? partner.brand_color ?? null,
    logo_url: logo === undefined ? (partner.logo_url ?? null) : logo,
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const changes = Object.fromEntries(changed.map((name) => [name, typed[name]?.trim() || null]))
    save.mutate({ ...changes, ...(logo === undefined ? {} : { logo }) })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <LogoField partner={preview} disabled={!isAdmin} onPick={setLogo} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Business name" required maxLength={120} {...bind('name')} />
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
      {save.error && <Trouble error={save.error} />}
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
  )
}
