// The table of worker processes.
import { EntitySchema } from 'typeorm'
import { integer, orNull, text, time } from '../columns'

export interface StoredWorker {
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly version: string
  readonly taskQueues: readonly string[]
  readonly startedAt: Date
  readonly seenAt: Date
  readonly drainingAt: Date | null
  readonly askedBy: string | null
  readonly drainedAt: Date | null
  readonly endedAt: Date | null
}

export const worker = new EntitySchema<StoredWorker>({
  name: 'Worker',
  tableName: 'workers',
  columns: {
    id: { ...text, primary: true },
    host: text,
    pid: integer,
    version: text,
    taskQueues: { ...text, array: true },
    startedAt: time,
    seenAt: time,
    drainingAt: orNull(time),
    askedBy: orNull(text),
    drainedAt: orNull(time),
    endedAt: orNull(time),
  },
})
