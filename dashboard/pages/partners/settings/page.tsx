// Settings: the business, email notifications, the sign-in page, and the user's sessions.

import { Card, Fact, Facts, Page } from '../../../parts/card'
import { Copyable } from '../../../parts/copy'
import { Notice } from '../../../parts/notice'
import { useIsAdmin, useSession } from '../../../shell/here'
import { BusinessForm } from './business-form'
import { Notifications } from './notifications'
import { Sessions } from './sessions'
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
