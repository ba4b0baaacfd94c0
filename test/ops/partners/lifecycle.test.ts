// Partner commands, with a real database.
import { describe, expect, test } from '@jest/globals'
import { latestActivity } from '../../../db/controls/activity'
import { listMembers } from '../../../db/partners/members'
import { addNotice } from '../../../db/partners/notices'
import { findPartnerBySlug, updatePartner } from '../../../db/partners/partners'
import { findWallet } from '../../../db/wallets/wallets'
import { verificationNotStarted } from '../../support/db/a-partner'
import { oneSentence, openTerminal, useTerminal, wordsOf } from '../../support/terminal'

interface Partner {
  readonly id: string
  readonly slug: string
  readonly status: string
  readonly payout_limits_gbp: { readonly min: string; readonly max_per_payout: string }
}

const terminal = useTerminal()

async function createPartner(slug: string): Promise<Partner> {
  return terminal.json('partner', 'create', '--name', 'Acme Ltd', '--slug', slug, '--email', `ada@${slug}.test`)
}

async function activityOf(partnerId: string) {
  const entries = await latestActivity(terminal.db, partnerId, 50)
  return entries.map(({ action, detail, changes, status, madeBy }) => ({ action, detail, changes, status, madeBy }))
}

describe('partner create', () => {
  test('opens an account that can be used immediately, and prints it in the API’s format', async () => {
    const argv = ['partner', 'create', '--name', '  Acme Ltd ', '--slug', 'acme', '--email', 'Ada@Acme.Test']
    const partner = await terminal.json<Partner>(...argv)

    expect(partner).toEqual({
      object: 'partner',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      slug: 'acme',
      name: 'Acme Ltd',
      requested_name: null,
      status: 'active',
      contact_email: 'ada@acme.test',
      billing_email: 'ada@acme.test',
      billing_address: null,
      enabled_countries: ['GB'],
      payout_limits_gbp: { min: '1.00', max_per_payout: '20000.00' },
      rate_limits_per_second: { sandbox: null, live: null },
      business_verification: verificationNotStarted,
      screening: 'not_started',
      closed_at: null,
      readable_until: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    })
    const [admin] = await listMembers(terminal.db, partner.id)
    expect(admin).toMatchObject({ email: 'ada@acme.test', role: 'admin' })
    const sandbox = await findWallet(terminal.db, partner.id, 'sandbox')
    expect(sandbox?.balanceMicroUsdc).toBe(10_000_000_000n)
  })

  test('refuses a slug that is taken', async () => {
    await createPartner('taken')

    const again = await terminal.ops('partner', 'create', '--name', 'B', '--slug', 'taken', '--email', 'b@b.test')

    expect(again).toEqual({ code: 2, out: '', err: 'The slug taken is already taken.\n' })
  })

  test.each(['admin', 'api', 'payouts', 'dashboard', 'docs', 'www'])('refuses the reserved slug %s', async (slug) => {
    const refused = await terminal.ops('partner', 'create', '--name', 'B', '--slug', slug, '--email', 'b@b.test')

    expect(refused).toEqual({ code: 2, out: '', err: `The slug ${slug} is reserved.\n` })
    expect(await findPartnerBySlug(terminal.db, slug)).toBeNull()
  })

  test('prints the new partner', async () => {
    const { code, out } = await terminal.ops(...wordsOf('partner create --name B --slug told --email b@b.test'))

    expect(code).toBe(0)
    expect(out).toMatch(/^partner +told\nname +B\n/)
  })
})

