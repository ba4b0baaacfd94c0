// Sign-in by emailed code, on the shared page or a partner's own page, and sign-up.
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { call, isRateLimited, pathTo, Refusal } from '../../api/call'
import { publicPartnerQuery } from '../../api/queries'
import { pageFacts } from '../../page-facts'
import { Button } from '../../parts/forms/button'
import { controlled, Field } from '../../parts/forms/field'
import { ErrorNotice, Notice } from '../../parts/notice'
import { colorOf, PartnerMark } from '../../shell/partner-mark'
import { emailOfEndedSession, hasDrafts } from '../../shell/session-end'
import { CodeStep } from './code-step'
import { Frame } from './frame'
import { texts } from './texts'

export interface SignInSearch {
  readonly next?: string | undefined
  /** The ID from an invitation link. */
  readonly invitation?: string | undefined
}

export function SignInPage() {
  const search = useSearch({ from: '/sign-in' })
  return <SignIn title={texts.signIn} {...search} below={pageFacts.sign_up && <SignUpHint />} />
}

export function PartnerSignInPage() {
  const { slug } = useParams({ from: '/p/$slug' })
  const search = useSearch({ from: '/p/$slug' })
  const { data: partner, error } = useQuery(publicPartnerQuery(slug))
  if (error instanceof Refusal && error.status === 404) return <Unavailable of={texts.notFound} />
  if (!partner)
    return error ? (
      <Frame title={texts.signIn}>
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
        title={texts.signInTo(partner.name)}
        partner={slug}
        {...search}
        mark={<PartnerMark partner={partner} large />}
      />
    </>
  )
}

interface SignInProps extends SignInSearch {
  readonly title: string
  readonly partner?: string
  readonly mark?: ReactNode
  readonly below?: ReactNode
}

function SignIn({ title, partner, next, invitation, mark, below }: SignInProps) {
  const isWithdrawn = useIsWithdrawn(invitation)
  const ended = emailOfEndedSession()
  const [email, setEmail] = useState(ended ?? '')
  const ask = useMutation({
    mutationFn: (address: string) => call('POST', '/v1/auth/codes', { body: { email: address } }),
  })
  if (isWithdrawn) return <Unavailable of={texts.withdrawn} />
  // A code that this browser requested before may still work, so the code field is still shown.
  if (ask.isSuccess || isRateLimited(ask.error))
    return (
      <CodeStep
        {...{ email, partner, next, mark }}
        firstError={ask.error}
        resend={() => call('POST', '/v1/auth/codes', { body: { email } })}
        back={ask.reset}
      />
    )
  return (
    <Frame title={title} about={texts.about} mark={mark} below={below}>
      {ended !== null && (
        <div className="mb-4">
          <Notice title={texts.ended.title}>
            {texts.ended.about} {hasDrafts(ended) && texts.ended.draftKept}
          </Notice>
        </div>
      )}
      <EmailForm ask={ask} email={email} setEmail={setEmail} button={texts.sendCode} />
    </Frame>
  )
}

/** Only a 404 means that the invitation was withdrawn. After any other error, the person can still sign in. */
function useIsWithdrawn(invitation: string | undefined): boolean {
  const { error } = useQuery({
    queryKey: ['invitation', invitation],
    queryFn: ({ signal }) => call('GET', pathTo`/v1/public/invitations/${invitation ?? ''}`, { signal }),
    enabled: invitation !== undefined,
    retry: false,
  })
  return error instanceof Refusal && error.status === 404
}

export function SignUpPage() {
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const send = (address: string) =>
    call('POST', '/v1/auth/signups', { body: { business_name: name.trim(), email: address } })
  const ask = useMutation({ mutationFn: send })
  const below = (
    <p>
      {texts.signUp.hasAccount} <Link to="/sign-in">{texts.signIn}</Link>
    </p>
  )
  if (ask.isSuccess)
    return <CodeStep email={email} purpose="sign_up" firstError={null} resend={() => send(email)} back={ask.reset} />
  return (
    <Frame title={texts.signUp.title} about={texts.signUp.about} below={below}>
      <EmailForm ask={ask} email={email} setEmail={setEmail} button={texts.signUp.button}>
        <Field
          label={texts.signUp.name}
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
        label={texts.email}
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

function Unavailable({
  of: { title, about, signIn },
}: {
  readonly of: typeof texts.notFound | typeof texts.withdrawn
}) {
  return (
    <Frame {...{ title, about }}>
      <Link to="/sign-in" className="underline">
        {signIn}
      </Link>
    </Frame>
  )
}

const SignUpHint = () => (
  <p>
    {texts.newHere} <Link to="/sign-up">{texts.signUp.title}</Link>
  </p>
)
