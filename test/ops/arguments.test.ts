// For a wrong argument, ops prints one sentence and exits with code 2. Only the check for an unknown partner needs a
// database.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { readArguments } from '../../ops/arguments'
import { bareOptionOf, nameOf } from '../../ops/command'
import { allCommands } from '../../ops/commands'
import { type OpsTerminal, openTerminal, runWith } from '../support/terminal'

const commands = allCommands()

// Nothing listens at this address, so a command that accepts its arguments exits with code 1.
const nowhere = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
const create = ['partner', 'create', '--name', 'Acme', '--slug', 'acme', '--email', 'ada@acme.test']
const set = ['partner', 'set', '--partner', 'acme']
const credit = ['wallet', 'credit', '--partner', 'acme']
const money = 'pounds and pence from 1.00 to 20000.00, such as 2.50'
const usdc = 'USDC with two decimals from 0.01 to 1000000.00, such as 100.00'
const nouns = [...new Set(commands.map(({ noun }) => noun))].join(', ')
const slugRule = '2 to 40 lower-case letters, digits and hyphens'
const emailRule = 'an email address, such as ada@acme.test'

function replaced(argv: readonly string[], option: string, value: string): string[] {
  return argv.map((arg, index) => (argv[index - 1] === option ? value : arg))
}

describe('a wrong command is refused', () => {
  test.each<[string[], string]>([
    [[], `Specify a command that begins with one of: ${nouns} (see --help).`],
    [['--json=x'], `Specify a command that begins with one of: ${nouns} (see --help).`],
    [['wire'], `There is no command "wire". A command begins with one of: ${nouns}.`],
    [['pay\u001bout\n'], String.raw`There is no command "pay\u001bout\n". A command begins with one of: ${nouns}.`],
    [['key'], '`key` needs one of: create, list, revoke.'],
    [['key', 'make', '--help'], 'There is no command "key make": `key` has create, list, revoke.'],
    [['__proto__', 'constructor'], `There is no command "__proto__". A command begins with one of: ${nouns}.`],
    [['partner', 'list', 'acme'], '`partner list` does not take "acme".'],
    [['partner', 'list', '--', '--json'], '`partner list` does not take "--json".'],
  ])('%j', async (argv, sentence) => {
    expect(await runWith(nowhere, argv)).toEqual({ code: 2, out: '', err: `${sentence}\n` })
  })
})

test.each([
  [['login', 'kp_live_0123456789'], '`login` does not take "kp_live_…".'],
  [['kp_live_0123456789'], `There is no command "kp_live_…". A command begins with one of: ${nouns}.`],
  [['login', '--kp_live_0123456789'], '`login` has no option --kp_live_…: its options are --url, --json, --help.'],
  [
    ['balance', '--api-key', 'kp_live_0123456789'],
    '`balance` has no option --api-key: its options are --json, --help.',
  ],
])('an API key that is passed as an argument is refused and not repeated: %j', async (argv, sentence) => {
  const { code, err } = await runWith({}, argv)

  expect(code).toBe(2)
  expect(err.startsWith(sentence)).toBe(true)
  expect(err).not.toContain('0123456789')
})

describe('an argument without an option name', () => {
  const id = '019aa3d0-7e1c-7c4b-9f0e-3a52d1c8e6b4'

  test.each([
    [['payout', 'explain', id], { payout: id }],
    [['payout', 'explain', id, '--json'], { payout: id }],
    [['payout', 'attended', '--note', 'by phone', id.toUpperCase()], { payout: id, note: 'by phone' }],
    [['partner', 'show', 'acme'], { partner: 'acme' }],
    [['proof', 'accept', id, '--reason', 'ticket 4711'], { drift: id, reason: 'ticket 4711' }],
  ])('is the value of the command’s main option: %j', (argv, given) => {
    expect(readArguments(commands, argv)).toMatchObject({ outcome: 'run', given })
  })

  test('works for every command about one payout', () => {
    const about = commands.filter(({ noun, options }) => noun === 'payout' && 'payout' in options)

    expect(about.map(({ verb }) => verb)).toEqual([
      'show',
      'attended',
      'explain',
      'cancel',
      'retry',
      'resolve',
      'bind',
      'shred',
    ])
    for (const command of about) expect(bareOptionOf(command)).toBe('payout')
  })

  test.each([
    [['payout', 'retry', 'order-2001'], `--payout must be an ID, such as ${id}.`],
    [
      ['payout', 'show', 'x'],
      `--payout must be an ID, such as ${id}, the bank's reference for its transfer, or its Idempotency-Key with --partner.`,
    ],
    [['payout', 'show', id, '--payout', id], '--payout can be given only once.'],
    [['payout', 'show', id, id], `\`payout show\` does not take "${id}".`],
    [['payout', 'attention', id], `\`payout attention\` does not take "${id}".`],
  ])('is refused if it is invalid, repeated or not expected: %j', (argv, message) => {
    expect(readArguments(commands, argv)).toMatchObject({ outcome: 'refused', message })
  })
})

