// The steps that mail a partner's admins, bound to what they act upon.
import { forgetLowBalances, noteLowBalances } from '../../../db/wallets/low-balances'
import type { NoticeSteps } from '../../../workflows/partners/notice-steps'
import type { NoticeDeps } from './deps'
import { sendNotices } from './send'

export type { NoticeDeps } from './deps'

export function createNoticeSteps(deps: NoticeDeps): NoticeSteps {
  return {
    async checkLowBalances({ limit }) {
      await forgetLowBalances(deps.db)
      return noteLowBalances(deps.db, { at: deps.clock.now(), limit })
    },
    sendNotices: ({ limit }) => sendNotices(deps, limit),
  }
}
