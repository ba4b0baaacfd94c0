// The referee's source of our records: a database, or a transaction of one.

export interface Records {
  query<Rows>(sql: string, values?: unknown[]): Promise<Rows>
}
