// The workflow as a careless change would leave it: one more activity in front, which no recorded history knows of.
import * as activities from '../../../../workflows/activities'

export async function invoiceMail(): Promise<void> {
  await activities.markMailed({ invoiceId: 'none' })
}
