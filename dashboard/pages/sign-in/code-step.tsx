// The second step: the emailed code, submitted as soon as it is complete; a new one after a pause.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { call } from '../../api/call'
import { sessionQuery } from '../../api/queries'
import type { Session } from '../../api/types'
import { Button } from '../../parts/forms/button'
import { CodeField } from '../../parts/forms/code-field'
import { adviceOf } from '../../parts/notice'

interface CodeStepProps {
  readonly email: string
  /** The default is to sign in. */
  readonly purpose?: 'sign_up' | undefined
  readonly partner?: string | undefined
  readonly next?: string | undefined
  readonly resend: () => Promise<unknown>
  readonly back: () => void
}

const pauseSeconds = 30

export function CodeStep({ email, purpose, partner, next, resend, back }: CodeStepProps) {
  const [code, setCode] = useState('')
  const signIn = useSignIn({ email, purpose, partner, next, onRefused: () => setCode('') })
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (code.length === 6) signIn.mutate(code)
      }}
    >
      <CodeField
        value={code}
        onChange={setCode}
        onComplete={(digits) => signIn.mutate(digits)}
        disabled={signIn.isPending}
        error={signIn.error && code === '' ? adviceOf(signIn.error) : null}
      />
      <Button type="submit" weight="primary" className="h-10 w-full" busy={signIn.isPending} disabled={code.length < 6}>
        Sign in
      </Button>
      <div className="flex justify-between gap-2">
        <Button weight="quiet" className="-ml-3" onClick={back}>
          Use a different email
        </Button>
        <Resend send={resend} />
      </div>
    </form>
  )
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
      queryClient.setQueryData(sessionQuery.queryKey, session)
      await navigate({ to: next ?? '/dashboard', replace: true })
    },
    onError: onRefused,
  })
}

function Resend({ send }: { readonly send: () => Promise<unknown> }) {
  const [left, setLeft] = useState(pauseSeconds)
  const again = useMutation({ mutationFn: send, onSuccess: () => setLeft(pauseSeconds) })
  useEffect(() => {
    if (left === 0) return
    const timer = setTimeout(() => setLeft(left - 1), 1_000)
    return () => clearTimeout(timer)
  }, [left])
  return (
    <Button
      weight="quiet"
      className="figures -mr-3"
      busy={again.isPending}
      disabled={left > 0}
      onClick={() => again.mutate()}
    >
      {left > 0 ? `Resend in ${left} s` : 'Resend code'}
    </Button>
  )
}
