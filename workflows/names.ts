// Names that workers, clients and recorded histories share. A deployed name never changes.

import type { Environment } from '../domain/environment'

export const housekeepingQueue = 'housekeeping'

/** Separates the queues and IDs of systems that share a Temporal server. Each system has its own prefix. */
export function ofSystem(name: string, prefix: string): string {
  return prefix === payoutQueuePrefix ? name : `${prefix}-${name}`
}

/** Each environment has its own queue, so that an unresponsive bank does not stop payouts in the other environment. */
export function payoutQueue(environment: Environment, prefix: string = payoutQueuePrefix): string {
  return `${prefix}-${environment}`
}

const payoutQueuePrefix = 'payouts'

export interface PayoutKey {
  readonly environment: Environment
  readonly partnerId: string
  readonly idempotencyKey: string
  readonly attempt: number
}

/** One ID per attempt: a request for an older attempt gets that attempt's verdict and cannot start it again. */
export function payoutWorkflowId({ environment, partnerId, idempotencyKey, attempt }: PayoutKey): string {
  const first = `payout/${environment}/${partnerId}/${idempotencyKey}`
  return attempt === 1 ? first : `${first}/${attempt}`
}

/** The Idempotency-Key in a payout's workflow ID. A key contains no slash. */
export function keyOf(workflowId: string): string {
  return workflowId.split('/')[3] ?? ''
}

/** Both the name and the ID of the update: all requests for the same payout join the same update. */
export const createUpdate = 'create'
/** The name of the update and the prefix of its ID. Each cancel request is decided separately. */
export const cancelUpdate = 'cancel'
export const bankSpokeSignal = 'bankSpoke'
/** Returns a `PayoutReport`. */
export const statusQuery = 'status'

export function payoutReturnId(payoutId: string): string {
  return `return/${payoutId}`
}

/** The input format of a rail switch. The error messages of the workflow and the activity show it to operators. */
export const railSwitchInput =
  '{"environment": "sandbox" or "live", "action": "pause", "resume" or "wake", "by": who you are, "reason": why}'

/** The workflow ID that the ops CLI uses. In the Web UI an operator may choose any ID. */
export function railSwitchId(environment: Environment, prefix: string): string {
  return `${ofSystem('rail-switch', prefix)}/${environment}`
}

/** Search attributes of payouts in the Web UI, with Temporal's type names. */
export const payoutSearchAttributes = {
  partner: { name: 'PayoutPartner', type: 'KEYWORD' },
  environment: { name: 'PayoutEnvironment', type: 'KEYWORD' },
  status: { name: 'PayoutStatus', type: 'KEYWORD' },
  payoutId: { name: 'PayoutId', type: 'KEYWORD' },
  amountPence: { name: 'PayoutAmountPence', type: 'INT' },
  /** The Idempotency-Key. */
  key: { name: 'PayoutKey', type: 'KEYWORD' },
  /** The code of the failure reason. */
  reason: { name: 'PayoutReason', type: 'KEYWORD' },
} as const

/** The ID of each workflow's Schedule. Temporal appends the time to form the workflow ID. */
export const scheduleIds = {
  pruneActivity: 'prune-activity',
  sweep: 'sweep',
  changedTransfers: 'changed-transfers',
  verifications: 'verifications',
  walletReadings: 'wallet-readings',
  notices: 'notices',
  proof: 'proof',
  sealAudit: 'seal-audit',
  verifyAudit: 'verify-audit',
  retention: 'retention',
  invoiceRun: 'invoice-run',
} as const

export function connectSandboxId(partnerId: string): string {
  return `connect-sandbox/${partnerId}`
}

export function verificationId(partnerId: string): string {
  return `verification/${partnerId}`
}

export function payoutCaseId(caseId: string): string {
  return `case/${caseId}`
}

/** The signal only wakes the case's workflow. The row shows whether the case is resolved. */
export const caseResolvedSignal = 'caseResolved'

export function walletReadingId(walletId: string): string {
  return `wallet-reading/${walletId}`
}

export function topUpId({ partnerId, causeRef }: { partnerId: string; causeRef: string }): string {
  return `top-up/${partnerId}/${causeRef}`
}

export function signUpId(codeId: string): string {
  return `sign-up/${codeId}`
}

/** The Schedule's ID, the month and, if given, the partner. A concurrent start with the same ID joins the first run. */
export function invoiceRunId(prefix: string, { period, partner }: { period: string; partner: string | null }): string {
  const ofMonth = `${ofSystem(scheduleIds.invoiceRun, prefix)}/${period}`
  return partner === null ? ofMonth : `${ofMonth}/${partner}`
}

/** The failure type of an invoice run that could not bill every partner. Its details contain the result. */
export const partnersNotBilled = 'PartnersNotBilled'

export function invoiceId(partnerId: string, period: string): string {
  return `invoice/${partnerId}/${period}`
}

export function invoiceMailId(invoice: string): string {
  return `invoice-mail/${invoice}`
}

/** Mail activities have a separate queue, so that an unresponsive mail server does not delay a sweep. */
export function mailQueue(housekeeping: string): string {
  return `${housekeeping}-mail`
}
