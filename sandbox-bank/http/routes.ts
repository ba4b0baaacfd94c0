// Every address of the wire protocol as one table, and the finding of a route in it.
import { customerRoutes } from '../objects/customers'
import { externalAccountRoutes } from '../objects/external-accounts'
import { kycLinkRoutes } from '../objects/kyc-links'
import { liquidationAddressRoutes } from '../objects/liquidation-addresses'
import { rateRoutes } from '../objects/rates'
import { transferRoutes } from '../objects/transfers'
import { virtualAccountRoutes } from '../objects/virtual-accounts'
import { walletRoutes } from '../objects/wallets'
import { webhookRoutes } from '../objects/webhooks'
import type { Route } from './call'
import { createFinder } from './find-route'

const routes: readonly Route[] = [
  ...kycLinkRoutes,
  ...customerRoutes,
  ...walletRoutes,
  ...externalAccountRoutes,
  ...transferRoutes,
  ...rateRoutes,
  ...virtualAccountRoutes,
  ...liquidationAddressRoutes,
  ...webhookRoutes,
]

export const findRoute = createFinder('/v0', routes)
