// Gauges for scheduled work: how far it is behind. Zero means that nothing is left to do.

import { erasedKinds, type OverdueWork, type Upkeep } from '../../db/controls/upkeep-metrics'
import { mailKinds } from '../../db/partners/mails'
import { environments } from '../../domain/environment'
import { gauge, type Metric, type Sample } from '../../runtime/metrics'

export function upkeepMetrics({ left, notBilled }: Upkeep): Metric[] {
  const find = (work: OverdueWork['work'], sort: string | null) =>
    left.find((each) => each.work === work && each.sort === sort)
  const ageOf = (work: OverdueWork['work'], sort: string | null) => find(work, sort)?.ageSeconds ?? 0
  const byMail = (value: (kind: string) => number): Sample[] =>
    [...mailKinds, 'invoice'].map((kind) => ({ labels: { kind }, value: value(kind) }))
  return [
    gauge(
      'payouts_proof_age_seconds',
      'Time since the last proof of the wallet that has waited longest. Idle sandboxes are excluded.',
      environments.map((environment) => ({ labels: { environment }, value: ageOf('prove', environment) })),
    ),
    gauge('payouts_unsealed_seconds', 'How long the oldest unsealed row has waited to enter the audit chain.', [
      { value: ageOf('seal', null) },
    ]),
    gauge('payouts_audit_faults', 'Whether the last audit verification found a fault.', [
      { value: find('verify', null)?.count ?? 0 },
    ]),
    gauge('payouts_audit_verified_age_seconds', 'How long ago the whole audit chain was last verified.', [
      { value: ageOf('verify', null) },
    ]),
    gauge(
      'payouts_mails_waiting',
      'Mails that have not been sent yet.',
      byMail((kind) => find('mail', kind)?.count ?? 0),
    ),
    gauge(
      'payouts_oldest_mail_seconds',
      'How long the oldest unsent mail has waited.',
      byMail((kind) => ageOf('mail', kind)),
    ),
    gauge(
      'payouts_erasure_overdue_seconds',
      'Longest time for which data has been overdue for erasure.',
      erasedKinds.map((kind) => ({ labels: { kind }, value: ageOf('erase', kind) })),
    ),
    gauge('payouts_partners_not_billed', 'Partners that should have an invoice for the last month and have none.', [
      { value: notBilled },
    ]),
  ]
}
