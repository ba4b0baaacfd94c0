// Settings: the business, email notifications, the sign-in page, and sign-out everywhere.

import { Card, Fact, Facts, Page } from '../../../parts/card'
import { Copyable } from '../../../parts/copy'
import { Button } from '../../../parts/forms/button'
import { Notice, Trouble } from '../../../parts/notice'
import { useIsAdmin, useSession } from '../../../shell/here'
import { useSignOut } from '../../../shell/person-menu'
import { BusinessForm } from './business-form'
import { Notifications } from './notifications'

export function SettingsPage() {
  const isAdmin = useIsAdmin()
  const { partner } = useSession()
  return (
    <Page title="Settings">
      {!isAdmin && <Notice>Only admins can change these settings.</Notice>}
      <div className="grid items-start gap-5 lg:grid-cols-[3fr_2fr]">
        <div className="flex min-w-0 flex-col gap-5">
          <Card title="Business">
            <BusinessForm key={partner.id} partner={partner} />
          </Card>
          <Card title="Your sign-in page">
            <Facts>
              <Fact name="Address">
                <Copyable text={`${location.origin}/p/${partner.slug}`} name="address" shown={`/p/${partner.slug}`} />
              </Fact>
              <Fact name="Account ID">
                <Copyable text={partner.id} name="account ID" shown={`${partner.id.slice(0, 8)}…`} />
              </Fact>
            </Facts>
          </Card>
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <Notifications key={partner.id} partner={partner} />
          <Sessions />
        </div>
      </div>
    </Page>
  )
}

function Sessions() {
  const { member } = useSession()
  const everywhere = useSignOut('/v1/auth/sessions')
  return (
    <Card title="Your sessions">
      <div className="flex flex-col items-start gap-3">
        <p className="text-soft">
          You are signed in as <span className="text-ink">{member.email}</span>. If you lost a device, end all your
          sessions.
        </p>
        {everywhere.error && <Trouble error={everywhere.error} />}
        <Button weight="danger" busy={everywhere.isPending} onClick={() => everywhere.mutate()}>
          Sign out everywhere
        </Button>
      </div>
    </Card>
  )
}
