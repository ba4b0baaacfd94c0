// The source from which the referee reads our records: a database or a transaction.

export interface Records {
  query<Rows>(sql: string, values?: unknown[]): Promise<Rows>
}
