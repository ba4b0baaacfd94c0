// Sending a payout: form, review and, in live, the emailed code. Sending again is safe.
import { useState } from 'react'
import { Card, Page } from '../../../parts/card'
import { Button, ButtonLink } from '../../../parts/forms/button'
import { Notice } from '../../../parts/notice'
import { BankMaintenance } from '../../../shell/bank-maintenance'
import { useEnvironment, useIsAdmin, useSession } from '../../../shell/here'
import { draftOf, forgetDraft, keepDraft } from '../../../shell/session-end'
import { emptyForm, isFilled, newKey, type PayoutFields, requestOf } from './form'
import { forgetKey, keptKey, type Place } from './kept-key'
import { PayoutForm } from './payout-form'
import { Review } from './review'
import { UnknownPayout } from './unknown-payout'

export function SendPage() {
  const environment = useEnvironment()
  const isAdmin = useIsAdmin()
  const { live, partner, member } = useSession()
  if (!isAdmin)
    return (
      <Page title="Send a payout">
        <Notice title="Only admins can send payouts">Ask an admin on your team.</Notice>
      </Page>
    )
  if (environment === 'live' && !live)
    return (
      <Page title="Send a payout">
        <Notice
          tone="warn"
          title="Your business isn’t verified yet"
          action={<ButtonLink to="/dashboard/verification">Verification</ButtonLink>}
        >
          You can send live payouts once your business is verified. Try one in the sandbox now.
        </Notice>
      </Page>
    )
  // Another partner or environment starts with an empty form.
  const place = { partnerId: partner.id, environment }
  return <Send key={partner.id + environment} place={place} owner={`${member.email} ${partner.id} ${environment}`} />
}

interface SendProps {
  readonly place: Place
  /** Of the draft. */
  readonly owner: string
}

function Send({ place, owner }: SendProps) {
  const [step, setStep] = useState<'form' | 'review'>('form')
  const [kept, setKept] = useState(() => keptKey(place))
  const [typed, setTyped] = useState(() => draftFor(owner, kept))
  const [isRestored, setRestored] = useState(typed !== emptyForm)
  const clear = () => {
    forgetDraft()
    setTyped(emptyForm)
    setRestored(false)
  }
  const type = (fields: PayoutFields) => {
    setTyped(fields)
    keepDraft(owner, fields)
  }
  const [isReopened, setReopened] = useState(false)
  // One key per form: however often it is sent, it is one payout.
  const [fresh] = useState(newKey)
  const startAnother = () => {
    forgetKey(place)
    setKept(null)
  }
  if (kept !== null && !isReopened)
    return (
      <Page title="Send a payout">
        <UnknownPayout idempotencyKey={kept} fillInAgain={() => setReopened(true)} startAnother={startAnother} />
      </Page>
    )
  return (
    <Page title="Send a payout" about="Pounds to a UK bank account, by Faster Payments.">
      <BankMaintenance />
      {isRestored && step === 'form' && (
        <Notice title="We kept what you entered" action={<Button onClick={clear}>Clear form</Button>}>
          This payout hasn’t been sent.
        </Notice>
      )}
      {step === 'form' ? (
        <PayoutForm typed={typed} onChange={type} onDone={() => setStep('review')} />
      ) : (
        <Card className="mx-auto w-full max-w-2xl">
          <Review
            request={requestOf(typed)}
            idempotencyKey={kept ?? fresh}
            {...{ place, isReopened }}
            keepForm={() => keepDraft(owner, typed)}
            back={() => setStep('form')}
          />
        </Card>
      )}
    </Page>
  )
}

/** A payout with an unknown outcome starts with an empty form: its details must be those that were sent. */
function draftFor(owner: string, kept: string | null): PayoutFields {
  if (kept !== null) forgetDraft()
  const draft = draftOf(owner)
  return draft && isFilled(draft) ? draft : emptyForm
}
