// What the one step of a sign-up tells its workflow: ids only.

export interface SignUp {
  readonly codeId: string
}

export interface SignUpSteps {
  /** The partner's id, the same however often it is asked: one transaction opens it and remembers it with the code. */
  openSignedUp(order: SignUp): Promise<string>
}
