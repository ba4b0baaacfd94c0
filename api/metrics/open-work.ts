// Gauges for open work and for items that need an operator. A gauge without items reports zero, so that alerts can
// distinguish zero from missing data.
import type { OpenWork, OpenWorkKind } from '../../db/controls/metrics'
import { driftKinds } from '../../domain/controls/drift'
import { type Environment, environments } from '../../domain/environment'
import { rateRejections } from '../../domain/rate-check'
import { gauge, type Metric, type Sample } from '../../runtime/metrics'

/** Failed and returned payouts are open until their money is back. */
const openStatuses = ['pending', 'processing', 'failed', 'returned'] as const

export function openWorkMetrics(figures: readonly OpenWork[]): Metric[] {
  const of = (kind: OpenWorkKind, environment: Environment) =>
    figures.filter((figure) => figure.kind === kind && figure.environment === environment)
  const each = (value: (environment: Environment) => number): Sample[] =>
    environments.map((environment) => ({ labels: { environment }, value: value(environment) }))
  const counts = (kind: OpenWorkKind) => each((environment) => of(kind, environment)[0]?.count ?? 0)
  const bySort = (kind: OpenWorkKind, label: string, sorts: readonly OpenWork['sort'][], value: ValueOf): Sample[] =>
    environments.flatMap((environment) =>
      sorts.map((sort) => ({
        labels: { environment, [label]: String(sort) },
        value: value(of(kind, environment).find((figure) => figure.sort === sort)),
      })),
    )
  return [
    gauge('payouts_open', 'Payouts that are not final.', bySort('open', 'status', openStatuses, countOf)),
    gauge(
      'payouts_oldest_open_seconds',
      'Age of the oldest open payout. A returned payout counts from its return.',
      bySort('open', 'status', openStatuses, ageOf),
    ),
    gauge(
      'payouts_oldest_pending_seconds',
      'Longest time that a pending payout has waited to be sent, or for an outcome after its call to the bank. Excludes rail pauses.',
      bySort('pending', 'bank', ['called', 'not_called'], ageOf),
    ),
    gauge(
      'payouts_held_usdc',
      'USDC held by open payouts.',
      each((environment) => of('open', environment).reduce((sum, { microUsdc }) => sum + usdc(microUsdc), 0)),
    ),
    gauge('payouts_attention', 'Payouts that need an operator.', counts('attention')),
    gauge('payouts_not_charged', 'Completed payouts whose charge cannot be booked.', counts('not_charged')),
    gauge('payouts_held_deposits', 'Held deposits.', counts('held_deposits')),
    gauge(
      'payouts_held_deposits_usdc',
      'USDC in held deposits.',
      each((environment) => usdc(of('held_deposits', environment)[0]?.microUsdc ?? 0n)),
    ),
    gauge('payouts_wallets_not_read', 'Wallets whose history at the bank could not be read.', counts('not_read')),
    gauge(
      'payouts_wallet_not_read_seconds',
      'Longest time for which the history of a wallet could not be read.',
      each((environment) => of('not_read', environment)[0]?.ageSeconds ?? 0),
    ),
    gauge('payouts_quarantined_events', 'Quarantined bank events.', counts('quarantined')),
    gauge(
      'payouts_drifts',
      "Differences between our books and the bank's, by kind.",
      bySort('drift', 'kind', driftKinds, countOf),
    ),
    gauge(
      'payouts_rate_rejected',
      'Rails whose latest exchange rate was rejected in the last 15 minutes, by reason. They accept no quotes or payouts.',
      bySort('rejected_rate', 'reason', rateRejections, countOf),
    ),
    gauge('payouts_requested_names', 'Partners whose new name awaits approval by an operator.', [
      { value: of('requested_names', 'live')[0]?.count ?? 0 },
    ]),
    gauge('payouts_rail_paused', 'Whether sending to the bank is paused.', counts('paused')),
  ]
}

type ValueOf = (figure: OpenWork | undefined) => number
const countOf: ValueOf = (figure) => figure?.count ?? 0
const ageOf: ValueOf = (figure) => figure?.ageSeconds ?? 0

/** For charts only, where the last digits of a large sum do not matter. */
function usdc(micro: bigint): number {
  return Number(micro) / 1e6
}