describe('partner show and list', () => {
  test('show prints the fields that create printed, and the number of waiting notices', async () => {
    const created = await createPartner('shown')

    expect(await terminal.json('partner', 'show', '--partner', 'shown')).toEqual({ ...created, waiting_notices: 0 })
    expect((await terminal.ops('partner', 'show', '--partner', 'shown')).out).toContain('ada@shown.test')
  })

  test('show counts undeliverable notices, until there is a contact email', async () => {
    const { id } = await createPartner('unread')
    await addNotice(terminal.db, {
      partnerId: id,
      environment: 'live',
      kind: 'verification',
      about: 'x',
      at: new Date(0),
    })
    const setContact = (email: string) =>
      terminal.json('partner', 'set', '--partner', 'unread', '--contact-email', email)
    const show = () => terminal.ops('partner', 'show', '--partner', 'unread')
    const warning =
      'Notices that cannot be delivered because no admin has signed in and there is no contact email: 1.\n'

    const before = await show()
    await setContact('none')
    const without = await show()
    await setContact('desk@acme.test')

    expect([before.out.includes('Notices'), without.out.endsWith(warning)]).toEqual([false, true])
    expect(await show()).toMatchObject({ code: 0, out: expect.not.stringContaining('Notices') })
  })

  test('list prints every partner by slug', async () => {
    await createPartner('list-b')
    await createPartner('list-a')

    const list = await terminal.json<{ object: string; data: Partner[] }>('partner', 'list')
    const slugs = list.data.map(({ slug }) => slug)

    expect(list.object).toBe('list')
    expect(slugs).toEqual(expect.arrayContaining(['list-a', 'list-b']))
    expect(slugs).toEqual([...slugs].toSorted())
    expect((await terminal.ops('partner', 'list')).out).toMatch(/^SLUG +STATUS +VERIFICATION +NAME +REQUESTED NAME\n/)
  })

  test("control characters in a name cannot move the terminal's cursor", async () => {
    const { id } = await createPartner('sneaky')
    await terminal.db.transaction((tx) => updatePartner(tx, id, { name: 'a\u001b[2Jb' }, new Date(0)))

    const { out } = await terminal.ops('partner', 'show', '--partner', 'sneaky')

    expect(out).toContain('a?[2Jb')
  })

  test('an empty database has no partners', async () => {
    const empty = await openTerminal()

    expect(await empty.ops('partner', 'list')).toEqual({ code: 0, out: 'There are no partners yet.\n', err: '' })
    expect(await empty.json('partner', 'list')).toEqual({ object: 'list', data: [] })
    await empty.close()
  })
})

describe('partner suspend and reactivate', () => {
  test('change the status and record the operator', async () => {
    const { id } = await createPartner('moved')

    const suspended = await terminal.json<Partner>('partner', 'suspend', '--partner', 'moved')
    const reactivated = await terminal.ops('partner', 'reactivate', '--partner', 'moved')

    expect(suspended.status).toBe('suspended')
    expect(reactivated).toEqual({ code: 0, out: 'moved is now active.\n', err: '' })
    const activity = await activityOf(id)
    expect(activity.map(({ action }) => action)).toEqual(['partner.reactivate', 'partner.suspend', 'partner.create'])
    expect(activity).toEqual(
      activity.map((entry) => ({
        ...entry,
        changes: 'something',
        status: null,
        madeBy: expect.stringMatching(/^ops:\S+$/),
      })),
    )
  })

  test('refuse to suspend a suspended partner, report its status, and write nothing', async () => {
    const { id } = await createPartner('twice')
    await terminal.ops('partner', 'suspend', '--partner', 'twice')

    const again = await terminal.ops('partner', 'suspend', '--partner', 'twice', '--json')

    expect(again).toMatchObject({ code: 2, out: '' })
    expect(JSON.parse(again.err)).toEqual({
      error: { code: 'invalid_state', message: 'twice is already suspended.', details: { status: 'suspended' } },
    })
    expect(await activityOf(id)).toHaveLength(2)
  })

  test('refuse a closed partner', async () => {
    const { id } = await createPartner('closed')
    await terminal.db.transaction((tx) => updatePartner(tx, id, { status: 'closed' }, new Date(0)))

    const answers = await Promise.all(
      ['suspend', 'reactivate'].map((verb) => terminal.ops('partner', verb, '--partner', 'closed')),
    )

    expect(answers.map(({ code, err }) => [code, err])).toEqual([
      [2, 'closed is closed, not active.\n'],
      [2, 'closed is closed, not suspended.\n'],
    ])
  })
})

describe('partner approve-name and refuse-name', () => {
  async function aRequest(slug: string, requestedName: string) {
    const partner = await createPartner(slug)
    await terminal.db.transaction((tx) => updatePartner(tx, partner.id, { requestedName }, new Date(0)))
    return partner
  }

  test('approve-name sets only the name that the operator checked', async () => {
    const { id } = await aRequest('renamed', 'Acme Bank plc')
    const approve = (name: string) => terminal.ops('partner', 'approve-name', '--partner', 'renamed', '--name', name)

    const other = await approve('Acme Payments Ltd')
    const approved = await approve('Acme Bank plc')
    const again = await approve('Acme Bank plc')

    expect([other.code, other.err]).toEqual([2, 'renamed requested another name: see `partner show`.\n'])
    expect([approved.code, again.code]).toEqual([0, 2])
    expect(await findPartnerBySlug(terminal.db, 'renamed')).toMatchObject({
      name: 'Acme Bank plc',
      requestedName: null,
    })
    expect((await activityOf(id)).map(({ action }) => action)).toEqual(['partner.name_approve', 'partner.create'])
  })

  test('refuse-name leaves the name unchanged', async () => {
    const { id } = await aRequest('not-renamed', 'Acme Bank plc')
    const shown = await terminal.ops('partner', 'list')

    const partner = await terminal.json('partner', 'refuse-name', '--partner', 'not-renamed')

    expect(shown.out).toMatch(/not-renamed .*Acme Ltd +Acme Bank plc/)
    expect(partner).toMatchObject({ name: 'Acme Ltd', requested_name: null })
    expect((await activityOf(id)).map(({ action }) => action)).toEqual(['partner.name_refuse', 'partner.create'])
  })

  test('partner set with a new name closes the name request', async () => {
    await aRequest('set-name', 'Acme Bank plc')

    const partner = await terminal.json('partner', 'set', '--partner', 'set-name', '--name', 'Acme Bank Services')

    expect(partner).toMatchObject({ name: 'Acme Bank Services', requested_name: null })
  })
})

