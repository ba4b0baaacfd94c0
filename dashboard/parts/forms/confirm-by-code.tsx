// Asks for the emailed code that confirms one action: a live payout, a live key, a new admin or a changed email
// address.
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { type CallOptions, call, isRateLimited, Refusal } from '../../api/call'
import { pageFacts } from '../../page-facts'
import { useSession } from '../../shell/here'
import { ErrorNotice, type StateWords } from '../notice'
import { Button } from './button'
import { CodeField, ResendButton, useCodeRequest } from './code-field'

interface ConfirmProps {
  /** The path of the request that needs the code. */
  readonly path: string
  readonly request: CallOptions
  readonly button: string
  readonly confirm: (code: string) => void
  /** The mutation that sends the request with the code. */
  readonly change: { readonly isPending: boolean; readonly error: Error | null }
  /** Set in a dialog: the form then has no frame and shows every error itself. */
  readonly onClose?: () => void
  readonly states?: StateWords
  /** Completes the sentence "It only works for …". */
  readonly children: ReactNode
}

export function ConfirmByCode(props: ConfirmProps) {
  const { path, request, button, confirm, change, onClose, states, children } = props
  const busy = change.isPending
  const [code, setCode] = useState('')
  const [resends, setResends] = useState(0)
  /** The error that the user has answered by requesting a new code. */
  const [oldError, setOldError] = useState<Error | null>(null)
  const mail = useCodeRequest(() => call('POST', `${path}/confirm-codes`, request))
  const begun = useRef(false)
  useEffect(() => {
    if (begun.current) return
    begun.current = true
    mail.mutate()
  })
  const error = change.error === oldError ? null : change.error
  const isWrong = isWrongCode(error)
  useEffect(() => {
    if (isWrong) setCode('')
  }, [isWrong])
  const resend = () => {
    setCode('')
    setOldError(change.error)
    setResends(resends + 1)
    mail.mutate()
  }
  return (
    <form
      className={`flex flex-col gap-4 ${onClose ? '' : 'rounded-xl border border-line bg-sunken/60 p-5'}`}
      onSubmit={(event) => {
        event.preventDefault()
        if (code.length === 6) confirm(code)
      }}
    >
      <CodeSent mail={mail} isNew={resends > 0}>
        {children}
      </CodeSent>
      {onClose && error && !isWrong && <ErrorNotice error={error} states={states} />}
      <CodeField
        // A new field takes the focus from the button, which is now disabled.
        key={resends}
        value={code}
        onChange={setCode}
        onComplete={() => undefined}
        disabled={busy}
        error={
          isWrong && code === ''
            ? 'That code isn’t valid for this action. Use the code in the latest email, or request a new one.'
            : null
        }
      />
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="flex flex-wrap items-center gap-2">
          <ResendButton request={mail} className="-ml-3" onClick={resend} />
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

interface CodeSentProps {
  readonly mail: ReturnType<typeof useCodeRequest>
  readonly isNew: boolean
  readonly children: ReactNode
}

/** Shows that the code was sent, or why it was not, but never both. */
function CodeSent({ mail, isNew, children }: CodeSentProps) {
  const { member } = useSession()
  return (
    <>
      <div role="status" className="break-words empty:hidden">
        {mail.isPending && 'Emailing you a code…'}
        {mail.isSuccess && (
          <p>
            We emailed a {isNew && 'new '}code to <strong className="font-semibold">{member.email}</strong>. It only
            works for {children}.
          </p>
        )}
        {isRateLimited(mail.error) && isNew && 'You can still use the latest code we emailed.'}
      </div>
      {mail.error && <ErrorNotice error={mail.error} title="We couldn’t send the code" />}
    </>
  )
}

/** The code field shows this error itself. */
export function isWrongCode(error: Error | null): boolean {
  return error instanceof Refusal && error.code === 'invalid_confirm_code'
}
