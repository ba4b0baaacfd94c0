// Notices: hints, warnings and errors with advice.
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Refusal, Unreachable } from '../api/call'
import { CopyButton } from './copy'
import { Button } from './forms/button'

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

/** An error with advice and the request id that support needs. */
export function Trouble({
  error,
  title,
  retry,
}: {
  readonly error: unknown
  readonly title?: string
  readonly retry?: () => void
}) {
  return (
    <Notice tone="bad" title={title ?? titleOf(error)} action={retry && <Button onClick={retry}>Try again</Button>}>
      <p>{adviceOf(error)}</p>
      {error instanceof Refusal && error.requestId && (
        <p className="mt-1 flex items-center gap-1 text-xs text-soft">
          Request <code className="truncate font-mono">{error.requestId}</code>
          <CopyButton text={error.requestId} name="request id" />
        </p>
      )}
    </Notice>
  )
}

function titleOf(error: unknown): string {
  if (error instanceof Unreachable) return 'We could not reach the server'
  if (error instanceof Refusal && error.status === 403) return 'Not allowed'
  if (error instanceof Refusal && error.status < 500) return 'The request failed'
  return 'Something went wrong on our side'
}

const advice: Readonly<Record<string, string>> = {
  api_key_required: 'Viewers cannot change anything. Ask an admin of your team.',
  verification_required: 'Business verification must be approved first. Until then, use the sandbox.',
  partner_not_active: 'The account is not active, so it is read-only. Contact support.',
  forbidden_origin:
    'The server does not recognise the address of this page. Open the dashboard at its usual address and sign in again.',
  rate_limited: 'Too many requests. Wait a minute, then try again.',
  provider_unavailable: 'The bank is not responding. Try again in a few seconds.',
  service_unavailable: 'The service is starting or has lost its database. Try again in a few seconds.',
  key_limit_reached: 'This environment already has 5 keys. Revoke one first.',
}

export function adviceOf(error: unknown): string {
  if (error instanceof Unreachable) return 'Check the connection, then try again.'
  if (error instanceof Refusal) return advice[error.code] ?? error.message
  return 'Reload the page. If the problem remains, contact support.'
}
