// The steps from a new account to its first payout, ticked by what the account already has.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { useState } from 'react'
import { activeKeysQuery, balanceQuery, membersQuery } from '../../api/queries'
import { Card } from '../../parts/card'
import { Button } from '../../parts/forms/button'
import { useEnvironment, useIsAdmin, useSession } from '../../shell/here'
import { isChecklistHidden, rememberHiddenChecklist } from '../../shell/remembered'
import { asFloat } from '../../words'

export function Checklist({ hasPayouts }: { readonly hasPayouts: boolean }) {
  const { partner } = useSession()
  const [isHidden, setHidden] = useState(() => isChecklistHidden(partner.id))
  const steps = useSteps(hasPayouts)
  if (isHidden || steps === null || steps.every(({ done }) => done)) return null
  const hide = () => {
    rememberHiddenChecklist(partner.id)
    setHidden(true)
  }
  return (
    <Card
      title={`Set up your account: ${steps.filter(({ done }) => done).length} of ${steps.length} done`}
      aside={
        <Button weight="quiet" className="-mr-3" aria-label="Hide the checklist" onClick={hide}>
          Hide
        </Button>
      }
    >
      <ol className="grid gap-x-6 gap-y-1 sm:grid-cols-2 lg:grid-cols-5">
        {steps.map(({ name, to, done }) => (
          <li key={name} className="flex items-center gap-2 py-1">
            <span
              aria-hidden
              className={`flex size-5 shrink-0 items-center justify-center rounded-full border ${done ? 'border-good bg-good-soft text-good' : 'border-edge'}`}
            >
              {done && <Check className="size-3.5" strokeWidth={2.6} />}
            </span>
            {done ? (
              <span className="text-soft">
                {name}
                <span className="sr-only"> (done)</span>
              </span>
            ) : (
              <Link to={to} className="font-medium underline decoration-edge underline-offset-2 hover:decoration-ink">
                {name}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </Card>
  )
}

interface SetupStep {
  readonly name: string
  readonly to: string
  readonly done: boolean
}

/** Null until everything is known, so that no tick changes while the page loads. */
function useSteps(hasPayouts: boolean): readonly SetupStep[] | null {
  const environment = useEnvironment()
  const { live } = useSession()
  const isAdmin = useIsAdmin()
  const { data: balance } = useQuery(balanceQuery(environment))
  const { data: members } = useQuery(membersQuery)
  const { data: keys } = useQuery(activeKeysQuery(environment))
  if (!balance || !members || !keys) return null
  return [
    { name: 'Verify your business', to: '/dashboard/verification', done: live },
    // A wallet that has paid was topped up, even if it is empty now.
    { name: 'Top up the wallet', to: '/dashboard/top-up', done: hasPayouts || asFloat(balance.usdc) > 0 },
    { name: 'Invite your team', to: '/dashboard/team', done: members.data.length > 1 },
    { name: 'Create an API key', to: '/dashboard/keys', done: keys.data.length > 0 },
    { name: 'Send your first payout', to: isAdmin ? '/dashboard/send' : '/dashboard/payouts', done: hasPayouts },
  ]
}
