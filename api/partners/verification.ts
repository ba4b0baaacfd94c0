// POST /v1/compliance/verification: starts business verification, or restarts it after a rejection.
import { loadAccount } from '../../db/partners/accounts'
import { beginVerification } from '../../db/partners/verification'
import { recordChange } from '../controls/record-change'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'
import { type ApiRequest, ok, personOf, post, type Reply } from '../http/route'
import { Body } from '../http/schema'
import { checks } from '../http/steps'
import { Compliance, exampleCompliance, presentCompliance } from './compliance'

export const startVerificationRoute = post('/v1/compliance/verification', 'startVerification', {
  steps: [
    ...checks('verification.start', { by: 'person', partner: 'active' }, { body: Body('VerificationRequest', {}) }),
    startVerification,
  ],
  summary: 'Start business verification',
  description:
    'Verification starts immediately. Shortly afterwards `continue_url` and `terms_url` lead to the next steps. GET /v1/compliance shows the progress.',
  bodyExample: {},
  reply: ok('Verification has started.', Compliance, exampleCompliance),
  errors: ['invalid_state'],
})

async function startVerification(request: ApiRequest, deps: ApiDeps): Promise<Reply> {
  const { email: by, partner, environment } = personOf(request)
  const at = deps.clock.now()
  await deps.db.transaction(async (tx) => {
    const begun = await beginVerification(tx, partner.id, at)
    if (begun.outcome === 'invalid_state') throw new ApiError('invalid_state', { details: { status: begun.status } })
    const change = {
      partnerId: partner.id,
      by,
      action: 'verification.start',
      environment: 'live',
      status: 200,
    } as const
    await recordChange(tx, change, request, deps)
    // Start the workflow before the commit: verification must not be recorded without it, and a workflow without the
    // row does nothing.
    await wake(deps, partner.id)
  })
  const account = await loadAccount(deps.db, { partnerId: partner.id, environment, at })
  return { body: presentCompliance(account), activity: 'written' }
}

async function wake({ config, workflows, log }: ApiDeps, partnerId: string): Promise<void> {
  if (config.bank.live === null) {
    throw new ApiError('service_unavailable', {
      message: 'Verification is not available: live payments are not set up yet.',
    })
  }
  try {
    await workflows.wakeVerification(partnerId)
  } catch (error) {
    log.warn({ err: error, partner_id: partnerId }, 'cannot start verification')
    throw new ApiError('service_unavailable')
  }
}