describe('partner set', () => {
  test('sets every field that operators may set, and the activity entry shows the limits but no names or email addresses', async () => {
    const { id } = await createPartner('set-all')
    const limits = ['--min', '2.50', '--max-per-payout', '5000.00', '--countries', 'GB']
    const emails = ['--billing-email', 'Bills@Acme.test', '--contact-email', 'none', '--name', 'Acme & Sons']
    const rates = ['--rate-limit-sandbox', '50', '--rate-limit-live', '200']

    const partner = await terminal.json('partner', 'set', '--partner', 'set-all', ...limits, ...emails, ...rates)

    expect(partner).toMatchObject({
      name: 'Acme & Sons',
      contact_email: null,
      billing_email: 'bills@acme.test',
      enabled_countries: ['GB'],
      payout_limits_gbp: { min: '2.50', max_per_payout: '5000.00' },
      rate_limits_per_second: { sandbox: 50, live: 200 },
    })
    const [entry] = await activityOf(id)
    expect(entry).toMatchObject({
      action: 'partner.update',
      detail:
        'min 1.00 -> 2.50, max_per_payout 20000.00 -> 5000.00, rate_limit_sandbox default -> 50, ' +
        'rate_limit_live default -> 200, name, billing_email, contact_email',
    })
  })

  test('leaves omitted options unchanged, and can reset a rate limit to the default', async () => {
    await createPartner('set-one')
    await terminal.ops('partner', 'set', '--partner', 'set-one', '--rate-limit-live', '7', '--min', '3.00')

    const partner = await terminal.json('partner', 'set', '--partner', 'set-one', '--rate-limit-live', 'default')

    expect(partner).toMatchObject({
      billing_email: 'ada@set-one.test',
      payout_limits_gbp: { min: '3.00', max_per_payout: '20000.00' },
      rate_limits_per_second: { sandbox: null, live: null },
    })
  })

  test('never lets the minimum payout exceed the maximum, whether set together or separately', async () => {
    await createPartner('set-limits')
    const set = ['partner', 'set', '--partner', 'set-limits']

    const together = await terminal.ops(...set, '--min', '10.00', '--max-per-payout', '9.99')
    await terminal.json(...set, '--max-per-payout', '9.99')
    const apart = await terminal.ops(...set, '--min', '10.00')

    const sentence = 'The smallest payout, 10.00, would exceed the largest, 9.99.\n'
    expect([together, apart]).toEqual([
      { code: 2, out: '', err: sentence },
      { code: 2, out: '', err: sentence },
    ])
    const partner = await findPartnerBySlug(terminal.db, 'set-limits')
    expect([partner?.minPayoutPence, partner?.maxPayoutPence]).toEqual([100n, 999n])
  })

  test('refuses one of two concurrent changes that together would put the minimum above the maximum', async () => {
    await createPartner('set-race')
    const set = (...setting: string[]) => terminal.ops('partner', 'set', '--partner', 'set-race', ...setting)

    const both = await Promise.all([set('--min', '6000.00'), set('--max-per-payout', '5000.00')])

    expect(new Set(both.map(({ code }) => code))).toEqual(new Set([0, 2]))
  })

  test('writes nothing when the given values are already set', async () => {
    const before = await createPartner('set-same')

    const after = await terminal.json('partner', 'set', '--partner', 'set-same', '--min', '1.00')

    expect(after).toEqual(before)
    expect(await activityOf(before.id)).toHaveLength(1)
  })

  test('is refused if it names nothing to set', async () => {
    const { code, err } = await terminal.ops('partner', 'set', '--partner', 'acme')

    expect(code).toBe(2)
    expect(err).toMatch(oneSentence)
    expect(err).toContain('--max-per-payout')
  })
})
