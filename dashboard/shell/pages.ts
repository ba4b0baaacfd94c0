// Lists the pages of the menu, in groups, and the words by which the search finds each page.
import {
  ArrowLeftRight,
  BadgeCheck,
  BookUser,
  ChartColumn,
  CirclePlus,
  FileText,
  House,
  KeyRound,
  type LucideIcon,
  ScrollText,
  Send,
  Settings,
  UsersRound,
  Wallet,
} from 'lucide-react'

export interface MenuItem {
  readonly to: string
  readonly name: string
  readonly icon: LucideIcon
  /** Other words that people search for. The name itself is always found. */
  readonly words?: string
}

export const menu: readonly (readonly MenuItem[])[] = [
  [
    { to: '/dashboard', name: 'Home', icon: House, words: 'dashboard overview start' },
    { to: '/dashboard/payouts', name: 'Payouts', icon: ArrowLeftRight, words: 'payments transfers transactions' },
    { to: '/dashboard/recipients', name: 'Recipients', icon: BookUser, words: 'payees beneficiaries contacts people' },
  ],
  [
    { to: '/dashboard/wallet', name: 'Wallet', icon: Wallet, words: 'balance statement transactions ledger money' },
    { to: '/dashboard/top-up', name: 'Top up', icon: CirclePlus, words: 'deposit fund add money' },
    {
      to: '/dashboard/usage',
      name: 'Fees and usage',
      icon: ChartColumn,
      words: 'billing prices pricing charges costs',
    },
    { to: '/dashboard/invoices', name: 'Invoices', icon: FileText, words: 'billing bills vat' },
  ],
  [
    { to: '/dashboard/keys', name: 'API keys', icon: KeyRound, words: 'developers secret token credentials' },
    { to: '/dashboard/team', name: 'Team', icon: UsersRound, words: 'members users people roles admins invite' },
    {
      to: '/dashboard/audit-log',
      name: 'Audit log',
      icon: ScrollText,
      words: 'activity history events requests security',
    },
    {
      to: '/dashboard/verification',
      name: 'Verification',
      icon: BadgeCheck,
      words: 'kyb kyc compliance onboarding go live',
    },
    {
      to: '/dashboard/settings',
      name: 'Settings',
      icon: Settings,
      words: 'account business profile branding notifications emails sessions devices security',
    },
  ],
]

export const sendItem: MenuItem = {
  to: '/dashboard/send',
  name: 'Send a payout',
  icon: Send,
  words: 'pay new create payment transfer',
}
