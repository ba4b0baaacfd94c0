// For a partner without payouts: a curl command in the sandbox; in live, links to the pages that lead to a payout.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { Check, KeyRound } from 'lucide-react'
import { call } from '../../api/call'
import { activeKeysQuery, keysQueryKey } from '../../api/queries'
import type { KeyCreated } from '../../api/types'
import { Card } from '../../parts/card'
import { CopyButton } from '../../parts/copy'
import { Button, ButtonLink } from '../../parts/forms/button'
import { ErrorNotice } from '../../parts/notice'
import { useEnvironment, useIsAdmin, useSession } from '../../shell/here'

export function FirstSteps() {
  const { live } = useSession()
  if (useEnvironment() === 'sandbox') return <FirstPayoutByCurl />
  return live ? <FirstLivePayout /> : <GoLive />
}

function GoLive() {
  return (
    <Card title="Go live">
      <p className="text-soft">
        You can make live payouts once the bank has verified your business. Until then, use the sandbox.
      </p>
      <div className="mt-4">
        <ButtonLink to="/dashboard/verification" weight="primary">
          Verification
        </ButtonLink>
      </div>
    </Card>
  )
}

function FirstLivePayout() {
  const isAdmin = useIsAdmin()
  return (
    <Card title="Make your first live payout">
      <p className="text-soft">Your business is verified. Top up your wallet, then send a payout.</p>
      <div className="mt-4 flex flex-wrap gap-2">
        <ButtonLink to="/dashboard/top-up" weight={isAdmin ? 'plain' : 'primary'}>
          Top up
        </ButtonLink>
        {isAdmin && (
          <ButtonLink to="/dashboard/send" weight="primary">
            Send a payout
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
  const create = useMutation({
    mutationFn: () => call<KeyCreated>('POST', '/v1/keys', { body: { environment: 'sandbox', label: 'First steps' } }),
    onSuccess: async (key) => {
      setSecret(key.secret)
      await queryClient.invalidateQueries({ queryKey: keysQueryKey })
    },
  })
  const prefix = keys?.data[0]?.key_prefix
  const line = curlLine(secret ?? `${prefix ?? 'kp_sandbox_'}…`)
  return (
    <Card title="Make your first payout">
      <ol className="flex flex-col gap-5">
        <Step
          number={1}
          title={
            secret
              ? 'Your key is in the command below. Copy it now: you won’t see it again.'
              : prefix
                ? `You have a key: ${prefix}…`
                : 'Create an API key'
          }
        >
          {isAdmin && !secret && (
            <Button weight={prefix ? 'plain' : 'primary'} busy={create.isPending} onClick={() => create.mutate()}>
              <KeyRound aria-hidden />
              {prefix ? 'Create another key' : 'Create sandbox key'}
            </Button>
          )}
          {secret && <Saved onClick={() => setSecret(null)} />}
          {create.error && <ErrorNotice error={create.error} />}
        </Step>
        <Step number={2} title="Run this in a terminal">
          <div className="relative rounded-lg border border-line bg-sunken">
            <pre
              tabIndex={0}
              aria-label="Payout with curl"
              className="overflow-x-auto p-4 pr-12 font-mono text-xs leading-relaxed"
            >
              {line}
            </pre>
            <span className="absolute top-2 right-2 rounded-md bg-surface">
              <CopyButton text={line} name="command" />
            </span>
          </div>
          {!secret && (
            <p className="text-xs text-soft">
              Replace the key on the first line with your full secret. We only keep its first characters.
            </p>
          )}
        </Step>
        <Step number={3} title="See the result">
          <p className="text-soft">
            Your payout appears here automatically. Use an account number ending in 0000 to test a failure.
          </p>
          {isAdmin && <ButtonLink to="/dashboard/send">Or send one from the dashboard</ButtonLink>}
        </Step>
      </ol>
    </Card>
  )
}

const Saved = ({ onClick }: { readonly onClick: () => void }) => (
  <Button onClick={onClick}>
    <Check aria-hidden />
    I’ve saved it
  </Button>
)

/** The secret of the first key. It stays in memory until the user has saved it, even while another page is open. */
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
