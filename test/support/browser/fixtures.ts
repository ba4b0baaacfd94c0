// A partner with a year of history, so that every dashboard page has content.
import { insertMember, type MemberRow } from '../../../db/partners/members'
import type { PartnerRow } from '../../../db/partners/partners'
import { openSession } from '../../../db/sign-in/sessions'
import type { MemberRole } from '../../../domain/partners/partner'
import type { Api } from '../api/client'
import { aCharge, aKey, anInvoice, aPartner, aPayoutRow, revokeKey } from '../api/fixtures'
import { openedForEach } from '../opened'
import type { ServedDashboard } from './served-dashboard'

const dayMs = 24 * 60 * 60 * 1000

const people = ['Ada Lovelace', 'Grace Hopper', 'Katherine Johnson', 'Radia Perlman', 'Barbara Liskov', 'Hedy Lamarr']

interface BusyPartner {
  readonly partner: PartnerRow
  readonly payoutId: string
  readonly invoiceId: string
}

export async function aBusyPartner(api: Api): Promise<BusyPartner> {
  const partner = await aPartner(api, {
    name: 'Northwind Market Ltd',
    brandColor: '#3b5bdb',
    billingEmail: 'billing@northwind.test',
  })
  const key = await aKey(api, partner, 'sandbox')
  await aKey(api, partner, 'live')
  await revokeKey(api, partner, await aKey(api, partner, 'sandbox'))
  await api.get('/v1/balance', { key })
  await api.post('/v1/quotes', { amount_gbp: '0.10' }, { key })
  await aYear(api, partner)
  const invoiceId = await invoices(api, partner)
  return { partner, invoiceId, payoutId: await thisWeek(api, partner) }
}

/** Creates payouts over a year, in both environments. */
async function aYear(api: Api, partner: PartnerRow): Promise<void> {
  for (let day = 4; day < 340; day += 9) {
    for (const environment of ['sandbox', 'live'] as const) {
      const at = daysAgo(api, day)
      const amountPence = BigInt(20_000 + ((day * 7_919) % 90_000))
      const recipientName = people[day % people.length] ?? null
      await aPayoutRow(api, partner, {
        environment,
        createdAt: at,
        completedAt: at,
        amountPence,
        recipientName,
        reference: `Order ${4000 + day}`,
        account: `1234${5000 + (day % people.length)}`,
      })
    }
  }
}

async function thisWeek(api: Api, partner: PartnerRow): Promise<string> {
  const make = (days: number, fields: Parameters<typeof aPayoutRow>[2]) =>
    aPayoutRow(api, partner, { createdAt: daysAgo(api, days), ...fields })
  await make(3, { status: 'returned', recipientName: 'Émilie du Châtelet', reference: 'October settlement' })
  await make(2, { status: 'cancelled', recipientName: 'Mary Somerville' })
  await make(1.2, { status: 'pending', recipientName: 'Sofia Kovalevskaya', reference: 'Order 4011' })
  const hostile = '<img src=x onerror=alert(1)>'
  await make(1, { status: 'completed', recipientName: hostile, reference: `${hostile}"'` })
  await make(0.5, {
    status: 'processing',
    recipientName: 'A recipient with quite a long name, such as businesses have Ltd',
    reference: 'A reference that goes on for a while, as references sometimes do',
  })
  const failed = await make(0.1, { status: 'failed', recipientName: 'Emmy Noether', reference: 'Order 4012' })
  return failed.id
}

/** Returns the ID of the last invoice, which is open and overdue. */
async function invoices(api: Api, partner: PartnerRow): Promise<string> {
  const line = (
    kind: 'payout_fees' | 'monthly_account',
    description: string,
    quantity: number,
    amountPence: bigint,
  ) => ({
    kind,
    description,
    quantity,
    unitAmountMicropounds: (amountPence * 10_000n) / BigInt(quantity),
    amountPence,
  })
  let last = ''
  for (const [period, status] of [
    ['2026-09-01', 'paid'],
    ['2026-10-01', 'open'],
  ] as const) {
    const lines = [
      line('payout_fees', 'Payout fees', 412, 82_400n),
      line('monthly_account', 'Monthly account', 1, 1_500n),
    ]
    const number = `INV-2026-0000${period.slice(5, 7)}`
    const dueAt = daysAgo(api, 3)
    last = (await anInvoice(api, partner, { period, status, number, dueAt }, lines)).id
  }
  await aCharge(api, partner, { kind: 'payout_fee', amountMicropounds: 43_600_000n, month: '2026-11-01' })
  return last
}

interface Person {
  readonly email: string
  readonly role: MemberRole
  readonly name?: string
}

/** Adds a member who has been invited but has not signed in yet. */
export function aMember(
  { db, clock }: Api,
  { id: partnerId }: PartnerRow,
  { name, ...person }: Person,
): Promise<MemberRow> {
  return db.transaction(async (tx) => {
    const member = await insertMember(tx, { partnerId, name: name ?? null, at: clock.now(), ...person })
    if (member === 'already_member') throw new Error(`${person.email} is a member already`)
    return member
  })
}

/** For each test: a partner, its admin Ada with an open browser, and a viewer, Grace, who has not signed in yet. */
export function useTeam({ api, visit }: ServedDashboard) {
  const partner = openedForEach(() => aPartner(api, { name: 'Northwind Market Ltd' }))
  const person = (name: string, more: Pick<Person, 'role' | 'name'>) =>
    openedForEach(() => aMember(api, partner, { email: `${name}@${partner.slug}.example`, ...more }))
  const ada = person('ada', { role: 'admin', name: 'Ada' })
  const grace = person('grace', { role: 'viewer' })
  const visitor = openedForEach(async () => visit({ session: await aSessionOf(api, ada) }))
  return { partner, ada, grace, visitor }
}

/** Opens a session and returns its token. Each browser needs its own session. */
export function aSessionOf({ db, clock }: Api, { id: memberId }: MemberRow, device?: string): Promise<string> {
  return db.transaction(async (tx) => {
    const opened = await openSession(tx, { memberId, at: clock.now(), absoluteMs: 7 * dayMs, device: device ?? null })
    if (opened === null) throw new Error('the member does not exist')
    return opened.token
  })
}

function daysAgo({ clock }: Pick<Api, 'clock'>, days: number): Date {
  return new Date(clock.now().getTime() - days * dayMs)
}

/** A one-pixel image. */
export const aPng = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
