// Names that workers, clients and recorded histories share. A deployed name never changes.

import type { Environment } from '../domain/environment'

export const housekeepingQueue = 'housekeeping'

/** Keeps apart the queues and IDs of systems that share a Temporal server: each system has its own prefix. */
export function ofSystem(name: string, prefix: string): string {
  return prefix === payoutQueuePrefix ? name : `${prefix}-${name}`
}

/** One queue per environment, so that a bank that hangs in one does not stop the payouts of the other. */
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

/** One ID per attempt: a request for an older attempt gets its verdict and cannot start it again. */
export function payoutWorkflowId({ environment, partnerId, idempotencyKey, attempt }: PayoutKey): string {
  const first = `payout/${environment}/${partnerId}/${idempotencyKey}`
  return attempt === 1 ? first : `${first}/${attempt}`
}

/** Both the name and the ID of the update: all requests for the same payout join the same update. */
export const createUpdate = 'create'
/** Likewise: a repeated cancel gets the decision of the first one. */
export const cancelUpdate = 'cancel'
export const bankSpokeSignal = 'bankSpoke'

export function payoutReturnId(payoutId: string): string {
  return `return/${payoutId}`
}

/** The input of a rail switch as an operator writes it. Error messages of workflow and activity quote it. */
export const railSwitchInput =
  '{"environment": "sandbox" or "live", "action": "pause", "resume" or "wake", "by": who you are, "reason": why}'

/** For the ops CLI. In the Web UI an operator may choose any ID. */
export function railSwitchId(environment: Environment, prefix: string): string {
  return `${ofSystem('rail-switch', prefix)}/${environment}`
}

/** Search attributes of payouts in the Web UI. The types are the server's. */
export const payoutSearchAttributes = {
  partner: { name: 'PayoutPartner', type: 'KEYWORD' },
  environment: { name: 'PayoutEnvironment', type: 'KEYWORD' },
  status: { name: 'PayoutStatus', type: 'KEYWORD' },
  payoutId: { name: 'PayoutId', type: 'KEYWORD' },
  amountPence: { name: 'PayoutAmountPence', type: 'INT' },
} as const

/** IDs of Schedules. Temporal appends the time to get the ID of each workflow. */
export const pruneActivityId = 'prune-activity'
export const sweepId = 'sweep'
export const changedTransfersId = 'changed-transfers'

export function connectSandboxId(partnerId: string): string {
  return `connect-sandbox/${partnerId}`
}

/** The ID of a Schedule. */
export const verificationsId = 'verifications'

export function verificationId(partnerId: string): string {
  return `verification/${partnerId}`
}

export function payoutCaseId(caseId: string): string {
  return `case/${caseId}`
}

/** Only wakes the workflow of the case. The row says whether the case is resolved. */
export const caseResolvedSignal = 'caseResolved'

/** IDs of Schedules, and prefixes of the IDs of their workflows. */
export const walletReadingsId = 'wallet-readings'
export const noticesId = 'notices'
export const proofId = 'proof'
export const sealAuditId = 'seal-audit'
export const verifyAuditId = 'verify-audit'
export const retentionId = 'retention'

export function walletReadingId(walletId: string): string {
  return `wallet-reading/${walletId}`
}

export function topUpId({ partnerId, causeRef }: { partnerId: string; causeRef: string }): string {
  return `top-up/${partnerId}/${causeRef}`
}

export function signUpId(codeId: string): string {
  return `sign-up/${codeId}`
}

/** The ID of the Schedule, and the prefix of run IDs. A manual run adds its month, so starting it twice makes one run. */
export const invoiceRunName = 'invoice-run'

export function invoiceRunId(prefix: string, { period, partner }: { period: string; partner: string | null }): string {
  const ofMonth = `${ofSystem(invoiceRunName, prefix)}/${period}`
  return partner === null ? ofMonth : `${ofMonth}/${partner}`
}

export function invoiceId(partnerId: string, period: string): string {
  return `invoice/${partnerId}/${period}`
}

export function invoiceMailId(invoice: string): string {
  return `invoice-mail/${invoice}`
}

/** A queue of its own for mail activities, so that a mail server that hangs does not delay a sweep. */
export function mailQueue(housekeeping: string): string {
  return `${housekeeping}-mail`
}
