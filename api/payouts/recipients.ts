// GET /v1/recipients: the recipients of a partner's payouts in the last 12 months.
import { Type } from 'typebox'
import { findPayout } from '../../db/payouts/payouts'
import { listRecipients as listRecipientRows, type RecipientRow } from '../../db/payouts/recipients/list'
import { formatPence } from '../../domain/money'
import type { ApiDeps } from '../deps'
import { listShape, PageQuery, pageReply } from '../http/list'
import { queryOf } from '../http/requests/read-request'
import { type ApiRequest, get, type Reply, scopeOf } from '../http/route'
import { Component, DateTime, MoneyString, Nullable } from '../http/schema'
import { historyChecks } from '../http/steps'

const Query = PageQuery({})

const RecipientSummary = Component('RecipientSummary', {
  name: Nullable(Type.String()),
  account_last4: Nullable(Type.String()),
  payouts: Type.Integer({ minimum: 0, description: 'Completed payouts.' }),
  paid_gbp: MoneyString({ description: 'The sum of those payouts.' }),
  last_paid_at: DateTime({
    description:
      'When the latest of these payouts was completed. If none is completed yet, when the latest payout was created.',
  }),
})

export const listRecipientsRoute = get('/v1/recipients', 'listRecipients', {
  steps: [...historyChecks('recipient.list', { by: 'key', partner: 'any' }, { query: Query }), listRecipients],
  summary: 'List recipients',
  description:
    'Payouts of the last 12 months that did not fail and were not cancelled, grouped by bank account, last paid first.',
  reply: listShape('A page of recipients.', RecipientSummary, [
    {
      name: 'Ada Lovelace',
      account_last4: '0008',
      payouts: 3,
      paid_gbp: '360.00',
      last_paid_at: '2026-11-16T09:31:00.000Z',
    },
  ]),
  errors: ['invalid_request'],
})

async function listRecipients(request: ApiRequest, { db, clock }: ApiDeps): Promise<Reply> {
  const scope = scopeOf(request)
  return pageReply(queryOf<typeof Query>(request), {
    find: (id) => findPayout(db, scope, id),
    read: (page) => listRecipientRows(db, scope, page, clock.now()),
    cursorOf: ({ payoutId }) => payoutId,
    present: presentRecipient,
  })
}

function presentRecipient({ name, accountLast4, payouts, paidPence, lastPaidAt }: RecipientRow): unknown {
  return {
    name,
    account_last4: accountLast4,
    payouts,
    paid_gbp: formatPence(paidPence),
    last_paid_at: lastPaidAt.toISOString(),
  }
}
