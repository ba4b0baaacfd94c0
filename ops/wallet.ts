// A partner's wallets: what is in them, and test money for the sandbox one.
import { randomUUID } from 'node:crypto'
import { creditWallet } from '../activities/credit-wallet'
import { findPartnerBySlug } from '../db/partners'
import { findWallet, type WalletRow } from '../db/wallets'
import { environments } from '../domain/environment'
import { formatUsdc, formatUsdcDown } from '../domain/money'
import { type Command, defineCommand, done, unknownPartner } from './command'
import { creditAmount, optional, reference, required, sandboxOnly, slug } from './options'
import { table } from './print'

const credit = defineCommand({
  noun: 'wallet',
  verb: 'credit',
  about: 'Puts test money into the sandbox wallet; the live one is only ever funded by the partner.',
  options: {
    partner: required(slug, 'Whose wallet.'),
    usdc: required(creditAmount, 'How much.'),
    reference: optional(reference, 'A name for this credit: the same one never credits twice.'),
    environment: optional(sandboxOnly, 'Which wallet.'),
  },
  example: ['--partner', 'acme', '--usdc', '100.00'],
  async run({ db, clock, madeBy }, given) {
    const partner = await findPartnerBySlug(db, given.partner)
    if (partner === null) return unknownPartner(given.partner)
    const environment = given.environment ?? 'sandbox'
    // The prefixes keep a typed reference apart from one that was made up for a call without any.
    const causeRef = given.reference === undefined ? `ops-call:${randomUUID()}` : `ops-reference:${given.reference}`

    const { outcome, balanceMicroUsdc } = await creditWallet(
      { db, clock },
      { partnerId: partner.id, environment, amountMicroUsdc: given.usdc, causeRef, createdBy: madeBy },
    )

    const credited_usdc = formatUsdc(outcome === 'credited' ? given.usdc : 0n)
    const usdc = formatUsdcDown(balanceMicroUsdc)
    const sentence =
      outcome === 'credited'
        ? `Credited ${credited_usdc} USDC to the sandbox wallet of ${partner.slug}, which now holds ${usdc} USDC.`
        : `That reference was credited before: nothing moved, ${partner.slug} holds ${usdc} USDC.`
    return done({ partner: partner.slug, environment, credited_usdc, usdc }, sentence)
  },
})

const show = defineCommand({
  noun: 'wallet',
  verb: 'show',
  about: 'Shows what the wallets hold, in both environments.',
  options: { partner: required(slug, 'Whose wallets.') },
  example: ['--partner', 'acme'],
  async run({ db }, given) {
    const partner = await findPartnerBySlug(db, given.partner)
    if (partner === null) return unknownPartner(given.partner)
    const found = await Promise.all(environments.map((environment) => findWallet(db, partner.id, environment)))
    const wallets = found.flatMap((wallet) => (wallet === null ? [] : [presentWallet(wallet)]))
    const rows = wallets.map(({ environment, usdc, rail, funding_wallet: { chain, address } }) => [
      environment,
      usdc,
      rail,
      chain,
      address,
    ])
    return done({ object: 'list', data: wallets }, table(['ENVIRONMENT', 'USDC', 'RAIL', 'CHAIN', 'ADDRESS'], rows))
  },
})

export const walletCommands: readonly Command[] = [credit, show]

function presentWallet({ environment, rail, chain, address, balanceMicroUsdc }: WalletRow) {
  const funding_wallet = { currency: 'USDC', chain, address }
  return { environment, rail, funding_wallet, usdc: formatUsdcDown(balanceMicroUsdc) }
}
