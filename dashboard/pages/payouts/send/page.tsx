// The Send a payout page: form, review and, in live, the emailed code. Sending the same form again does not pay twice.

import { useQuery } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { useState } from 'react'
import { call, newKey } from '../../../api/call'
import type { List, Payout } from '../../../api/types'
import { Card, Page } from '../../../parts/card'
import { Button, ButtonLink } from '../../../parts/forms/button'
import { ErrorNotice, Notice, VerifyFirst } from '../../../parts/notice'
import { BankMaintenance } from '../../../shell/bank-maintenance'
import { useEnvironment, useIsAdmin, useSession } from '../../../shell/here'
import { draftOf, draftOwner, forgetDraft, keepDraft } from '../../../shell/session-end'
import { emptyForm, isFilled, type PayoutFields, requestOf } from './form'
import { forgetKey, keptKey, type Place } from './kept-key'
import { PayoutForm } from './payout-form'
import { Review } from './review'
import { texts } from './texts'

export function SendPage() {
  const environment = useEnvironment()
  const isAdmin = useIsAdmin()
  const { live, partner, member } = useSession()
  if (!isAdmin)
    return (
      <Page title={texts.title}>
        <Notice title={texts.adminsOnly}>{texts.adminsOnlyAbout}</Notice>
      </Page>
    )
  if (environment === 'live' && !live)
    return (
      <Page title={texts.title}>
        <VerifyFirst title={texts.notVerified}>{texts.notVerifiedAbout}</VerifyFirst>
      </Page>
    )
  // The `key` gives each partner and environment its own form.
  const place = { partnerId: partner.id, environment }
  return <Send key={partner.id + environment} place={place} owner={draftOwner(member.email, partner.id, environment)} />
}

type Step = 'form' | 'review' | 'confirm'

interface SendProps {
  readonly place: Place
  /** The owner of the draft: a member, a partner and an environment. */
  readonly owner: string
}

function Send({ place, owner }: SendProps) {
  const [step, setStep] = useState<Step>('form')
  const [kept, setKept] = useState(() => keptKey(place))
  const [typed, setTyped] = useState(() => draftFor(owner, kept))
  const [isRestored, setRestored] = useState(typed !== emptyForm)
  const clear = () => {
    forgetDraft(owner)
    setTyped(emptyForm)
    setRestored(false)
  }
  const type = (fields: PayoutFields) => {
    setTyped(fields)
    keepDraft(owner, fields)
  }
  const [isReopened, setReopened] = useState(false)
  // One key per form, so that a form that is sent several times creates one payout.
  const [fresh] = useState(newKey)
  const startAnother = () => {
    forgetKey(place)
    setKept(null)
  }
  // The draft is kept in memory, so a reload would lose it.
  const hasDraft = () => isFilled(draftOf(owner) ?? emptyForm)
  useBlocker({ shouldBlockFn: () => false, enableBeforeUnload: hasDraft })
  if (kept !== null && !isReopened)
    return (
      <Page title={texts.title}>
        <UnknownPayout idempotencyKey={kept} fillInAgain={() => setReopened(true)} startAnother={startAnother} />
      </Page>
    )
  return (
    <Page title={texts.title} about={texts.about}>
      <BankMaintenance />
      <Steps at={step} steps={place.environment === 'live' ? ['form', 'review', 'confirm'] : ['form', 'review']} />
      {isRestored && step === 'form' && (
        <Notice title={texts.kept.title} action={<Button onClick={clear}>{texts.kept.clear}</Button>}>
          {texts.kept.about}
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
            forgetForm={() => forgetDraft(owner)}
            isConfirming={step === 'confirm'}
            askForCode={() => setStep('confirm')}
            back={() => setStep('form')}
          />
        </Card>
      )}
    </Page>
  )
}

interface StepsProps {
  readonly at: Step
  /** Only live payouts are confirmed with a code. */
  readonly steps: readonly Step[]
}

function Steps({ at, steps }: StepsProps) {
  return (
    <ol aria-label={texts.steps.label} className="flex flex-wrap gap-x-6 gap-y-1 text-soft print:hidden">
      {steps.map((step, index) => (
        <li
          key={step}
          aria-current={step === at ? 'step' : undefined}
          className="group flex items-center gap-2 aria-[current=step]:font-semibold aria-[current=step]:text-ink"
        >
          <span
            aria-hidden
            className="figures grid size-6 place-items-center rounded-full border border-line text-xs group-aria-[current=step]:border-transparent group-aria-[current=step]:bg-accent group-aria-[current=step]:text-on-accent"
          >
            {index + 1}
          </span>
          {texts.steps[step]}
        </li>
      ))}
    </ol>
  )
}

/**
 * If the outcome of a payout is unknown, the form starts empty, because a draft may differ from the details that were
 * sent.
 */
function draftFor(owner: string, kept: string | null): PayoutFields {
  if (kept !== null) forgetDraft(owner)
  const draft = draftOf(owner)
  return draft && isFilled(draft) ? draft : emptyForm
}

const pays: ReadonlySet<Payout['status']> = new Set(['pending', 'processing', 'completed'])

interface UnknownPayoutProps {
  readonly idempotencyKey: string
  /** Reuses the key, so that an existing payout is not paid again. */
  readonly fillInAgain: () => void
  readonly startAnother: () => void
}

/** Shown before the form when an earlier payout from this tab has an unknown outcome. */
function UnknownPayout({ idempotencyKey, fillInAgain, startAnother }: UnknownPayoutProps) {
  const words = texts.unknown
  const environment = useEnvironment()
  const lookUp = useQuery({
    queryKey: ['payout-by-key', environment, idempotencyKey],
    queryFn: ({ signal }) =>
      call<List<Payout>>('GET', '/v1/payouts', { query: { environment, idempotency_key: idempotencyKey }, signal }),
    enabled: false,
    networkMode: 'always',
    retry: false,
    gcTime: 0,
  })
  const found = lookUp.data?.data[0]
  if (found)
    return (
      <Notice
        tone={pays.has(found.status) ? 'good' : 'warn'}
        title={words.found}
        action={
          <span className="flex flex-wrap gap-2">
            <Button onClick={startAnother}>{words.another}</Button>
            <ButtonLink to="/dashboard/payouts/$id" params={{ id: found.id }} weight="primary" onClick={startAnother}>
              {words.view}
            </ButtonLink>
          </span>
        }
      >
        {words.foundAbout(found.status)} {pays.has(found.status) && words.wouldPayAgain}
      </Notice>
    )
  const choices = (
    <span className="flex flex-wrap gap-2">
      <Button onClick={fillInAgain}>{words.reenterButton}</Button>
      <Button weight="primary" busy={lookUp.isFetching} onClick={() => void lookUp.refetch()}>
        {words.checkButton}
      </Button>
    </span>
  )
  return (
    <>
      <Notice tone="warn" title={words.title} action={choices}>
        {lookUp.data ? words.notReceived : words.check} {words.reenter}
      </Notice>
      {lookUp.error && <ErrorNotice error={lookUp.error} title={words.notChecked} />}
    </>
  )
}
