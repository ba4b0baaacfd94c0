// The steps from which routes are built, in the order in which a route lists them.
export { authenticate, authenticateWith, openToAnyone } from './callers/authenticate'
export { authorize } from './callers/authorize'
export { limit, limitHistoryRead } from './callers/limit'
export { idempotent } from './requests/idempotent'
export { validate } from './requests/read-request'
