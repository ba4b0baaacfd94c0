// Asks for the mailed code that confirms one action: a live payout, a live key, a new admin, a changed email.
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { type CallOptions, call, Refusal } from '../../api/call'
import { pageFacts } from '../../page-facts'
import { useSession } from '../../shell/here'
import { ErrorNotice, type StateWords } from '../notice'
import { Button } from './button'
import { CodeField } from './code-field'

interface ConfirmProps {
  /** The path of the request that needs the code. */
  readonly path: string
  readonly request: CallOptions
  readonly button: string
  readonly confirm: (code: string) => void
  /** The mutation that sends that request. */
  readonly change: { readonly isPending: boolean; readonly error: Error | null }
  /** Set in a dialog: the form then has no frame and shows every error itself. */
  readonly onClose?: () => void
  readonly states?: StateWords
  /** Completes the sentence "It only works for …". */
  readonly children: ReactNode
}

export function ConfirmByCode(props: ConfirmProps) {
  const { path, request, button, confirm, change, onClose, states, children } = props
  const { isPending: busy, error } = change
  const { member } = useSession()
  const [code, setCode] = useState('')
  const mail = useMutation({ mutationFn: () => call('POST', `${path}/confirm-codes`, request) })
  const begun = useRef(false)
  useEffect(() => {
    if (begun.current) return
    begun.current = true
    mail.mutate()
  })
  const isWrong = isWrongCode(error)
  useEffect(() => {
    if (isWrong) setCode('')
  }, [isWrong])
  return (
    <form
      className={`flex flex-col gap-4 ${onClose ? '' : 'rounded-xl border border-line bg-sunken/60 p-5'}`}
      onSubmit={(event) => {
        event.preventDefault()
        if (code.length === 6) confirm(code)
      }}
    >
      <p className="break-words">
        We emailed a code to <strong className="font-semibold">{member.email}</strong>. It only works for {children}.
      </p>
      {onClose && error && !isWrong && <ErrorNotice error={error} states={states} />}
      {mail.error && <ErrorNotice error={mail.error} title="We couldn’t send the code" retry={() => mail.mutate()} />}
      <CodeField
        value={code}
        onChange={setCode}
        onComplete={() => undefined}
        disabled={busy}
        error={
          isWrong && code === '' ? 'That code isn’t valid for this. Check the latest email or resend the code.' : null
        }
      />
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="flex flex-wrap items-center gap-2">
          <Button weight="quiet" className="-ml-3" busy={mail.isPending} onClick={() => mail.mutate()}>
            Resend code
          </Button>
          {pageFacts.mail_inbox_url && (
            <a href={pageFacts.mail_inbox_url} target="_blank" rel="noreferrer" className="underline">
              Open the test inbox
            </a>
          )}
        </span>
        <span className="ml-auto flex flex-wrap gap-2">
          {onClose && <Button onClick={onClose}>Cancel</Button>}
          <Button type="submit" weight="primary" busy={busy} disabled={code.length < 6}>
            {button}
          </Button>
        </span>
      </div>
    </form>
  )
}

/** The code field shows this error itself. */
export function isWrongCode(error: Error | null): boolean {
  return error instanceof Refusal && error.code === 'invalid_confirm_code'
}
