// The start options of each workflow, shared by all callers: type, ID, task queue, input, policies, summary and search
// attributes. Schedules are in worker/schedules/. The options of a child workflow are in its parent's file.
import type { Environment } from '../domain/environment'
import { formatPence, formatUsdc } from '../domain/money'
import type { CaseKind } from '../domain/payouts/case'
import type { PayoutStatus } from '../domain/payouts/payout'
import type * as workflows from './index'
import {
  connectSandboxId,
  housekeepingQueue,
  invoiceMailId,
  invoiceRunId,
  ofSystem,
  type PayoutKey,
  payoutCaseId,
  payoutQueue,
  payoutReturnId,
  payoutSearchAttributes,
  payoutWorkflowId,
  railSwitchId,
  signUpId,
  topUpId,
  verificationId,
  walletReadingId,
} from './names'

export type WorkflowName = keyof typeof workflows

/**
 * Options for the client, with the workflow type. They contain IDs, slugs, amounts and the last four digits of an
 * account, but never a recipient's name.
 */
export interface Start<Name extends WorkflowName = WorkflowName> {
  readonly workflowType: Name
  readonly workflowId: string
  readonly taskQueue: string
  readonly args: Parameters<(typeof workflows)[Name]>
  readonly staticSummary: string
  readonly workflowIdReusePolicy?: 'ALLOW_DUPLICATE' | 'REJECT_DUPLICATE'
  readonly workflowIdConflictPolicy?: 'USE_EXISTING' | 'TERMINATE_EXISTING'
  readonly workflowTaskTimeout?: '5s'
  readonly workflowExecutionTimeout?: '10 minutes'
  readonly typedSearchAttributes?: PayoutAttributes
  readonly priority?: { readonly priorityKey?: number; readonly fairnessKey?: string }
}

export type ResultOf<Name extends WorkflowName> = Awaited<ReturnType<(typeof workflows)[Name]>>

export interface QueueSettings {
  readonly queuePrefix: string
}

export interface PollSettings extends QueueSettings {
  readonly pollMs: readonly number[]
}

export interface PayoutStart extends PayoutKey {
  readonly payoutId: string
  readonly slug: string
  readonly status: PayoutStatus
  readonly amountPence: bigint
  /** Only for the Web UI. */
  readonly walletSendsMicroUsdc?: bigint
  readonly accountLast4: string | null
}

export interface ReturnStart {
  readonly payoutId: string
  readonly environment: Environment
  readonly idempotencyKey: string
  readonly slug: string
  readonly amountPence: bigint
}

export interface CaseStart {
  readonly id: string
  readonly kind: CaseKind
  readonly environment: Environment
  readonly openedAt: Date
  readonly dueAt: Date
}

interface WakeStart {
  readonly environment: Environment
  readonly by: string
  readonly why: string
}

export interface InvoiceRunStart {
  readonly period: string
  /** The partner's slug. Null bills every partner. */
  readonly partner: string | null
}

/** How long the payouts of a killed worker wait before another worker resumes them. */
const takeoverTimeout = '5s'

/**
 * A person is waiting for the result, so it has priority over background work in the same queue, which has Temporal's
 * default priority of 3.
 */
const waitedFor = { priorityKey: 2 }

/** Longer than any caller waits. */
const callerTimeout = '10 minutes'

const dayMs = 24 * 60 * 60 * 1000

