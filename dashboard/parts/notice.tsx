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
export function ErrorNotice({
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
  partner_not_active: 'This account isn’t active, so it’s read-only. Contact support.',
  forbidden_origin:
    'We don’t recognise the address of this page. Open the dashboard at its usual address and sign in again.',
  rate_limited: 'Too many attempts. Wait a minute and try again.',
  provider_unavailable: 'The bank isn’t responding. Try again in a few seconds.',
  service_unavailable: 'We’re having a brief problem. Try again in a few seconds.',
  key_limit_reached: 'This environment already has 5 keys. Revoke one first.',
}

export function adviceOf(error: unknown): string {
  if (error instanceof Unreachable) return 'Check your connection and try again.'
  if (error instanceof Refusal) return advice[error.code] ?? error.message
  return 'Reload the page. If it keeps happening, contact support.'
}
