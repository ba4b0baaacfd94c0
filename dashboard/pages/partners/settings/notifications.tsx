// Email notifications to admins: one switch per kind, saved immediately, and the low-balance limit.
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import type { NotificationKind, SignedInPartner } from '../../../api/types'
import { Card } from '../../../parts/card'
import { Button } from '../../../parts/forms/button'
import { controlled, Field } from '../../../parts/forms/field'
import { ErrorNotice, faultAt } from '../../../parts/notice'
import { useIsAdmin } from '../../../shell/here'
import { asAmount } from '../../../words'
import { useSave } from './save'
import { switches, texts } from './texts'

export function Notifications({ partner }: { readonly partner: SignedInPartner }) {
  const isAdmin = useIsAdmin()
  const save = useSave()
  return (
    <Card title={texts.notifications.title}>
      <div className="flex flex-col gap-4">
        <p className="text-soft">{texts.notifications.about}</p>
        {switches.map(([kind, label, about]) => (
          <Switch
            key={kind}
            {...{ label, about }}
            // While saving, the switch shows the new value.
            on={pendingValue(save, kind) ?? partner.notifications[kind]}
            disabled={!isAdmin || save.isPending}
            onChange={(on) => save.mutate({ notifications: { [kind]: on } })}
          />
        ))}
        {save.error && <ErrorNotice error={save.error} title={texts.notifications.notSaved} />}
        <LowBalance partner={partner} />
      </div>
    </Card>
  )
}

function pendingValue(
  { isPending, variables }: ReturnType<typeof useSave>,
  kind: NotificationKind,
): boolean | undefined {
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
        label={texts.notifications.alert}
        optional
        inputMode="decimal"
        className="figures text-right"
        placeholder="500"
        disabled={!isAdmin}
        {...controlled(shown, setTyped)}
        hint={texts.notifications.alertHint}
        error={isWrong ? texts.notifications.alertFault : faultAt(save.error, 'low_balance_usdc')}
      />
      {save.error && (
        <ErrorNotice error={save.error} title={texts.notifications.notSaved} fields={['low_balance_usdc']} />
      )}
      {isAdmin && (
        <div>
          <Button
            type="submit"
            busy={save.isPending}
            disabled={isWrong || usdc === saved}
            aria-label={texts.notifications.saveAlert}
          >
            {texts.business.save}
          </Button>
        </div>
      )}
    </form>
  )
}

interface SwitchProps {
  readonly label: string
  readonly about?: ReactNode
  readonly on: boolean
  readonly disabled?: boolean
  readonly onChange: (on: boolean) => void
}

function Switch({ label, about, on, disabled, onChange }: SwitchProps) {
  const id = useId()
  return (
    <div className="flex items-start justify-between gap-6">
      <div className="min-w-0">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {about && (
          <p id={`${id}-about`} className="text-xs text-soft">
            {about}
          </p>
        )}
      </div>
      <input
        id={id}
        type="checkbox"
        role="switch"
        checked={on}
        disabled={disabled}
        aria-describedby={about ? `${id}-about` : undefined}
        onChange={(event) => onChange(event.target.checked)}
        className="relative mt-0.5 h-5 w-9 shrink-0 cursor-pointer appearance-none rounded-full bg-edge transition-colors before:absolute before:top-0.5 before:left-0.5 before:size-4 before:rounded-full before:bg-surface before:transition-transform checked:bg-accent checked:before:translate-x-4 disabled:cursor-not-allowed disabled:opacity-55"
      />
    </div>
  )
}