export const starts = {
  /**
   * A second request joins the running workflow. An attempt that has ended does not start again: the next attempt gets
   * a new number from the row.
   */
  payout(payout: PayoutStart, { queuePrefix, pollMs }: PollSettings): Start<'payout'> {
    const {
      payoutId,
      attempt,
      environment,
      amountPence,
      walletSendsMicroUsdc: sends,
      accountLast4,
      slug,
      partnerId,
    } = payout
    return {
      workflowType: 'payout',
      workflowId: payoutWorkflowId(payout),
      taskQueue: payoutQueue(environment, queuePrefix),
      args: [{ payoutId, attempt, pollMs, ...(sends !== undefined && { sends: `${formatUsdc(sends)} USDC` }) }],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowTaskTimeout: takeoverTimeout,
      staticSummary: `${formatPence(amountPence)} GBP to ••••${accountLast4 ?? ''} · ${slug} · ${environment}`,
      typedSearchAttributes: attributesOf(payout),
      // When tasks wait for workers, partners take turns. Activities inherit the fairness key.
      priority: { fairnessKey: partnerId },
    }
  },

  /** An open payout whose workflow was lost gets a new run, which resumes from the row. */
  resumedPayout(payout: PayoutStart, settings: PollSettings): Start<'payout'> {
    return { ...starts.payout(payout, settings), workflowIdReusePolicy: 'ALLOW_DUPLICATE' }
  },

  /** Concurrent reports of a return start one run. A later report starts another, which finds nothing to do. */
  payoutReturn(payout: ReturnStart, { queuePrefix, pollMs }: PollSettings): Start<'payoutReturn'> {
    const { payoutId, environment, slug, amountPence } = payout
    return {
      workflowType: 'payoutReturn',
      workflowId: payoutReturnId(payoutId),
      taskQueue: payoutQueue(environment, queuePrefix),
      args: [{ payoutId, pollMs }],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowTaskTimeout: takeoverTimeout,
      staticSummary: `Return of a completed payout of ${formatPence(amountPence)} GBP · ${slug} · ${environment}`,
      typedSearchAttributes: returnAttributesOf(payout),
    }
  },

  payoutCase({ id, kind, environment, openedAt, dueAt }: CaseStart, settings: QueueSettings): Start<'payoutCase'> {
    const dueInMs = dueAt.getTime() - openedAt.getTime()
    return {
      workflowType: 'payoutCase',
      workflowId: payoutCaseId(id),
      taskQueue: housekeeping(settings),
      args: [{ caseId: id, dueInMs, lookEveryMs: dayMs }],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: `A ${kind} · ${environment}`,
    }
  },

  /**
   * Wakes unsent payouts. Replaces a run in progress, because payouts held by a second pause may be on pages before its
   * current one.
   */
  railSwitch({ environment, by, why }: WakeStart, settings: QueueSettings): Start<'railSwitch'> {
    return {
      workflowType: 'railSwitch',
      workflowId: railSwitchId(environment, settings.queuePrefix),
      taskQueue: housekeeping(settings),
      args: [{ environment, action: 'wake', by }],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'TERMINATE_EXISTING',
      staticSummary: `${why} · ${environment}`,
      priority: waitedFor,
    }
  },

  connectSandbox(partnerId: string, settings: QueueSettings): Start<'connectSandbox'> {
    return {
      workflowType: 'connectSandbox',
      workflowId: connectSandboxId(partnerId),
      taskQueue: housekeeping(settings),
      args: [{ partnerId, pauseMs: [200, 1_000, 5_000, 30_000, 300_000] }],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: 'Connects a sandbox to its bank',
      priority: waitedFor,
    }
  },

  topUp(order: Parameters<typeof workflows.topUp>[0], settings: QueueSettings): Start<'topUp'> {
    return {
      workflowType: 'topUp',
      workflowId: topUpId(order),
      taskQueue: housekeeping(settings),
      args: [order],
      workflowExecutionTimeout: callerTimeout,
      staticSummary: `Adds ${order.usdc} USDC of test money`,
      priority: waitedFor,
    }
  },

  /** A retry joins the run in progress. A later retry starts a new run, which returns the same partner. */
  signUp(codeId: string, settings: QueueSettings): Start<'signUp'> {
    return {
      workflowType: 'signUp',
      workflowId: signUpId(codeId),
      taskQueue: housekeeping(settings),
      args: [{ codeId }],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowExecutionTimeout: callerTimeout,
      staticSummary: 'Opens a partner that has signed up',
      priority: waitedFor,
    }
  },

  verification(partnerId: string, { pollMs, ...settings }: PollSettings): Start<'verification'> {
    return {
      workflowType: 'verification',
      workflowId: verificationId(partnerId),
      taskQueue: housekeeping(settings),
      args: [{ partnerId, pollMs, checks: 300 }],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: 'Verifies a business',
    }
  },

  walletReading(walletId: string, settings: QueueSettings): Start<'walletReading'> {
    return {
      workflowType: 'walletReading',
      workflowId: walletReadingId(walletId),
      taskQueue: housekeeping(settings),
      args: [{ walletId, readings: 100 }],
      staticSummary: 'Reads the new entries of a wallet history',
    }
  },

  /** Concurrent requests for the same month and partner share one run and its result. */
  invoiceRun({ period, partner }: InvoiceRunStart, settings: QueueSettings): Start<'invoiceRun'> {
    return {
      workflowType: 'invoiceRun',
      workflowId: invoiceRunId(settings.queuePrefix, { period, partner }),
      taskQueue: housekeeping(settings),
      args: [{ period, ...(partner === null ? {} : { partner }) }],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: `Bills ${partner ?? 'every partner'} for ${period}`,
    }
  },

  /**
   * The invoice row shows whether the email was sent. A later run may mail an invoice whose partner had no email
   * address.
   */
  invoiceMail(id: string, settings: QueueSettings): Start<'invoiceMail'> {
    return {
      workflowType: 'invoiceMail',
      workflowId: invoiceMailId(id),
      taskQueue: housekeeping(settings),
      args: [{ invoiceId: id }],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: 'Mails an invoice',
    }
  },
} as const

function housekeeping({ queuePrefix }: QueueSettings): string {
  return ofSystem(housekeepingQueue, queuePrefix)
}

type Attributed = Pick<PayoutStart, 'payoutId' | 'environment' | 'status' | 'slug' | 'amountPence'>

type PayoutAttributes = ReturnType<typeof attributesOf> | ReturnType<typeof returnAttributesOf>

/** Identifies the partner by slug, as the summary does. To search by partner ID, use the prefix of the workflow ID. */
function attributesOf({ payoutId, slug, environment, status, amountPence }: Attributed) {
  const keys = payoutSearchAttributes
  return [
    { key: keys.partner, value: slug },
    { key: keys.environment, value: environment },
    { key: keys.status, value: status },
    { key: keys.payoutId, value: payoutId },
    { key: keys.amountPence, value: Number(amountPence) },
  ]
}

/**
 * Adds the Idempotency-Key. A payout's workflow reads the key from its own ID, but a return's workflow ID does not
 * contain it.
 */
function returnAttributesOf({ idempotencyKey, ...payout }: ReturnStart) {
  return [
    ...attributesOf({ ...payout, status: 'completed' }),
    { key: payoutSearchAttributes.key, value: idempotencyKey },
  ]
}
