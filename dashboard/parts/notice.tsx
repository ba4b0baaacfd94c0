// Notices: hints, warnings and errors with advice.
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { isRateLimited, Refusal, rulesIn, stateIn, Unreachable } from '../api/call'
import { codeWords, grouped, waitWords } from '../words'
import { CopyButton } from './copy'
import { Button, ButtonLink } from './forms/button'
import { ContactAbout } from './support'

const looks = {
  info: [Info, 'border-line bg-sunken', 'text-soft'],
  good: [CircleCheck, 'border-good/25 bg-good-soft', 'text-good'],
  warn: [TriangleAlert, 'border-warn/25 bg-warn-soft', 'text-warn'],
  bad: [CircleAlert, 'border-bad/25 bg-bad-soft', 'text-bad'],
} as const

interface NoticeProps {
  readonly tone?: keyof typeof looks
  readonly title?: ReactNode
  readonly children?: ReactNode
  readonly action?: ReactNode
}

export function Notice({ tone = 'info', title, children, action }: NoticeProps) {
  const [Icon, box, ink] = looks[tone]
  return (
    <div
      role={tone === 'bad' ? 'alert' : undefined}
      className={`flex flex-wrap items-start gap-x-4 gap-y-3 rounded-xl border px-4 py-3 ${box}`}
    >
      <Icon className={`mt-0.5 size-4 shrink-0 ${ink}`} aria-hidden />
      <div className="min-w-56 flex-1">
        {title && <p className="font-semibold">{title}</p>}
        <div className="break-words [&_a]:underline">{children}</div>
      </div>
      {action}
    </div>
  )
}

/** A notice for a page that needs a verified business. */
export function VerifyFirst({ title, children }: Pick<NoticeProps, 'title' | 'children'>) {
  const action = <ButtonLink to="/dashboard/verification">Verification</ButtonLink>
  return <Notice {...{ title, action, children }} tone="warn" />
}

/** A notice beside a new secret, which stays on the screen after the session has ended. */
export const SessionEnded = () => (
  <Notice tone="warn" title="Your session has ended">
    Save this secret now. You won’t be able to see it after you sign in again.
  </Notice>
)

interface ErrorNoticeProps {
  readonly error: unknown
  readonly title?: string
  readonly retry?: () => void
  readonly states?: StateWords | undefined
  /** The fields that show their own error, using `faultAt`. */
  readonly fields?: readonly string[]
}

/** Returns advice for an action that the given state does not allow. */
export type StateWords = (state: string) => string | undefined

/** An error with advice and the request ID that support needs. */
export function ErrorNotice({ error, title, retry, states, fields = [] }: ErrorNoticeProps) {
  const refused = Object.keys(rulesIn(error))
  if (refused.length > 0 && refused.every((field) => fields.includes(field))) return null
  return (
    <Notice tone="bad" title={title ?? titleOf(error)} action={retry && <Button onClick={retry}>Try again</Button>}>
      <p>
        {adviceOf(error, states)}
        <ContactAbout error={error} />
      </p>
      {error instanceof Refusal && error.requestId && (
        <p className="mt-1 flex items-center gap-1 text-xs text-soft">
          Request <code className="truncate font-mono">{error.requestId}</code>
          <CopyButton text={error.requestId} name="request ID" />
        </p>
      )}
    </Notice>
  )
}

function titleOf(error: unknown): string {
  if (error instanceof Unreachable) return 'We couldn’t reach the server'
  if (error instanceof Refusal && error.status === 403) return 'You don’t have permission'
  if (error instanceof Refusal && error.status < 500) return 'We couldn’t complete this'
  return 'Something went wrong on our side'
}

const advice: Readonly<Record<string, string>> = {
  api_key_required: 'Viewers have read-only access. Ask an admin to do this.',
  verification_required: 'Your business must be verified first. Until then, use the sandbox.',
  partner_not_active: 'This account isn’t active, so it’s read-only.',
  forbidden_origin:
    'We don’t recognise the address of this page. Open the dashboard at its usual address and sign in again.',
  rate_limited: 'Too many attempts. Wait a minute and try again.',
  provider_unavailable: 'The bank isn’t responding. Try again in a few seconds.',
  service_unavailable: 'We’re having a brief problem. Try again in a few seconds.',
  key_limit_reached: 'This environment already has 5 keys. Revoke one first.',
}

export function adviceOf(error: unknown, states?: StateWords): string {
  if (error instanceof Unreachable) return 'Check your connection and try again.'
  if (isRateLimited(error) && error.retryAfterSeconds !== null)
    return `Too many attempts. Try again in ${waitWords(error.retryAfterSeconds)}.`
  if (error instanceof Refusal)
    return stateAdvice(error, states) ?? advice[error.code] ?? (faultsIn(error) || error.message)
  return 'Reload the page.'
}

/** For `other_partner`, the server's own message fits every action. */
export function stateAdvice(error: unknown, states: StateWords = () => undefined): string | undefined {
  const state = stateIn(error)
  return state === null || state === 'other_partner' ? undefined : states(state)
}

/** The error below a field that the server refused, or null. */
export function faultAt(error: unknown, field: string): string | null {
  const rule = rulesIn(error)[field]
  return rule === undefined ? null : ruleWords(rule)
}

function faultsIn(error: unknown): string {
  const named = ([path, rule]: readonly [string, string]) =>
    `${codeWords(path.split('.').at(-1) ?? path)}: ${ruleWords(rule)}`
  return Object.entries(rulesIn(error)).map(named).join(' ')
}

/** "from 1.00 to 100000.00" → "Must be from 1.00 to 100,000.00." */
function ruleWords(rule: string): string {
  if (rule === 'required') return 'This field is required.'
  if (rule === 'unknown field') return 'This field isn’t accepted.'
  if (/^must .*"email"/.test(rule)) return 'Enter a valid email address.'
  const readable = rule.replaceAll(/\d{4,}\.\d\d/g, grouped)
  return readable.startsWith('must ') ? `M${readable.slice(1)}.` : `Must be ${readable}.`
}
