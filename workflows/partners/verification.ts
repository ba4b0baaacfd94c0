// Follows the verification of one business until the bank has decided. A daily workflow starts this one for every
// business at the bank.
import { condition, continueAsNew, defineSignal, setHandler } from '@temporalio/workflow'
import type { VerificationStatus } from '../../domain/partners/partner'
import { fromPreviousRun, requireCounts, requireFields } from '../input'
import { bankSpokeSignal } from '../names'
import { regularActivities } from '../proxies'

export interface Verification {
  readonly partnerId: string
  /** Poll intervals: before the second poll, the third, and so on. The last one repeats. */
  readonly pollMs: readonly number[]
  /** After this many polls the workflow continues as a new run. */
  readonly checks: number
  /** The number of consecutive intervals without an event, including those of previous runs. */
  readonly paused?: number
}

export interface PartnerToVerify {
  readonly partnerId: string
}

/** The status only, because the workflow history must contain no details about the business. */
export interface VerificationState {
  readonly status: VerificationStatus
  /**
   * True if the bank allows the business to pay, but its wallet, deposit address or bank account does not exist yet.
   */
  readonly ready: boolean
}

/** Each activity calls the bank, stores the answer in one transaction, and is idempotent. */
export interface VerificationActivities {
  /** Both activities do the same thing. The first call after the partner applied creates the customer at the bank. */
  openLiveCustomer(partner: PartnerToVerify): Promise<VerificationState>
  checkLiveCustomer(partner: PartnerToVerify): Promise<VerificationState>
  /** Creates the wallet, its deposit address and bank account, the charge and the approval, once. */
  connectLiveWallet(partner: PartnerToVerify): Promise<VerificationState>
}

/**
 * No caller waits for these activities, so they retry until the bank is available. The slowest makes eight calls to the
 * bank.
 */
const { openLiveCustomer, checkLiveCustomer, connectLiveWallet } = regularActivities<VerificationActivities>(
  '2 minutes',
  { first: '500 ms', longest: '1 minute' },
)

const bankSpoke = defineSignal(bankSpokeSignal)

/**
 * Polls at growing intervals, and immediately after an event. Returns the final status. A later event starts the
 * workflow again.
 */
export async function verification(order: Verification): Promise<VerificationStatus> {
  requireFields(order, { partnerId: 'id', pollMs: 'pauses', checks: 'count' })
  const { partnerId, pollMs, checks } = order
  let paused = order.paused ?? 0
  let spoken = false
  setHandler(bankSpoke, () => {
    spoken = true
  })
  // The first call to the bank covers every signal that arrived before the call.
  spoken = false

  let state = await openLiveCustomer({ partnerId })
  for (let checked = 1; ; checked++) {
    if (state.ready) state = await connectLiveWallet({ partnerId })
    if (!spoken && isDecided(state.status)) return state.status
    if (!spoken && checked >= checks) return continueAsNew<typeof verification>({ ...order, paused })

    const woken = await condition(() => spoken, pollMs[Math.min(paused, pollMs.length - 1)] ?? dayMs)
    paused = woken ? 0 : paused + 1
    spoken = false
    state = await checkLiveCustomer({ partnerId })
  }
}

const dayMs = 86_400_000

/** `not_started` is also final: a row without an application has no verification to wait for. */
function isDecided(status: VerificationStatus): boolean {
  return status === 'approved' || status === 'rejected' || status === 'not_started'
}

export interface Verifications {
  readonly pageSize: number
  /** After this many pages the workflow continues as a new run. */
  readonly pages: number
  /** The last partner of the previous run. */
  readonly after?: string
  /** The number of verifications that previous runs started. */
  readonly started?: number
}

export interface VerificationsPage {
  /** The last partner of the previous page. Null for the first page. */
  readonly after: string | null
  readonly limit: number
}

export interface VerificationsActivities {
  /**
   * Starts the verification of each partner on the page, unless it is already running. `next` is null on the last page.
   */
  startVerifications(page: VerificationsPage): Promise<{ readonly started: number; readonly next: string | null }>
}

/** If every attempt fails, the next daily run starts the remaining verifications. A page takes at most 30 seconds. */
const { startVerifications } = regularActivities<VerificationsActivities>('1 minute', {
  first: '1 second',
  longest: '5 minutes',
  attempts: 20,
})

/** Starts the verification of each business at the bank once a day, in case an event or workflow was lost. */
export async function verifications(order: Verifications): Promise<number> {
  requireCounts(order, { pageSize: 1_000, pages: 1_000 }, '{"pageSize": 50, "pages": 200}')
  const { pageSize, pages } = order
  let after = fromPreviousRun(order.after) ?? null
  let started = fromPreviousRun(order.started) ?? 0
  for (let page = 0; page < pages; page++) {
    const looked = await startVerifications({ after, limit: pageSize })
    started += looked.started
    if (looked.next === null) return started
    after = looked.next
  }
  return continueAsNew<typeof verifications>({ pageSize, pages, started, ...(after === null ? {} : { after }) })
}
