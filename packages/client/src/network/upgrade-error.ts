/** The server answered a request for a socket with an ordinary answer. */

/** Thrown by transports; the calls turn it into an `ApiError` that names what was to be done. */
export class UpgradeError extends Error {
  override readonly name = "UpgradeError";
  readonly status: number;
  readonly body: string;

  constructor(status: number, body: string) {
    super(`the server answered ${status} instead of opening a socket`);
    this.status = status;
    this.body = body;
  }
}
