// Settings: the business, email notifications, the sign-in page, and sign-out everywhere.

import { Card, Fact, Facts, Page } from '../../../parts/card'
import { Copyable } from '../../../parts/copy'
import { Button } from '../../../parts/forms/button'
import { ErrorNotice, Notice } from '../../../parts/notice'
import { useIsAdmin, useSession } from '../../../shell/here'
import { useSignOut } from '../../../shell/person-menu'
import { BusinessForm } from './business-form'
import { Notifications } from './notifications'
import { texts } from './texts'

export function SettingsPage() {
  const isAdmin = useIsAdmin()
  const { partner } = useSession()
  return (
    <Page title={texts.title}>
      {!isAdmin && <Notice>{texts.readOnly}</Notice>}
      <div className="grid items-start gap-5 lg:grid-cols-[3fr_2fr]">
        <div className="flex min-w-0 flex-col gap-5">
          <Card title={texts.business.title}>
            <BusinessForm key={partner.id} partner={partner} />
          </Card>
          <Card title={texts.signInPage.title}>
            <Facts>
              <Fact name={texts.signInPage.address}>
                <Copyable text={`${location.origin}/p/${partner.slug}`} name="address" shown={`/p/${partner.slug}`} />
              </Fact>
              <Fact name={texts.signInPage.accountId}>
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
    <Card title={texts.sessions.title}>
      <div className="flex flex-col items-start gap-3">
        <p className="text-soft">
          {texts.sessions.signedInAs} <span className="text-ink">{member.email}</span>. {texts.sessions.lostDevice}
        </p>
        {everywhere.error && <ErrorNotice error={everywhere.error} />}
        <Button weight="danger" busy={everywhere.isPending} onClick={() => everywhere.mutate()}>
          {texts.sessions.signOut}
        </Button>
      </div>
    </Card>
  )
}
