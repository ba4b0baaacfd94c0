// For a partner without payouts: a line to paste in the sandbox; in live, where money is real, only the pages that lead to a payout.

import { Card } from '../../parts/card'
import { ButtonLink } from '../../parts/forms/button'
import { useEnvironment, useIsAdmin, useSession } from '../../shell/here'
import { FirstPayoutByCurl } from './first-steps-by-curl'

export function FirstSteps() {
  const { live } = useSession()
  if (useEnvironment() === 'sandbox') return <FirstPayoutByCurl />
  return live ? <FirstLivePayout /> : <GoLive />
}

function GoLive() {
  return (
    <Card title="Go live">
      <p className="text-soft">
        Live payouts begin when the bank has verified your business. The sandbox works meanwhile.
      </p>
      <div className="mt-4">
        <ButtonLink to="/dashboard/verification" weight="primary">
          Verification
        </ButtonLink>
      </div>
    </Card>
  )
}

function FirstLivePayout() {
  const isAdmin = useIsAdmin()
  return (
    <Card title="Make a first live payout">
      <p className="text-soft">Your business is verified. Put money into the wallet, then send the first payout.</p>
      <div className="mt-4 flex flex-wrap gap-2">
        <ButtonLink to="/dashboard/top-up" weight={isAdmin ? 'plain' : 'primary'}>
          Top up
        </ButtonLink>
        {isAdmin && (
          <ButtonLink to="/dashboard/send" weight="primary">
            Send a payout
          </ButtonLink>
        )}
      </div>
    </Card>
  )
}
