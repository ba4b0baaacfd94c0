// Live payouts are confirmed by a code that is mailed for exactly this amount and recipient.
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call, Refusal } from '../../api/call'
import type { PayoutRequest } from '../../api/types'
import { pageFacts } from '../../page-facts'
import { Button } from '../../parts/button'
import { CodeField } from '../../parts/code-field'
import { Trouble } from '../../parts/notice'
import { useEnvironment, useSession } from '../../shell/here'
import { pounds } from '../../words'

interface ConfirmProps {
  readonly request: PayoutRequest
  readonly idempotencyKey: string
  readonly send: (code: string) => void
  readonly busy: boolean
  readonly error: Error | null
}

export function ConfirmByCode({ request, idempotencyKey, send, busy, error }: ConfirmProps) {
  const environment = useEnvironment()
  const { member } = useSession()
  const [code, setCode] = useState('')
  const mail = useMutation({
    mutationFn: () =>
      call('POST', '/v1/payouts/confirm-codes', {
        query: { environment },
        headers: { 'Idempotency-Key': idempotencyKey },
        body: request,
      }),
  })
  const begun = useRef(false)
  useEffect(() => {
    if (begun.current) return
    begun.current = true
    mail.mutate()
  })
  const isWrong = error instanceof Refusal && error.code === 'invalid_confirm_code'
  useEffect(() => {
    if (isWrong) setCode('')
  }, [isWrong])
  return (
    <form
      className="flex flex-col gap-4 rounded-xl border border-line bg-sunken/60 p-5"
      onSubmit={(event) => {
        event.preventDefault()
        if (code.length === 6) send(code)
      }}
    >
      <p>
        We mailed a code to <strong className="font-semibold">{member.email}</strong>. It is good for this payout only:{' '}
        {pounds(request.amount_gbp)} to {request.recipient.first_name} {request.recipient.last_name}, account ending{' '}
        {request.recipient.bank.account_number.slice(-4)}.
      </p>
      {mail.error && <Trouble error={mail.error} title="The code could not be mailed" retry={() => mail.mutate()} />}
      <CodeField
        value={code}
        onChange={setCode}
        onComplete={() => undefined}
        disabled={busy}
        error={isWrong && code === '' ? 'This code is wrong, used or too old, or was for another payout.' : null}
      />
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="flex flex-wrap items-center gap-2">
          <Button weight="quiet" className="-ml-3" busy={mail.isPending} onClick={() => mail.mutate()}>
            Mail a new code
          </Button>
          {pageFacts.mail_inbox_url && (
            <a href={pageFacts.mail_inbox_url} target="_blank" rel="noreferrer" className="underline">
              Open the mail inbox
            </a>
          )}
        </span>
        <Button type="submit" weight="primary" busy={busy} disabled={code.length < 6}>
          Send {pounds(request.amount_gbp)}
        </Button>
      </div>
    </form>
  )
}
