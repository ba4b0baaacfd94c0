// Deletes the Schedules that a story's worker created on a shared Temporal server.
import type { Client } from '@temporalio/client'
import { ofSystem, scheduleIds } from '../../../workflows/names'

export async function deleteSchedules(temporal: Client, prefix: string): Promise<void> {
  for (const id of Object.values(scheduleIds)) {
    await temporal.schedule
      .getHandle(ofSystem(id, prefix))
      .delete()
      .catch(() => undefined)
  }
}