describe('an option before the command', () => {
  test.each(['wallet', 'acme'])('may have the value %s, even if a command begins with that word', async (slug) => {
    expect(await runWith(nowhere, ['--partner', slug, 'key', 'list'])).toMatchObject({ code: 1 })
  })

  test('is a flag for every command or takes a value for every command', () => {
    const options = commands.flatMap((command) => Object.entries(command.options))
    const kinds = new Set(options.map(([name, { kind }]) => `${name} ${kind.isFlag ? 'is a flag' : 'takes a value'}`))

    expect(kinds.size).toBe(new Set(options.map(([name]) => name)).size)
  })
})

describe('a wrong option is refused', () => {
  test.each<[string, string[], string]>([
    ['unknown', ['partner', 'list', '--all'], '`partner list` has no option --all: its options are --json, --help.'],
    [
      'unknown and short',
      ['partner', 'list', '-x'],
      '`partner list` has no option -x: its options are --json, --help.',
    ],
    [
      'of the object prototype',
      ['partner', 'list', '--__proto__'],
      '`partner list` has no option --__proto__: its options are --json, --help.',
    ],
    [
      "another command's",
      ['key', 'list', '--slug', 'x'],
      '`key list` has no option --slug: its options are --partner, --json, --help.',
    ],
    ['missing', ['partner', 'show'], '`partner show` needs --partner.'],
    ['missing, several', ['partner', 'create', '--slug', 'acme'], '`partner create` needs --name and --email.'],
    ['given twice', ['partner', 'show', '--partner', 'a1', '--partner', 'a1'], '--partner can be given only once.'],
    ['without its value', ['partner', 'show', '--partner'], '--partner needs a value.'],
    [
      'without its value before another option',
      ['partner', 'create', '--name', '--slug', 'acme'],
      '--name needs a value.',
    ],
    ['empty', ['partner', 'show', '--partner='], '--partner must not be empty.'],
    ['blank', ['partner', 'show', '--partner', ' \t'], '--partner must not be empty.'],
    ['--json with a value', ['partner', 'list', '--json=yes'], '--json takes no value.'],
    ['--json twice', ['partner', 'list', '--json', '--json=yes'], '--json can be given only once.'],
  ])('%s', async (_, argv, sentence) => {
    const { code, out, err } = await runWith(nowhere, argv)

    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err.startsWith('{') ? JSON.parse(err).error.message : err.trimEnd()).toBe(sentence)
  })
})

