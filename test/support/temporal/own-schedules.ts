// The Schedules that the worker of a story has made on a Temporal that other tests use too: with the story they go.
import type { Client } from '@temporalio/client'
import {
  changedTransfersId,
  invoiceRunName,
  noticesId,
  ofSystem,
  proofId,
  pruneActivityId,
  retentionId,
  sealAuditId,
  sweepId,
  verificationsId,
  verifyAuditId,
  walletReadingsId,
} from '../../../workflows/names'

const scheduleIds = [
  sweepId,
  pruneActivityId,
  invoiceRunName,
  changedTransfersId,
  verificationsId,
  walletReadingsId,
  noticesId,
  proofId,
  sealAuditId,
  verifyAuditId,
  retentionId,
]

export async function deleteSchedules(temporal: Client, prefix: string): Promise<void> {
  for (const id of scheduleIds) {
    await temporal.schedule
      .getHandle(ofSystem(id, prefix))
      .delete()
      .catch(() => undefined)
  }
}
