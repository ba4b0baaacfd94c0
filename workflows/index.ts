// Everything a worker may be asked to run; the workflow bundle is built from here.

export { pruneActivity } from './prune-activity'
