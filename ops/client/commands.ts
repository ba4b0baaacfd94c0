// The commands for partners. They need no setting of the service, and load none of its packages.
import { type ClientCommand, defineClientCommand, done } from '../command'
import { fields } from '../print'
import { completion } from './completion'
import { login, logout, withApi } from './credentials'
import { pay } from './pay'
import { payoutCommands } from './payouts'

const balance = defineClientCommand('balance', {
  about: 'Shows the balance of the wallet.',
  run: withApi(async (api, { credentials: { environment } }) => {
    const found = await api.balance.get()
    const { usdc, approx_gbp, gbp_per_usd } = found
    const text = fields({
      environment,
      balance: `${usdc} USDC`,
      worth: `about ${approx_gbp} GBP, at ${gbp_per_usd} GBP per USD`,
    })
    return done(found, text)
  }),
})

export const clientCommands: readonly ClientCommand[] = [login, logout, balance, pay, ...payoutCommands, completion]
