// Records a person's change in the activity list, in the same transaction as the change.
import { recordActivity } from '../../db/controls/activity'
import type { Tx } from '../../db/database'
import type { Environment } from '../../domain/environment'
import type { ApiDeps } from '../deps'
import type { ApiRequest } from '../http/route'

interface Change {
  readonly partnerId: string
  /** The person's email address. */
  readonly by: string
  readonly action: string
  readonly status: 200 | 201 | 202
  readonly environment?: Environment
  readonly detail?: string
}

export async function recordChange(
  tx: Tx,
  { partnerId, by, action, status, environment, detail }: Change,
  { requestId }: Pick<ApiRequest, 'requestId'>,
  { clock }: Pick<ApiDeps, 'clock'>,
): Promise<void> {
  const made = { at: clock.now(), madeBy: by, changes: 'something', status, requestId } as const
  await recordActivity(tx, [{ partnerId, action, environment: environment ?? null, detail: detail ?? null, ...made }])
}
