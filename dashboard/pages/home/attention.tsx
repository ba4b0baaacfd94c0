// Items that need attention: failed, returned and late payouts, a low wallet balance, and a verification that was
// declined or needs action.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useState } from 'react'
import { complianceQuery } from '../../api/queries'
import type { Overview, Payout } from '../../api/types'
import { Card } from '../../parts/card'
import { ButtonLink } from '../../parts/forms/button'
import { Notice, VerifyFirst } from '../../parts/notice'
import { useToast } from '../../parts/toast'
import { Moment } from '../../parts/values/moment'
import { Gbp } from '../../parts/values/money'
import { Status } from '../../parts/values/status'
import type { PayoutDialog } from '../../shell/here'
import { useEnvironment, useIsAdmin, useSession } from '../../shell/here'
import { dismissedBy, rememberDismissed } from '../../shell/remembered'
import { asFloat, grouped, pounds, reasonWords } from '../../words'
import { texts } from './texts'

const words = texts.attention

const shownOfEach = 3

/** Late payouts come first, then those that failed or were returned in the last week. Dismissed payouts are omitted. */
export function Attention({ overview }: { readonly overview: Overview }) {
  const { isDismissed, dismiss } = useDismissed()
  const kinds = overview.attention.map(({ status, payouts, has_more }) => {
    const left = payouts.filter((payout) => !isDismissed(payout))
    return { status, shown: left.slice(0, shownOfEach), isCut: has_more || left.length > shownOfEach }
  })
  const cut = kinds.filter(({ isCut }) => isCut)
  const shown = kinds.flatMap((kind) => kind.shown)
  if (shown.length + cut.length === 0) return null
  return (
    <Card title={words.title}>
      <ul className="divide-y divide-line">
        {shown.map((payout) => (
          <li
            key={payout.id}
            className="grid grid-cols-[1fr_auto_auto] items-center gap-x-4 gap-y-1 py-2.5 first:pt-0 last:pb-0 lg:grid-cols-[6.5rem_1fr_6rem_6rem_8rem_auto]"
          >
            <span>
              <Status of={payout.status} />
            </span>
            <Link
              to="/dashboard/payouts/$id"
              params={{ id: payout.id }}
              title={`${payout.recipient.name} ${why(payout)}`}
              className="order-last col-span-3 min-w-0 hover:underline lg:order-none lg:col-span-1 lg:truncate"
            >
              <span className="font-medium">{payout.recipient.name}</span>{' '}
              <span className="text-soft">{why(payout)}</span>
            </Link>
            <span className="hidden text-right text-xs text-soft lg:block">
              <Moment at={payout.updated_at} as="ago" />
            </span>
            <span className="text-right font-medium">
              <Gbp of={payout.amount_gbp} />
            </span>
            <Action payout={payout} />
            <button
              type="button"
              aria-label={words.dismissPayout(payout.status, payout.recipient.name)}
              title={words.dismiss}
              onClick={() => dismiss(payout)}
              className="-m-1 rounded-md p-1 text-soft hover:bg-sunken hover:text-ink"
            >
              <X className="size-4" aria-hidden />
            </button>
          </li>
        ))}
      </ul>
      {cut.length > 0 && (
        <p className="mt-3 flex flex-wrap gap-2 border-t border-line pt-3">
          {cut.map(({ status }) => (
            <ButtonLink key={status} to="/dashboard/payouts" search={{ status }} weight="quiet">
              {words.all(status)}
            </ButtonLink>
          ))}
        </p>
      )}
    </Card>
  )
}

/** Leads to the payout. For an admin it also opens the dialog that the payout's page offers for its status. */
function Action({ payout }: { readonly payout: Payout }) {
  const dialog = useIsAdmin() ? dialogs[payout.status] : undefined
  const { name, label } = words.actions[dialog ?? 'view']
  return (
    <ButtonLink
      to="/dashboard/payouts/$id"
      params={{ id: payout.id }}
      state={{ payoutDialog: dialog }}
      aria-label={label(payout.status, payout.recipient.name)}
      className="order-last col-span-3 mt-1 !h-8 justify-self-start lg:order-none lg:col-span-1 lg:mt-0 lg:w-full"
    >
      {name}
    </ButtonLink>
  )
}

const dialogs: Readonly<Partial<Record<Payout['status'], PayoutDialog>>> = { pending: 'cancel', processing: 'trace' }

/** A dismissed payout reappears when its status changes. */
function useDismissed() {
  const environment = useEnvironment()
  const { member } = useSession()
  const showToast = useToast()
  const [dismissed, setDismissed] = useState(() => dismissedBy(member.id, environment))
  const nameOf = ({ id, status }: Payout) => `${id}:${status}`
  return {
    isDismissed: (payout: Payout) => dismissed.includes(nameOf(payout)),
    dismiss: (payout: Payout) => {
      const next = [...dismissed, nameOf(payout)]
      setDismissed(next)
      rememberDismissed(member.id, environment, next)
      showToast(words.dismissed)
      // The focused button disappears. Without this, keyboard users would start again at the top of the page.
      document.getElementById('page')?.focus()
    },
  }
}

function why({ status, failure_reason }: Payout): string {
  if (status === 'failed') return failure_reason ? reasonWords(failure_reason) : words.failed
  if (status === 'returned') return `${words.returned} ${failure_reason ? reasonWords(failure_reason) : ''}`
  if (status === 'processing') return words.late
  return words.unconfirmed
}

export function Verification() {
  const { live } = useSession()
  const { data } = useQuery({ ...complianceQuery(useEnvironment()), enabled: !live })
  const [title, sentence] = (!live && words.verification[data?.business_verification.status ?? '']) || []
  if (title === undefined) return null
  return <VerifyFirst title={title}>{sentence}</VerifyFirst>
}

/**
 * Warns about an empty or low wallet. In live, "low" means below the partner's own limit. In the sandbox, or without a
 * limit, it means below three times this month's average payout.
 */
export function LowBalance({ overview: { balance, usage } }: { readonly overview: Overview }) {
  const environment = useEnvironment()
  const { live, partner } = useSession()
  const limit = environment === 'live' ? partner.low_balance_usdc : null
  // A business cannot top up before it is verified. The balance is null while the partner is not active.
  if ((environment === 'live' && !live) || balance === null) return null
  const { completed, paid_to_sellers_gbp } = usage.payouts
  const isEmpty = asFloat(balance.approx_gbp ?? balance.usdc) < 1
  const usual = completed > 0 ? asFloat(paid_to_sellers_gbp) / completed : 0
  const gbp = balance.approx_gbp
  const isLow = limit === null ? gbp !== null && asFloat(gbp) < usual * 3 : asFloat(balance.usdc) < asFloat(limit)
  if (!isEmpty && !isLow) return null
  return (
    <Notice
      tone="warn"
      title={isEmpty ? texts.lowBalance.empty : texts.lowBalance.low}
      action={<ButtonLink to="/dashboard/top-up">{texts.topUp}</ButtonLink>}
    >
      {isEmpty
        ? texts.lowBalance.emptyAbout
        : limit === null
          ? texts.lowBalance.belowUsual(pounds(gbp ?? '0.00'))
          : texts.lowBalance.belowAlert(grouped(balance.usdc), grouped(limit))}
    </Notice>
  )
}
