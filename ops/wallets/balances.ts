// Shows a partner's wallets, and credits test money to them.
import { randomUUID } from 'node:crypto'
import { depositToWallet } from '../../activities/wallets/top-up'
import type { PartnerRow } from '../../db/partners/partners'
import { type HeldSum, sumHeldDeposits } from '../../db/wallets/held-deposits'
import { type CreditedWallet, creditWallet } from '../../db/wallets/simulated'
import { findWallet, type WalletRow } from '../../db/wallets/wallets'
import { type Environment, environments } from '../../domain/environment'
import { formatUsdc, formatUsdcDown, formatUsdcExactly } from '../../domain/money'
import { withSimulatedBank } from '../bank/simulated'
import { type Answer, type Command, defineCommand, done, refused } from '../command'
import { creditAmount, environment, optional, reference, required } from '../options'
import { onePartner, thePartner, withPartner } from '../partners/by-slug'
import { table } from '../print'

const credit = defineCommand('wallet credit', {
  about: 'Credits test money to the sandbox wallet, or to the live one if the bank is simulated.',
  options: {
    partner: thePartner,
    usdc: required(creditAmount, 'The amount.'),
    reference: optional(
      reference,
      'Your own reference. A second credit with the same reference has no effect. Sandbox only.',
    ),
    environment: optional(environment, 'The wallet; the default is sandbox.'),
  },
  example: ['--partner', 'acme', '--usdc', '100.00'],
  run: withPartner(async (ops, partner, given) => {
    const { environment = 'sandbox', usdc: amountMicroUsdc } = given
    if (environment === 'live' && given.reference !== undefined) {
      return refused('invalid_request', '--reference works in the sandbox only: every live deposit counts separately.')
    }
    // The prefixes distinguish a given reference from a generated one.
    const causeRef = given.reference === undefined ? `ops-call:${randomUUID()}` : `ops-reference:${given.reference}`
    const about = { partnerId: partner.id, amountMicroUsdc, causeRef, createdBy: ops.madeBy }

    const simulated = environment === 'sandbox' ? await creditWallet(ops, { ...about, environment }) : null
    if (simulated !== null) return presentCredit(partner, environment, amountMicroUsdc, simulated)
    return withSimulatedBank(ops, environment, async ({ rail, bank }) => {
      const { db, clock } = ops
      const credited = await depositToWallet({ db, clock, rail, bank }, { ...about, environment })
      if (credited !== null) return presentCredit(partner, environment, amountMicroUsdc, credited)
      const sentence = `${partner.slug} has no live wallet until its verification is approved.`
      return refused('verification_required', sentence, { status: partner.verificationStatus })
    })
  }),
})

const show = defineCommand('wallet show', {
  about: 'Shows the balances of the wallets in both environments, and their held deposits (`deposit list`).',
  ...onePartner,
  run: withPartner(async ({ db }, partner) => {
    const found = await Promise.all(environments.map((environment) => findWallet(db, partner.id, environment)))
    const known = found.flatMap((wallet) => (wallet === null ? [] : [wallet]))
    const wallets = await Promise.all(
      known.map(async (wallet) => presentWallet(wallet, await sumHeldDeposits(db, wallet.id))),
    )
    const rows = wallets.map(({ environment, usdc, held_usdc, rail, funding_wallet: { chain, address } }) => [
      environment,
      usdc,
      held_usdc,
      rail,
      chain,
      address,
    ])
    return done(
      { object: 'list', data: wallets },
      table(['ENVIRONMENT', 'USDC', 'HELD', 'RAIL', 'CHAIN', 'ADDRESS'], rows),
    )
  }),
})

export const commands: readonly Command[] = [credit, show]

function presentWallet({ environment, rail, chain, address, balanceMicroUsdc }: WalletRow, held: HeldSum) {
  const funding_wallet = { currency: 'USDC', chain, address }
  const usdc = formatUsdcDown(balanceMicroUsdc)
  return { environment, rail, funding_wallet, usdc, held_usdc: formatUsdcExactly(held.microUsdc), held: held.count }
}

function presentCredit(
  { slug }: PartnerRow,
  environment: Environment,
  amountMicroUsdc: bigint,
  { outcome, balanceMicroUsdc }: CreditedWallet,
): Answer {
  const credited_usdc = formatUsdc(outcome === 'credited' ? amountMicroUsdc : 0n)
  const usdc = formatUsdcDown(balanceMicroUsdc)
  const sentence =
    outcome === 'credited'
      ? `Credited ${credited_usdc} USDC to the ${environment} wallet of ${slug}, which now holds ${usdc} USDC.`
      : `That reference was already credited: no money moved, and ${slug} holds ${usdc} USDC.`
  return done({ partner: slug, environment, credited_usdc, usdc }, sentence)
}
