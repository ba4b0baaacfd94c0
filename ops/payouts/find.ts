// Finds payouts by known details, and resolves an ID, transfer reference or Idempotency-Key to one payout.

import { findPartnerBySlug } from '../../db/partners/partners'
import { type PayoutSearch, type PayoutSearchResult, searchPayouts } from '../../db/payouts/search'
import { formatPence } from '../../domain/money'
import { payoutStatuses } from '../../domain/payouts/payout'
import {
  type Answer,
  type Command,
  defineCommand,
  done,
  type ParsedOptions,
  type Refusal,
  refused,
  unknownPayout,
} from '../command'
import type { Ops } from '../connect'
import {
  environment,
  idempotencyKey,
  last4,
  oneOf,
  optional,
  payoutAmount,
  payoutName,
  reference,
  required,
  since as sinceKind,
  slug,
  uuid,
} from '../options'
import { unknownPartner } from '../partners/by-slug'
import { table } from '../print'

const shownAtOnce = 50

const find = defineCommand('payout find', {
  about: `Finds payouts, including refused requests, that match all options; at most the newest ${shownAtOnce}.`,
  options: {
    partner: optional(slug, 'Only payouts of this partner; required without --transfer.'),
    environment: optional(environment, 'Only this environment.'),
    key: optional(idempotencyKey, 'Only the payout with exactly this Idempotency-Key.'),
    reference: optional(reference, "Only payouts with this text in the partner's reference, ignoring case."),
    amount: optional(payoutAmount, 'Only payouts of this amount in GBP.'),
    'recipient-last4': optional(last4, 'Only payouts to an account that ends in these digits.'),
    transfer: optional(reference, 'Only the payout with this bank transfer reference.'),
    since: optional(sinceKind, 'Only payouts created at or after this time.'),
    status: optional(
      oneOf([...payoutStatuses, 'refused']),
      'Only payouts with this status; a refused request has created no payout.',
    ),
  },
  example: ['--partner', 'acme', '--amount', '33.00', '--since', '2d'],
  async run({ db, clock }, given) {
    const { partner: wanted, transfer } = given
    if (wanted === undefined && transfer === undefined) {
      return refused('invalid_request', "Specify --partner, or --transfer with the bank's reference.")
    }
    const partner = wanted === undefined ? undefined : await findPartnerBySlug(db, wanted)
    if (partner === null && wanted !== undefined) return unknownPartner(wanted)
    const search: PayoutSearch = {
      partnerId: partner?.id,
      environment: given.environment,
      idempotencyKey: given.key,
      reference: given.reference,
      amountPence: given.amount,
      accountLast4: given['recipient-last4'],
      transferRef: transfer,
      since: given.since?.(clock.now()),
      status: given.status,
    }
    const matches = await searchPayouts(db, search, shownAtOnce + 1)
    const payouts = matches.slice(0, shownAtOnce)
    const isCut = matches.length > shownAtOnce
    const json = { object: 'list', data: payouts.map(present), has_more: isCut }
    if (payouts.length === 0) return done(json, 'No payout matches.')
    const [only] = payouts.length === 1 ? payouts : []
    const more = [
      ...(isCut ? [`Only the newest ${shownAtOnce} are shown: add an option, such as --since 1d.`] : []),
      ...(only === undefined ? [] : [`\`payout explain ${only.id}\` shows what happened to it.`]),
    ]
    return done(json, [payoutTable(payouts), ...more].join('\n'))
  },
})

export const commands: readonly Command[] = [find]

/** The options of commands that show one payout and change nothing. */
export const namedPayout = {
  options: {
    payout: required(payoutName, 'The payout.'),
    partner: optional(slug, 'The partner of the payout. With it, --payout may be an Idempotency-Key.'),
    environment: optional(environment, 'Its environment, if the partner has used the key in both.'),
  },
  example: ['order-2001', '--partner', 'acme'],
}

/** Wraps the `run` of a command that has the options of namedPayout. */
export function withNamedPayout(run: (ops: Ops, payoutId: string) => Promise<Answer>) {
  return async (ops: Ops, given: ParsedOptions<(typeof namedPayout)['options']>): Promise<Answer> => {
    const found = await resolve(ops, given)
    return typeof found === 'string' ? run(ops, found) : found
  }
}

async function resolve({ db }: Ops, given: ParsedOptions<(typeof namedPayout)['options']>): Promise<string | Refusal> {
  const { payout: name, partner: wanted, environment: only } = given
  const partner = wanted === undefined ? undefined : await findPartnerBySlug(db, wanted)
  if (partner === null && wanted !== undefined) return unknownPartner(wanted)
  const id = uuid.parse(name)
  const scope = { partnerId: partner?.id, environment: only }
  const searches: PayoutSearch[] = [
    ...(id === undefined ? [] : [{ ...scope, id }]),
    { ...scope, transferRef: name },
    ...(partner === undefined ? [] : [{ ...scope, idempotencyKey: name }]),
  ]
  for (const search of searches) {
    const [found, other] = await searchPayouts(db, search, 2)
    if (other !== undefined)
      return refused('invalid_request', 'Both environments have such a payout: add --environment.')
    if (found !== undefined) return found.id
  }
  return id === undefined || wanted !== undefined ? noSuchPayout(wanted) : unknownPayout(id)
}

// The message does not repeat the name, because the name may be a secret that was pasted by mistake.
function noSuchPayout(partner: string | undefined): Refusal {
  return partner === undefined
    ? refused('not_found', 'No payout has this transfer reference. To look up an Idempotency-Key, add --partner.')
    : refused('not_found', `${partner} has no payout with this ID, transfer or Idempotency-Key: try \`payout find\`.`)
}

function payoutTable(payouts: readonly PayoutSearchResult[]): string {
  const header = ['ID', 'CREATED', 'PARTNER', 'ENVIRONMENT', 'STATUS', 'GBP', 'ACCOUNT', 'KEY', 'ATTENTION']
  return table(
    header,
    payouts
      .map(present)
      .map((each) => [
        each.id,
        each.created_at,
        each.partner,
        each.environment,
        each.status,
        each.amount_gbp,
        each.account_last4,
        each.idempotency_key,
        each.attention,
      ]),
  )
}

function present(payout: PayoutSearchResult) {
  return {
    id: payout.id,
    partner: payout.slug,
    environment: payout.environment,
    status: payout.releasedAt === null ? payout.status : 'refused',
    amount_gbp: formatPence(payout.amountPence),
    account_last4: payout.accountLast4,
    idempotency_key: payout.idempotencyKey,
    bank_reference: payout.transferRef,
    attention: payout.attention,
    created_at: payout.createdAt.toISOString(),
  }
}
