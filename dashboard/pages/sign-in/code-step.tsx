// The second step of sign-in and sign-up: the user enters the emailed code, which is submitted when it is complete.
// After a pause, the user can request a new one.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { call, isRateLimited } from '../../api/call'
import { sessionQuery } from '../../api/queries'
import type { Session } from '../../api/types'
import { Button } from '../../parts/forms/button'
import { CodeField, ResendButton, secondsAfter, useCodeRequest } from '../../parts/forms/code-field'
import { adviceOf, ErrorNotice } from '../../parts/notice'
import { noteSignIn } from '../../shell/session-end'
import { Frame } from './frame'
import { texts } from './texts'

interface CodeStepProps {
  readonly email: string
  /** Sign-in if omitted. */
  readonly purpose?: 'sign_up' | undefined
  readonly partner?: string | undefined
  readonly next?: string | undefined
  readonly mark?: ReactNode
  /** Set if the first request was refused because there were too many. An earlier code may still work. */
  readonly firstError: Error | null
  readonly resend: () => Promise<unknown>
  readonly back: () => void
}

export function CodeStep({ email, purpose, partner, next, mark, firstError, resend, back }: CodeStepProps) {
  const [code, setCode] = useState('')
  const [resends, setResends] = useState(0)
  const signIn = useSignIn({ email, purpose, partner, next, onRefused: () => setCode('') })
  const request = useCodeRequest(resend, secondsAfter(firstError))
  const error = request.isIdle ? firstError : request.error
  const requestAgain = () => {
    setCode('')
    setResends(resends + 1)
    signIn.reset()
    request.mutate()
  }
  return (
    <Frame
      title={texts.code.title}
      about={<span role="status">{aboutCode({ email, purpose, error, isNew: request.isSuccess })}</span>}
      mark={mark}
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (code.length === 6) signIn.mutate(code)
        }}
      >
        {error && !isRateLimited(error) && <ErrorNotice error={error} title={texts.code.notSent} />}
        <CodeField
          // A new field takes the focus from the button, which is now disabled.
          key={resends}
          value={code}
          onChange={setCode}
          onComplete={(digits) => signIn.mutate(digits)}
          disabled={signIn.isPending}
          error={signIn.error && code === '' ? adviceOf(signIn.error) : null}
        />
        <Button
          type="submit"
          weight="primary"
          className="h-10 w-full"
          busy={signIn.isPending}
          disabled={code.length < 6}
        >
          {purpose === 'sign_up' ? texts.signUp.button : texts.signIn}
        </Button>
        <div className="flex justify-between gap-2">
          <Button weight="quiet" className="-ml-3" onClick={back}>
            {texts.code.otherEmail}
          </Button>
          <ResendButton request={request} className="-mr-3" onClick={requestAgain} />
        </div>
      </form>
    </Frame>
  )
}

interface AboutCode extends Pick<CodeStepProps, 'email' | 'purpose'> {
  readonly error: Error | null
  readonly isNew: boolean
}

function aboutCode({ email, purpose, error, isNew }: AboutCode): ReactNode {
  const address = <strong className="font-medium text-ink">{email}</strong>
  if (isRateLimited(error)) return texts.code.tooMany(address, error.retryAfterSeconds)
  if (error) return null
  return texts.code[purpose === 'sign_up' ? 'sentTo' : 'sentToMember'](address, isNew ? 'a new code' : 'a code')
}

function useSignIn({
  email,
  purpose,
  partner,
  next,
  onRefused,
}: Pick<CodeStepProps, 'email' | 'purpose' | 'partner' | 'next'> & { onRefused: () => void }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (code: string) =>
      call<Session>('POST', '/v1/auth/sessions', {
        body: { email, code, ...(purpose ? { purpose } : {}), ...(partner ? { partner } : {}) },
      }),
    onSuccess: async (session) => {
      queryClient.clear()
      noteSignIn(session.member.email)
      queryClient.setQueryData(sessionQuery.queryKey, session)
      await navigate({ to: next ?? '/dashboard', replace: true })
    },
    onError: onRefused,
  })
}
