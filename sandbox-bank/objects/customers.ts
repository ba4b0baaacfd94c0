// Customers: their JSON, and the conditions that a customer must meet to pay.
import { type Call, get, isoTime, type Route } from '../http/call'
import { notFound, refusal } from '../http/errors'
import { listPage } from '../http/lists'
import type { Customer, Endorsement } from '../storage/records'

export const customerRoutes: readonly Route[] = [
  get('/customers', (call) => listPage(call, call.books.customers.all(), presentCustomer)),
  get('/customers/:customer', (call) => presentCustomer(customerOf(call))),
]

export const kycStatuses = [
  ...(['not_started', 'incomplete', 'awaiting_questionnaire', 'awaiting_ubo', 'under_review'] as const),
  ...(['approved', 'rejected', 'paused', 'offboarded'] as const),
]

export const fasterPayments = 'faster_payments'

export function customerOf(call: Call): Customer {
  const customer = call.books.customers.get(call.param('customer'))
  if (!customer) throw notFound('customer')
  return customer
}

/** Throws the bank's error if the customer is not allowed to pay yet. */
export function requireActive(customer: Customer): void {
  if (customer.kycStatus === 'paused') throw refusal(400, 'frozen', 'The customer is frozen.')
  if (customer.tosStatus !== 'approved')
    throw refusal(400, 'has_not_accepted_tos', 'The customer has not accepted the terms.')
  if (customer.kycStatus === 'approved') return
  throw refusal(400, 'requires_active_kyc_status', 'The customer is not verified.')
}

export function requireFasterPayments(customer: Customer): void {
  const endorsement = customer.endorsements.find(({ name }) => name === fasterPayments)
  if (endorsement?.status === 'approved') return
  throw refusal(403, 'missing_required_endorsements', `The customer lacks the endorsement ${fasterPayments}.`)
}

export function presentCustomer(customer: Customer): Record<string, unknown> {
  return {
    id: customer.id,
    type: customer.type,
    full_name: customer.fullName,
    email: customer.email,
    status: statusOf(customer),
    has_accepted_terms_of_service: customer.tosStatus === 'approved',
    rejection_reasons: presentRejections(customer),
    endorsements: customer.endorsements.map((endorsement) => presentEndorsement(customer, endorsement)),
    created_at: isoTime(customer.createdAt),
    updated_at: isoTime(customer.updatedAt),
  }
}

function presentEndorsement(customer: Customer, { name, status }: Endorsement): Record<string, unknown> {
  const terms = customer.tosStatus === 'approved' ? [] : ['terms_of_service_v2']
  const identity = customer.kycStatus === 'approved' ? [] : ['kyc']
  const missing = status === 'approved' ? null : { all_of: [...terms, ...identity] }
  return {
    name,
    status,
    requirements: { complete: status === 'approved' ? ['kyc'] : [], pending: [], missing, issues: [] },
  }
}

export function presentRejections(customer: Customer): unknown[] {
  return customer.rejections.map(({ reason, developerReason, at }) => ({
    reason,
    developer_reason: developerReason,
    created_at: isoTime(at),
  }))
}

/** `active` once the customer is verified and has accepted the terms. */
export function statusOf(customer: Customer): string {
  if (customer.kycStatus !== 'approved') return customer.kycStatus
  return customer.tosStatus === 'approved' ? 'active' : 'incomplete'
}
