// Names that workers, clients and recorded histories agree on: one that has been deployed never changes.

export const housekeepingQueue = 'housekeeping'

/** The Schedule's id, and what its workflows' ids begin with (Temporal adds the time of each). */
export const pruneActivityId = 'prune-activity'
