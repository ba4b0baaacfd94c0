// Everything a worker may be asked to run; the workflow bundle is built from here.

export { connectSandbox } from './connect-sandbox'
export { invoice } from './invoice'
export { invoiceMail } from './invoice-mail'
export { invoiceRun } from './invoice-run'
export { payout } from './payout'
export { payoutCase } from './payout-case'
export { payoutReturn } from './payout-return'
export { pruneActivity } from './prune-activity'
export { signUp } from './sign-up'
export { sweep } from './sweep'
export { topUp } from './top-up'
export { verification } from './verification'
