// What a partner may change about itself; only what was changed is sent.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { call } from '../api/call'
import { sessionQuery } from '../api/queries'
import type { SignedInPartner } from '../api/types'
import { Button } from '../parts/button'
import { Area, Field } from '../parts/field'
import { Trouble } from '../parts/notice'
import { useSay } from '../parts/toast'
import { useIsAdmin } from '../shell/here'
import { PartnerMark } from '../shell/partner-mark'

const names = ['name', 'logo_url', 'brand_color', 'billing_email', 'contact_email', 'billing_address'] as const
type Name = (typeof names)[number]

export function BusinessForm({ partner }: { readonly partner: SignedInPartner }) {
  const isAdmin = useIsAdmin()
  const [typed, setTyped] = useState<Readonly<Partial<Record<Name, string>>>>({})
  const save = useSave(() => setTyped({}))
  const changed = names.filter((name) => typed[name] !== undefined && typed[name].trim() !== (partner[name] ?? ''))
  const bind = (name: Name) => ({
    value: typed[name] ?? partner[name] ?? '',
    disabled: !isAdmin,
    onChange: (event: { target: { value: string } }) => setTyped({ ...typed, [name]: event.target.value }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(Object.fromEntries(changed.map((name) => [name, typed[name]?.trim() || null])))
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <div className="flex items-center gap-3">
        <PartnerMark partner={{ ...partner, brand_color: typed.brand_color ?? partner.brand_color ?? null }} large />
        <p className="text-soft">Shown on your sign-in page and in the menu.</p>
      </div>
      <Field label="Business name" required maxLength={120} {...bind('name')} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Logo"
          optional
          type="url"
          placeholder="https://"
          hint="A picture’s https address."
          {...bind('logo_url')}
        />
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
          <Button type="submit" weight="primary" busy={save.isPending} disabled={changed.length === 0}>
            Save
          </Button>
        </div>
      )}
    </form>
  )
}

function useSave(onSaved: () => void) {
  const queryClient = useQueryClient()
  const say = useSay()
  return useMutation({
    mutationFn: (changes: Record<string, string | null>) => call('PATCH', '/v1/account', { body: changes }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
      await Promise.all(['account', 'compliance'].map((name) => queryClient.invalidateQueries({ queryKey: [name] })))
      onSaved()
      say('Saved')
    },
  })
}
