// The Schedules that a story's worker created on a shared Temporal: deleted with the story.
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
