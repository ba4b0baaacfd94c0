// What the admins are mailed about: a switch for each, saved as it is flipped, and when the wallet counts as low.
import { type FormEvent, useState } from 'react'
import type { NotificationKind, SignedInPartner } from '../../../api/types'
import { Card } from '../../../parts/card'
import { Button } from '../../../parts/forms/button'
import { Field } from '../../../parts/forms/field'
import { Switch } from '../../../parts/forms/switch'
import { Trouble } from '../../../parts/notice'
import { useIsAdmin } from '../../../shell/here'
import { asAmount } from '../../../words'
import { useSave } from './save'

const switches: readonly (readonly [NotificationKind, string, string])[] = [
  ['payout_failed', 'A payout failed', 'With the reason. The money comes back by itself.'],
  ['payout_returned', 'A payout was returned', 'The recipient’s bank sent it back.'],
  ['top_up', 'A top-up arrived', 'By bank transfer or in USDC.'],
  ['low_balance', 'The wallet runs low', 'When it falls below the amount that you set here.'],
  ['case', 'A recall or trace is resolved', 'With how it ended and what it costs.'],
  ['verification', 'Verification changed', 'When the bank has decided, or needs something.'],
]

export function Notifications({ partner }: { readonly partner: SignedInPartner }) {
  const isAdmin = useIsAdmin()
  const save = useSave()
  return (
    <Card title="Mails to admins">
      <div className="flex flex-col gap-4">
        <p className="text-soft">All admins of the team get them, about the live environment only.</p>
        {switches.map(([kind, label, about]) => (
          <Switch
            key={kind}
            {...{ label, about }}
            // While it is being saved it shows what was asked for.
            on={askedFor(save, kind) ?? partner.notifications[kind]}
            disabled={!isAdmin || save.isPending}
            onChange={(on) => save.mutate({ notifications: { [kind]: on } })}
          />
        ))}
        {save.error && <Trouble error={save.error} title="It was not saved" />}
        <LowBalance partner={partner} />
      </div>
    </Card>
  )
}

function askedFor({ isPending, variables }: ReturnType<typeof useSave>, kind: NotificationKind): boolean | undefined {
  const asked = isPending ? variables?.['notifications'] : undefined
  return typeof asked === 'object' ? asked?.[kind] : undefined
}

function LowBalance({ partner: { low_balance_usdc: saved } }: { readonly partner: SignedInPartner }) {
  const isAdmin = useIsAdmin()
  const [typed, setTyped] = useState<string | null>(null)
  const save = useSave(() => setTyped(null))
  const shown = typed ?? saved ?? ''
  const usdc = shown.trim() === '' ? null : asAmount(shown)
  const isWrong = shown.trim() !== '' && usdc === null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isWrong) save.mutate({ low_balance_usdc: usdc })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3 border-t border-line pt-4">
      <Field
        label="The wallet is low below (USDC)"
        optional
        inputMode="decimal"
        className="figures text-right"
        placeholder="500"
        disabled={!isAdmin}
        value={shown}
        onChange={(event) => setTyped(event.target.value)}
        hint="Empty: nobody is mailed about it."
        error={isWrong ? 'An amount such as 500 or 1250.50, or nothing.' : null}
      />
      {save.error && <Trouble error={save.error} title="It was not saved" />}
      {isAdmin && (
        <div>
          <Button
            type="submit"
            busy={save.isPending}
            disabled={isWrong || usdc === saved}
            aria-label="Save the low balance"
          >
            Save
          </Button>
        </div>
      )}
    </form>
  )
}
