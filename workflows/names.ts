// Names that workers, clients and recorded histories agree on: one that has been deployed never changes.

import type { Environment } from '../domain/environment'

export const housekeepingQueue = 'housekeeping'

/** What systems that share a Temporal server must not share: with a prefix of its own, each has its own. */
export function ofSystem(name: string, prefix: string): string {
  return prefix === payoutQueuePrefix ? name : `${prefix}-${name}`
}

/** One queue for each environment, so that a bank that hangs in one of them does not stop the payouts of the other. */
export function payoutQueue(environment: Environment, prefix: string = payoutQueuePrefix): string {
  return `${prefix}-${environment}`
}

export const payoutQueuePrefix = 'payouts'

export interface PayoutKey {
  readonly environment: Environment
  readonly partnerId: string
  readonly idempotencyKey: string
  readonly attempt: number
}

/** One id for each attempt: who still asks for an older one hears its verdict, and can not start it again. */
export function payoutWorkflowId({ environment, partnerId, idempotencyKey, attempt }: PayoutKey): string {
  const first = `payout/${environment}/${partnerId}/${idempotencyKey}`
  return attempt === 1 ? first : `${first}/${attempt}`
}

/** Both the name of the update and its id: whoever asks for the same payout joins the same update. */
export const createUpdate = 'create'
/** The same for a cancel: who repeats it hears how the first one was decided. */
export const cancelUpdate = 'cancel'
export const bankSpokeSignal = 'bankSpoke'

export function payoutReturnId(payoutId: string): string {
  return `return/${payoutId}`
}

/** The input of a rail switch, as an operator writes it in the Web UI. The workflow and its activity name it in their errors. */
export const railSwitchInput =
  '{"environment": "sandbox" or "live", "action": "pause", "resume" or "wake", "by": who you are, "reason": why}'

/** For the ops CLI. In the Web UI an operator may choose any ID. */
export function railSwitchId(environment: Environment, prefix: string): string {
  return `${ofSystem('rail-switch', prefix)}/${environment}`
}

/** What payouts can be searched by in the Web UI; the types are the server's own words. */
export const payoutSearchAttributes = {
  partner: { name: 'PayoutPartner', type: 'KEYWORD' },
  environment: { name: 'PayoutEnvironment', type: 'KEYWORD' },
  status: { name: 'PayoutStatus', type: 'KEYWORD' },
  payoutId: { name: 'PayoutId', type: 'KEYWORD' },
  amountPence: { name: 'PayoutAmountPence', type: 'INT' },
} as const

/** The Schedule's id, and what its workflows' ids begin with (Temporal adds the time of each). */
export const pruneActivityId = 'prune-activity'
export const sweepId = 'sweep'
export const changedTransfersId = 'changed-transfers'

export function connectSandboxId(partnerId: string): string {
  return `connect-sandbox/${partnerId}`
}

/** The Schedule's id. */
export const verificationsId = 'verifications'

export function verificationId(partnerId: string): string {
  return `verification/${partnerId}`
}

export function payoutCaseId(caseId: string): string {
  return `case/${caseId}`
}

/** Only wakes the case's workflow: its row says whether it was resolved. */
export const caseResolvedSignal = 'caseResolved'

/** The Schedules' ids, and what their workflows' ids begin with. */
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

/** The Schedule's id, and what the ids of runs begin with: one that people start has the month behind it, so that two are one. */
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

/** Apart from the queue of the workflows that mail, so that a mail server that hangs keeps no sweep waiting. */
export function mailQueue(housekeeping: string): string {
  return `${housekeeping}-mail`
}
