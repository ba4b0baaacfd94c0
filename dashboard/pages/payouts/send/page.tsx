// Sending a payout: form, review and, in live, the emailed code. Sending again is safe.
import { useState } from 'react'
import { Card, Page } from '../../../parts/card'
import { ButtonLink } from '../../../parts/forms/button'
import { Notice } from '../../../parts/notice'
import { BankMaintenance } from '../../../shell/bank-maintenance'
import { useEnvironment, useIsAdmin, useSession } from '../../../shell/here'
import { emptyForm, newKey, requestOf } from './form'
import { forgetKey, keptKey, type Place } from './kept-key'
import { PayoutForm } from './payout-form'
import { Review } from './review'
import { UnknownPayout } from './unknown-payout'

export function SendPage() {
  const environment = useEnvironment()
  const isAdmin = useIsAdmin()
  const { live, partner } = useSession()
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
  return <Send key={partner.id + environment} place={{ partnerId: partner.id, environment }} />
}

function Send({ place }: { readonly place: Place }) {
  const [typed, setTyped] = useState(emptyForm)
  const [step, setStep] = useState<'form' | 'review'>('form')
  const [kept, setKept] = useState(() => keptKey(place))
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
      {step === 'form' ? (
        <PayoutForm typed={typed} onChange={setTyped} onDone={() => setStep('review')} />
      ) : (
        <Card className="mx-auto w-full max-w-2xl">
          <Review
            request={requestOf(typed)}
            idempotencyKey={kept ?? fresh}
            {...{ place, isReopened }}
            back={() => setStep('form')}
          />
        </Card>
      )}
    </Page>
  )
}
