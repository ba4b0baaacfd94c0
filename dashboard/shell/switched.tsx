// Warns that another tab has switched the session to another partner, so this page is out of date.
import { type QueryClient, useQuery } from '@tanstack/react-query'
import { call, Refusal } from '../api/call'
import { sessionQuery } from '../api/queries'
import type { Session } from '../api/types'
import { Button } from '../parts/forms/button'
import { Notice } from '../parts/notice'

const queryKey = ['switched']

export function Switched() {
  const { data: isSwitched } = useQuery({ queryKey, queryFn: () => false, enabled: false, initialData: false })
  if (!isSwitched) return null
  return (
    <div className="mx-auto w-full max-w-6xl px-4 pt-6 sm:px-8">
      <Notice
        tone="bad"
        title="You switched accounts in another tab"
        action={<Button onClick={() => location.reload()}>Reload</Button>}
      >
        Reload this page to continue with that account.
      </Notice>
    </div>
  )
}

/** invalid_state also has other causes, so this function reads the session to check. */
export async function detectPartnerSwitch(queryClient: QueryClient, error: Error): Promise<void> {
  const shown = queryClient.getQueryData(sessionQuery.queryKey)
  if (!(error instanceof Refusal && error.code === 'invalid_state') || !shown) return
  const now = await call<Session>('GET', '/v1/auth/session').catch(() => shown)
  if (now.partner.id !== shown.partner.id) queryClient.setQueryData(queryKey, true)
}
