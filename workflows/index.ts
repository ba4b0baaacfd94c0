// Everything a worker may be asked to run; the workflow bundle is built from here.

export { connectSandbox } from './connect-sandbox'
export { payout } from './payout'
export { pruneActivity } from './prune-activity'
export { sweep } from './sweep'
