// Sign-in by emailed code, on the common page or a partner's own, and sign-up.
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { call, Refusal } from '../../api/call'
import { publicPartnerQuery } from '../../api/queries'
import { pageFacts } from '../../page-facts'
import { Button } from '../../parts/forms/button'
import { controlled, Field } from '../../parts/forms/field'
import { ErrorNotice } from '../../parts/notice'
import { colorOf, PartnerMark } from '../../shell/partner-mark'
import { CodeStep } from './code-step'
import { Frame } from './frame'

export function SignInPage() {
  const { next } = useSearch({ from: '/sign-in' })
  return <SignIn title="Sign in" next={next} below={pageFacts.sign_up && <SignUpHint />} />
}

export function PartnerSignInPage() {
  const { slug } = useParams({ from: '/p/$slug' })
  const { next } = useSearch({ from: '/p/$slug' })
  const { data: partner, error } = useQuery(publicPartnerQuery(slug))
  if (error instanceof Refusal && error.status === 404)
    return (
      <Frame title="Page not found" about="Check the address.">
        <Link to="/sign-in" className="underline">
          Go to sign-in
        </Link>
      </Frame>
    )
  if (!partner)
    return error ? (
      <Frame title="Sign in">
        <ErrorNotice error={error} />
      </Frame>
    ) : null
  const color = colorOf(partner)
  return (
    <>
      <div
        aria-hidden
        className="fixed inset-x-0 top-0 h-1.5 bg-accent"
        style={color ? { backgroundColor: color } : undefined}
      />
      <SignIn
        title={`Sign in to ${partner.name}`}
        partner={slug}
        next={next}
        mark={<PartnerMark partner={partner} large />}
      />
    </>
  )
}

interface SignInProps {
  readonly title: string
  readonly partner?: string
  readonly next?: string | undefined
  readonly mark?: ReactNode
  readonly below?: ReactNode
}

function SignIn({ title, partner, next, mark, below }: SignInProps) {
  const [email, setEmail] = useState('')
  const ask = useMutation({
    mutationFn: (address: string) => call('POST', '/v1/auth/codes', { body: { email: address } }),
  })
  // A code that this browser requested before may still work, so the form stays.
  const isTooOften = ask.error instanceof Refusal && ask.error.status === 429
  if (ask.isSuccess || isTooOften)
    return (
      <Frame
        title="Check your email"
        about={isTooOften ? <TooManyCodes email={email} /> : <SentTo email={email} />}
        mark={mark}
      >
        <CodeStep
          {...{ email, partner, next }}
          resend={() => call('POST', '/v1/auth/codes', { body: { email } })}
          back={ask.reset}
        />
      </Frame>
    )
  return (
    <Frame title={title} about="We’ll email you a six-digit code." mark={mark} below={below}>
      <EmailForm ask={ask} email={email} setEmail={setEmail} button="Send code" />
    </Frame>
  )
}

export function SignUpPage() {
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const send = (address: string) =>
    call('POST', '/v1/auth/signups', { body: { business_name: name.trim(), email: address } })
  const ask = useMutation({ mutationFn: send })
  const below = (
    <p>
      Already have an account? <Link to="/sign-in">Sign in</Link>
    </p>
  )
  if (ask.isSuccess)
    return (
      <Frame title="Check your email" about={<SentTo email={email} />}>
        <CodeStep email={email} purpose="sign_up" resend={() => send(email)} back={ask.reset} />
      </Frame>
    )
  return (
    <Frame
      title="Create a sandbox account"
      about="Start with test money and API keys right away. Live payouts unlock once your business is verified."
      below={below}
    >
      <EmailForm ask={ask} email={email} setEmail={setEmail} button="Create account">
        <Field
          label="Business name"
          required
          maxLength={120}
          autoComplete="organization"
          autoFocus
          {...controlled(name, setName)}
        />
      </EmailForm>
    </Frame>
  )
}

interface EmailFormProps {
  readonly ask: { readonly mutate: (email: string) => void; readonly isPending: boolean; readonly error: Error | null }
  readonly email: string
  readonly setEmail: (email: string) => void
  readonly button: string
  readonly children?: ReactNode
}

function EmailForm({ ask, email, setEmail, button, children }: EmailFormProps) {
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        setEmail(email.trim())
        ask.mutate(email.trim())
      }}
    >
      {children}
      <Field
        label="Work email"
        type="email"
        required
        autoComplete="email"
        autoFocus={!children}
        className="h-10"
        {...controlled(email, setEmail)}
      />
      <Button type="submit" weight="primary" className="h-10 w-full" busy={ask.isPending}>
        {button}
      </Button>
      {ask.error && <ErrorNotice error={ask.error} />}
    </form>
  )
}

const SentTo = ({ email }: { readonly email: string }) => (
  <>
    If <strong className="font-medium text-ink">{email}</strong> has an account, we’ve sent it a code. It expires in 10
    minutes.
  </>
)

const TooManyCodes = ({ email }: { readonly email: string }) => (
  <>
    You’ve requested too many codes. Use the latest one we sent to{' '}
    <strong className="font-medium text-ink">{email}</strong>, or try again in a few minutes.
  </>
)

const SignUpHint = () => (
  <p>
    New here? <Link to="/sign-up">Create a sandbox account</Link>
  </p>
)
