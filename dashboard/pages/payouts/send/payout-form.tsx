// The payout form. A field shows its error when the user leaves it, and the cost changes with the amount.
import { useQuery } from '@tanstack/react-query'
import { ArrowRight } from 'lucide-react'
import { type ChangeEvent, type FormEvent, useRef, useState } from 'react'
import { complianceQuery } from '../../../api/queries'
import { Card } from '../../../parts/card'
import { Button } from '../../../parts/forms/button'
import { Choice, Field } from '../../../parts/forms/field'
import { useEnvironment } from '../../../shell/here'
import { type Faults, faultsOf, type PayoutFields } from './form'
import { QuoteCard, QuoteTotal } from './quote-card'
import { texts } from './texts'

const words = texts.form

interface PayoutFormProps {
  readonly typed: PayoutFields
  readonly onChange: (typed: PayoutFields) => void
  readonly onDone: () => void
}

const optionalFields: ReadonlySet<keyof PayoutFields> = new Set(['reference', 'email', 'line2'])

const usualLimits = { min: '1.00', max_per_payout: '20000.00' }

export function PayoutForm({ typed, onChange, onDone }: PayoutFormProps) {
  const environment = useEnvironment()
  const { data: compliance } = useQuery(complianceQuery(environment))
  const limits = compliance?.account.payout_limits_gbp ?? usualLimits
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [tried, setTried] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const faults = faultsOf(typed, limits)
  const bind = (name: keyof PayoutFields) => ({
    autoComplete: 'off',
    optional: optionalFields.has(name),
    required: !optionalFields.has(name),
    value: typed[name],
    error: tried || (left.has(name) && typed[name] !== '') ? faults[name] : undefined,
    onBlur: () => setLeft(new Set([...left, name])),
    onChange: (event: ChangeEvent<HTMLInputElement>) => onChange({ ...typed, [name]: event.target.value }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (Object.keys(faults).length === 0) onDone()
    else focusFirstFault(form.current)
  }
  return (
    <form ref={form} noValidate onSubmit={submit} className="grid items-start gap-5 lg:grid-cols-[3fr_2fr]">
      <div className="flex min-w-0 flex-col gap-5">
        <Card title={words.amountTitle}>
          <div className="grid gap-4 sm:grid-cols-2">
            <Field
              label={words.amount}
              inputMode="decimal"
              autoFocus
              placeholder="0.00"
              className="figures !h-11 text-right !text-lg font-semibold"
              {...bind('amount')}
            />
            <Field
              label={words.reference}
              maxLength={120}
              className="!h-11"
              hint={words.referenceHint}
              {...bind('reference')}
            />
          </div>
        </Card>
        <RecipientCards typed={typed} bind={bind} setType={(type) => onChange({ ...typed, type })} />
      </div>
      <div className="contents lg:sticky lg:top-28 lg:flex lg:flex-col lg:gap-4">
        <QuoteCard typed={typed.amount} limits={limits} />
        <div className="sticky bottom-0 z-10 -mx-4 flex items-center gap-4 border-t border-line bg-surface px-4 py-3 sm:-mx-8 sm:px-8 lg:static lg:m-0 lg:border-0 lg:bg-transparent lg:p-0">
          <QuoteTotal typed={typed.amount} limits={limits} />
          <Button type="submit" weight="primary" className="h-11 min-w-36 flex-1">
            {words.review}
            <ArrowRight aria-hidden />
          </Button>
        </div>
      </div>
    </form>
  )
}

type Bind = (name: keyof PayoutFields) => {
  readonly autoComplete: string
  readonly optional: boolean
  readonly required: boolean
  readonly value: string
  readonly error: Faults[keyof Faults]
  readonly onBlur: () => void
  readonly onChange: (event: ChangeEvent<HTMLInputElement>) => void
}

function RecipientCards({
  typed,
  bind,
  setType,
}: {
  readonly typed: PayoutFields
  readonly bind: Bind
  readonly setType: (type: PayoutFields['type']) => void
}) {
  return (
    <>
      <Card title={words.recipientTitle}>
        <div className="flex flex-col gap-4">
          <div className="grid gap-4 sm:grid-cols-3">
            <Choice
              label={words.type}
              value={typed.type}
              onChange={(event) => setType(event.target.value === 'business' ? 'business' : 'individual')}
            >
              <option value="individual">{words.types.individual}</option>
              <option value="business">{words.types.business}</option>
            </Choice>
            {typed.type === 'business' ? (
              <div className="sm:col-span-2">
                <Field
                  label={words.businessName}
                  maxLength={80}
                  hint={words.businessNameHint}
                  {...bind('businessName')}
                />
              </div>
            ) : (
              <>
                <Field label={words.firstName} maxLength={80} {...bind('firstName')} />
                <Field label={words.lastName} maxLength={80} {...bind('lastName')} />
              </>
            )}
          </div>
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label={words.line1} maxLength={140} {...bind('line1')} />
            <Field label={words.line2} maxLength={140} {...bind('line2')} />
            <Field label={words.city} maxLength={140} {...bind('city')} />
            <Field label={words.postalCode} maxLength={140} {...bind('postalCode')} />
          </div>
          <Field label={words.email} type="email" hint={words.emailHint} {...bind('email')} />
        </div>
      </Card>
      <Card title={words.bankTitle}>
        <div className="grid gap-4 sm:grid-cols-3">
          <Field label={words.bankName} maxLength={140} {...bind('bankName')} />
          <Field
            label={words.sortCode}
            inputMode="numeric"
            placeholder="20-04-15"
            className="figures"
            {...bind('sortCode')}
          />
          <Field
            label={words.accountNumber}
            inputMode="numeric"
            placeholder={words.accountNumberHint}
            className="figures"
            {...bind('accountNumber')}
          />
        </div>
      </Card>
    </>
  )
}

/** Waits until the errors are rendered. */
function focusFirstFault(form: HTMLFormElement | null): void {
  requestAnimationFrame(() => form?.querySelector<HTMLInputElement>('[aria-invalid="true"]')?.focus())
}