describe('a malformed value is refused', () => {
  test.each([
    '2.5',
    '2',
    '2.500',
    '1e3',
    '-1.00',
    '0.99',
    '20000.01',
    '٢.٥٠',
    '2,50',
    ' 2.50',
    '9'.repeat(99),
    '£2.50',
  ])('--min %j', async (value) => {
    expect((await runWith(nowhere, [...set, '--min', value])).err).toBe(`--min must be ${money}.\n`)
  })

  test.each(['0.00', '1000000.01', '1', '1e3', '-1.00', 'NaN'])('--usdc %j', async (value) => {
    expect((await runWith(nowhere, [...credit, '--usdc', value])).err).toBe(`--usdc must be ${usdc}.\n`)
  })

  test.each(['a', 'Acme', 'acme ltd', 'acmé', 'a'.repeat(41), "acme'; DROP TABLE partners", 'acme\u0000'])(
    '--slug %j',
    async (value) => {
      const { err } = await runWith(nowhere, replaced(create, '--slug', value))

      expect(err).toBe(`--slug must be ${slugRule}.\n`)
    },
  )

  test.each([
    'ada',
    'ada@',
    '@acme.test',
    'ada@acme',
    'ada@@acme.test',
    'a b@acme.test',
    'ada@acme..test',
    '.ada@acme.test',
    'ada@-acme.test',
    'ada@acme.123',
    'ada\u0000@acme.test',
    'Ada <ada@acme.test>',
    'ada@acme.test,eve@acme.test',
    'ada@acme.test\r\nBcc: eve@acme.test',
    `${'a'.repeat(65)}@acme.test`,
    `ada@${'a.'.repeat(130)}test`,
  ])('--email %j', async (value) => {
    const { err } = await runWith(nowhere, replaced(create, '--email', value))

    expect(err).toBe(`--email must be ${emailRule}.\n`)
  })

  test.each(['a\u0000b', 'a\nb', 'a\u001b[2Jb', 'a\u2028b', 'a\u202eb', 'a\u200bb', 'x'.repeat(121)])(
    '--name %j',
    async (value) => {
      const { err } = await runWith(nowhere, replaced(create, '--name', value))

      expect(err).toBe('--name must be 1 to 120 visible characters and spaces.\n')
    },
  )

  test.each([
    [[...set, '--countries', 'FR'], '--countries must be countries separated by commas, each once, from: GB.'],
    [[...set, '--countries', 'gb'], '--countries must be countries separated by commas, each once, from: GB.'],
    [[...set, '--countries', 'GB,GB'], '--countries must be countries separated by commas, each once, from: GB.'],
    [[...set, '--countries', 'GB,'], '--countries must be countries separated by commas, each once, from: GB.'],
    [[...set, '--billing-email', 'no'], `--billing-email must be ${emailRule}, or none.`],
    [[...set, '--rate-limit-live', '0'], '--rate-limit-live must be a whole number from 1 to 10000, or default.'],
    [[...set, '--rate-limit-live', '1.5'], '--rate-limit-live must be a whole number from 1 to 10000, or default.'],
    [[...set, '--rate-limit-live', '10001'], '--rate-limit-live must be a whole number from 1 to 10000, or default.'],
    [['key', 'create', '--partner', 'acme', '--environment', 'prod'], '--environment must be sandbox or live.'],
    [
      ['key', 'create', '--partner', 'acme', '--environment', 'live', '--label', 'x'.repeat(61)],
      '--label must be 1 to 60 visible characters and spaces.',
    ],
    [
      ['key', 'revoke', '--partner', 'acme', '--key', 'kp_sandbox_'],
      '--key must be the ID of a key or its prefix, as `key list` shows them.',
    ],
  ])('%j', async (argv, sentence) => {
    expect(await runWith(nowhere, argv)).toEqual({ code: 2, out: '', err: `${sentence}\n` })
  })

  test('with --json, the message is in the API’s error format', async () => {
    const { code, out, err } = await runWith(nowhere, ['--json', ...set, '--min', '2'])

    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(JSON.parse(err)).toEqual({ error: { code: 'invalid_request', message: `--min must be ${money}.` } })
  })
})

describe('an unknown partner', () => {
  let terminal: OpsTerminal

  beforeAll(async () => {
    terminal = await openTerminal()
  })

  afterAll(() => terminal.close())

  const ofPartner = commands.filter(({ options }) => 'partner' in options)

  test.each(ofPartner.map((command) => ({ name: nameOf(command), example: command.example })))(
    '$name reports that there is no such partner',
    async ({ name, example }) => {
      const argv = [...name.split(' '), ...replaced(example, '--partner', 'nobody')]

      const { code, out, err } = await terminal.ops(...argv)
      const forScripts = await terminal.ops(...argv, '--json')

      expect({ code, out, err }).toEqual({ code: 2, out: '', err: 'There is no partner nobody.\n' })
      expect(JSON.parse(forScripts.err)).toEqual({
        error: { code: 'not_found', message: 'There is no partner nobody.' },
      })
    },
  )
})
