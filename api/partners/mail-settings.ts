// A partner's email settings: a switch for each kind of notice, and the low-balance threshold.
import { Type } from 'typebox'
import type { PartnerRow } from '../../db/partners/partners'
import { formatUsdcExactly } from '../../domain/money'
import type { SwitchableNotice } from '../../domain/partners/partner'
import { Answer, MoneyString, Nullable, Strict } from '../http/schema'

export const lowBalanceDescription =
  'Admins get an email when the balance of the live wallet falls below this amount. Null disables the email.'

const switchDescriptions: Readonly<Record<SwitchableNotice, string>> = {
  payout_failed: 'A live payout failed.',
  payout_returned: 'A live payout was returned.',
  low_balance: 'The balance of the live wallet fell below low_balance_usdc.',
  verification: 'Business verification changed.',
  top_up: 'A top-up arrived in the live wallet.',
  case: 'A recall or trace was resolved.',
}

const switchOf = (kind: SwitchableNotice) => Type.Boolean({ description: switchDescriptions[kind] })

/** Lists the switches explicitly, so that each property has its own type. */
const switches = {
  payout_failed: switchOf('payout_failed'),
  payout_returned: switchOf('payout_returned'),
  low_balance: switchOf('low_balance'),
  verification: switchOf('verification'),
  top_up: switchOf('top_up'),
  case: switchOf('case'),
} satisfies Record<SwitchableNotice, unknown>

export const NotificationChanges = Strict(
  {
    payout_failed: Type.Optional(switches.payout_failed),
    payout_returned: Type.Optional(switches.payout_returned),
    low_balance: Type.Optional(switches.low_balance),
    verification: Type.Optional(switches.verification),
    top_up: Type.Optional(switches.top_up),
    case: Type.Optional(switches.case),
  },
  { description: 'Emails to admins. Omitted switches do not change.' },
)

export const mailSettings = {
  notifications: Answer(switches, { description: 'Emails to admins.' }),
  low_balance_usdc: Nullable(MoneyString({ description: lowBalanceDescription })),
}

export const exampleMailSettings = {
  notifications: {
    payout_failed: true,
    payout_returned: true,
    low_balance: true,
    verification: true,
    top_up: false,
    case: true,
  },
  low_balance_usdc: '500.00',
}

export function presentMailSettings({ mutedMails, lowBalanceMicroUsdc }: PartnerRow) {
  const isOn = (kind: SwitchableNotice) => !mutedMails.includes(kind)
  return {
    notifications: {
      payout_failed: isOn('payout_failed'),
      payout_returned: isOn('payout_returned'),
      low_balance: isOn('low_balance'),
      verification: isOn('verification'),
      top_up: isOn('top_up'),
      case: isOn('case'),
    },
    low_balance_usdc: lowBalanceMicroUsdc === null ? null : formatUsdcExactly(lowBalanceMicroUsdc),
  }
}
