// The table of pauses of the way to the bank.
import { EntitySchema } from 'typeorm'
import type { Environment } from '../../domain/environment'
import { id, orNull, text, time } from '../columns'

export interface StoredRailPause {
  readonly id: string
  readonly environment: Environment
  readonly pausedAt: Date
  readonly pausedBy: string
  readonly reason: string | null
  readonly resumedAt: Date | null
  readonly resumedBy: string | null
}

export const railPause = new EntitySchema<StoredRailPause>({
  name: 'RailPause',
  tableName: 'rail_pauses',
  columns: {
    id,
    environment: text,
    pausedAt: time,
    pausedBy: text,
    reason: orNull(text),
    resumedAt: orNull(time),
    resumedBy: orNull(text),
  },
})
