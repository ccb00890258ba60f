/** What the API server is told when a node cannot do what it was asked. */
export class ServeError extends Error {
  override readonly name = "ServeError";
  readonly status: 400 | 404 | 500;

  constructor(status: ServeError["status"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}
