// The source of our records for the referee: a database, or one of its transactions.

export interface Records {
  query<Rows>(sql: string, values?: unknown[]): Promise<Rows>
}
