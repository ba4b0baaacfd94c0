// Lists the pages of the menu, in groups.
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
}

export const menu: readonly (readonly MenuItem[])[] = [
  [
    { to: '/dashboard', name: 'Home', icon: House },
    { to: '/dashboard/payouts', name: 'Payouts', icon: ArrowLeftRight },
    { to: '/dashboard/recipients', name: 'Recipients', icon: BookUser },
  ],
  [
    { to: '/dashboard/wallet', name: 'Wallet', icon: Wallet },
    { to: '/dashboard/top-up', name: 'Top up', icon: CirclePlus },
    { to: '/dashboard/usage', name: 'Fees and usage', icon: ChartColumn },
    { to: '/dashboard/invoices', name: 'Invoices', icon: FileText },
  ],
  [
    { to: '/dashboard/keys', name: 'API keys', icon: KeyRound },
    { to: '/dashboard/team', name: 'Team', icon: UsersRound },
    { to: '/dashboard/audit-log', name: 'Audit log', icon: ScrollText },
    { to: '/dashboard/verification', name: 'Verification', icon: BadgeCheck },
    { to: '/dashboard/settings', name: 'Settings', icon: Settings },
  ],
]

export const sendItem: MenuItem = { to: '/dashboard/send', name: 'Send a payout', icon: Send }
