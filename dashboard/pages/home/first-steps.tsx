// Shown to a partner without payouts. In the sandbox it shows a curl command, and in live it links to the pages that
// lead to a payout.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { Check, KeyRound } from 'lucide-react'
import { call } from '../../api/call'
import { activeKeysQuery, keysQueryKey, overviewQuery } from '../../api/queries'
import type { KeyCreated } from '../../api/types'
import { Card } from '../../parts/card'
import { CopyButton } from '../../parts/copy'
import { Button, ButtonLink } from '../../parts/forms/button'
import { ErrorNotice, SessionEnded } from '../../parts/notice'
import { useEnvironment, useIsAdmin, useSession } from '../../shell/here'
import { useShownSecret } from '../../shell/session-end'
import { texts } from './texts'

const words = texts.firstPayout

export function FirstSteps() {
  const { live } = useSession()
  if (useEnvironment() === 'sandbox') return <FirstPayoutByCurl />
  return live ? <FirstLivePayout /> : <GoLive />
}

function GoLive() {
  return (
    <Card title={texts.goLive.title}>
      <p className="text-soft">{texts.goLive.about}</p>
      <div className="mt-4">
        <ButtonLink to="/dashboard/verification" weight="primary">
          {texts.verification}
        </ButtonLink>
      </div>
    </Card>
  )
}

function FirstLivePayout() {
  const isAdmin = useIsAdmin()
  return (
    <Card title={texts.firstLivePayout.title}>
      <p className="text-soft">{texts.firstLivePayout.about}</p>
      <div className="mt-4 flex flex-wrap gap-2">
        <ButtonLink to="/dashboard/top-up" weight={isAdmin ? 'plain' : 'primary'}>
          {texts.topUp}
        </ButtonLink>
        {isAdmin && (
          <ButtonLink to="/dashboard/send" weight="primary">
            {texts.send}
          </ButtonLink>
        )}
      </div>
    </Card>
  )
}

function FirstPayoutByCurl() {
  const isAdmin = useIsAdmin()
  const queryClient = useQueryClient()
  const { data: keys } = useQuery(activeKeysQuery('sandbox'))
  const [secret, setSecret] = useFirstSecret()
  useBlocker({ shouldBlockFn: () => false, enableBeforeUnload: secret !== null })
  const hasEnded = useShownSecret(secret !== null)
  const create = useMutation({
    mutationFn: () => call<KeyCreated>('POST', '/v1/keys', { body: { environment: 'sandbox', label: words.keyLabel } }),
    onSuccess: async (key) => {
      setSecret(key.secret)
      await queryClient.invalidateQueries({ queryKey: keysQueryKey })
      await queryClient.invalidateQueries({ queryKey: overviewQuery('sandbox').queryKey })
    },
  })
  const prefix = keys?.data[0]?.key_prefix
  const line = curlLine(secret ?? `${prefix ?? 'kp_sandbox_'}…`)
  return (
    <Card title={words.title}>
      <ol className="flex flex-col gap-5">
        <Step number={1} title={secret ? words.secret : prefix ? words.hasKey(prefix) : words.createKey}>
          {isAdmin && !secret && (
            <Button weight={prefix ? 'plain' : 'primary'} busy={create.isPending} onClick={() => create.mutate()}>
              <KeyRound aria-hidden />
              {prefix ? words.createAnother : words.createKeyButton}
            </Button>
          )}
          {hasEnded && <SessionEnded />}
          {secret && <Saved onClick={() => setSecret(null)} />}
          {create.error && <ErrorNotice error={create.error} />}
        </Step>
        <Step number={2} title={words.run}>
          <div className="relative rounded-lg border border-line bg-sunken">
            <pre
              tabIndex={0}
              aria-label={words.command}
              className="overflow-x-auto p-4 pr-12 font-mono text-xs leading-relaxed"
            >
              {line}
            </pre>
            <span className="absolute top-2 right-2 rounded-md bg-surface">
              <CopyButton text={line} name={words.copyName} />
            </span>
          </div>
          {!secret && <p className="text-xs text-soft">{words.replaceKey}</p>}
        </Step>
        <Step number={3} title={words.result}>
          <p className="text-soft">{words.resultAbout}</p>
          {isAdmin && <ButtonLink to="/dashboard/send">{words.sendInstead}</ButtonLink>}
        </Step>
      </ol>
    </Card>
  )
}

const Saved = ({ onClick }: { readonly onClick: () => void }) => (
  <Button onClick={onClick}>
    <Check aria-hidden />
    {words.saved}
  </Button>
)

/**
 * The secret of the key created here. It stays in memory until the user has saved it, even if the user opens another
 * page.
 */
export function useFirstSecret(): readonly [string | null, (secret: string | null) => void] {
  const { partner } = useSession()
  const queryClient = useQueryClient()
  const queryKey = ['first-secret', partner.id]
  const { data } = useQuery<string | null>({
    queryKey,
    queryFn: () => null,
    enabled: false,
    initialData: null,
    gcTime: Number.POSITIVE_INFINITY,
  })
  return [data, (secret) => queryClient.setQueryData(queryKey, secret)]
}

function Step({
  number,
  title,
  children,
}: {
  readonly number: number
  readonly title: string
  readonly children: React.ReactNode
}) {
  return (
    <li className="flex gap-4">
      <span className="flex size-7 shrink-0 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent-strong">
        {number}
      </span>
      <div className="flex min-w-0 flex-1 flex-col items-start gap-2 pt-0.5 [&>div]:w-full">
        <p className="font-medium">{title}</p>
        {children}
      </div>
    </li>
  )
}

function curlLine(key: string): string {
  return `KEY="${key}"
curl -s ${location.origin}/v1/payouts \\
  -H "Authorization: Bearer $KEY" \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: first-payout-1" \\
  -d '{
    "amount_gbp": "12.00", "reference": "First payout",
    "recipient": {"first_name": "Ada", "last_name": "Lovelace",
      "address": {"line1": "12 St James Square", "city": "London", "postal_code": "SW1Y 4JH"},
      "bank": {"bank_name": "Barclays", "sort_code": "200415", "account_number": "38290008"}}}'`
}
