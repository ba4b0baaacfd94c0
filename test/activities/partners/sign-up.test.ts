// One email address can create a few partners without an operator. After that, a sign-up code only signs in.
import { expect, test } from '@jest/globals'
import { openSignedUp } from '../../../activities/partners/sign-up'
import { membershipsOf } from '../../../db/partners/members'
import { findPartnerById } from '../../../db/partners/partners'
import { issueCode } from '../../../db/sign-in/codes'
import { signUpsPerEmail } from '../../../domain/sign-in'
import { systemClock } from '../../../runtime/clock'
import { testKeyring } from '../../support/api/client'
import { useDatabase } from '../../support/db/database'

const db = useDatabase()

test('of many concurrent sign-ups with one email address, five create a partner and the others sign in to one of those', async () => {
  const email = 'grace@people.test'
  const deps = { db, clock: systemClock, keyring: testKeyring }
  const codeIds = await Promise.all(Array.from({ length: 8 }, (_, n) => aSignUp(email, `Business ${n}`)))

  const partnerIds = await Promise.all(codeIds.map((codeId) => openSignedUp(deps, { codeId })))
  const again = await Promise.all(codeIds.map((codeId) => openSignedUp(deps, { codeId })))

  const opened = (await membershipsOf(db, email, systemClock.now())).map(({ partnerId }) => partnerId)
  expect(opened).toHaveLength(signUpsPerEmail)
  expect(new Set(partnerIds)).toEqual(new Set(opened))
  expect(again).toEqual(partnerIds)
})

test.each(['Admin', 'API', 'Payouts', 'Dashboard', 'Docs', 'www'])(
  'a business named %s does not get that word as its slug',
  async (name) => {
    const deps = { db, clock: systemClock, keyring: testKeyring }
    const codeId = await aSignUp(`${name.toLowerCase()}@people.test`, name)

    const partner = await findPartnerById(db, await openSignedUp(deps, { codeId }))

    expect(partner?.slug).toMatch(new RegExp(`^${name.toLowerCase()}-[0-9a-f]{6}$`))
  },
)

async function aSignUp(subject: string, businessName: string): Promise<string> {
  const wanted = {
    purpose: 'sign_up',
    subject,
    said: { businessName },
    perHour: 20,
    boundTo: Buffer.alloc(32),
    at: systemClock.now(),
  } as const
  const issued = await db.transaction((tx) => issueCode(tx, testKeyring, wanted))
  if (issued.outcome !== 'issued') throw new Error('no code was issued')
  return issued.id
}
