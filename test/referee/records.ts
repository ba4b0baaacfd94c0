// What the referee reads our side of the story from: a database, or a transaction of one.

export interface Records {
  query<Rows>(sql: string, values?: unknown[]): Promise<Rows>
}
