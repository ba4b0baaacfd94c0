// The banner shown while payouts in this environment are not sent to the bank.
import { useQuery } from '@tanstack/react-query'
import { accountQuery } from '../api/queries'
import { Notice } from '../parts/notice'
import { Moment } from '../parts/values/moment'
import { useEnvironment } from './here'

export function BankMaintenance() {
  const { data: account } = useQuery(accountQuery(useEnvironment()))
  if (!account?.payouts_paused_at) return null
  return (
    <Notice tone="warn" title="Bank maintenance: payouts will be sent when it ends">
      Payouts have been paused since <Moment at={account.payouts_paused_at} />. We’ll send waiting payouts as soon as
      the maintenance ends. There’s nothing you need to do, and no payout will be sent twice.
    </Notice>
  )
}
