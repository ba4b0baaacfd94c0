// Transfers with a fixed output: created if the wallet covers them, otherwise refused and not stored.
import { randomUUID } from 'node:crypto'
import { aboutTransfer, moveTransfer } from '../clock/moves'
import { type Call, get, type Outcome, post, type Route, remove } from '../http/call'
import { insufficientFunds, notFound, refusal } from '../http/errors'
import { listPage } from '../http/lists'
import { microPerCent } from '../money'
import type { Put, Transfer } from '../storage/records'
import { customerOf } from './customers'
import { presentTransfer } from './transfer-json'
import { readTransferOrder, type TransferOrder } from './transfer-order'
import { moveMoney } from './wallets'

export const transferRoutes: readonly Route[] = [
  post('/transfers', createTransfer),
  get('/transfers', (call) => listTransfers(call, call.books.transfers.all())),
  get('/transfers/:transfer', (call) => ({ status: 200, body: presentTransfer(transferOf(call)) })),
  remove('/transfers/:transfer', cancelTransfer),
  get('/customers/:customer/transfers', (call) => listTransfers(call, call.books.transfers.of(customerOf(call).id))),
]

/** The same client_reference_id under another key is a second transfer, so that tests detect double payments. */
function createTransfer(call: Call): Outcome {
  const order = readTransferOrder(call)
  const amountMicro = order.sourceCents * microPerCent
  if (order.wallet.balanceMicro < amountMicro) throw insufficientFunds()

  const blank = blankTransfer(call, order)
  const route = { type: 'transfer', objectId: blank.id } as const
  const debit = moveMoney(call, order.wallet, { type: 'withdrawal', amountMicro, route })
  const move = failsAtOnce(call, order)
    ? { state: 'undeliverable', reason: 'AC03' }
    : { state: call.bank.settings.firstState, reason: null }
  const puts: Put[] = [...debit, ...moveTransfer(call, blank, move)]
  const created = puts.flatMap((put) => (put[0] === 'transfers' ? [put[1]] : []))[0] ?? blank
  return { status: 201, body: presentTransfer(created), what: 'transfer.created', puts }
}

/** The only magic number of the sandbox: an account number that ends in 0000 does not exist. */
function failsAtOnce({ environment }: Call, { account }: TransferOrder): boolean {
  return environment === 'sandbox' && account.accountNumber.endsWith('0000')
}

function blankTransfer({ now }: Call, order: TransferOrder): Transfer {
  return {
    id: randomUUID(),
    customerId: order.customer.id,
    walletId: order.wallet.id,
    externalAccountId: order.account.id,
    clientReferenceId: order.clientReferenceId,
    state: '',
    outputPence: order.outputPence,
    sourceCents: order.sourceCents,
    developerFeeCents: order.developerFeeCents,
    rateNano: order.rateNano,
    reference: order.reference,
    fromAddress: order.wallet.address,
    returnReason: null,
    refundReferenceId: null,
    next: null,
    createdAt: now,
    updatedAt: now,
  }
}

function listTransfers(call: Call, rows: readonly Transfer[]): Outcome {
  return { status: 200, body: listPage(call, rows, presentTransfer, aboutTransfer) }
}

function cancelTransfer(call: Call): Outcome {
  const transfer = transferOf(call)
  if (transfer.state !== 'awaiting_funds') {
    throw refusal(409, 'resource_state_conflict', 'Only a transfer in awaiting_funds can be deleted.')
  }
  const puts = moveTransfer(call, transfer, { state: 'canceled', reason: null })
  return {
    status: 200,
    body: presentTransfer({ ...transfer, state: 'canceled', updatedAt: call.now }),
    what: 'transfer.canceled',
    puts,
  }
}

function transferOf(call: Call): Transfer {
  const transfer = call.books.transfers.get(call.param('transfer'))
  if (!transfer) throw notFound('transfer')
  return transfer
}
